// STUN: RFC 8489 with the attributes that ICE (RFC 8445) and TURN (RFC 8656) add. The HMAC is not checked.
//
// Not here: whether a message is authentic, RFC 3489 without the cookie, attributes of RFC 7635, 8016, 6062 and others,
// which are bytes.
protocol stun
order msb
port 3478
max datagram 1500

open enum Attribute : uint16 {
    MappedAddress     = 0x0001
    Username          = 0x0006
    MessageIntegrity  = 0x0008
    ErrorCode         = 0x0009
    Lifetime          = 0x000D
    XorPeerAddress    = 0x0012
    Realm             = 0x0014
    Nonce             = 0x0015
    XorRelayedAddress = 0x0016
    EvenPort          = 0x0018
    Transport         = 0x0019
    XorMappedAddress  = 0x0020
    ReservationToken  = 0x0022
    Priority          = 0x0024
    Software          = 0x8022
    Fingerprint       = 0x8028
    IceControlled     = 0x8029
    IceControlling    = 0x802A
    ResponseOrigin    = 0x802B
    OtherAddress      = 0x802C
}

// Addresses of IPv6 are shown as they are sent.
struct XorAddress {
    reserved(8) any
    family uint8 in 1..2
    x_port uint16
    let port = x_port ^ 0x2112
    if family == 1 {
        x_address uint32
        let address = x_address ^ 0x2112A442 @ipv4
    } else {
        x_address6 bytes(16)
    }
}

struct Address {
    reserved(8) any
    family uint8 in 1..2
    port   uint16
    if family == 1 {
        address uint32 @ipv4
    } else {
        address6 bytes(16) @ipv6
    }
}

packet {
    reserved(2)
    type bits(14)
    let method = (type & 0x3E00) >> 2 | (type & 0xE0) >> 1 | type & 0xF
    let class = (type & 0x100) >> 7 | (type & 0x10) >> 4
    length uint16
    require length % 4 == 0
    cookie uint32 == 0x2112A442
    id     bytes(12)
    within(length) {
        attributes [while rest > 0 && peek(16) != Attribute.Fingerprint, max 60]{
            type Attribute
            size uint16
            within(size) {
                value switch type {
                    MappedAddress, ResponseOrigin, OtherAddress:         Address
                    XorPeerAddress, XorRelayedAddress, XorMappedAddress: XorAddress
                    Username, Realm, Nonce, Software:                    { text bytes(rest, max 763) utf8 }
                    ErrorCode: {
                        reserved(21) any
                        class  bits(3) in 3..6
                        number uint8 in 0..99
                        reason bytes(rest, max 763) utf8
                    }
                    Lifetime:                      { lifetime uint32 @unit("s") }
                    MessageIntegrity:              { hmac bytes(20) }
                    EvenPort:                      { next bool, reserved(7) any }
                    Transport:                     { protocol uint8, reserved(24) any }
                    ReservationToken:              { token bytes(8) }
                    Priority:                      { priority uint32 }
                    IceControlled, IceControlling: { tie_breaker uint64 }
                    default:                       { data bytes(rest, max 1480) }
                }
            }
            align(32) any
        }
        if rest >= 8 {
            fingerprint_type Attribute
            fingerprint_size uint16 == 4
            fingerprint      crc32(over ..attributes, xor 0x5354554E)
        }
    }
}
