// Drafted from bits.hpp by `pktscope schema import`: add `port` and `max datagram`.
protocol bits
order lsb

// ? line 6: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb

enum Mode : int8 {
    Off = -1
    On  = 1
}

enum Kind : int32 {
    A = 0
    B = 1
}

packet {
    id uint8
    // ? line 8: the order of bit fields is the compiler's: `yaw` may lie elsewhere in its byte
    yaw sbits(9) // in steps
    // ? line 9: what is in bits without a name is the compiler's: they are taken to be any
    reserved(2) any
    // ? line 10: the order of bit fields is the compiler's: `alive` may lie elsewhere in its byte
    alive bool
    // ? line 11: the order of bit fields is the compiler's: `mode` may lie elsewhere in its byte
    mode sbits(2) // as Mode has them
    // ? line 12: the order of bit fields is the compiler's: `kind` may lie elsewhere in its byte
    kind bits(2) // as Kind has them
    // ? line 12: what is in bits without a name is the compiler's: they are taken to be any
    reserved(3) any
    // ? line 12: the order of bit fields is the compiler's: `far` may lie elsewhere in its byte
    far bits(1) // as Kind has them
    // ? line 13: what is in bits without a name is the compiler's: they are taken to be any
    reserved(2) any
    // ? line 14: what follows begins the next 32 bits of the struct: they are counted from the packet's first bit, and what is before it is taken to be any
    align(32) any
    // ? line 15: the order of bit fields is the compiler's: `ammo` may lie elsewhere in its byte
    ammo bits(7)
    // ? line 16: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
    reserved(1) any
    items bytes(4)
    spots [3][2]int16
    more  [3][2]int16
    // ? line 18: how many elements `data` has is not known: 1 stands for it
    data bytes(1)
    port uint16
    // ? line 20: whether `char` has a sign is the compiler's: it has one on x86
    tone int8
    // ? line 21: whether `char` has a sign is the compiler's: it has one on x86
    // ? line 21: the order of bit fields is the compiler's: `pitch` may lie elsewhere in its byte
    pitch sbits(4)
    // ? line 24: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
    reserved(4) any
}

// bits.hpp:6:8: warning: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb
// bits.hpp:8:13: warning: the order of bit fields is the compiler's: `yaw` may lie elsewhere in its byte
// bits.hpp:9:13: warning: what is in bits without a name is the compiler's: they are taken to be any
// bits.hpp:10:10: warning: the order of bit fields is the compiler's: `alive` may lie elsewhere in its byte
// bits.hpp:11:10: warning: the order of bit fields is the compiler's: `mode` may lie elsewhere in its byte
// bits.hpp:12:10: warning: the order of bit fields is the compiler's: `kind` may lie elsewhere in its byte
// bits.hpp:12:20: warning: what is in bits without a name is the compiler's: they are taken to be any
// bits.hpp:12:25: warning: the order of bit fields is the compiler's: `far` may lie elsewhere in its byte
// bits.hpp:13:18: warning: what is in bits without a name is the compiler's: they are taken to be any
// bits.hpp:14:14: warning: what follows begins the next 32 bits of the struct: they are counted from the packet's first bit, and what is before it is taken to be any
// bits.hpp:15:14: warning: the order of bit fields is the compiler's: `ammo` may lie elsewhere in its byte
// bits.hpp:16:28: warning: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
// bits.hpp:18:18: warning: how many elements `data` has is not known: 1 stands for it
// bits.hpp:20:10: warning: whether `char` has a sign is the compiler's: it has one on x86
// bits.hpp:21:10: warning: whether `char` has a sign is the compiler's: it has one on x86
// bits.hpp:21:10: warning: the order of bit fields is the compiler's: `pitch` may lie elsewhere in its byte
// bits.hpp:24:1: warning: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
