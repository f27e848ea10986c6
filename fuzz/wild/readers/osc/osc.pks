// OSC: "The Open Sound Control 1.0 Specification". A datagram is a message or a bundle of messages; a bundle in a bundle is
// not here. The types of arguments are the four that everybody has to know (i, f, s, b) and those of the others without an
// array: h, t, d, T, F, N. A message has up to four arguments.
protocol osc
order msb
port 57120
max datagram 1472

// A string ends with a NUL, and one to four of these make it a multiple of four bytes. So does the padding of a blob.
struct Argument(tag in 0..255) {
    value switch tag {
        'i':      int32
        'f':      float32
        'h':      int64
        'd':      float64
        't':      uint64 @time(ntp)
        's':      { text cstring(1472) ascii, align(32) }
        'b':      { size uint32, data bytes(size, max 1472), align(32) }
        'T', 'F', 'N', 0: empty
    }
}

struct Message {
    require peek(8) == '/'
    address cstring(1472) ascii
    align(32)
    comma uint8 == ','
    tag0  uint8
    if tag0 != 0 { tag1 uint8 } else { let tag1 = 0 }
    if tag1 != 0 { tag2 uint8 } else { let tag2 = 0 }
    if tag2 != 0 { tag3 uint8 } else { let tag3 = 0 }
    if tag3 != 0 { tag4 uint8 == 0 }
    align(32)
    argument0 Argument(tag0)
    argument1 Argument(tag1)
    argument2 Argument(tag2)
    argument3 Argument(tag3)
}

packet {
    body switch peek(8) {
        '/': Message
        '#': {
            name bytes(8) == "#bundle\0"
            time uint64 @time(ntp)
            elements [rest, max 128]{
                size uint32
                require size % 4 == 0
                within(size) {
                    content Message
                }
            }
        }
    }
}
