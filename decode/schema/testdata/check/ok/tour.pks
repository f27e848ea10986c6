// One of everything the language has.
protocol tour
order lsb
port 1000, 1001
max datagram 60000
max fields 100000
max steps 200000

const Limit = 8
const Scale = 0.25
const Magic = "NETCODE 1.02\0"
param Most = 4 in 1..Limit

enum Mode : uint8 { Idle = 0, Busy = 1, Dead = 9 }
open enum Kind : uint16 be { First = 1 }
flags Keys : bits(5) { Up = 1, Down = 2, Fire = 16 }
open flags Extra : uint8 { Beta = 1 }

struct Net order msb {
    word uint16
    half uint16 le
    kind Kind
    part bits(3)
    align
}

struct Sized(n in 0..8, big bool) {
    items [n]uint8
    if big { more uint16 } else { more uint8 }
    again [more & 3]bool
}

struct Item {
    more bool
    code uint8
}

packet {
    checksum  crc32c(prefix 0x1122334455667788 : uint64 be, over rest)
    magic     bytes(13) == Magic
    mode      Mode in {Idle, Busy}
    kind      Kind
    keys      Keys
    extra     Extra
    align(32) any
    net       Net
    flag      bool
    wide      bool8 == true
    if flag && keys.Fire || from(client) {
        count uint8 in 0..Most
    } else if mode == Mode.Busy {
        count int(0..3)
    } else {
        let zero = 0
        count bits(3)
    }
    list      [count]{ a sbits(4), b [2][3]bool }
    sized     Sized(Most, !flag)
    vec       vec3(float(-10..10, Scale)) @unit("m")
    quat      quat smallest3(9)
    quat4     quat(float32 finite)
    var       varint(32)
    zig       zigzag(64)
    name      string(16)
    wname     wstring(16)
    cname     cstring(16) utf8
    tag       char(4) == "abcd"
    maybe     optional Item
    few       [1..3]Item
    upto      [..Limit]int(-5..5)
    until_it  [until !more, max 16]Item
    until_val [until until_val == 0, max 16]uint8
    bits_n    bits(count)
    upper     int(0..count)
    seq       uint16 @seq @time(ms)
    next      relative(seq)
    slots     subset(relative) [200]Item
    let total = seq + count * 2
    require total >= 0 && (seq != 0 || count == 0)
    check 0x12345678
    check "label"
    reserved(7) any
    reserved(3)
    sw switch seq >> 8 {
        0, 2..3: empty @from(server)
        1: { deep switch flag { true: uint8, false: empty } } @every(50ms)
        default: [while rest > 50000, max 10]uint16 be
    } @budget(100 bytes)
    within(count) {
        inner bytes(rest, max 100) @text @secret
    }
    within(7 bits) {
    }
    align
    end [rest, max 60000]uint8
}
