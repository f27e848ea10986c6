//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/wire"
)

// bytesAt appends raw bytes that lie at any bit.
func bytesAt(order wire.Order, data []byte, bit, size int, buf []byte) []byte {
	return order.AppendBytes(buf, data, bit, size)
}

// Each judge of text gives the text and why it is refused.

func judged(text []byte, fault wire.TextFault) ([]byte, RejectKind) {
	if fault.Rule != 0 {
		return nil, RejectBadString
	}
	return text, RejectNone
}

func judgeChar(b []byte) ([]byte, RejectKind) { return judged(wire.CharText(b)) }

func judgeString(b []byte) ([]byte, RejectKind) { return judged(b, wire.StringFault(b)) }

// judgeWide appends the units of a wstring as UTF-8.
func judgeWide(order wire.Order, data []byte, bit, size int, text []byte) ([]byte, RejectKind) {
	fault := order.WideFault(data, bit, size)
	if fault.Rule == 0 {
		text = order.AppendWide(text, data, bit, size)
	}
	return judged(text, fault)
}

func judgeUTF8(b []byte) ([]byte, RejectKind) { return judged(b, wire.UTF8Fault(b)) }

func judgeASCII(b []byte) ([]byte, RejectKind) { return judged(b, wire.ASCIIFault(b)) }

// runes is how many characters a text has: utf8.RuneCount allocates for a long one.
func runes(text []byte) int {
	n := 0
	for ; len(text) > 0; n++ {
		_, size := utf8.DecodeRune(text)
		text = text[size:]
	}
	return n
}

func judgeLatin1(b []byte) ([]byte, RejectKind) {
	for i := 0; i < len(b); { // a range over string(b) may allocate
		r, size := utf8.DecodeRune(b[i:])
		if r > 0xff {
			return nil, RejectBadString
		}
		i += size
	}
	return judgeUTF8(b)
}

// judgeUTF16 appends UTF-16 in bytes as UTF-8.
func judgeUTF16(order wire.Order, data []byte, bit, size int, big bool, text []byte) ([]byte, RejectKind) {
	fault := order.UTF16Fault(data, bit, size, big)
	if fault.Rule == 0 {
		text = order.AppendUTF16(text, data, bit, size, big)
	}
	return judged(text, fault)
}

// until finds the NUL of a cstring of at most n bytes with it: the bytes before it, -1 after a refusal.
func (p *PacketReader) until(order wire.Order, data []byte, bit, end, n int, path string) int {
	for size := range n {
		at := bit + 8*size
		if end-at < 8 {
			return p.refuse(RejectPastEnd, bit, 8*size+8, path)
		}
		if order.Load(data, at, 8) == 0 {
			return size
		}
	}
	return p.refuse(RejectBadString, bit, 8*n, path)
}
