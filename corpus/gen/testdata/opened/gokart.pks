// A kart racer: drive inputs up, the world with its karts and its items down. No checksum.
protocol gokart
order msb
port 5029
max datagram 500

enum Kind : bits(3) { Drive = 1, World = 2 }

struct Kart {
    slot     bits(3)
    x        bits(14)
    y        bits(14)
    heading  bits(9)
    speed    bits(10)
    lap      int(0..5)
    item     int(0..9)
    boosting bool
}

struct Item {
    id   bits(7)
    kind int(0..5)
    x    bits(14)
    y    bits(14)
    vx   sbits(8)
    vy   sbits(8)
}

packet {
    version bits(4) == 3
    kind    Kind
    room    bits(13)
    seq     bits(12)
    body switch kind {
        Drive: { client_ms bits(24), steer int(-100..100), throttle int(0..100), brake int(0..100), drift bool, use_item bool }
        World: { server_ms bits(24), leader bits(3), kart_count bits(3), karts [kart_count]Kart, item_count bits(4), items [item_count]Item }
    }
}
