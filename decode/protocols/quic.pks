// QUIC: the headers of RFC 9000 (version 1) and RFC 9369 (version 2), and the packets of one datagram. What follows a header is
// encrypted and stays bytes.
//
// Packets of other versions have what RFC 8999 promises of all, and then bytes; their number is a note.
//
// Not here: what is encrypted, the packet number and the bits that protect it; whether the ids of a datagram's packets are
// equal (RFC 9000, section 12.2); the version of a short header, which it does not say; version 2's Retry key.
protocol quic
order msb
port 443, 4433
max datagram 4096

param IdLength = 0 in 0..20 // bytes of the connection id in a short header; only the two ends know it

// The drafts from 29 on, 0xFF00001D..0xFF000022, have the headers of version 1.
open enum Version : uint32 { Negotiation = 0, V1 = 1, V2 = 0x6B3343CF }

enum Type : bits(2) {
    Initial   = 0
    ZeroRtt   = 1
    Handshake = 2
    Retry     = 3
}

enum Type2 : bits(2) {
    Retry     = 0
    Initial   = 1
    ZeroRtt   = 2
    Handshake = 3
}

struct VarInt {
    more bits(2) // 0, 1, 3 or 7 bytes follow
    high bits(6)
    low  bits(((1 << more) - 1) * 8)
    let value = high << (((1 << more) - 1) * 8) | low
}

packet {
    require rest > 0
    packets [until rest < 21 || _last, max 64]{
        long  bool
        fixed bool // true, unless a peer greases it (RFC 9287)
        if long {
            // The version says what the bits before it mean.
            let _version = peek(38) & 0xFFFFFFFF
            if _version == Version.V2 {
                type      Type2
                protected bits(4)
                let _kind = (type + 3) & 3
            } else if _version == Version.V1 || _version in 0xFF00001D..0xFF000022 {
                type      Type
                protected bits(4)
                let _kind = type
            } else {
                unused bits(6)
                let _kind = 4
            }
            version     Version
            dcid_length uint8
            dcid        bytes(dcid_length)
            scid_length uint8
            scid        bytes(scid_length)
            if _version == 0 {
                require rest > 0 && rest % 4 == 0
                supported [rest, max 64]uint32
            } else if _kind == 4 {
                unknown bytes(rest, max 4096)
            } else {
                require dcid_length <= 20 && scid_length <= 20
                body switch _kind {
                    Type.Initial: {
                        token_length VarInt
                        token        bytes(token_length.value, max 4096)
                        // A packet number, what is encrypted, and a tag of 16 bytes: from less no sample can be taken.
                        length VarInt
                        require length.value >= 20
                        payload bytes(length.value, max 4096)
                    }
                    Type.ZeroRtt, Type.Handshake: {
                        length VarInt
                        require length.value >= 20
                        payload bytes(length.value, max 4096)
                    }
                    Type.Retry: {
                        retry_token   bytes(rest - 16, max 4096)
                        integrity_tag bytes(16)
                    }
                }
            }
        } else {
            protected bits(6)
            // A stateless reset looks the same, and has 21 bytes or more whatever the id has (RFC 9000, section 10.3).
            require rest >= 20
            id      bytes(IdLength)
            payload bytes(rest, max 4096)
        }
        // Whether another packet follows. A receiver takes each by itself and drops what it cannot read (RFC 9000, section
        // 12.2), so what cannot be one takes nothing from those before it: too few bytes, zeros, a version that is not
        // known. What says that it is a packet is held to it.
        let _next = peek(40) & 0xFFFFFFFF
        let _last = peek(64) == 0 || peek(8) >= 0x80 && (rest < 27 || _next != Version.V1 && _next != Version.V2 && !(_next in 0xFF00001D..0xFF000022))
    }
    if rest > 0 { ignored bytes(rest, max 4096) } // behind the last packet
}
