// VXLAN: RFC 7348, an Ethernet frame in a datagram.
//
// From the RFC. Its packets are those of the kernel's tunnels, held against tshark.
//
// Not here: VXLAN-GPE, group policy, and the frame inside.
protocol vxlan
order msb
port 4789
max datagram 9216

packet {
    reserved(4) any
    valid bool == true // a frame without a network is dropped
    reserved(27) any
    network bits(24)
    reserved(8) any
    frame {
        to   bytes(6) @mac
        from bytes(6) @mac
        kind uint16   @hex
        if kind == 0x8100 { // IEEE 802.1Q
            priority bits(3)
            eligible bool
            vlan     bits(12)
            type     uint16 @hex
        }
        payload bytes(rest, max 9194)
    }
}
