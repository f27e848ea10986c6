protocol guess
order lsb
packet {
    crc  uint32
    type bits(2)
    size bits(6)
    body switch type {
        0: { x int32, y uint16, z int32 }
        1: { c uint32 == 0x12345678, l [rest, max 64]int16 }
        2: { a bits(11), b bits(32) }
        3: empty
    }
}
