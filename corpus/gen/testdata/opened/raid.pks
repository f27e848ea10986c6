// Skirmish: a real-time strategy game in lockstep. Bits packed from the highest down.
protocol skirmish
order msb
port 6112
max datagram 512

enum Kind : bits(5) { Join = 1, Roster = 2, Ready = 3, Order = 8, Turn = 9, Sync = 10, Ping = 16, Resign = 17 }
enum Verb : bits(4) { Stop = 0, Move = 1, Attack = 2, Patrol = 3, Build = 4, Gather = 5, Repair = 6 }
enum Race : bits(2) { Human = 0, Orc = 1, Elf = 2 }

struct Join { race Race, size bits(5) in 2..20, name bytes(size) utf8 }
struct Roster { slot bits(3), race Race, team bits(2), handicap sbits(6), seed uint32 @hex }
struct Order {
    turn   bits(18)
    unit   bits(11)
    verb   Verb
    queued bool
    x      bits(12)
    y      bits(12)
    target bits(11)
}
struct Turn { turn bits(18), length_ms bits(9), players bits(8), orders bits(6) }
struct Sync { turn bits(18), hash uint32 @hex, gold bits(16), wood bits(16), food bits(8), units bits(9) }

packet {
    reliable bool
    kind     Kind
    has_ack  bool
    resent   bool
    player   bits(3)
    sequence bits(13) @seq
    if has_ack {
        ack      bits(13)
        ack_bits bits(19) @hex
    }
    body switch kind {
        Join:   Join
        Roster: Roster
        Ready:  { slot bits(3), ready bool }
        Order:  Order
        Turn:   Turn
        Sync:   Sync
        Ping:   { sent_us uint32, rtt_us bits(20) }
        Resign: { slot bits(3), reason bits(2) }
    }
    align
    crc crc32(prefix 0x534B524D : uint32, over before)
}
