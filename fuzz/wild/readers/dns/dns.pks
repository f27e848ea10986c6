// DNS: messages with the records of RFC 1035 that are in use, AAAA (RFC 3596) and SRV (RFC 2782). Other types, such as OPT of EDNS,
// are not here: what is in them is not said.
protocol dns
order msb
port 53
max datagram 4096

struct Record {
    name  dnsname
    type  uint16 in {1, 2, 5, 6, 12, 15, 16, 28, 33}
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
                    strings [rest, max 4096]{
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
    questions [qd, max 816]{
        name  dnsname
        type  uint16
        class uint16
    }
    answers     [an, max 371]Record
    authorities [ns, max 371]Record
    additional  [ar, max 371]Record
}
