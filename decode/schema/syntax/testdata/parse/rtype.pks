// R-Type: real-time game synchronisation over UDP.
protocol rtype
order msb                    // network order
port 4124                    // the server's port: it gives each packet its direction
max datagram 1200

const MaxPlayers = 4         // with `param` instead of `const`: -D MaxPlayers=8

enum MessageType : uint16 {
    HeartBeat   = 0x0001
    Snapshot    = 0x0040
    PlayerInput = 0x0061
}

flags InputKeys : uint16 { Up = 0x0001, Down = 0x0002, Left = 0x0004, Right = 0x0008, Shoot = 0x0010 }

struct PlayerState {
    id                   uint8
    x                    uint16 @unit("px")
    y                    uint16 @unit("px")
    health               uint8 in 0..100
    alive                bool8
    last_acked_input_seq uint16 @ack(PlayerInput.sequence_num)
    ship_skin            uint8 in 1..6
}

struct Snapshot {
    player_count uint8 in 0..MaxPlayers
    players      [player_count]PlayerState
}

struct PlayerInput {
    keys         InputKeys
    sequence_num uint16 @seq
}

packet {
    type         MessageType
    sequence_num uint16 @seq
    timestamp    uint64 @time(ms)
    body switch type {
        HeartBeat:   empty
        Snapshot:    Snapshot    @from(server) @every(50ms)
        PlayerInput: PlayerInput @from(client)
    }
}

expect timeout 2000ms        // a peer silent for longer is reported
