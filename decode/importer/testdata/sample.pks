// Drafted from sample.hpp by `pktscope schema import`: add `port` and `max datagram`.
protocol sample
order lsb

const MaxItems = 8
const MAX_NAME = 20

struct Vector {
    x float(-100..100, 0.01) // along
    y float(-100..100, 0.01)
    z float32
}

struct Item {
    kind bits(12)
    rare bool
}

// What a player tells the server.
packet {
    // Which one it is.
    sequence bits(16)
    health   int(0..100)
    position Vector
    moving   bool
    if moving {
        velocity Vector
    } else {
        idle bits(7)
    }
    has_name bool
    if has_name {
        // ? line 68: a text is taken for UTF-8: readers of the library do not look
        name string(20)
    }
    item_count int(0..8)
    items      [item_count]Item
    scores [3]{
        // ? line 76: the range - Limit..Limit is not known: 0..255 stands for it
        scores int(0..255)
    }
    align
    token bytes(8)
    // ? line 82: what `serialize_extra` sends is not known, so it is left out
    // ? line 84: what is sent in this `while` is left out
    // ? line 85: what `serialize_wstring` sends is not known, so it is left out
    // ? line 86: what is sent here is not known, so it is left out: SerializeRest ( stream , m_rest ) ;
    check 0x12345678
}

// sample.hpp:68:13: warning: a text is taken for UTF-8: readers of the library do not look
// sample.hpp:76:13: warning: the range - Limit..Limit is not known: 0..255 stands for it
// sample.hpp:82:36: warning: what `serialize_extra` sends is not known, so it is left out
// sample.hpp:84:9: warning: what is sent in this `while` is left out
// sample.hpp:85:9: warning: what `serialize_wstring` sends is not known, so it is left out
// sample.hpp:86:9: warning: what is sent here is not known, so it is left out: SerializeRest ( stream , m_rest ) ;
