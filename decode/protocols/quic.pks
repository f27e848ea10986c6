// QUIC: the headers of RFC 9000 and the packets of one datagram. What follows a header is encrypted and stays bytes.
//
// Not here: what is behind the protection of headers (RFC 9001): packet numbers, frames, the reserved bits.
protocol quic
order msb
port 443, 4433
max datagram 4096

param IdLength = 0 in 0..20 // bytes of the connection id in a short header; only the two ends know it

// In QUIC 2 (RFC 9369) the types have other numbers.
enum Type : bits(2) {
    Initial   = 0
    ZeroRtt   = 1
    Handshake = 2
    Retry     = 3
}

struct VarInt {
    more bits(2) // 0, 1, 3 or 7 bytes follow
    high bits(6)
    low  bits(((1 << more) - 1) * 8)
    let value = high << (((1 << more) - 1) * 8) | low
}

packet {
    require rest > 0
    packets [rest, max 64]{
        long  bool
        fixed bool // true, unless a peer greases it (RFC 9287)
        if long {
            type        Type
            protected   bits(4)
            version     uint32
            dcid_length uint8
            dcid        bytes(dcid_length)
            scid_length uint8
            scid        bytes(scid_length)
            if version == 0 {
                require rest > 0 && rest % 4 == 0
                supported [rest, max 64]uint32
            } else {
                require dcid_length <= 20 && scid_length <= 20
                body switch type {
                    Initial: {
                        token_length VarInt
                        token        bytes(token_length.value, max 4096)
                        // A packet number, what is encrypted, and a tag of 16 bytes: from less no sample can be taken.
                        length VarInt
                        require length.value >= 20
                        payload bytes(length.value, max 4096)
                    }
                    ZeroRtt, Handshake: {
                        length VarInt
                        require length.value >= 20
                        payload bytes(length.value, max 4096)
                    }
                    Retry: {
                        retry_token   bytes(rest - 16, max 4096)
                        integrity_tag bytes(16)
                    }
                }
            }
        } else {
            protected bits(6)
            id        bytes(IdLength)
            require rest >= 20
            payload bytes(rest, max 4096)
        }
    }
}
