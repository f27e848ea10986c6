// Open Sound Control 1.0: messages whose argument types are among the usual lists, and bundles of them.
//
// From the specification (opensoundcontrol.org). The types of arguments come from a text, letter by letter, which pks
// cannot say: here each list of types is a case. Add yours.
//
// A bundle may have bundles in it, and these too, down to the fourth: structs of pks do not hold themselves. Not here: the
// types of OSC 1.1, messages without types, the patterns of an address, and that a bundle's time is not before that of
// the bundle around it, which readers do not mind.
protocol osc
order msb
port 9000 // of many programs: none is assigned
max datagram 1500

// A text of types, with the NULs that fill it up to four bytes.
enum Types : uint32 {
    None     = 0x2C000000 // ","
    Int      = 0x2C690000 // ",i"
    Float    = 0x2C660000 // ",f"
    String   = 0x2C730000 // ",s"
    IntInt   = 0x2C696900 // ",ii"
    Floats   = 0x2C666600 // ",ff"
    IntFloat = 0x2C696600 // ",if"
    True     = 0x2C540000 // ",T"
    False    = 0x2C460000 // ",F"
    Blob     = 0x2C620000 // ",b"
}

struct Message {
    address cstring(256) ascii
    align(32)
    types Types
    arguments switch types {
        None, True, False: empty
        Int:               { i int32 }
        Float:             { f float32 }
        String:            { s cstring(512) ascii, align(32) }
        IntInt:            { i [2]int32 }
        Floats:            { f [2]float32 }
        IntFloat:          { i int32, f float32 }
        Blob: {
            size uint32 in 0..1400
            data bytes(size)
            align(32)
        }
    }
}

// The innermost.
struct Bundle4 {
    word bytes(8) == "#bundle\0"
    time uint64 @time(ntp)
    elements [rest, max 64]{
        size uint32 in 8..1476
        require size % 4 == 0
        within(size) {
            content switch peek(8) {
                '/': Message
            }
        }
    }
}

struct Bundle3 {
    word bytes(8) == "#bundle\0"
    time uint64 @time(ntp)
    elements [rest, max 64]{
        size uint32 in 8..1476
        require size % 4 == 0
        within(size) {
            content switch peek(8) {
                '/': Message
                '#': Bundle4
            }
        }
    }
}

struct Bundle2 {
    word bytes(8) == "#bundle\0"
    time uint64 @time(ntp)
    elements [rest, max 64]{
        size uint32 in 8..1476
        require size % 4 == 0
        within(size) {
            content switch peek(8) {
                '/': Message
                '#': Bundle3
            }
        }
    }
}

struct Bundle {
    word bytes(8) == "#bundle\0"
    time uint64 @time(ntp)
    elements [rest, max 64]{
        size uint32 in 8..1476
        require size % 4 == 0
        within(size) {
            content switch peek(8) {
                '/': Message
                '#': Bundle2
            }
        }
    }
}

packet {
    content switch peek(8) {
        '/': Message
        '#': Bundle
    }
}
