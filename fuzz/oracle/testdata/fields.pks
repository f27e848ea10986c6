protocol fields
order lsb
enum Kind : uint8 { Join = 1, Leave = 2 }
flags Keys : bits(3) { Up = 1, Down = 2, Fire = 4 }
struct Player {
    x      float(-512..512, 0.01)
    health int8
}
packet {
    kind    Kind
    keys    Keys
    big     uint64
    f       float32
    count   bits(2)
    players [count]Player
    names   [2]char(4)
    token   bytes(2) @secret
}
