// What a WebRTC peer receives on its one port: STUN, TURN's ChannelData, DTLS, SRTP and SRTCP, told apart by the first byte,
// and RTCP from RTP by the second. What DTLS, SRTP and SRTCP seal stays bytes; SRTP's header is not sealed.
//
// From RFC 7983, which gives the ranges, RFC 5761 (section 4), RFC 3711 and RFC 8656. What a channel carries is such a packet
// again, as a message of its own.
//
// Not here: DTLS's records (RFC 9147), ZRTP (16..19), QUIC (RFC 9443: 80..127, 192..255), sealed header extensions (RFC 6904,
// RFC 9335), where SRTP's tag begins, which the ciphers say, and channels inside of channels.
protocol webrtc
order msb
max datagram 1500

import "stun.pks"

struct Srtp {
    version      bits(2) == 2
    padding      bool // it is sealed with the payload, and so is its size
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
    payload bytes(rest, max 1500)
}

struct Srtcp {
    version bits(2) == 2
    padding bool
    count   bits(5)
    type    uint8 in 192..223
    words   uint16
    sender  uint32 // the end of what is not sealed
    payload bytes(rest, max 1500)
}

packet {
    // RTP's and RTCP's first bytes are alike. RTCP's second one is 192..223 (RFC 5761, section 4), a type that RTP avoids.
    if peek(16) & 0xC0E0 == 0x80C0 { let _first = 256 } else { let _first = peek(8) }
    body switch _first {
        0..3, 64..79: Stun
        20..63:       { dtls bytes(rest, max 1500) }
        128..191:     Srtp
        256:          Srtcp
    }
}
