// Type-length-value records to the end of the datagram.
protocol tlv
order msb

struct Record {
    tag    uint8
    length uint8
    within(length) {
        value switch tag {
            1:       uint32
            2:       { name char(16), level uint8 in 1..60 }
            default: bytes(rest, max 255)
        }
    }
}

packet {
    records [rest, max 64]Record
}
