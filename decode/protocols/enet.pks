// ENet 1.3: reliable and unreliable packets over UDP. From libenet's <enet/protocol.h> and the checks of its protocol.c.
// It has no port of its own: name it with -p enet.
//
// Not here: what is in compressed packets, and what commands carry; both are bytes.
protocol enet
order msb
max datagram 4096

flow by address, peer

param Checksum = 0 in 0..1 // 1: the hosts use enet_crc32; it starts from the peer's secret and is not verified

enum Command : bits(4) {
    Acknowledge        = 1
    Connect            = 2
    VerifyConnect      = 3
    Disconnect         = 4
    Ping               = 5
    Reliable           = 6
    Unreliable         = 7
    Fragment           = 8
    Unsequenced        = 9
    BandwidthLimit     = 10
    ThrottleConfigure  = 11
    UnreliableFragment = 12
}

// An unreliable one also tells after which reliable command it was sent: 65,536 and its sequence; else 0.
struct Fragment(channel in 0..255, after in 0..131_071) {
    start  uint16
    length uint16
    count  uint32 in 1..1_048_576
    number uint32 in 0..count - 1
    total  uint32 in count..33_554_432
    offset uint32 in 0..total - 1
    require length > 0 && length <= total - offset
    data bytes(length, max 4096) @fragment(Message, channel << 40 | after << 16 | start, index number, count count)
}

struct Peer {
    peer               uint16
    incoming_session   uint8
    outgoing_session   uint8
    mtu                uint32
    window             uint32
    channels           uint32 in 1..255
    incoming_bandwidth uint32
    outgoing_bandwidth uint32
    interval           uint32 @unit("ms")
    acceleration       uint32
    deceleration       uint32
    connect_id         uint32 le
}

packet {
    has_time   bool
    compressed bool
    session    bits(2)
    peer       bits(12)
    if has_time {
        sent_time uint16 @unit("ms")
    }
    if Checksum == 1 {
        checksum uint32
    }
    if compressed {
        data bytes(rest, max 4092)
    } else {
        commands [rest, max 32]{
            acknowledge bool
            unsequenced bool
            reserved(2) any
            command  Command
            channel  uint8
            sequence uint16
            body switch command {
                Acknowledge:        { received uint16, received_time uint16 @unit("ms") }
                Connect:            { to Peer, user uint32 }
                VerifyConnect:      { to Peer }
                Disconnect:         { user uint32 }
                Ping:               empty
                Reliable:           { length uint16, data bytes(length, max 4096) @message(Message) }
                Unreliable:         { unreliable uint16, length uint16, data bytes(length, max 4096) @message(Message) }
                Fragment:           Fragment(channel, 0)
                Unsequenced:        { group uint16, length uint16, data bytes(length, max 4096) @message(Message) }
                BandwidthLimit:     { incoming_bandwidth uint32, outgoing_bandwidth uint32 }
                ThrottleConfigure:  { interval uint32 @unit("ms"), acceleration uint32, deceleration uint32 }
                UnreliableFragment: Fragment(channel, 65_536 + sequence)
            }
        }
    }
}

// What a program sends: nothing is known of it.
message Message max 1_048_576 {
    data bytes(rest, max 1_048_576)
}
