// DNS and mDNS: RFC 1035 with the records that most answers have, and the options of RFC 6891.
protocol dns
order msb
port 53, 5353
max datagram 4096

enum Option : uint16 {
    NameServer = 3  // RFC 5001
    Subnet     = 8  // RFC 7871
    Cookie     = 10 // RFC 7873
    KeepAlive  = 11 // RFC 7828
    Error      = 15 // RFC 8914
}

// Only among the additional records, type 41 is the one record that has options.
struct Record(additional bool) {
    name dnsname
    type uint16
    if additional && type == 41 {
        payload    uint16 @unit("bytes")
        high_rcode uint8
        version    uint8
        dnssec     bool
        reserved(15) any
        size uint16
        within(size) {
            options [rest, max 32]{
                code   uint16
                length uint16
                within(length) {
                    value switch code {
                        Option.NameServer: { id bytes(rest, max 4096) }
                        Option.Subnet: {
                            family  uint16 in 1..2
                            source  uint8 in 0..128
                            scope   uint8 in 0..128
                            address bytes((source + 7) / 8) // cut behind the bits of the source
                        }
                        Option.Cookie: {
                            client bytes(8)
                            server bytes(rest, max 32)
                        }
                        Option.KeepAlive: { timeout bytes(rest, max 2) }
                        Option.Error: {
                            reason uint16
                            text   bytes(rest, max 4096) utf8
                        }
                        default: { data bytes(rest, max 4096) }
                    }
                }
            }
        }
    } else {
        class uint16
        ttl   uint32 @unit("s")
        size  uint16
        within(size) {
            if rest > 0 { // an update (RFC 2136) sends records without data
                data switch type {
                    1:        { address bytes(4) @ipv4 }
                    2, 5, 12: { target dnsname }
                    6: {
                        mname   dnsname
                        rname   dnsname
                        serial  uint32
                        refresh uint32
                        retry   uint32
                        expire  uint32
                        minimum uint32
                    }
                    15: {
                        preference uint16
                        exchange   dnsname
                    }
                    16: {
                        strings [rest, max 256]{
                            len  uint8
                            text bytes(len)
                        }
                    }
                    28: { address bytes(16) @ipv6 }
                    33: {
                        priority uint16
                        weight   uint16
                        port     uint16
                        target   dnsname
                    }
                    default: { data bytes(rest, max 4096) }
                }
            }
        }
    }
}

packet {
    id        uint16
    response  bool
    opcode    bits(4)
    authority bool
    truncated bool
    recursion bool
    available bool
    reserved(1) any
    authentic bool
    unchecked bool
    rcode     bits(4)
    qd        uint16
    an        uint16
    ns        uint16
    ar        uint16
    questions [qd, max 256]{
        name  dnsname
        type  uint16
        class uint16
    }
    answers     [an, max 256]Record(false)
    authorities [ns, max 256]Record(false)
    additional  [ar, max 256]Record(true)
}
