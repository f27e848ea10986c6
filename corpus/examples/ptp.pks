// PTP 2: IEEE 1588-2008 and 2019, clocks that are set over a network. Its event messages are at port 319.
//
// From the standard. Its packets are linuxptp's, held against tshark.
//
// Not here: the data of management TLVs, what is in TLVs but those of unicast negotiation, path traces and time offsets (the
// slave's events, L1 sync, authentication of 2019, clause 16.14), transports but UDP.
protocol ptp
order msb
port 319, 320
max datagram 1500

enum Kind : bits(4) {
    Sync           = 0x0
    DelayReq       = 0x1
    PdelayReq      = 0x2
    PdelayResp     = 0x3
    FollowUp       = 0x8
    DelayResp      = 0x9
    PdelayFollowUp = 0xA
    Announce       = 0xB
    Signaling      = 0xC
    Management     = 0xD
}

// The names are those of the bits from the first on; receivers ignore the others.
open flags Flags : uint16 {
    AlternateMaster    = 0x0100
    TwoStep            = 0x0200
    Unicast            = 0x0400
    Profile1           = 0x2000
    Profile2           = 0x4000
    Security           = 0x8000
    Leap61             = 0x0001
    Leap59             = 0x0002
    OffsetValid        = 0x0004
    Timescale          = 0x0008
    TimeTraceable      = 0x0010
    FrequencyTraceable = 0x0020
    SyncUncertain      = 0x0040
}

open enum Source : uint8 {
    Atomic     = 0x10
    Gnss       = 0x20
    Radio      = 0x30
    Ptp        = 0x40
    Ntp        = 0x50
    Hand       = 0x60
    Other      = 0x90
    Oscillator = 0xA0
}

open enum Tlv : uint16 {
    Management                 = 0x0001
    ManagementError            = 0x0002
    Organization               = 0x0003
    RequestUnicast             = 0x0004
    GrantUnicast               = 0x0005
    CancelUnicast              = 0x0006
    AcknowledgeCancel          = 0x0007
    PathTrace                  = 0x0008
    AlternateOffset            = 0x0009
    Authentication2008         = 0x2000
    AuthenticationChallenge    = 0x2001
    SecurityAssociation        = 0x2002
    FrequencyScale             = 0x2003
    OrganizationPropagate      = 0x4000
    EnhancedAccuracy           = 0x4001
    OrganizationDoNotPropagate = 0x8000
    L1Sync                     = 0x8001
    PortCommunication          = 0x8002
    ProtocolAddress            = 0x8003
    SlaveRxSyncTiming          = 0x8004
    SlaveRxSyncComputed        = 0x8005
    SlaveTxTimestamps          = 0x8006
    RateRatio                  = 0x8007
    Pad                        = 0x8008
    Authentication             = 0x8009
}

open enum ManagementError : uint16 {
    ResponseTooBig = 0x0001
    NoSuchId       = 0x0002
    WrongLength    = 0x0003
    WrongValue     = 0x0004
    NotSetable     = 0x0005
    NotSupported   = 0x0006
    GeneralError   = 0xFFFE
}

struct Timestamp {
    seconds     bits(48)               @unit("s")
    nanoseconds uint32 in 0..999999999 @unit("ns")
}

struct Port {
    clock uint64 @hex
    port  uint16
}

// A text of PTP; what fills a TLV up to an even size is behind it.
struct Text {
    len  uint8
    text bytes(len) utf8
}

packet {
    major_sdo     bits(4)
    kind          Kind
    minor_version bits(4)
    version       bits(4) == 2
    length        uint16 in 44..1500
    domain        uint8
    minor_sdo     uint8
    flags         Flags
    correction    int64 @scale(1 / 65536) @unit("ns")
    reserved(32) any
    source       Port
    sequence     uint16 // for each kind of message by itself
    control      uint8
    log_interval int8
    within(length - 34) {
        body switch kind {
            Sync, DelayReq: { origin Timestamp }
            FollowUp:       { origin Timestamp }
            DelayResp:      { received Timestamp, requesting Port }
            PdelayReq: {
                origin Timestamp
                reserved(80) any
            }
            PdelayResp:     { received Timestamp, requesting Port }
            PdelayFollowUp: { responded Timestamp, requesting Port }
            Announce: {
                origin     Timestamp
                utc_offset int16 @unit("s")
                reserved(8) any
                priority1   uint8
                class       uint8
                accuracy    uint8  @hex
                variance    uint16 @hex
                priority2   uint8
                grandmaster uint64 @hex
                steps       uint16
                source      Source
            }
            Signaling: { target Port }
            Management: {
                target     Port
                start_hops uint8
                hops       uint8
                reserved(4) any
                action bits(4) in 0..4
                reserved(8) any
            }
        }
        tlvs [rest, max 64]{
            type Tlv
            size uint16
            require size % 2 == 0
            within(size) {
                value switch type {
                    Management: {
                        id   uint16 @hex
                        data bytes(rest, max 1400)
                    }
                    ManagementError: {
                        error ManagementError
                        id    uint16 @hex
                        reserved(32) any
                        if rest > 0 {
                            display Text
                            pad     bytes(rest, max 1)
                        }
                    }
                    Organization, OrganizationPropagate, OrganizationDoNotPropagate: {
                        organization bits(24) @hex
                        subtype      bits(24) @hex
                        data         bytes(rest, max 1400)
                    }
                    RequestUnicast: {
                        message bits(4) // a Kind
                        reserved(4) any
                        period   int8 // a power of two
                        duration uint32 @unit("s")
                    }
                    GrantUnicast: {
                        message bits(4)
                        reserved(4) any
                        period   int8
                        duration uint32 @unit("s")
                        reserved(15) any
                        renewal bool
                    }
                    CancelUnicast, AcknowledgeCancel: {
                        message bits(4)
                        reserved(12) any
                    }
                    PathTrace: { path [rest, max 180]uint64 @hex }
                    AlternateOffset: {
                        key    uint8
                        offset int32    @unit("s")
                        jump   int32    @unit("s")
                        next   bits(48) @unit("s")
                        name   Text
                        pad    bytes(rest, max 1)
                    }
                    RateRatio: { ratio int32 @scale(1 / 2199023255552) }
                    default:   { data bytes(rest, max 1400) }
                }
            }
        }
    }
    pad bytes(rest, max 2) // over IPv6
}
