protocol guess
order msb
packet {
    type uint16
    seq  uint16
    time uint64
    body switch type {
        0x40: { n uint8, players [n]{ id uint8, x uint16, y uint16, health uint8, alive uint8 in 0..1, ack uint16, skin bits(8) }, left bytes(rest, max 1000) }
        0x61: { keys bits(11), more bits(5), seq uint16 in 0..200 }
        default: bytes(rest, max 1000)
    }
}
