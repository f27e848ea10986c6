// Messages: whole ones and pieces of each form, four in each other, a flow by fields, an order of a message's own.
protocol messages
order msb
port 40000
max datagram 1200

flow by address, header.peer, channel

param Most = 4096 in 100..9000

struct Header { peer bits(12), channels bits(4) }

packet {
    header  Header
    channel uint8
    kind    uint8
    body switch kind {
        0: bytes(rest, max 1100) @message(Game)
        1: {
            sequence uint16
            index    uint8
            last     uint8
            data     bytes(rest, max 1100) @fragment(Game, channel << 16 | sequence, index index, count last + 1)
        }
        2: { parts [rest, max 8]{ start uint16, size uint8, more bool8, data bytes(size, max 200) @fragment(Game, id start, offset start, last !more) } }
        3: { start uint32, total uint32, data bytes(rest, max 1000) @fragment(Game, 0, offset start, total total) }
        4: { number uint16, size uint16, let first = number == 0, end bool8, data bytes(size, max 1000) @fragment(Game, header.peer, index number, last end && !first) }
        5: { pair [2]bytes(4) @message(Bits), maybe optional bytes(4) @message(Bits) }
    }
}

message Game max Most {
    parts [while rest > 2, max 64]{ size uint8, part bytes(size) @message(Bits) }
    left  bytes(rest, max 2)
}

message Bits max 255 order lsb {
    a   bits(3)
    b   bits(5)
    rest_of bytes(rest, max 254) @message(Third)
}

message Third max 8 { all bytes(rest, max 8) @message(Fourth) }

message Fourth max 8 { tag uint8, number uint16 }
