// RakNet: the connected datagrams, as RakNet 4's ReliabilityLayer.cpp and DS_RangeList.h write and read them: frames and
// acknowledgements. Numbers of 24 bits are little-endian, the others are in network order. The messages in the frames are those
// of users (ID_USER_PACKET_ENUM and above), or parts of messages.
protocol raknet
order msb
port 19132
max datagram 1464

struct Ranges {
    count  uint16
    ranges [count, max 365]{
        single bool8
        first  bits(24) le
        if !single {
            last bits(24) le
            require first <= last
        }
    }
}

packet {
    valid bool == true
    ack   bool
    if ack {
        has_rate bool == false
        reserved(5) any
        acknowledged Ranges
    } else {
        nak bool
        if nak {
            reserved(5) any
            missing Ranges
        } else {
            pair       bool
            continuous bool
            needs_rate bool
            reserved(2) any
            sequence bits(24) le == 0 // of the first datagram of a connection
            frames [rest, max 365]{
                // Unreliable, UnreliableSequenced, Reliable, ReliableOrdered, ReliableSequenced; the receipts of 5 to 7 are not sent
                reliability bits(3) in 0..4
                split       bool
                reserved(4) any
                size uint16 // in bits
                require size > 0
                if reliability in {2, 3, 4} { number bits(24) le }
                if reliability in {1, 4} { sequenced bits(24) le }
                if reliability in {1, 3, 4} {
                    order   bits(24) le
                    channel uint8 in 0..31
                }
                let bytes = (size + 7) / 8
                if split {
                    parts uint32 != 0
                    id    uint16
                    part  uint32 in 0..parts - 1
                    piece bytes(bytes, max 1464)
                } else {
                    message uint8 in 0x86..0xFF
                    data    bytes(bytes - 1, max 1464)
                }
            }
        }
    }
}
