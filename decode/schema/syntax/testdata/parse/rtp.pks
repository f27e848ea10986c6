protocol rtp
order msb

packet {
    version      bits(2) == 2
    padding      bool == false
    extension    bool
    csrc_count   bits(4)
    marker       bool
    payload_type bits(7)
    sequence     uint16 @seq
    timestamp    uint32
    ssrc         uint32
    csrc         [csrc_count]uint32
    if extension {
        profile uint16
        words   uint16
        data    bytes(words * 4, max 1024)
    }
    payload bytes(rest, max 1460)
}
