// A lobby: who is there, what they say, where their cursors are. No checksum.
protocol salon
order lsb
port 7100
max datagram 300

enum Kind : bits(3) { Hello = 0, Say = 1, Cursor = 2, Ping = 3 }

packet {
    magic   uint16 == 0x4C42
    kind    Kind
    session bits(21)
    seq     bits(13) @seq
    body switch kind {
        Hello:  { build bits(12), hue int(0..359), away bool, name string(24) }
        Say:    { channel bits(5), whisper bool, sent bits(28) @unit("ms"), text string(80) }
        Cursor: { x bits(12), y bits(11), buttons bits(3), sent bits(28) @unit("ms"), hue int(0..359), tool int(0..10), size bits(6) }
        Ping:   { sent bits(28) @unit("ms"), rtt bits(11) @unit("ms"), lost int(0..100), echo bits(28) @unit("ms") }
    }
}
