//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import "github.com/pktscope/pktscope/decode/wire"

// name reads a domain name into text; what stands of it in the packet goes into own, if that ends with a pointer. size
// is how many bytes that is, -1 after a refusal.
func (p *PacketReader) name(data []byte, bit, end int, text, own []byte, path string) (_, _ []byte, size int) {
	text, n := wire.ReadName(text, data, bit/8, end/8)
	switch {
	case n.Cut:
		return text, own, p.refuse(RejectPastEnd, bit, 8*n.Size, path)
	case n.Fault.Rule != 0:
		return text, own, p.refuse(RejectBadString, bit, 8*n.Size, path)
	case n.Pointers > 0:
		own = append(own, data[bit/8:bit/8+n.Size]...)
	}
	return text, own, n.Size
}

// putName writes a domain name: own, where that reads as text there, else text without pointers. It is false where text
// is no name.
func putName(b []byte, bit int, text, own []byte) ([]byte, int, bool) {
	var plain [wire.MaxName + 64]byte
	name, wrong, _ := wire.AppendName(plain[:0], text)
	if wrong != "" {
		return b, bit, false
	}
	at := bit / 8
	if len(own) > 0 {
		b = room(b, at, len(own))
		copy(b[at:], own)
		var x, y [4 * wire.MaxName]byte
		there, n := wire.ReadName(x[:0], b, at, at+len(own))
		want, _ := wire.ReadName(y[:0], name, 0, len(name))
		if !n.Cut && n.Fault.Rule == 0 && n.Size == len(own) && string(there) == string(want) {
			return b, bit + 8*len(own), true
		}
	}
	b = room(b, at, len(name))
	return b, bit + 8*copy(b[at:], name), true
}
