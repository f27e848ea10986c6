package report

import "net/netip"

// peers keeps the texts of addresses: a capture has few, and each of its packets has two.
type peers [256]struct {
	addr netip.AddrPort
	text []byte
}

// append appends an address with its port.
func (p *peers) append(b []byte, a netip.AddrPort) []byte {
	kept := &p[a.Port()%uint16(len(p))]
	if kept.addr != a || kept.text == nil {
		kept.addr, kept.text = a, a.AppendTo(kept.text[:0])
	}
	return append(b, kept.text...)
}
