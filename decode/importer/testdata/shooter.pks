// Drafted from shooter.hpp by `pktscope schema import`: add `port` and `max datagram`.
protocol shooter
order lsb

// ? line 21: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb
const WIRE_SIZE = 12

enum MessageType : uint16 {
    HeartBeat    = 1
    HeartBeatAck = 2
    JoinGame     = 16 // a client comes
    JoinGameAck  = 17
    JoinGameNack = 18
    PlayerInput  = 97
    PlayerDied   = 161
}

struct JoinGame {
    token     bytes(32)
    ship_skin uint8 // 1 to 6
    // ? line 35: `room_code` is taken for text that NULs pad
    room_code char(6)
}

struct JoinGameAck {
    player_id uint8
}

struct JoinGameNack {
    // ? line 39: `reason` is taken for text that NULs pad
    reason char(64)
}

struct PlayerInput {
    keys         uint16
    sequence_num uint16
}

struct PlayerDied {
    player_id uint8
}

packet {
    type         uint16
    sequence_num uint16
    timestamp    uint64
    // ? line 11: that one of these follows, and which, is taken from their names
    body switch type {
        MessageType.HeartBeat:    empty // ? no struct has this name
        MessageType.HeartBeatAck: empty // ? no struct has this name
        MessageType.JoinGame:     JoinGame
        MessageType.JoinGameAck:  JoinGameAck
        MessageType.JoinGameNack: JoinGameNack
        MessageType.PlayerInput:  PlayerInput
        MessageType.PlayerDied:   PlayerDied
    }
}

// shooter.hpp:11:12: warning: that one of these follows, and which, is taken from their names
// shooter.hpp:12:5: warning: no struct has the name of `HeartBeat`: nothing is taken to follow it
// shooter.hpp:13:5: warning: no struct has the name of `HeartBeatAck`: nothing is taken to follow it
// shooter.hpp:21:8: warning: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb
// shooter.hpp:35:10: warning: `room_code` is taken for text that NULs pad
// shooter.hpp:39:28: warning: `reason` is taken for text that NULs pad
// shooter.hpp:48:8: warning: `Unsent` is in no packet, so it is left out
