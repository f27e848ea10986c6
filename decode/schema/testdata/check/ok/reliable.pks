// mas-bandwidth/reliable 1.0: the header of a fragment says which one it is and which is the last.
protocol reliable
order lsb
max datagram 1500
param MaxFragments = 16 in 1..256
param FragmentSize = 1024 in 1..1400

struct Header {
    has_b0    bool
    has_b1    bool
    has_b2    bool
    has_b3    bool
    short_ack bool
    reserved(2) any
    sequence uint16 @seq
    if short_ack {
        behind uint8
    } else {
        ack uint16
    }
    if has_b0 { b0 uint8 }
    if has_b1 { b1 uint8 }
    if has_b2 { b2 uint8 }
    if has_b3 { b3 uint8 }
}

packet {
    fragment bool
    if fragment {
        reserved(7)
        sequence uint16 @seq
        id       uint8
        last     uint8 in id..MaxFragments - 1 // one less than there are, never below id
        if id == 0 {
            reserved(1)
            header Header
            require header.sequence == sequence
        }
        if id < last {
            data bytes(FragmentSize)
        } else {
            end bytes(rest, max FragmentSize)
        }
    } else {
        header  Header
        payload bytes(rest, max 1200)
    }
}
