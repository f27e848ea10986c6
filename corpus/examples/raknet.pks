// RakNet: its messages before a connection, and the frames of one, as Minecraft (Bedrock) and others use them.
//
// From the description of the protocol at wiki.vg and from RakNet's headers. Its packets are those of jsp-raknet (npm),
// held against tshark but for what frames hold.
//
// Not here: what frames hold but five messages of a connection, frames of a packet pair (bit 0x10) and acknowledgements with a
// rate (0xE0), security (keys and cookies of the handshake), addresses put apart.
protocol raknet
order msb
port 19132 // Minecraft's: each application has its own
max datagram 1500

const Magic = "\x00\xff\xff\x00\xfe\xfe\xfe\xfe\xfd\xfd\xfd\xfd\x12\x34\x56\x78"

enum Kind : uint8 {
    Ping         = 0x01
    PingOpen     = 0x02 // answered only where there is room
    Request1     = 0x05
    Reply1       = 0x06
    Request2     = 0x07
    Reply2       = 0x08
    OutOfBand    = 0x0D
    Failed       = 0x11
    Already      = 0x12 // connected
    Full         = 0x14
    Banned       = 0x17
    Incompatible = 0x19
    Recently     = 0x1A // connected, from this address
    Pong         = 0x1C
    // Frames, of a sender that tells its rate, and of one that has more to send.
    Frames          = 0x80
    FramesRated     = 0x84
    FramesMore      = 0x88
    FramesMoreRated = 0x8C
    Nack            = 0xA0
    Ack             = 0xC0
}

enum Reliability : bits(3) {
    Unreliable          = 0
    UnreliableSequenced = 1
    Reliable            = 2
    ReliableOrdered     = 3
    ReliableSequenced   = 4
    UnreliableAcked     = 5
    ReliableAcked       = 6
    OrderedAcked        = 7
}

struct Address {
    version uint8 in {4, 6}
    if version == 4 {
        inverted uint32 // every bit turned over
        let address = inverted ^ 0xFFFFFFFF @ipv4
        port uint16
    } else {
        family   uint16 le
        port     uint16
        flow     uint32
        address6 bytes(16) @ipv6
        scope    uint32
    }
}

struct UnconnectedPing {
    time   uint64 @unit("ms")
    magic  bytes(16) == Magic
    client uint64 @hex
}

// Acknowledgements name datagrams by their sequence.
struct Ranges {
    count uint16 in 0..256
    records [count]{
        single bool8
        first  bits(24) le
        if single { let last = first } else { last bits(24) le in first..0xFFFFFF }
    }
}

struct Frame {
    reliability Reliability
    split       bool
    reserved(4) any
    length uint16 != 0                                     // in bits
    if reliability in {2..4, 6..7} { message bits(24) le } // the reliable
    if reliability in {1, 4} { sequence bits(24) le }      // the sequenced
    if reliability in {1, 3..4, 7} {                       // those and the ordered
        order   bits(24) le
        channel uint8 in 0..31
    }
    if split {
        parts   uint32 != 0
        part_of uint16
        part    uint32 in 0..parts - 1
    }
    within((length + 7) / 8) {
        if split {
            piece bytes(rest, max 1500)
        } else {
            body switch peek(8) {
                0x00:    { id uint8, time uint64 @unit("ms") } // connected ping
                0x03:    { id uint8, ping uint64 @unit("ms"), pong uint64 @unit("ms") }
                0x09:    { id uint8, client uint64 @hex, time uint64, security bool8 } // connection request
                0x10:    { id uint8, client Address, index uint16, systems [while rest > 16, max 20]Address, ping uint64, pong uint64 }
                0x13:    { id uint8, server Address, systems [while rest > 16, max 20]Address, ping uint64, pong uint64 }
                default: bytes(rest, max 1500)
            }
        }
    }
}

packet {
    kind Kind
    body switch kind {
        Ping, PingOpen: UnconnectedPing @from(client)
        Pong: {
            time   uint64 @unit("ms")
            server uint64 @hex
            magic  bytes(16) == Magic
            size   uint16
            name   bytes(size, max 1400) utf8
        }
        Request1: {
            magic    bytes(16) == Magic
            protocol uint8
            padding  bytes(rest, max 1482) // its size says how large a datagram may be
        }
        Reply1: {
            magic    bytes(16) == Magic
            server   uint64 @hex
            security bool8
            mtu      uint16
        }
        Request2: {
            magic  bytes(16) == Magic
            server Address
            mtu    uint16
            client uint64 @hex
        }
        Reply2: {
            magic    bytes(16) == Magic
            server   uint64 @hex
            client   Address
            mtu      uint16
            security bool8
        }
        Incompatible: {
            protocol uint8
            magic    bytes(16) == Magic
            server   uint64 @hex
        }
        OutOfBand: {
            sender uint64 @hex
            magic  bytes(16) == Magic
            data   bytes(rest, max 1475)
        }
        Failed, Already, Full, Banned, Recently: {
            magic  bytes(16) == Magic
            server uint64 @hex
        }
        Ack, Nack: Ranges
        Frames, FramesRated, FramesMore, FramesMoreRated: {
            sequence bits(24) le @seq
            frames   [rest, max 100]Frame
        }
    }
}
