// ENet as a dialogue sees it: the case of a datagram is that of its first command. The commands are those of the built-in
// enet.
protocol enet_first
order msb
max datagram 4096
port 40010

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

struct Fragment {
    start  uint16
    length uint16
    count  uint32 in 1..1_048_576
    number uint32 in 0..count - 1
    total  uint32 in count..33_554_432
    offset uint32 in 0..total - 1
    require length > 0 && length <= total - offset
    data bytes(length, max 4096)
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
    require !compressed
    if has_time {
        sent_time uint16 @unit("ms")
    }
    acknowledge bool
    unsequenced bool
    reserved(2) any
    command  Command
    channel  uint8
    sequence uint16
    body switch command {
        Acknowledge:        { received uint16, received_time uint16 @unit("ms") }
        Connect:            { to Peer, user uint32 } @from(client)
        VerifyConnect:      { to Peer } @from(server)
        Disconnect:         { user uint32 }
        Ping:               empty
        Reliable:           { length uint16, data bytes(length, max 4096) }
        Unreliable:         { unreliable uint16, length uint16, data bytes(length, max 4096) }
        Fragment:           Fragment
        Unsequenced:        { group uint16, length uint16, data bytes(length, max 4096) }
        BandwidthLimit:     { incoming_bandwidth uint32, outgoing_bandwidth uint32 }
        ThrottleConfigure:  { interval uint32 @unit("ms"), acceleration uint32, deceleration uint32 }
        UnreliableFragment: Fragment
    }
    more bytes(rest, max 4096) // further commands
}
