// DHCP: RFC 2131 with the options of RFC 2132 that most messages have, and lease queries.
//
// Message types 9 to 18 are those of RFC 3203, 4388, 6926 and 7724; of the options of lease queries it has 91 and 92.
// Not here: option overload (52) in sname and file, long options that are joined (RFC 3396), BOOTP without the cookie
// (RFC 951), what stands inside other options, RFC 3118's authentication, DHCP over TCP (RFC 6926), DHCPv6 (RFC 9915).
protocol dhcp
order msb
port 67, 68
max datagram 1500

enum Op : uint8 {
    Request = 1
    Reply   = 2
}

enum MessageType : uint8 {
    Discover = 1
    Offer    = 2
    Request  = 3
    Decline  = 4
    Ack      = 5
    Nak      = 6
    Release  = 7
    Inform   = 8

    ForceRenew       = 9  // RFC 3203
    LeaseQuery       = 10 // RFC 4388, as the three below
    LeaseUnassigned  = 11
    LeaseUnknown     = 12
    LeaseActive      = 13
    BulkLeaseQuery   = 14 // RFC 6926, as the one below
    LeaseQueryDone   = 15
    ActiveLeaseQuery = 16 // RFC 7724, as the two below
    LeaseQueryStatus = 17
    Tls              = 18
}

// 0 fills up, 255 ends the list; neither has a length.
struct Option {
    code uint8
    if code != 0 && code != 255 {
        length uint8
        within(length) {
            value switch code {
                1, 28, 50, 54:  { address bytes(4) @ipv4 }
                3, 6, 42, 92:   { addresses [rest, max 63]bytes(4) @ipv4 }
                12, 15:         { text bytes(rest, max 255) utf8 }
                51, 58, 59, 91: { seconds uint32 @unit("s") }
                53:             { type MessageType }
                55:             { codes bytes(rest, max 255) }
                57:             { size uint16 @unit("bytes") }
                default:        { data bytes(rest, max 255) }
            }
        }
    }
}

packet {
    op            Op
    hardware      uint8
    hardware_size uint8
    hops          uint8
    xid           uint32
    secs          uint16 @unit("s")
    broadcast     bool
    reserved(15) any
    ciaddr      bytes(4) @ipv4
    yiaddr      bytes(4) @ipv4
    siaddr      bytes(4) @ipv4
    giaddr      bytes(4) @ipv4
    chaddr      bytes(6) @mac
    chaddr_rest bytes(10)
    sname       bytes(64)  @text
    file        bytes(128) @text
    cookie      uint32 == 0x63825363
    // As many as fit: what fills up is an option, too.
    options [until code == 255, max 900]Option
    padding bytes(rest, max 1260)
}
