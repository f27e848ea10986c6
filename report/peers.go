package report

import "net/netip"

// peers keeps the texts of addresses: a capture has few, and each of its packets has two.
type peers [256]struct {
	addr netip.AddrPort
	text []byte
}

// append appends an address with its port.
func (p *peers) append(b []byte, a netip.AddrPort) []byte {
	// Hosts can have one port, and a server one for both kinds of addresses: of IPv4 byte 10 is 0xff.
	ip := a.Addr().As16()
	kept := &p[uint8(a.Port())^ip[10]^ip[15]]
	if kept.addr != a || kept.text == nil {
		kept.addr, kept.text = a, a.AppendTo(kept.text[:0])
	}
	return append(b, kept.text...)
}
