// DNS and mDNS: RFC 1035 with the records that most answers have, those of DNSSEC (RFC 4034, 5155) and services (RFC 9460),
// and the options of RFC 6891.
//
// Records of other types are bytes. Not here: what mDNS (RFC 6762) and updates (RFC 2136) make of the bits of a class, the
// bits of an NSEC's types one by one, which names may be compressed (RFC 3597), DNS over TCP, DSO (RFC 8490).
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

enum Type : uint16 {
    A          = 1
    Ns         = 2
    Cname      = 5
    Soa        = 6
    Ptr        = 12
    Hinfo      = 13
    Mx         = 15
    Txt        = 16
    Aaaa       = 28 // RFC 3596
    Loc        = 29 // RFC 1876
    Srv        = 33 // RFC 2782
    Naptr      = 35 // RFC 3403
    Dname      = 39 // RFC 6672
    Opt        = 41 // RFC 6891
    Ds         = 43 // RFC 4034, as the three below
    Rrsig      = 46
    Nsec       = 47
    Dnskey     = 48
    Nsec3      = 50 // RFC 5155, as the one below
    Nsec3Param = 51
    Tlsa       = 52 // RFC 6698
    Cds        = 59 // RFC 7344, as the one below
    Cdnskey    = 60
    Svcb       = 64 // RFC 9460, as the one below
    Https      = 65
    Caa        = 257 // RFC 8659
}

// RFC 9460 section 14.3.2.
enum ServiceKey : uint16 {
    Mandatory     = 0
    Alpn          = 1
    NoDefaultAlpn = 2
    Port          = 3
    Ipv4Hint      = 4
    Ech           = 5
    Ipv6Hint      = 6
}

struct Text {
    len  uint8
    text bytes(len)
}

struct Salt {
    len  uint8
    data bytes(len)
}

// RFC 4034 section 4.1.2: only windows that have a type are there.
struct Types {
    windows [rest, max 256]{
        window uint8
        length uint8 in 1..32
        bitmap bytes(length)
    }
}

// RFC 9460 section 2.2: keys rise. Those of an alias (priority 0) are for nobody.
struct Service {
    priority uint16
    target   dnsname
    params [rest, max 9]{
        key    uint16
        length uint16
        require key > prev(key, -1)
        within(length) {
            value switch key {
                ServiceKey.Mandatory: { keys [rest, max 64]uint16 }
                ServiceKey.Alpn: {
                    ids [rest, max 64]{
                        len uint8 != 0
                        id  bytes(len) @text
                    }
                }
                ServiceKey.NoDefaultAlpn: empty
                ServiceKey.Port:          { port uint16 }
                ServiceKey.Ipv4Hint:      { addresses [rest, max 64]bytes(4) @ipv4 }
                ServiceKey.Ipv6Hint:      { addresses [rest, max 64]bytes(16) @ipv6 }
                default:                  { data bytes(rest, max 4096) }
            }
        }
    }
}

// Only among the additional records, type 41 is the one record that has options.
struct Record(additional bool) {
    name dnsname
    type uint16
    if additional && type == Type.Opt {
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
                    Type.A:                                    { address bytes(4) @ipv4 }
                    Type.Ns, Type.Cname, Type.Ptr, Type.Dname: { target dnsname }
                    Type.Soa: {
                        mname   dnsname
                        rname   dnsname
                        serial  uint32
                        refresh uint32
                        retry   uint32
                        expire  uint32
                        minimum uint32
                    }
                    Type.Hinfo: {
                        cpu Text
                        os  Text
                    }
                    Type.Mx: {
                        preference uint16
                        exchange   dnsname
                    }
                    Type.Txt:  { strings [rest, max 256]Text }
                    Type.Aaaa: { address bytes(16) @ipv6 }
                    Type.Loc: {
                        version uint8
                        if version == 0 {
                            diameter   uint8 @hex // centimetres: digit × 10^digit, as the two below
                            horizontal uint8 @hex
                            vertical   uint8 @hex
                            latitude   uint32 // thousandths of a second of arc, from 2^31 on
                            longitude  uint32
                            altitude   uint32 // cm, from 100 km below the sea on
                        } else { unknown bytes(rest, max 4096) }
                    }
                    Type.Srv: {
                        priority uint16
                        weight   uint16
                        port     uint16
                        target   dnsname
                    }
                    Type.Naptr: {
                        rank        uint16
                        preference  uint16
                        letters     Text
                        services    Text
                        regexp      Text
                        replacement dnsname
                    }
                    Type.Ds, Type.Cds: {
                        key_tag   uint16
                        algorithm uint8
                        digests   uint8
                        digest    bytes(rest, max 4096)
                    }
                    Type.Rrsig: {
                        covered    uint16
                        algorithm  uint8
                        labels     uint8
                        ttl        uint32 @unit("s")
                        expiration uint32 @time(s)
                        inception  uint32 @time(s)
                        key_tag    uint16
                        signer     dnsname
                        signature  bytes(rest, max 4096)
                    }
                    Type.Nsec: {
                        next  dnsname
                        types Types
                    }
                    Type.Dnskey, Type.Cdnskey: {
                        key_flags uint16 @hex
                        protocol  uint8 // 3
                        algorithm uint8
                        key       bytes(rest, max 4096)
                    }
                    Type.Nsec3: {
                        algorithm  uint8
                        set        uint8 @hex
                        iterations uint16
                        salt       Salt
                        hash       Salt
                        types      Types
                    }
                    Type.Nsec3Param: {
                        algorithm  uint8
                        set        uint8 @hex
                        iterations uint16
                        salt       Salt
                    }
                    Type.Tlsa: {
                        usage    uint8
                        selector uint8
                        matching uint8
                        data     bytes(rest, max 4096)
                    }
                    Type.Svcb, Type.Https: Service
                    Type.Caa: {
                        set   uint8 @hex
                        tag   Text
                        value bytes(rest, max 4096) @text
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
