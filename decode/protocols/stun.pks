// STUN: RFC 8489 with the attributes that ICE (RFC 8445), TURN (RFC 8656) and others add, and TURN's ChannelData.
//
// What Send and Data indications and ChannelData carry for a peer is bytes of the packet.
//
// Not here: the HMACs are not checked; STUN without the cookie (RFC 3489); channels above 0x4FFF (RFC 5766, which RFC 8656
// replaces); TURN over TCP (RFC 6062) but for its attribute; attributes that vendors use and IANA does not list; what is in
// ICMP, tokens, tickets and in the attributes from 0xC000 on, which are bytes.
protocol stun
order msb
port 3478
max datagram 1500

// What IANA's registry of STUN attributes lists; those that it only keeps reserved for RFC 3489 are not in it.
open enum Attribute : uint16 {
    MappedAddress              = 0x0001
    ChangeRequest              = 0x0003
    Username                   = 0x0006
    MessageIntegrity           = 0x0008
    ErrorCode                  = 0x0009
    UnknownAttributes          = 0x000A
    ChannelNumber              = 0x000C
    Lifetime                   = 0x000D
    XorPeerAddress             = 0x0012
    Data                       = 0x0013
    Realm                      = 0x0014
    Nonce                      = 0x0015
    XorRelayedAddress          = 0x0016
    RequestedAddressFamily     = 0x0017
    EvenPort                   = 0x0018
    Transport                  = 0x0019
    DontFragment               = 0x001A
    AccessToken                = 0x001B
    MessageIntegritySha256     = 0x001C
    PasswordAlgorithm          = 0x001D
    Userhash                   = 0x001E
    XorMappedAddress           = 0x0020
    ReservationToken           = 0x0022
    Priority                   = 0x0024
    UseCandidate               = 0x0025
    Padding                    = 0x0026
    ResponsePort               = 0x0027
    ConnectionId               = 0x002A
    AdditionalAddressFamily    = 0x8000
    AddressErrorCode           = 0x8001
    PasswordAlgorithms         = 0x8002
    AlternateDomain            = 0x8003
    Icmp                       = 0x8004
    Software                   = 0x8022
    AlternateServer            = 0x8023
    TransactionTransmitCounter = 0x8025
    CacheTimeout               = 0x8027
    Fingerprint                = 0x8028
    IceControlled              = 0x8029
    IceControlling             = 0x802A
    ResponseOrigin             = 0x802B
    OtherAddress               = 0x802C
    EcnCheck                   = 0x802D
    ThirdPartyAuthorization    = 0x802E
    MobilityTicket             = 0x8030
    CiscoStunFlowdata          = 0xC000
    EnfFlowDescription         = 0xC001
    EnfNetworkStatus           = 0xC002
    GoogNetworkInfo            = 0xC057
    GoogLastIceCheckReceived   = 0xC058
    GoogMiscInfo               = 0xC059
    GoogObsolete1              = 0xC05A
    GoogConnectionId           = 0xC05B
    GoogDelta                  = 0xC05C
    GoogDeltaAck               = 0xC05D
    GoogMessageIntegrity32     = 0xC060
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
    // RFC 8656, section 12, and RFC 7983: a first byte of 64..79 begins data of a channel.
    if peek(8) in 64..79 {
        channel uint16 @hex
        size    uint16
        payload bytes(size, max 1496)
        if rest > 0 { padding bytes(rest, max 3) } // UDP needs none, and may have it: RFC 8656, section 12.5
    } else {
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
                        MappedAddress, ResponseOrigin, OtherAddress, AlternateServer: Address
                        XorPeerAddress, XorRelayedAddress, XorMappedAddress:          XorAddress
                        Username, Realm, Nonce, Software, AlternateDomain:            { text bytes(rest, max 763) utf8 }
                        ErrorCode: {
                            reserved(21) any
                            class  bits(3) in 3..6
                            number uint8 in 0..99
                            reason bytes(rest, max 763) utf8
                        }
                        AddressErrorCode: {
                            family uint8 in 1..2
                            reserved(13) any
                            class  bits(3) in 3..6
                            number uint8 in 0..99
                            reason bytes(rest, max 763) utf8
                        }
                        ChangeRequest:                                   { reserved(29) any, change_ip bool, change_port bool, reserved(1) any }
                        UnknownAttributes:                               { unknown [rest, max 700]uint16 @hex }
                        ChannelNumber:                                   { channel uint16 @hex, reserved(16) any }
                        Lifetime:                                        { lifetime uint32 @unit("s") }
                        CacheTimeout:                                    { timeout uint32 @unit("s") }
                        Data:                                            { data bytes(rest, max 1480) }
                        RequestedAddressFamily, AdditionalAddressFamily: { family uint8 in 1..2, reserved(24) any }
                        MessageIntegrity:                                { hmac bytes(20) }
                        // It may be cut, by words: RFC 8489, section 14.6.
                        MessageIntegritySha256: {
                            require rest in 16..32 && rest % 4 == 0
                            hmac_sha256 bytes(rest, max 32)
                        }
                        PasswordAlgorithm, PasswordAlgorithms: {
                            algorithms [rest, max 64]{
                                algorithm       uint16
                                parameters_size uint16
                                parameters      bytes(parameters_size, max 1476)
                                if rest > 0 { align(32) any }
                            }
                        }
                        Userhash:                      { userhash bytes(32) }
                        EvenPort:                      { next bool, reserved(7) any }
                        Transport:                     { protocol uint8, reserved(24) any }
                        DontFragment, UseCandidate:    empty
                        ReservationToken:              { token bytes(8) }
                        Priority:                      { priority uint32 }
                        ResponsePort:                  { port uint16, reserved(16) any }
                        ConnectionId:                  { connection uint32 @hex }
                        TransactionTransmitCounter:    { reserved(16) any, requests uint8, responses uint8 }
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
}
