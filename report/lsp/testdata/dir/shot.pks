protocol shot
order lsb
port 4200

import "common.pks"

// How many shots one packet has at most.
const Most = 4

packet {
    kind  Kind
    // Who shot.
    owner bits(5) in 0..20
    count int(0..Most)
    shots [count]Shot
}
