// RTP: RFC 3550, with the header extensions of RFC 8285 (one byte each).
//
// Not here: payloads, the profiles of RFC 3551, extensions of two bytes (RFC 8285 section 4.3), SRTP (RFC 3711).
protocol rtp
order msb
port 5004
max datagram 1500

packet {
    version      bits(2) == 2
    padding      bool
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
        within(words * 4) {
            ext switch profile {
                0xBEDE: {
                    elements [rest, max 1500]{
                        id  bits(4)
                        len bits(4)
                        if id == 15 || id == 0 && len != 0 {
                            ignored bytes(rest, max 1500) // RFC 8285, section 4.2: here it ends
                        } else if id != 0 {
                            data bytes(len + 1)
                        }
                    }
                }
                default: { data bytes(rest, max 1500) }
            }
        }
    }
    if padding {
        let pad in 1..255 = tail(8)
        payload   bytes(rest - pad, max 1500)
        fill      bytes(pad - 1)
        pad_count uint8
    } else {
        payload bytes(rest, max 1500)
    }
}
