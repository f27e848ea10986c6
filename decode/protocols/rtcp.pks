// RTCP: RFC 3550, with the frames of feedback (RFC 4585) and of extended reports (RFC 3611).
//
// Not here: what feedback (RFC 4585, RFC 5104) and extended reports (RFC 3611) hold, which are bytes; SRTCP (RFC 3711);
// reports that RFC 5506 makes smaller.
protocol rtcp
order msb
port 5005
max datagram 1500

struct Block {
    ssrc          uint32
    fraction_lost uint8
    lost          sbits(24)
    highest_seq   uint32
    jitter        uint32
    last_sr       uint32
    delay         uint32
}

packet {
    require rest > 0
    reports [rest, max 64]{
        version bits(2) == 2
        padding bool
        count   bits(5)
        type    uint8 in 192..223
        words   uint16
        within(words * 4) {
            if padding {
                let pad in 4..252 = tail(8)
                require pad % 4 == 0
            } else {
                let pad = 0
            }
            within(rest - pad) {
                body switch type {
                    200: {
                        sender  uint32
                        ntp     uint64 @time(ntp)
                        rtp     uint32
                        packets uint32
                        octets  uint32
                        blocks  [count]Block
                        more    bytes(rest, max 1500)
                    }
                    201: {
                        sender uint32
                        blocks [count]Block
                        more   bytes(rest, max 1500)
                    }
                    202: {
                        chunks [count]{
                            ssrc uint32
                            items [until kind == 0, max 64]{
                                kind uint8
                                if kind != 0 {
                                    len  uint8
                                    text bytes(len) utf8
                                }
                            }
                            align(32)
                        }
                    }
                    203: {
                        sources [count]uint32
                        if rest > 0 {
                            len    uint8
                            reason bytes(len) utf8
                            align(32) any
                        }
                    }
                    204: {
                        ssrc uint32
                        name char(4) ascii
                        data bytes(rest, max 1500)
                    }
                    205, 206: {
                        sender uint32
                        media  uint32
                        fci    bytes(rest, max 1500)
                    }
                    207: {
                        sender uint32
                        extended [rest, max 375]{
                            type     uint8
                            specific uint8
                            words    uint16
                            data     bytes(words * 4, max 1500)
                        }
                    }
                    default: { data bytes(rest, max 1500) }
                }
            }
            if rest > 0 {
                fill      bytes(rest - 1, max 1500)
                pad_count uint8
            }
        }
        require !padding || rest == 0
    }
}
