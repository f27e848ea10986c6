// reliable 1.0: acknowledged packets and their fragments over UDP (mas-bandwidth/reliable).
//
// From the library's source, which is its only specification.
//
// Not here: what a packet holds.
protocol reliable
order lsb
max datagram 1500

param MaxFragments = 16 in 1..256
param FragmentSize = 1024 in 1..1400

// Bit 0 of its first byte says whether this is a fragment: whoever reads a Header has read that.
struct Header {
    has_bits0 bool
    has_bits1 bool
    has_bits2 bool
    has_bits3 bool
    short_ack bool
    reserved(2) any
    sequence uint16 @seq
    if short_ack {
        behind uint8
        let ack = (sequence - behind + 65536) % 65536
    } else {
        ack uint16
    }
    // A writer leaves out a byte of the mask that is 0xFF.
    if has_bits0 { bits0 uint8 } else { let bits0 = 0xFF }
    if has_bits1 { bits1 uint8 } else { let bits1 = 0xFF }
    if has_bits2 { bits2 uint8 } else { let bits2 = 0xFF }
    if has_bits3 { bits3 uint8 } else { let bits3 = 0xFF }
    let ack_bits = bits0 | bits1 << 8 | bits2 << 16 | bits3 << 24 @hex
}

packet {
    fragment bool
    if fragment {
        reserved(7)
        sequence uint16 @seq
        id       uint8
        last     uint8 in id..MaxFragments - 1 // number of the last fragment
        if id == 0 {
            reserved(1)
            header Header
            require header.sequence == sequence
        }
        if id < last {
            data bytes(FragmentSize) @fragment(Message, sequence, index id, count last + 1)
        } else {
            data bytes(rest, max FragmentSize) @fragment(Message, sequence, index id, count last + 1)
        }
    } else {
        header  Header
        payload bytes(rest, max 1200) @message(Message)
    }
}

// What a program sends: nothing is known of it. Write what yours sends in its place.
message Message max MaxFragments * FragmentSize + 1200 {
    data bytes(rest, max MaxFragments * FragmentSize + 1200)
}
