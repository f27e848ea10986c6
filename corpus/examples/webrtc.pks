// What a WebRTC peer receives on its one port: STUN and RTP, told apart by the first byte. DTLS and SRTP stay sealed.
//
// From RFC 7983, which gives the ranges, and RFC 5764, section 5.1.2.
//
// Not here: the handshake of DTLS, and what SRTP seals.
protocol webrtc
order msb
max datagram 1500

import "stun.pks"
import "rtp.pks"

packet {
    body switch peek(8) {
        0..3:     Stun
        20..63:   { dtls bytes(rest, max 1500) }
        128..191: Rtp
    }
}
