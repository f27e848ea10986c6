// Sections of 8x8x8 blocks on their way to the players of a building game.
protocol blockhaul
order lsb
port 25660
max datagram 1300

enum Kind : bits(2) { Request = 0, Section = 1, Ack = 2, Edit = 3 }

struct Place {
    x sbits(14)
    z sbits(14)
    y bits(5)
}

struct Run {
    entry  bits(4)
    length int(1..64)
}

packet {
    sequence uint16 @seq
    kind     Kind
    body switch kind {
        Request: { place Place, urgent bool, revision bits(12), view int(2..12) } @from(client)
        Section: {
            place    Place
            revision bits(12)
            biome    bits(6)
            sky      bits(4)
            palette  [1..16]bits(10)
            count    int(1..512)
            runs     [count]Run
        } @from(server)
        Ack: { newest uint16, seen uint32, budget bits(10) @unit("kB/s") } @from(client)
        Edit: {
            time   uint32 @unit("ms")
            player bits(6)
            x      sbits(17)
            z      sbits(17)
            y      uint8
            block  bits(10)
            facing optional bits(3)
        }
    }
    align
    crc crc32(over before)
}
