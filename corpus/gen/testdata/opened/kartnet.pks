// Kartnet: a kart racing game, bits packed from the highest down.
protocol kartnet
order msb
port 27960
max datagram 600

enum Kind : bits(4) { Hello = 1, Welcome = 2, Controls = 3, State = 4, UseItem = 5, Lap = 6, Pong = 7 }
enum ItemKind : bits(4) { None = 0, Banana = 1, Shell = 2, RedShell = 3, Mushroom = 4, Star = 5, Bolt = 6 }

struct Hello { key bits(40), build bits(12), color bits(5) }
struct Welcome { key bits(40), kart bits(3), track bits(5), laps bits(3) }
struct Controls {
    kart     bits(3)
    time     bits(24) @unit("ms")
    steer    sbits(8)
    throttle bits(6)
    brake    bits(4)
    drift    bool
    item     bool
    horn     bool
}
struct Kart {
    id         bits(3)
    x          sbits(17) @unit("cm")
    y          sbits(17) @unit("cm")
    z          sbits(11) @unit("cm")
    heading    bits(10)
    speed      sbits(12) @unit("cm/tick")
    item       ItemKind
    lap        bits(3)
    checkpoint bits(5)
    drifting   bool
    boost      bits(4)
}
struct State {
    time  bits(24) @unit("ms")
    count bits(4) in 0..8
    karts [count]Kart
}
struct UseItem { kart bits(3), item ItemKind, x sbits(17), y sbits(17), target bits(3) }
struct Lap { kart bits(3), lap bits(3), lap_ms bits(18), total_ms bits(22) }
struct Pong { client_ms uint32, server_ms uint32 }

packet {
    crc  crc16_ibm_3740
    kind Kind
    room bits(8)
    tick bits(20) @seq
    body switch kind {
        Hello:    Hello
        Welcome:  Welcome
        Controls: Controls
        State:    State
        UseItem:  UseItem
        Lap:      Lap
        Pong:     Pong
    }
    check 0x4B524E44
}
