// yojimbo: the messages of one channel, as its connection packs them into bits (mas-bandwidth/yojimbo).
//
// From the library's source, which is its only specification, with the messages of its examples: a program has its own
// in place of TestMessage, and its own number of channels. netcode seals what is here, and reliable carries it.
//
// Not here: unreliable channels, and messages but those of the examples.
protocol yojimbo
order lsb
max datagram 8192

param Channels = 1 in 1..64
param MaxMessages = 256 in 1..1024   // maxMessagesPerPacket
param FragmentSize = 1024 in 1..4096 // blockFragmentSize
param MaxFragments = 256 in 2..1024  // maxBlockSize divided by blockFragmentSize

// How many bits a TestMessage carries, by its sequence: a list of test sizes in the examples.
const MessageBits = switch {
    0:  1
    1:  320
    2:  120
    3:  4
    4:  256
    5:  45
    6:  11
    7:  13
    8:  101
    9:  100
    10: 84
    11: 95
    12: 203
    13: 2
    14: 3
    15: 8
    16: 512
    17: 5
    18: 3
    19: 7
    20: 50
}

enum Type : int(0..1) { Test = 0, Block = 1 }

struct Message {
    type     Type
    sequence uint16 @seq
    if type == Type.Test {
        let _size = MessageBits(sequence % 21)
        bits [_size, max 512]bool
    }
}

packet {
    entries [0..Channels]{
        channel int(0..Channels - 1)
        block   bool
        if block {
            message_id  uint16 @seq
            fragments   int(1..MaxFragments)
            fragment_id int(0..fragments - 1)
            size        int(1..FragmentSize)
            data        bytes(size) @fragment(Block, channel << 16 | message_id, index fragment_id, count fragments)
            if fragment_id == 0 { message Message }
        } else {
            has_messages bool
            if has_messages {
                count int(1..MaxMessages)
                first uint16 @seq
                // Identifiers rise, and begin again behind 65535.
                later [count - 1]{
                    next relative(prev(next, first))
                    let id = next % 65536
                }
                messages [count]Message
            }
        }
    }
}

// A block is what a program makes of it.
message Block max 1_048_576 {
    data bytes(rest, max 1_048_576)
}
