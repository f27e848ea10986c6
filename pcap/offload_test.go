package pcap

import "testing"

// TestOverMTU: a packet that no Ethernet takes is several; a loopback takes it, and fragments are what was cut.
func TestOverMTU(t *testing.T) {
	v4 := func(n int) []byte { return ip4(protocolUDP, nil, udp(repeat(n))) }
	v6 := func(n int) []byte { return ip6(protocolUDP, udp(repeat(n))) }
	over := v4(2000)
	local := v4(2000)
	copy(local[12:], []byte{127, 0, 0, 1})
	for _, row := range []struct {
		name   string
		link   LinkType
		packet []byte
		want   bool
	}{
		{"what fits", LinkEthernet, cat(etherHeader(0x0800), v4(1472)), false},
		{"a byte more", LinkEthernet, cat(etherHeader(0x0800), v4(1473)), true},
		{"with a tag", LinkEthernet, cat(etherHeader(0x8100, 0x0800), over), true},
		{"ipv6", LinkEthernet, cat(etherHeader(0x86dd), v6(2000)), true},
		{"cooked", LinkSLL, cat(sll(1, 0x0800), over), true},
		{"cooked, version 2", LinkSLL2, cat(sll2(1, 0x0800), over), true},
		{"cooked of a loopback", LinkSLL, cat(sll(772, 0x0800), over), false},
		{"cooked of a loopback, version 2", LinkSLL2, cat(sll2(772, 0x0800), over), false},
		{"a loopback without addresses", LinkEthernet, cat(make([]byte, 12), []byte{8, 0}, over), false},
		{"a loopback by its addresses", LinkEthernet, cat(etherHeader(0x0800), local), false},
		{"raw", LinkRaw, over, false},
	} {
		for _, cut := range []int{0, 1900} {
			dg, cause := decodeOne(t, row.link, row.packet[:len(row.packet)-min(cut, len(row.packet)-100)], len(row.packet))
			if cause != causeNone || dg.OverMTU != row.want {
				t.Errorf("%s, cut by %d: want %v, got %v %v", row.name, cut, row.want, dg.OverMTU, cause)
			}
		}
	}
	piece := func(off int, more bool, data []byte) []byte {
		b, _ := sent{id: 1, off: off, more: more, data: data}.packet()
		return cat(etherHeader(0x0800), b)
	}
	large := udp(repeat(2000))
	d := NewDatagrams(&packets{link: LinkEthernet, list: [][]byte{piece(0, true, large[:1480]), piece(1480, false, large[1480:])}})
	if dg, err := d.Next(); err != nil || dg.OverMTU || len(dg.Payload) != 2000 {
		t.Errorf("fragments: %+v, %v", dg, err)
	}
}
