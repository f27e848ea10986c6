// Drafted from all.schema by `pktscope schema import`: add `port` and `max datagram`.
protocol all
order lsb

// Units = 1.5
const Most = 12 // twelve
// Huge = 295147905179352825840
const Twelve = 12
const Shape_count = 3
const Flagged = 2

// What a thing is.
enum Kind : int(0..3) {
    None  = 0
    Red   = 1 // was red
    Green = 2
    Blue  = 3
}

open enum Roomy : int(0..11) {
    None = 0
    One  = 1
}

enum Nothing : int(0..0) {
    None = 0
}

flags Caps : bits(2) {
    A = 0x1 // was a
    B = 0x2
}

open flags Wide : bits(9) {
    Low = 0x1
}

struct Pair {
    // Along.
    x float(-1.5..1.5, 0.25) // default 0.5
    y float32                // across
}

struct Empty {
}

struct Fine {
    // ? line 30: `step` has more steps than a float32 can tell apart: this is the step, and the value 0 + step * 1 / 100000000
    step int(0..100000000)
}

enum ShapeType : int(0..3) {
    None     = 0
    None_yet = 1 // was none_yet
    Box      = 2 // was box
    Fine     = 3 // was fine
}

struct Shape {
    type ShapeType
    value switch type {
        None:     empty
        None_yet: Empty
        Box:      Pair
        Fine:     Fine
    }
}

struct Zulu {
    pair Pair
}

struct Alpha { // was alpha
    kind    Kind // default Green
    roomy   Roomy
    nothing Nothing
    caps    Caps
    wide    Wide
    bare    bits(3) // Bare
    // gone takes no bits
    shape  Shape
    shapes [..4]Shape
    align
    reserved(7)
    constant bits(6) == 42
    is_ready bool // was isReady
    if !is_ready {
        rest_ int(3..3) // was rest
        if is_ready {
            deep int(-9223372036854775808..9223372036854775807)
        }
    } else {
        wait {
            low  uint64
            high bits(18)
            require high < 131072 || high == 131072 && low <= 0
        }                // the value is high*2^64 + low - 1
        far int(0..4095) // the value is this + 18446744073709551616
        all {
            low  uint64
            high bits(64)
        } // the value is high*2^64 + low
    }
    small int(-128..112) @scale(1 / 16)
    still int(32..32)    @scale(1 / 16)
    whole int(-5..5)
    great {
        low  uint64
        high bits(1)
        require high < 1 || high == 1 && low <= 0
    } // the value is high*2^64 + low, divided by 2^64
    high     int(0..9223372036854775808) @scale(1 / 2)
    name     Text2100
    names    [2]Text7
    blobs    [1..3]Bytes5
    empties  int(0..6) // so many elements without bits
    nothings [3]Empty
    odd      int(1..18446744073709551615)
    exact    [Most]bits(3)
    spell    [..Most]bool
}

// A length, then so many bytes from the next whole byte on: text of any encoding, without a NUL.
struct Text2100 {
    size int(0..2100)
    align
    text [size]uint8 != 0
}

// A length, then so many bytes from the next whole byte on: text of any encoding, without a NUL.
struct Text7 {
    size int(0..7)
    within(size) {
        if rest > 0 { require tail(8) != 0 }
        within(rest zeros) { text char(7) latin1 }
    }
}

// A length, then so many bytes from the next whole byte on.
struct Bytes5 {
    size int(0..5)
    data bytes(size, max 5)
}

// The tag of a message is its place among their names, sorted.
enum MessageType : int(0..2) {
    None  = 0
    Zulu  = 1
    Alpha = 2 // was alpha
}

packet {
    type MessageType
    body switch type {
        None:  empty
        Zulu:  Zulu
        Alpha: Alpha
    }
}

// all.schema:22:6: warning: `unused_thing` is in no message, so it is left out
// all.schema:30:13: warning: `step` has more steps than a float32 can tell apart: this is the step, and the value 0 + step * 1 / 100000000
// all.schema:38:8: warning: `Ship` is in no message, so it is left out
