// netcode 1.02: encrypted connections over UDP (STANDARD.md of mas-bandwidth/netcode). What it seals stays sealed.
//
// From the specification.
protocol netcode
order lsb
port 40000
max datagram 1300

param ProtocolId = 0x1122334455667788 in 0..0xFFFFFFFFFFFFFFFF

enum Kind : bits(4) {
    Request    = 0
    Denied     = 1
    Challenge  = 2
    Response   = 3
    KeepAlive  = 4
    Payload    = 5
    Disconnect = 6
}

// A packet sealed with ChaCha20-Poly1305: as many bytes as were sealed, and a tag.
struct Sealed(size in 0..1200) {
    data bytes(size)
    tag  bytes(16)
}

packet {
    kind           Kind
    sequence_bytes bits(4) in 0..8
    if kind == Kind.Request {
        require sequence_bytes == 0
        version     bytes(13) == "NETCODE 1.02\0"
        protocol_id uint64 == ProtocolId
        expires     uint64 @time(s)
        nonce       bytes(24)
        token       bytes(1024) @secret
    } else {
        require sequence_bytes != 0
        sequence bits(sequence_bytes * 8) @seq // its high bytes of zero are left out
        sealed switch kind {
            Denied, Disconnect: Sealed(0)
            Challenge:          Sealed(308) @from(server)
            Response:           Sealed(308) @from(client)
            KeepAlive:          Sealed(8)
            Payload: {
                data bytes(rest - 16, max 1200)
                tag  bytes(16)
            }
        }
    }
}
