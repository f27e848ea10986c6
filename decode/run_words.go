package decode

import (
	"encoding/binary"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/wire"
)

// The hot loops. They read a run's words into raw, element after element from m.bit on and stride bits apart, until raw
// is full or a code is not accepted, and return how many codes are. The caller has checked that every word begins in
// the datagram (in order bousk, that it lies there), that raw is full at the end of an element, and that the datagram
// has eight bytes.
//
// A word is wire's load with its constants at hand: one unaligned 64-bit load, and for a word of more than 57 bits the
// byte after it, while nine bytes are left; the datagram's last eight bytes after that. Shifts are masked to 63
// because Go defines larger ones and the compiler would test for them; only a leaf of no bits at the very end has one
// of 64, and its mask makes 0 of anything.
//
// A leaf after another, without a loop: how many a word has is a branch that the processor learns per plan, where an
// inner loop had Go's compiler keep its variables in memory and took half as long again.

func (m *machine) readLSB(words []ops.Word, raw []uint64, stride int) int {
	data, bit := m.data, uint(m.bit)
	to := 0
	for to < len(raw) {
		for i := range words {
			w := &words[i]
			from := bit + uint(w.Off)
			var word uint64
			if b, s := from/8, from%8; b+8 < uint(len(data)) {
				word = binary.LittleEndian.Uint64(data[b:b+8]) >> s
				if w.Flags != 0 {
					word = w.Turn(word | uint64(data[b+8])<<1<<(63-s))
				}
			} else {
				word = binary.LittleEndian.Uint64(data[len(data)-8:]) >> ((from - 8*uint(len(data)-8)) & 63)
				if w.Flags != 0 {
					word = w.Turn(word)
				}
			}
			code := word >> (w.Shift[0] & 63) & w.Mask[0]
			raw[to] = code
			if code-w.Lo[0] > w.Span[0] {
				return to
			}
			to++
			if w.N > 1 {
				code = word >> (w.Shift[1] & 63) & w.Mask[1]
				raw[to] = code
				if code-w.Lo[1] > w.Span[1] {
					return to
				}
				to++
				if w.N > 2 {
					code = word >> (w.Shift[2] & 63) & w.Mask[2]
					raw[to] = code
					if code-w.Lo[2] > w.Span[2] {
						return to
					}
					to++
					if w.N > 3 {
						code = word >> (w.Shift[3] & 63) & w.Mask[3]
						raw[to] = code
						if code-w.Lo[3] > w.Span[3] {
							return to
						}
						to++
					}
				}
			}
		}
		bit += uint(stride)
	}
	return to
}

func (m *machine) readMSB(words []ops.Word, raw []uint64, stride int) int {
	data, bit := m.data, uint(m.bit)
	to := 0
	for to < len(raw) {
		for i := range words {
			w := &words[i]
			from := bit + uint(w.Off)
			var word uint64
			if b, s := from/8, from%8; b+8 < uint(len(data)) {
				word = binary.BigEndian.Uint64(data[b:b+8]) << s
				if w.Flags != 0 {
					word = w.Turn(word | uint64(data[b+8])>>(8-s))
				}
			} else {
				word = binary.BigEndian.Uint64(data[len(data)-8:]) << ((from - 8*uint(len(data)-8)) & 63)
				if w.Flags != 0 {
					word = w.Turn(word)
				}
			}
			code := word >> (w.Shift[0] & 63) & w.Mask[0]
			raw[to] = code
			if code-w.Lo[0] > w.Span[0] {
				return to
			}
			to++
			if w.N > 1 {
				code = word >> (w.Shift[1] & 63) & w.Mask[1]
				raw[to] = code
				if code-w.Lo[1] > w.Span[1] {
					return to
				}
				to++
				if w.N > 2 {
					code = word >> (w.Shift[2] & 63) & w.Mask[2]
					raw[to] = code
					if code-w.Lo[2] > w.Span[2] {
						return to
					}
					to++
					if w.N > 3 {
						code = word >> (w.Shift[3] & 63) & w.Mask[3]
						raw[to] = code
						if code-w.Lo[3] > w.Span[3] {
							return to
						}
						to++
					}
				}
			}
		}
		bit += uint(stride)
	}
	return to
}

// readBytewise takes the one leaf of each word. Its whole groups of eight bits begin s bits into neighbouring bytes, so
// two words blended byte by byte give them all at once (see wire.LoadBytewise).
func (m *machine) readBytewise(words []ops.Word, raw []uint64, stride int) int {
	data, bit := m.data, uint(m.bit)
	to := 0
	for to < len(raw) {
		for i := range words {
			w := &words[i]
			from := bit + uint(w.Off)
			var code uint64
			if b, s := from/8, from%8; b+8 < uint(len(data)) {
				word := binary.LittleEndian.Uint64(data[b : b+8])
				low := uint64(0xff) >> s * 0x0101010101010101
				code = word&low | (word>>8|uint64(data[b+8])<<56)&^low
				if part := uint(w.Width) % 8; part == 0 {
					code &= w.Mask[0]
				} else { // the last group is a shorter one: its bits lie at one end of the blended byte, or at both
					whole := uint(w.Width) &^ 7 & 63
					last := code >> whole & 0xff
					if free := 8 - s; part <= free {
						last = last & (low & 0xff) >> ((free - part) & 7)
					} else {
						last = last&low&0xff | last>>((8-part+free)&7)<<(free&7)
					}
					code = code&(w.Mask[0]>>part) | last<<whole
				}
			} else {
				code = wire.LoadBytewise(data, int(from), int(w.Width))
			}
			if w.Flags&ops.WordSwap != 0 {
				code = wire.SwapBytes(code, int(w.Width))
			}
			raw[to] = code
			if code-w.Lo[0] > w.Span[0] {
				return to
			}
			to++
		}
		bit += uint(stride)
	}
	return to
}
