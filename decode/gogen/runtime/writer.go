//lint:file-ignore U1000 what a generated package uses of this is copied into it

package runtime

import (
	"encoding/binary"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/wire"
)

// writer is the state of one pass over a packet that is being written. The bytes of b before bit are written; of the
// byte that bit lies in only the bits before it count.
type writer struct {
	found  found
	reject PacketReject
	from   From
	at     [loopDepth]int
	s      [slotRoom]uint64
	sums   [sumRoom]openSum
}

// openSum is a checksum that is filled in when its window, or the packet, is whole: at byte `at`, over the bytes from
// `from` on. values are its prefixes and suffixes.
type openSum struct {
	is       bool // it is in the packet
	at, from int
	values   [8]uint64
}

// refuse refuses the packet. What is after the longest datagram is in one that is too long.
func (w *writer) refuse(kind RejectKind, bit, width int, path string) int {
	if bit > 8*MaxDatagram {
		kind, bit, width, path = RejectDatagramSize, 0, bit, ""
	}
	w.reject = PacketReject{Kind: kind, Bit: bit, Width: width, path: path, at: w.at}
	return -1
}

// stop refuses a code that a reader would refuse, or that its bits do not hold.
func (w *writer) stop(l *leaf, code uint64, bit int) int {
	kind := RejectOutOfRange
	if l.width == 64 || code>>l.width == 0 {
		kind = l.judge(code)
	}
	if kind == RejectNone {
		kind = RejectOutOfRange
	}
	return w.refuse(kind, bit+int(l.off), int(l.width), l.path)
}

// room makes n bytes writable from byte i on.
func room(b []byte, i, n int) []byte {
	if len(b)-i >= n {
		return b
	}
	grown := make([]byte, max(2*len(b), i+n+64))
	copy(grown, b)
	return grown
}

// before is the bits of a byte that lie before each of its bits, in order lsb.
var before = [8]uint64{0, 1, 3, 7, 15, 31, 63, 127}

// put writes the n low bits of code; the others are zero.
func put(order wire.Order, b []byte, bit int, code uint64, n int) ([]byte, int) {
	i, s := bit>>3, uint(bit)&7
	b = room(b, i, 17)
	d := b[i : i+9]
	switch order {
	case wire.LSB:
		had := uint64(d[0]) & (1<<s - 1)
		binary.LittleEndian.PutUint64(d, had|code<<s)
		d[8] = byte(code >> 1 >> (63 - s))
	case wire.MSB:
		had := uint64(d[0]) << 56 &^ (^uint64(0) >> s)
		v := code << uint(64-n)
		binary.BigEndian.PutUint64(d, had|v>>s)
		d[8] = byte(v << (8 - s))
	default:
		for left := n; left > 0; left -= 8 {
			g := uint(min(left, 8))
			v := byte(code)
			d[0] = d[0] &^ (0xFF >> s)
			if free := 8 - s; g <= free {
				d[0] |= v << (free - g)
			} else {
				d[0] |= v & (1<<free - 1)
				d[1] = v >> free << (8 - (g - free))
			}
			if s+g >= 8 {
				d = d[1:]
			}
			s = (s + g) & 7
			code >>= 8
		}
	}
	return b, bit + n
}

// fill writes zeros.
func fill(order wire.Order, b []byte, bit, n int) ([]byte, int) {
	for ; n > 64; n -= 64 {
		b, bit = put(order, b, bit, 0, 64)
	}
	return put(order, b, bit, 0, n)
}

// needed is how many bytes of a window that is filled with zeros, from bit start on, cannot be cut: those up to the
// last that is not zero, and up to bit kept.
func needed(order wire.Order, b []byte, start, bit, kept int) uint64 {
	b, bit = fill(order, b, bit, -bit&7)
	for bit > start && bit > kept && b[bit>>3-1] == 0 {
		bit -= 8
	}
	return uint64(bit-start) / 8
}

// failed is the error of what was refused.
func (w *writer) failed() error {
	r := w.reject
	return &r
}

// putKept writes bits of which any may be set.
func putKept(order wire.Order, b []byte, bit, width int, words []uint64) ([]byte, int) {
	for i := range words {
		if n := min(64, width-64*i); n > 0 {
			b, bit = put(order, b, bit, words[i]&wire.Mask(n), n)
		}
	}
	return b, bit
}

// either is a text, or the only one that there can be where none is given.
func either(text, only []byte) []byte {
	if len(text) == 0 {
		return only
	}
	return text
}

func putBytes(order wire.Order, b []byte, bit int, text []byte) ([]byte, int) {
	if bit&7 == 0 {
		b = room(b, bit>>3, len(text)+8)
		copy(b[bit>>3:], text)
		return b, bit + 8*len(text)
	}
	for _, c := range text {
		b, bit = put(order, b, bit, uint64(c), 8)
	}
	return b, bit
}

// putLatin1 writes the characters as bytes.
func putLatin1(order wire.Order, b []byte, bit int, text []byte) ([]byte, int) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		b, bit = put(order, b, bit, uint64(r&0xff), 8)
		text = text[size:]
	}
	return b, bit
}

// putUTF16 writes UTF-16 in bytes.
func putUTF16(order wire.Order, b []byte, bit int, big bool, text []byte) ([]byte, int) {
	unit := func(u rune) {
		first, second := u&0xff, u>>8
		if big {
			first, second = second, first
		}
		b, bit = put(order, b, bit, uint64(first), 8)
		b, bit = put(order, b, bit, uint64(second), 8)
	}
	for len(text) > 0 {
		u, low, size := wire.WideUnit(text)
		unit(u)
		if low != 0 {
			unit(low)
		}
		text = text[size:]
	}
	return b, bit
}

// putWide writes text as UTF-16 units.
func putWide(order wire.Order, b []byte, bit int, text []byte) ([]byte, int) {
	for len(text) > 0 {
		unit, low, size := wire.WideUnit(text)
		b, bit = put(order, b, bit, uint64(unit), 32)
		if low != 0 {
			b, bit = put(order, b, bit, uint64(low), 32)
		}
		text = text[size:]
	}
	return b, bit
}

func putVarint(order wire.Order, b []byte, bit int, code uint64) ([]byte, int) {
	for ; code >= 0x80; code >>= 7 {
		b, bit = put(order, b, bit, code&0x7f|0x80, 8)
	}
	return put(order, b, bit, code, 8)
}

// putStep climbs a ladder to the rung that a step is on; false when only the last is left.
func putStep(ladder *[wire.Rungs]wire.Rung, order wire.Order, b []byte, bit int, step uint64) ([]byte, int, bool) {
	for i := range ladder {
		rung := &ladder[i]
		if step > rung.Hi {
			b, bit = put(order, b, bit, 0, 1)
			continue
		}
		b, bit = put(order, b, bit, 1, 1)
		b, bit = put(order, b, bit, step-rung.Lo, rung.Width())
		return b, bit, true
	}
	return b, bit, false
}

func putBelow(order wire.Order, b []byte, bit int, limit, code uint64) ([]byte, int) {
	var n wire.BelowNumber
	for n.Limit = limit; n.More(); {
		set := code & 1
		b, bit = put(order, b, bit, set, 1)
		n.Add(set)
		code >>= 1
	}
	return b, bit
}

func putLadder(order wire.Order, b []byte, bit int, previous, code uint64, long bool) ([]byte, int) {
	if step := code - previous; !long && step <= wire.RelativeLadder[wire.Rungs-1].Hi {
		b, bit, _ = putStep(&wire.RelativeLadder, order, b, bit, step)
		return b, bit
	}
	b, bit = put(order, b, bit, 0, wire.Rungs)
	return put(order, b, bit, code, 32)
}

// putIndex writes an index of a subset, as itself in n bits or (n < 0) as a step from the one before.
func putIndex(previous, most, index uint64, n int, order wire.Order, b []byte, bit int) ([]byte, int) {
	if n >= 0 {
		return put(order, b, bit, index, n)
	}
	b, bit, done := putStep(&wire.IndexLadder, order, b, bit, index-previous)
	if done {
		return b, bit
	}
	span, _ := wire.IndexSpan(most)
	return put(order, b, bit, index-previous-wire.IndexLast, wire.BitsRequired(span))
}

// left is the whole bytes before the end.
func left(end, bit int) uint64 { return uint64(max(0, end-bit)) / 8 }
