// NTP 3 and 4: RFC 5905 with the extension fields of RFC 7822, control messages (mode 6, RFC 9327) and private ones (mode 7).
//
// Mode 7 is in no RFC: it is that of ntpd's ntp_request.h. Not here: what the variables of a control message and the
// items of a private one are, what extension fields hold (autokey, NTS of RFC 8915), NTP 5.
protocol ntp
order msb
port 123
max datagram 2048

// RFC 9327 section 2; 0 is reserved, and refused by nobody.
open enum Opcode : bits(5) {
    ReadStatus     = 1
    ReadVariables  = 2
    WriteVariables = 3
    ReadClock      = 4
    WriteClock     = 5
    SetTrap        = 6
    AsyncMessage   = 7
    Configure      = 8
    SaveConfig     = 9
    ReadMru        = 10
    ReadOrdered    = 11
    RequestNonce   = 12
    UnsetTrap      = 31
}

// Text mostly, up to four bytes filled up, and behind it a MAC, where there is one.
struct Control {
    response    bool
    error       bool
    more        bool
    opcode      Opcode
    sequence    uint16
    status      uint16 @hex
    association uint16
    offset      uint16 @unit("bytes")
    count       uint16 @unit("bytes")
    data        bytes(count, max 2036)
    if rest > 0 {
        align(32) any
        mac bytes(rest, max 2036)
    }
}

struct Private(first in 0..3) {
    let response = first >> 1
    let more = first & 1
    authenticated  bool
    sequence       bits(7)
    implementation uint8 // 2 and 3 are those of ntpd
    request        uint8
    error          bits(4)
    count          bits(12)
    reserved(4) any
    size bits(12) @unit("bytes")
    data bytes(count * size, max 2040)
    // Requests are filled up to a length of their version; a time, a key's id and a MAC stand at its end.
    padding bytes(rest, max 2040)
}

packet {
    leap    bits(2) // of mode 7: whether it is a response, and whether more follow
    version bits(3) in 1..4
    mode    bits(3)
    if mode == 6 { control Control } else if mode == 7 { private Private(leap) } else {
        stratum    uint8
        poll       int8
        precision  int8
        root_delay uint32 @scale(1 / 65536) @unit("s")
        root_disp  uint32 @scale(1 / 65536) @unit("s")
        ref_id     uint32
        ref_time   uint64 @time(ntp)
        origin     uint64 @time(ntp)
        receive    uint64 @time(ntp)
        transmit   uint64 @time(ntp)
        // At most 24 bytes left is a MAC, more is an extension field.
        extensions [while rest > 24, max 32]{
            type   uint16
            length uint16
            require length >= 16 && length % 4 == 0
            value bytes(length - 4, max 2000)
        }
        if rest > 0 {
            require rest in {4, 20, 24}
            key_id uint32
            digest bytes(rest, max 20)
        }
    }
}
