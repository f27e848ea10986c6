package serialize

import (
	"math/bits"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Varint is varint(n), or zigzag(n) where T is signed, with n the width of T: 7 bits a byte, the low group first, the
// high bit set when more follow, at any bit. A last group of zeros after another is a second encoding of the same
// number and `non-canonical`; bits past n are `out-of-range`.
func Varint[T Integer](s *Stream, name string, v *T) { VarintBits(s, name, v, widthOf[T]()) }

// VarintBits is Varint of n bits, 1 ≤ n ≤ the width of T.
func VarintBits[T Integer](s *Stream, name string, v *T, n int) {
	if n < 1 || n > widthOf[T]() {
		panic("pktscope: internal error: serialize: " + name + " has not so many bits")
	}
	code := uint64(*v)
	if isSigned[T]() {
		code = wire.ZigZag(int64(*v))
	}
	code, _ = s.varint(field{name: name}, code, limits{span: wire.Mask(n), zigzag: isSigned[T](), kind: reject.OutOfRange})
	if s.dir != reading {
		return
	}
	if isSigned[T]() {
		code = uint64(wire.UnZigZag(code))
	}
	*v = T(code)
}

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
			s.refuseRange(start, 8*wire.VarintBytes(code), f, code, l)
			return 0, false
		}
		for ; code >= 0x80; code >>= 7 {
			s.put(code&0x7f|0x80, 8)
		}
		s.put(code, 8)
		return 0, false
	}
	var v wire.Varint
	for {
		b, ok := s.take(8, f)
		if !ok {
			return 0, false
		}
		if !v.Add(b, n) {
			break
		}
	}
	if v.Overlong {
		s.refuse(reject.NonCanonical, start, s.bit-start, f, v.Code, 0)
		return 0, false
	}
	if v.Over {
		s.refuseRange(start, s.bit-start, f, v.Code, l)
		return 0, false
	}
	return v.Code, true
}
