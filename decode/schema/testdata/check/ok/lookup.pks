protocol lookup
order msb
port 53

packet {
    id        uint16
    flags     uint16
    count     uint16 in 0..8
    answers   uint16 in 0..64
    rest_of   uint32
    questions [count]{ name dnsname, type uint16, class uint16 }
    records   [answers]{
        name  dnsname
        type  uint16
        class uint16
        ttl   uint32 @unit("s")
        size  uint16
        within(size) {
            data switch type {
                1:       bytes(4)
                2, 5:    dnsname
                15:      { preference uint16, exchange dnsname }
                default: bytes(rest, max 4096)
            }
        }
    }
}
