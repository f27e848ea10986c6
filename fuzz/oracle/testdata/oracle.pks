protocol oracle
order lsb
open enum Kind : uint8 {
    Ping = 1
    Pong = 2
}
packet {
    crc    crc32(prefix 7 : uint32)
    kind   Kind
    health int(0..100)
    align  any
    count  uint8 in 0..4
    list   [count]{ x uint16, y bits(3) }
}
