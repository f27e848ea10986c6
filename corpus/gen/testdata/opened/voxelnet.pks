// Voxelnet: a sandbox game of blocks. Little-endian bytes.
protocol voxelnet
order lsb
port 25570
max datagram 1000

enum Op : uint8 {
    Login = 0x01, LoginOk = 0x02, Move = 0x10, Update = 0x11, BlockSet = 0x20, KeepAlive = 0x30, Leave = 0x3F
}

struct Login {
    protocol_version uint16
    skin             uint8
    name_size        uint8 in 3..16
    name             bytes(name_size) utf8
}
struct LoginOk { entity uint16, seed uint64 @hex, x int32, y int32, z int32, gamemode uint8 in 0..3 }
struct Move {
    tick   uint32
    x      int32 @scale(1/32)
    y      int32 @scale(1/32)
    z      int32 @scale(1/32)
    yaw    uint8
    pitch  int8
    ground bool
    sneak  bool
    sprint bool
    swing  bool
    held   bits(4)
}
struct Moved { entity uint16, dx int8, dy int8, dz int8, yaw uint8 }
struct Update {
    tick          uint32
    moved_count   uint8 in 0..40
    moved         [moved_count]Moved
    removed_count uint8 in 0..20
    removed       [removed_count]uint16
}
struct BlockSet { x int32, z int32, y uint8, block uint16, face uint8 in 0..5 }

packet {
    op       Op
    session  uint32 @hex
    sequence uint16 @seq
    body switch op {
        Login:     Login
        LoginOk:   LoginOk
        Move:      Move
        Update:    Update
        BlockSet:  BlockSet
        KeepAlive: uint32
        Leave:     { reason uint8 }
    }
}
