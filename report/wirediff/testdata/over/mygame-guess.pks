protocol guess
order lsb
packet {
    crc  bytes(4)
    seq  uint16 @seq
    kind bits(2) in 0..2
    body switch kind {
        0: { name bytes(rest, max 60) }
        1: { buttons bits(6), ack bits(16), more bytes(rest, max 60) }
        2: {
            count   bits(4) in 1..7
            players [count]{ id bits(4), x bits(13), xx bits(4), y bits(17), health_alive bits(8) }
            reserved(3)
            tail bytes(rest, max 60)
        }
    }
}
