// Drafted from bases.hpp by `pktscope schema import`: add `port` and `max datagram`.
protocol bases
order lsb

// ? line 12: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb

struct Header {
    id uint16 // of the packet
    // ? line 7: the order of bit fields is the compiler's: `flags` may lie elsewhere in its byte
    flags bits(3)
    // ? line 7: the order of bit fields is the compiler's: `kind` may lie elsewhere in its byte
    kind bits(2)
    // ? line 8: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
    reserved(3) any
}

struct Spot {
    x int16
    y int16
}

packet {
    id    uint16 // of the packet
    flags bits(3)
    kind  bits(2)
    reserved(3) any
    tick  uint32
    id_2  uint8 // was id
    spots [2]Spot
    of    Header
}

// bases.hpp:7:13: warning: the order of bit fields is the compiler's: `flags` may lie elsewhere in its byte
// bases.hpp:7:24: warning: the order of bit fields is the compiler's: `kind` may lie elsewhere in its byte
// bases.hpp:8:1: warning: bit fields end within a byte: what is in the rest of it is the compiler's, and taken to be any
// bases.hpp:12:21: warning: the order of bytes is not in the header: lsb is that of x86 and ARM; with htons and the like it is --order msb
