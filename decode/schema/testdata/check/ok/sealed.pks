protocol locked
order lsb
port 40000

state {
    each key   bytes(32) @secret // what this side seals with
    each small bytes(16) @secret
    pad        bytes(3)  @secret
}

packet {
    hello bool8
    if hello {
        nonce bytes(24)
        ticket sealed(64) xchacha20poly1305 {
            key   key.private
            nonce nonce
            open  Ticket
        }
    } else {
        number uint32 @seq
        count  uint8 in 0..9
        others Others(count)
        body sealed(rest - 16, max 1200) chacha20poly1305 {
            key   state.key
            nonce uint64 0, uint32 number
            ad    "LOCKED\0", uint8 1
            open  Input
        }
    }
}

message Ticket max 64 {
    up   bytes(32) @secret
    down bytes(32) @secret
    let state.key.client = up
    let state.key.server = down
}

message Input max 1200 {
    buttons bits(5)
    aim     int(0..359)
}

// The other algorithms, and all that can be a part.
struct Others(number in 0..9) {
    salt  bytes(12)
    tick  int16
    small sealed(0) aes128gcm { key state.small, nonce salt }
    part sealed(number * 2 + 1, max 7) aes256gcm {
        key   state.key
        nonce uint8 number, uint16 be number, uint8 1, uint64 le 0
        ad    salt, int16 tick, uint64 18446744073709551615, "\x00"
    }
    pad   sealed(4) xor { key state.pad, at number }
    maybe optional sealed(1) xor { key key.pad }
}
