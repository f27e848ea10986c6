// A construct of each kind that has a row in a table of its own.
protocol small
order msb
max datagram 100
enum Kind : uint8 { Move = 1, Say = 4 }
packet {
    sum    crc16_xmodem(prefix 0x1234 : uint16)
    kind   Kind
    level  int(-3..9)
    scale  float32 in 0.5..2.0
    body switch kind {
        Move: {
            n    varint(14)
            require n <= 4
            path [n]bits(4)
        }
        Say: {
            size uint8 in 1..20
            within(size) {
                text bytes(rest, max 20) utf8
            }
        }
    }
}
