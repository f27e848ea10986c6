// Rollback: a fighting game, the inputs that the other side has not yet got, by way of a relay.
protocol rollback
order lsb
port 41230
max datagram 200

enum Stick : bits(4) { Neutral = 5, Down = 2, Up = 8, Back = 4, Forward = 6, DownBack = 1, DownForward = 3, UpBack = 7,
    UpForward = 9 }

struct Input {
    stick   Stick
    light   bool
    heavy   bool
    kick    bool
    guard   bool
    special bool
}

packet {
    match      bits(12)
    player     bits(1)
    relayed    bool
    frame      bits(20) @seq
    ack_frame  bits(20)
    advantage  int(-12..12)
    ping       bits(10) @unit("ms")
    hash_frame bits(20)
    state_hash uint32
    count      bits(5) in 0..24
    inputs     [count]Input
    check "end of packet"
}
