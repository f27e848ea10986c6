// Small tanks in a walled field, two to eight of them. The checksum begins with an id that is not sent.
protocol tankette
order msb
port 31870
max datagram 1000

enum Kind : bits(4) { Connect = 1, Accept = 2, Drive = 3, State = 4, Hit = 5, Say = 6, Echo = 7, Bye = 8 }
enum Weapon : bits(2) { Cannon = 0, Mortar = 1, Mines = 2 }

struct Tank {
    id    bits(3)
    moved optional { x bits(13), y bits(13), hull bits(9), turret bits(9), speed sbits(7) }
    armor int(0..100)
    kills bits(6)
    smoke bool
}

struct Shell {
    number bits(8)
    owner  bits(3)
    weapon Weapon
    x      bits(13)
    y      bits(13)
    height bits(7)
}

packet {
    kind     Kind
    sequence bits(12) @seq
    body switch kind {
        Connect: { version uint8, color bits(4), skin bits(4), size bits(4), name bytes(size) ascii }         @from(client)
        Accept:  { id bits(3), seed uint32, map bits(5), time uint32 @unit("ms") }                            @from(server)
        Drive:   { tick bits(18), throttle sbits(4), steer sbits(4), aim bits(10), fire bool, weapon Weapon } @from(client)
        State: {
            tick   bits(18)
            acked  bits(12)
            tanks  [0..8]Tank
            shells [0..15]Shell
        } @from(server)
        Hit:  { tick bits(18), shooter bits(3), victim bits(3), damage bits(6), fatal bool } @from(server)
        Say:  { author bits(3), team bool, size bits(7), text bytes(size) ascii }
        Echo: { time uint32 @unit("ms"), answer bool }
        Bye:  { id bits(3), reason bits(2) }
    }
    align
    crc crc16_ibm_3740(prefix 0x7A4E : uint16, over before)
}
