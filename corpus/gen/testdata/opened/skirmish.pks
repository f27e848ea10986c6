// A shooter on a small map: clients send input at 20 Hz, the server sends what each can see.
protocol skirmish
order lsb
port 27960
max datagram 400

enum Kind : bits(2) { Join = 0, Input = 1, State = 2, Event = 3 }

struct Player {
    id       bits(5)
    x        float(-2048..2048, 0.125)
    y        float(-2048..2048, 0.125)
    z        float(-256..768, 0.125)
    yaw      bits(10)
    pitch    int(-90..90)
    health   int(0..100)
    armor    int(0..150)
    weapon   int(0..8)
    crouched bool
    firing   bool
}

packet {
    crc      crc32(prefix 0x41524e31 : uint32)
    seq      uint16 @seq
    ack      uint16
    ack_bits bits(32)
    kind     Kind
    body switch kind {
        Join:  { token bits(48), skin int(0..20), rate int(5..60), color bits(12), spectate bool }
        Input: { tick bits(20), forward sbits(6), strafe sbits(6), yaw bits(10), pitch int(-90..90), fire bool, jump bool, crouch bool, use bool, weapon int(0..8) }
        State: { tick bits(20), time_left bits(20) @unit("ms"), count int(0..7), players [count]Player }
        Event: { tick bits(20), killer bits(5), victim bits(5), weapon int(0..8), headshot bool, score int(0..500) }
    }
}
