package serialize

import (
	"math"
	"math/bits"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/reject"
)

// Varint is varint(n), or zigzag(n) where T is signed, with n the width of T: 7 bits a byte, the low group first, the high
// bit set when more follow, at any bit. A last group of zeros behind another is a second encoding of the same number and
// `non-canonical`; bits past n are `out-of-range`.
func Varint[T Integer](s *Stream, name string, v *T) { VarintBits(s, name, v, widthOf[T]()) }

// VarintBits is Varint of n bits, 1 ≤ n ≤ the width of T.
func VarintBits[T Integer](s *Stream, name string, v *T, n int) {
	if n < 1 || n > widthOf[T]() {
		panic("pktscope: internal error: serialize: " + name + " has not so many bits")
	}
	code := uint64(*v)
	if isSigned[T]() {
		code = uint64(int64(*v)<<1 ^ int64(*v)>>63)
	}
	code, _ = s.varint(field{name: name}, code, limits{span: bitio.Mask(n), zigzag: isSigned[T](), kind: reject.OutOfRange})
	if s.dir != reading {
		return
	}
	if isSigned[T]() {
		code = unzigzag(code)
	}
	*v = T(code)
}

func unzigzag(code uint64) uint64 { return code>>1 ^ -(code & 1) }

// varint does the work; the code is 0 unless one was read.
func (s *Stream) varint(f field, code uint64, l limits) (uint64, bool) {
	if s.mode == failed {
		s.waste()
		return 0, false
	}
	start := s.bit
	n := bits.Len64(l.span)
	if s.dir != reading {
		if code > l.span {
			s.refuseRange(start, 8*((bits.Len64(code)+6)/7), f, code, l)
			return 0, false
		}
		for ; code >= 0x80; code >>= 7 {
			s.put(code&0x7f|0x80, 8)
		}
		s.put(code, 8)
		return 0, false
	}
	code = 0
	groups, over := (n+6)/7, false
	for g := range groups {
		b, ok := s.take(8, f)
		if !ok {
			return 0, false
		}
		low := b & 0x7f
		over = over || bits.Len64(low)+7*g > n
		if g < 9 || low <= 1 {
			code |= low << (7 * g)
		} else {
			code = math.MaxUint64 // no word holds it
		}
		if b < 0x80 {
			if b == 0 && g > 0 {
				s.refuse(reject.NonCanonical, start, s.bit-start, f, code, 0)
				return 0, false
			}
			break
		}
		// A group behind the last that the bits can fill would hold bits past them.
		over = over || g == groups-1
	}
	if over {
		s.refuseRange(start, s.bit-start, f, code, l)
		return 0, false
	}
	return code, true
}
