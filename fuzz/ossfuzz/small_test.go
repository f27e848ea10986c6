package ossfuzz

// small are schemas in which a byte of change says much.
var small = []string{`protocol a
order msb
packet {
    n uint8 in 0..9
    x [n]uint8
    if n > 3 {
        y bits(3)
        align
    }
}
`, `protocol a
order lsb
packet {
    c crc32
    k bits(2)
    b switch k {
        0: uint8
        1..2: {
            r uint8
            reserved(3)
            pad_check bits(5)
        }
        default: empty
    }
    align
    e uint16 be
}
`, `protocol a
order bousk
enum E : bits(3) {
    A = 1
    B = 5
}
packet {
    e E
    f float32 finite
    s char(5)
    check "x"
}
`, `protocol a
order lsb
flags F : uint16 {
    A = 1
    B = 0x8000
}
packet {
    f F
    i int(-4..9) != 0
    q float(0..1, 0.1)
    d bytes(4) == "abcd"
    g float64 in 0.5..2
}
`, `protocol a
order msb
struct S(n in 0..7) {
    x [n]bits(5)
}
open enum E : uint16 le {
    A = 256
}
packet {
    n int(0..7)
    s S(n)
    let m = n * 2
    require m < 9
    align any
    e E
}
`}
