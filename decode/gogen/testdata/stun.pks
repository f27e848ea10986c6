// STUN and TURN over UDP: RFC 8489 (the message and its attributes), RFC 8656 (TURN), RFC 8445 (ICE), RFC 5780
// (discovery), RFC 7983 (the first two bits).
protocol stun
order msb
port 3478
max datagram 1500

const MagicCookie = 0x2112A442
// The bound of RFC 8489 for fewer than 128 characters of UTF-8.
const MaxText = 763

// No RFC bounds the number of attributes; a receiver must.
param MaxAttributes = 32 in 1..256

// 1 refuses an unknown attribute that a receiver has to understand (its type is below 0x8000), as the server does that
// answers 420. 0 shows it.
param Comprehension = 0 in 0..1

// 1 refuses set bits in the padding of an attribute, which RFC 8489 has a sender write as zeros; 0 notes them, as it has a
// receiver ignore them. RFC 5389 let them be anything, and the messages of RFC 5769 have spaces there.
param StrictPadding = 0 in 0..1

// The last channel: RFC 5766 had all up to 0x7FFF, RFC 8656 ends at 0x4FFF.
param LastChannel = 0x7FFF in 0x4FFF..0x7FFF

enum Kind : bits(2) { Message = 0, ChannelData = 1 }

// Classes and methods lie in pieces in the message's type, so their values are of no enum.
const Request = 0
const ErrorResponse = 3
const Binding = 0x001

open enum AttributeType : uint16 {
    MappedAddress          = 0x0001
    Username               = 0x0006
    MessageIntegrity       = 0x0008
    ErrorCode              = 0x0009
    UnknownAttributes      = 0x000A
    ChannelNumber          = 0x000C
    Lifetime               = 0x000D
    XorPeerAddress         = 0x0012
    Data                   = 0x0013
    Realm                  = 0x0014
    Nonce                  = 0x0015
    XorRelayedAddress      = 0x0016
    RequestedAddressFamily = 0x0017
    EvenPort               = 0x0018
    RequestedTransport     = 0x0019
    DontFragment           = 0x001A
    MessageIntegritySHA256 = 0x001C
    UserHash               = 0x001E
    XorMappedAddress       = 0x0020
    ReservationToken       = 0x0022
    Priority               = 0x0024
    UseCandidate           = 0x0025
    Software               = 0x8022
    AlternateServer        = 0x8023
    Fingerprint            = 0x8028
    IceControlled          = 0x8029
    IceControlling         = 0x802A
    ResponseOrigin         = 0x802B
    OtherAddress           = 0x802C
}

enum Family : uint8 { IPv4 = 1, IPv6 = 2 }

struct Address {
    reserved(8) any
    family Family
    port   uint16
    address switch family {
        IPv4: uint32
        IPv6: bytes(16)
    }
}

// The port is XORed with the cookie's first 16 bits, the address with the cookie and, of IPv6, the transaction id.
struct XorAddress {
    reserved(8) any
    family Family
    x_port uint16
    x_address switch family {
        IPv4: uint32
        IPv6: bytes(16)
    }
}

struct Error(class in Request..ErrorResponse) {
    require class == ErrorResponse
    reserved(21) any
    hundreds bits(3) in 3..6
    number   uint8 in 0..99
    reason   bytes(rest, max MaxText) @text
}

// The types that were not understood.
struct UnknownTypes(class in Request..ErrorResponse) {
    require class == ErrorResponse
    types [rest, max 128]uint16
}

// An HMAC-SHA256, which may be cut to 16 bytes or more.
struct IntegritySHA256 {
    require rest >= 16 && rest % 4 == 0
    hmac bytes(rest, max 32)
}

// What only the Binding requests of ICE carry.
struct Ice(class in Request..ErrorResponse, method in 0..0xFFF, length in 0..8) {
    require class == Request && method == Binding
    number bits(length * 8)
}

// A type that is not listed.
struct Unknown(type in 0..0xFFFF) {
    require Comprehension == 0 || type >= 0x8000
    bytes bytes(rest, max 1500)
}

struct Attribute(class in Request..ErrorResponse, method in 0..0xFFF) {
    type   AttributeType
    length uint16
    within(length) {
        value switch type {
            MappedAddress, AlternateServer, ResponseOrigin, OtherAddress: Address
            XorMappedAddress, XorPeerAddress, XorRelayedAddress:          XorAddress
            Username:                                                     bytes(rest, max 508)     @text
            Realm, Nonce, Software:                                       bytes(rest, max MaxText) @text
            UserHash:                                                     bytes(32)
            MessageIntegrity:                                             bytes(20)
            MessageIntegritySHA256:                                       IntegritySHA256
            Fingerprint:                                                  uint32
            ErrorCode:                                                    Error(class)
            UnknownAttributes:                                            UnknownTypes(class)
            Priority:                                                     Ice(class, method, 4)
            IceControlled, IceControlling:                                Ice(class, method, 8)
            UseCandidate:                                                 Ice(class, method, 0)
            ChannelNumber:                                                { channel uint16 in 0x4000..LastChannel, reserved(16) any }
            Lifetime:                                                     uint32 @unit("s")
            Data:                                                         bytes(rest, max 1500)
            RequestedAddressFamily:                                       { family Family, reserved(24) any }
            RequestedTransport:                                           { protocol uint8, reserved(24) any }
            EvenPort:                                                     { reserve_next bool, reserved(7) any }
            ReservationToken:                                             bytes(8)
            DontFragment:                                                 empty
            default:                                                      Unknown(type)
        }
    }
    if StrictPadding == 1 {
        align(32)
    } else {
        align(32) any
    }
    // FINGERPRINT is the last attribute. Its CRC covers the message up to itself, which no checksum of pks does.
    require type != AttributeType.Fingerprint || rest == 0
}

struct Message {
    // The type: the bits of the class lie between those of the method.
    method_11_7 bits(5)
    class_1     bits(1)
    method_6_4  bits(3)
    class_0     bits(1)
    method_3_0  bits(4)
    let class = class_1 << 1 | class_0
    let method = method_11_7 << 7 | method_6_4 << 4 | method_3_0
    length uint16
    require length % 4 == 0
    cookie      uint32 == MagicCookie
    transaction bytes(12)
    within(length) {
        attributes [rest, max MaxAttributes]Attribute(class, method)
    }
}

// What TURN sends to and from a bound channel.
struct ChannelData {
    // The number without the 01 of the kind.
    channel bits(14) in 0..LastChannel - 0x4000
    length  uint16
    data    bytes(length, max 1500)
    // Over UDP the padding may be left out.
    if rest > 0 {
        align(32) any
    }
}

packet {
    kind Kind
    body switch kind {
        Message:     Message
        ChannelData: ChannelData
    }
}
