// Geneve: RFC 8926, a frame in a datagram, with options.
//
// From the RFC. No sender was at hand: generated packets are held against tshark.
//
// Not here: what options of any class mean, and the frame inside.
protocol geneve
order msb
port 6081
max datagram 9216

packet {
    version      bits(2) == 0
    option_words bits(6)
    control      bool
    critical     bool
    reserved(6) any
    type    uint16 @hex // an EtherType: 0x6558 is Ethernet
    network bits(24)
    reserved(8) any
    within(option_words * 4) {
        options [rest, max 63]{
            class    uint16 @hex
            critical bool
            type     bits(7)
            reserved(3) any
            words bits(5)
            data  bytes(words * 4)
        }
    }
    payload bytes(rest, max 9208)
}
