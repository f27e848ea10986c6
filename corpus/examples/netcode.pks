// netcode 1.02: encrypted connections over UDP (STANDARD.md of mas-bandwidth/netcode). What it seals is opened with
// the private key of its servers (--keys): a connection's own keys stand in the token that opens it.
//
// From the specification.
//
// Not here: replay protection and the time that tokens hold.
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

state {
    each key bytes(32) @secret // what this side seals with
}

packet {
    let _prefix = peek(8)
    kind           Kind
    sequence_bytes bits(4) in 0..8
    if kind == Kind.Request {
        require sequence_bytes == 0
        version     bytes(13) == "NETCODE 1.02\0"
        protocol_id uint64 == ProtocolId
        expires     uint64 @time(s)
        nonce       bytes(24)
        token sealed(1008) xchacha20poly1305 {
            key   key.private
            nonce nonce
            ad    "NETCODE 1.02\0", uint64 ProtocolId, uint64 expires
            open  Token
        } @secret
    } else {
        require sequence_bytes != 0
        sequence bits(sequence_bytes * 8) @seq // its high bytes of zero are left out
        sealed switch kind {
            Denied, Disconnect: sealed(0) chacha20poly1305 {
                key   state.key
                nonce uint32 0, uint64 sequence
                ad    "NETCODE 1.02\0", uint64 ProtocolId, uint8 _prefix
            }
            Challenge: sealed(308) chacha20poly1305 {
                key   state.key
                nonce uint32 0, uint64 sequence
                ad    "NETCODE 1.02\0", uint64 ProtocolId, uint8 _prefix
                open  Answer
            } @from(server)
            Response: sealed(308) chacha20poly1305 {
                key   state.key
                nonce uint32 0, uint64 sequence
                ad    "NETCODE 1.02\0", uint64 ProtocolId, uint8 _prefix
                open  Answer
            } @from(client)
            KeepAlive: sealed(8) chacha20poly1305 {
                key   state.key
                nonce uint32 0, uint64 sequence
                ad    "NETCODE 1.02\0", uint64 ProtocolId, uint8 _prefix
                open  Alive
            }
            Payload: sealed(rest - 16, max 1200) chacha20poly1305 {
                key   state.key
                nonce uint32 0, uint64 sequence
                ad    "NETCODE 1.02\0", uint64 ProtocolId, uint8 _prefix
                open  Game
            }
        }
    }
}

// The private part of a connect token, which a web backend has sealed for the servers.
message Token max 1008 {
    client_id uint64
    timeout   int32 @unit("s")
    addresses uint32 in 1..32
    servers [addresses]{
        type uint8 in 1..2
        if type == 1 { ipv4 bytes(4) @ipv4 } else { ipv6 [8]uint16 @hex }
        port uint16
    }
    client_key bytes(32) @secret
    server_key bytes(32) @secret
    let state.key.client = client_key
    let state.key.server = server_key
    user_data bytes(256)
    padding   bytes(rest, max 1008)
}

// A challenge, which comes back in the response as it went out.
message Answer max 308 {
    sequence  uint64
    challenge bytes(300) // sealed with a key of the server alone
}

message Alive max 8 {
    client_index uint32
    max_clients  uint32
}

// What the game sends, which is its own affair.
message Game max 1200 {
    data bytes(rest, max 1200)
}
