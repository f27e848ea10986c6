// Drafted from wire.h by `pktscope schema import`: add `port` and `max datagram`.
protocol wire
order lsb

// ? line 31: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb

enum WireCommand : int32 {
    NONE            = 0
    ACKNOWLEDGE     = 1
    DISCONNECT      = 4
    PING            = 5
    BANDWIDTH_LIMIT = 10
    COUNT           = 11
    MASK            = 15
}

struct WireAcknowledge {
    // ? line 35: `enet_uint16` is taken for uint16
    received_reliable_sequence_number uint16 // was receivedReliableSequenceNumber
    // ? line 36: `enet_uint16` is taken for uint16
    received_sent_time uint16 // was receivedSentTime
}

struct WireDisconnect {
    // ? line 41: `enet_uint32` is taken for uint32
    data uint32
}

struct WireBandwidthLimit {
    // ? line 46: `enet_uint32` is taken for uint32
    incoming_bandwidth uint32 // was incomingBandwidth
    // ? line 47: `enet_uint32` is taken for uint32
    outgoing_bandwidth uint32 // was outgoingBandwidth
}

packet {
    // ? line 28: `enet_uint8` is taken for uint8
    command uint8
    // ? line 29: `enet_uint8` is taken for uint8
    channel_id uint8 // was channelID
    // ? line 30: `enet_uint16` is taken for uint16
    reliable_sequence_number uint16 // was reliableSequenceNumber
    // ? line 24: that one of these follows, and which, is taken from their names
    body switch command {
        WireCommand.NONE:            empty
        WireCommand.ACKNOWLEDGE:     WireAcknowledge
        WireCommand.DISCONNECT:      WireDisconnect
        WireCommand.PING:            empty // ? no struct has this name
        WireCommand.BANDWIDTH_LIMIT: WireBandwidthLimit
        WireCommand.COUNT:           empty // ? no struct has this name
        WireCommand.MASK:            empty // ? no struct has this name
    }
}

// wire.h:19:4: warning: no struct has the name of `WIRE_COMMAND_PING`: nothing is taken to follow it
// wire.h:21:4: warning: no struct has the name of `WIRE_COMMAND_COUNT`: nothing is taken to follow it
// wire.h:23:4: warning: no struct has the name of `WIRE_COMMAND_MASK`: nothing is taken to follow it
// wire.h:24:3: warning: that one of these follows, and which, is taken from their names
// wire.h:28:15: warning: `enet_uint8` is taken for uint8
// wire.h:29:15: warning: `enet_uint8` is taken for uint8
// wire.h:30:16: warning: `enet_uint16` is taken for uint16
// wire.h:31:10: warning: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb
// wire.h:35:16: warning: `enet_uint16` is taken for uint16
// wire.h:36:16: warning: `enet_uint16` is taken for uint16
// wire.h:41:16: warning: `enet_uint32` is taken for uint32
// wire.h:46:16: warning: `enet_uint32` is taken for uint32
// wire.h:47:16: warning: `enet_uint32` is taken for uint32
// wire.h:50:15: warning: union `_Wire` is left out: what says which of it is sent is not in the header
