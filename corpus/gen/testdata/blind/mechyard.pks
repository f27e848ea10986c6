// Mechyard: a small strategy game; units and shots of a state are two lists.
protocol mechyard
order msb
port 41250
max datagram 1200

param ProtocolId = 0x4D590007 in 0..0xFFFFFFFF

enum Kind : bits(5) { Hello = 1, Accept = 2, Orders = 6, State = 7, Score = 11, Bye = 30 }
enum Class : bits(3) { Worker = 0, Scout = 1, Tank = 2, Mortar = 3, Turret = 4 }
enum Act : bits(3) { Idle = 0, Move = 1, Attack = 2, Mine = 3, Build = 4, Dead = 5 }

struct Unit {
    id     uint8
    owner  bits(2)
    class  Class
    x      bits(12) @scale(0.125)
    y      bits(12) @scale(0.125)
    facing bits(5)
    hp     bits(7) in 0..100
    act    Act
}

struct Shot {
    owner bits(2)
    x     bits(12)
    y     bits(12)
    vx    sbits(7)
    vy    sbits(7)
}

struct Hello {
    version uint16
    faction bits(2)
    size    bits(5) in 1..20
    name    bytes(size) utf8
}

struct Accept {
    owner bits(2)
    seed  uint32
    tick  bits(18)
}

struct Orders {
    tick  bits(18)
    act   Act
    x     bits(12)
    y     bits(12)
    count bits(4)
    units [count]uint8
}

struct State {
    tick    bits(18)
    ore     bits(14)
    n_units bits(5)
    units   [n_units]Unit
    n_shots bits(4)
    shots   [n_shots]Shot
}

struct Score {
    tick   bits(18)
    kills  [4]uint8
    mined  [4]bits(16)
}

struct Bye {
    reason bits(3) in 0..4
}

packet {
    crc      crc32(prefix ProtocolId : uint32)
    sequence bits(12) @seq
    kind     Kind
    ack      bits(12)
    ack_bits bits(16)
    body switch kind {
        Hello:  Hello  @from(client)
        Accept: Accept @from(server)
        Orders: Orders @from(client)
        State:  State  @from(server)
        Score:  Score  @from(server)
        Bye:    Bye
    }
}
