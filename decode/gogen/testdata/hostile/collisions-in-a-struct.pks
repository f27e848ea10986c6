protocol collide
order msb
packet {
    player_id uint8
    playerid  uint8
    player__id uint8
    append uint8
    a { x uint8 }
    a_ { x uint16 }
    has_b bool
    b optional uint8
    datagram_size uint8
    body switch player_id {
        0: uint8
        1..2: { y uint8 }
        3: empty
        default: bytes(rest, max 9)
    }
}
