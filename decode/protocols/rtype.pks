// R-Type: the UDP protocol of a four-player shoot-'em-up. Clients send their inputs, the server sends the whole state of
// the game 20 times a second; a lost snapshot costs nothing but time.
//
// From the game's own document. Not here: nothing.
protocol rtype
order msb
port 4124
max datagram 1200

const MaxPlayers = 4
const MaxMissiles = 32
const MaxEnemies = 16

enum MessageType : uint16 {
    HeartBeat        = 0x0001
    HeartBeatAck     = 0x0002
    JoinGame         = 0x0010
    JoinGameAck      = 0x0011
    JoinGameNack     = 0x0012
    Snapshot         = 0x0040
    PlayerInput      = 0x0061
    PlayerJoin       = 0x0070
    PlayerLeave      = 0x0071
    ShootMissile     = 0x0080
    MissileSpawned   = 0x0081
    MissileDestroyed = 0x0082
    EnemyDestroyed   = 0x0091
    PlayerDamaged    = 0x00A0
    PlayerDied       = 0x00A1
}

flags InputKeys : uint16 {
    Up    = 0x0001
    Down  = 0x0002
    Left  = 0x0004
    Right = 0x0008
    Shoot = 0x0010
}

struct JoinGame {
    token     bytes(32) @secret // the session's key from the login server
    ship_skin uint8 in 1..6
    room_code char(6)
}

struct JoinGameAck {
    player_id uint8
}

struct JoinGameNack {
    reason char(64)
}

struct PlayerState {
    id                   uint8
    x                    uint16 @unit("px")
    y                    uint16 @unit("px")
    health               uint8 in 0..100
    alive                bool8
    last_acked_input_seq uint16 @ack(PlayerInput.sequence_num) // inputs up to here are in this state
    ship_skin            uint8 in 1..6
}

struct MissileState {
    id       uint16
    owner_id uint8 // a player's id; 0xFF is an enemy
    x        uint16 @unit("px")
    y        uint16 @unit("px")
}

struct EnemyState {
    id         uint16
    x          uint16 @unit("px")
    y          uint16 @unit("px")
    health     uint8
    enemy_type uint8
}

// The whole state of the game.
struct Snapshot {
    player_count        uint8 in 0..MaxPlayers
    players             [player_count]PlayerState
    missile_count       uint8 in 0..MaxMissiles
    missiles            [missile_count]MissileState
    enemy_count         uint8 in 0..MaxEnemies
    enemies             [enemy_count]EnemyState
    enemy_missile_count uint8 in 0..MaxMissiles
    enemy_missiles      [enemy_missile_count]MissileState
}

struct PlayerInput {
    keys         InputKeys
    sequence_num uint16 @seq
}

struct PlayerId {
    player_id uint8
}

struct MissileDestroyed {
    missile_id uint16
}

struct EnemyDestroyed {
    enemy_id uint16
}

struct PlayerDamaged {
    player_id  uint8
    damage     uint8
    new_health uint8 in 0..100
}

packet {
    type         MessageType
    sequence_num uint16 @seq
    timestamp    uint64 @time(ms) // since the Unix epoch
    body switch type {
        HeartBeat:        empty
        HeartBeatAck:     empty            @from(server)
        JoinGame:         JoinGame         @from(client)
        JoinGameAck:      JoinGameAck      @from(server)
        JoinGameNack:     JoinGameNack     @from(server)
        Snapshot:         Snapshot         @from(server) @every(50ms)
        PlayerInput:      PlayerInput      @from(client)
        PlayerJoin:       PlayerId         @from(server)
        PlayerLeave:      PlayerId         @from(server)
        ShootMissile:     empty            @from(client)
        MissileSpawned:   MissileState     @from(server)
        MissileDestroyed: MissileDestroyed @from(server)
        EnemyDestroyed:   EnemyDestroyed   @from(server)
        PlayerDamaged:    PlayerDamaged    @from(server)
        PlayerDied:       PlayerId         @from(server)
    }
}

expect timeout 2000ms // a peer silent for longer is gone
