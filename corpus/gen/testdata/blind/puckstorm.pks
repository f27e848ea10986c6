// Ice hockey for up to ten skaters: one server, snapshots ten times a second.
protocol puckstorm
order lsb
port 27500
max datagram 1200

const MaxSkaters = 10

enum Kind : bits(3) { Join = 0, Welcome = 1, Input = 2, Snapshot = 3, Ping = 4, Leave = 5 }
enum Period : bits(2) { Warmup = 0, First = 1, Second = 2, Third = 3 }

struct Skater {
    slot     bits(4) in 0..9
    x        float(-31..31, 0.01) @unit("m")
    y        float(-14..14, 0.01) @unit("m")
    heading  bits(8) // 256 to the turn
    stamina  int(0..100)
    has_puck bool
    on_ice   bool
}

packet {
    crc      crc32(prefix 0x314B5550 : uint32)
    sequence uint16 @seq
    ack      uint16
    ack_bits uint32
    kind     Kind
    body switch kind {
        Join:    { version bits(6), away bool, jersey int(1..99), name string(16) }     @from(client)
        Welcome: { slot bits(4), session uint32 @hex, tick bits(20), rate int(10..60) } @from(server)
        Input: {
            tick   bits(20)
            move_x int(-7..7)
            move_y int(-7..7)
            sprint bool
            shoot  bool
            power  bits(6)
            pass   bool
        } @from(client)
        Snapshot: {
            tick    bits(20)
            period  Period
            clock   int(0..1200) @unit("s")
            home    bits(5)
            away    bits(5)
            puck    optional { x float(-31..31, 0.01), y float(-14..14, 0.01), vx sbits(10), vy sbits(10) }
            count   int(0..MaxSkaters)
            skaters [count]Skater
        } @from(server)
        Ping:  { sent uint32 @unit("ms"), reply bool }
        Leave: { reason bits(2) } @from(client)
    }
}
