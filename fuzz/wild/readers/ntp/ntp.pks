// The answer of an NTP server to a client: RFC 5905, 7.3, with the extension fields of RFC 7822. The transmit timestamp is
// not 0, and not before the receive timestamp, in the eras that a client has to do with (RFC 5905, 8).
protocol ntp
order msb
port 123
max datagram 2048

packet {
    leap       bits(2)
    version    bits(3) in 3..4
    mode       bits(3) == 4
    stratum    uint8 in 0..16
    poll       int8
    precision  int8
    root_delay uint32 @scale(1 / 65536) @unit("s")
    root_disp  uint32 @scale(1 / 65536) @unit("s")
    ref_id     uint32
    ref_time   uint64 @time(ntp)
    origin     uint64 @time(ntp)
    receive    uint64 @time(ntp)
    transmit   uint64 @time(ntp)
    require transmit != 0 && receive <= transmit
    // At most 24 bytes left is a MAC, more is an extension field.
    extensions [while rest > 24, max 128]{
        type   uint16
        length uint16
        require length >= 16 && length % 4 == 0
        value bytes(length - 4, max 2048)
    }
    if rest > 0 {
        require rest in {4, 20, 24}
        key_id uint32
        digest bytes(rest, max 20)
    }
}
