// Conditions that look decided but are not: what rests on a param may change, and what the conditions above say may be
// said again.
protocol decided
order lsb

param Most = 10 in 1..20
const Half = Most / 2

enum Kind : bits(Most) { A = 1, B = 2 }

struct S(n in 0..Most) {
    if n > 10 { a uint8 }
}

packet {
    n uint8 in 0..Most
    o uint8 in 0..10
    k Kind
    if n > 10 { a uint8 }
    if o > Most { b uint8 }
    if o <= Half { c uint8 }
    if o > 5 { d uint8 } else if o <= 5 { e uint8 } else { f uint8 }
    p int(0..3)
    if p == 0 { g uint8 } else if p == 1 { h uint8 } else if p == 2 { i uint8 } else if p == 3 { j uint8 }
    q bool
    if q == true { l uint8 } else if q == false { m uint8 }
    let sum = n + 1
    if sum > 11 { r uint8 }
    s S(n)
    t [until t == 10, max 9]int(0..Most)
    v [until v > 10, max 9]int(0..Most)
    if n > Most || o > 3 { w uint8 }
    if k != Kind.B { x uint8 }
    if k in {Kind.A, Kind.B} { y uint8 }
    if Most > 4 { z uint8 }
}
