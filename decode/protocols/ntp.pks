// NTP 3 and 4: RFC 5905 with the extension fields of RFC 7822. Mode 6 and 7, which are for control, are refused.
protocol ntp
order msb
port 123
max datagram 2048

packet {
    leap       bits(2)
    version    bits(3) in 1..4
    mode       bits(3) in 0..5
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
