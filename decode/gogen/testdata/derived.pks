// Fields that follow from others: constants, counts, lengths of bytes and of windows.
protocol derived
order msb
max datagram 512

packet {
    version uint8 == 3
    scale   float32 == 0.5
    level   int(7..7)
    bias    int8 == -2
    count   uint8 in 0..4
    words   uint8
    length  uint16
    which   uint8
    points  [count]uint16
    data    bytes(words*4 - 8, max 64)
    within(length) {
        body switch which {
            0: { others [count]uint8 }
            1: Chunks
            2: { n uint8, rows [..3]{ id uint8, cells [n]uint8 } }
            default: empty
        }
    }
    drift   sbits(11) == -995
}

struct Chunks {
    chunks [..20]{
        tag  uint8
        size varint(32)
        within(size) {
            text cstring(8) == "ok"
            more bytes(rest, max 300)
        }
    }
}
