package serialize

import (
	"math/bits"
	"unsafe"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Integers (wire.md, "Integers"). They are functions because Go's methods cannot be generic, and generic so that a
// field may have any integer type, a program's own included; each is compiled once for every width, without dispatch.

// Integer is every integer type.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~uintptr
}

// isSigned reports whether T has negative values; a constant in every instance.
func isSigned[T Integer]() bool { return ^T(0) < 0 }

// widthOf is T's width in bits.
func widthOf[T Integer]() int {
	var zero T
	return 8 * int(unsafe.Sizeof(zero))
}

// Int is int(lo..hi): *v - lo in as many bits as hi - lo needs, none when they are equal. A value outside is
// `out-of-range`, never clamped. lo > hi panics.
func Int[T Integer](s *Stream, name string, v *T, lo, hi T) {
	span := uint64(hi) - uint64(lo)
	n := bits.Len64(span)
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(n); ok && code <= span {
			s.bit += n
			*v = T(uint64(lo) + code)
			return
		}
	case writeLSB:
		if code := uint64(*v) - uint64(lo); code <= span && s.poke(code, n) {
			return
		}
	}
	slowInt(s, field{name: name}, v, lo, hi, reject.OutOfRange)
}

// Enum is an enum of int(lo..hi) whose values are all cases: Int, but a value outside is `unknown-case`.
func Enum[T Integer](s *Stream, name string, v *T, lo, hi T) {
	span := uint64(hi) - uint64(lo)
	n := bits.Len64(span)
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(n); ok && code <= span {
			s.bit += n
			*v = T(uint64(lo) + code)
			return
		}
	case writeLSB:
		if code := uint64(*v) - uint64(lo); code <= span && s.poke(code, n) {
			return
		}
	}
	slowInt(s, field{name: name}, v, lo, hi, reject.UnknownCase)
}

func slowInt[T Integer](s *Stream, f field, v *T, lo, hi T, kind reject.Kind) {
	if lo > hi {
		panic("pktscope: internal error: serialize: the range of " + f.name + " is empty")
	}
	l := limits{base: uint64(lo), span: uint64(hi) - uint64(lo), signed: isSigned[T](), kind: kind}
	code, _ := s.number(f, uint64(*v)-uint64(lo), bits.Len64(l.span), l)
	if s.dir == reading {
		*v = T(uint64(lo) + code)
	}
}

// Bits is bits(n): the low n bits of *v, in two's complement where T is signed. PacketA's int32 is Bits of 32. n is in
// 0..width of T; another panics. Writing a value that n bits cannot hold is `out-of-range`.
func Bits[T Integer](s *Stream, name string, v *T, n int) {
	if uint(n) > uint(widthOf[T]()) {
		panic("pktscope: internal error: serialize: " + name + " has not so many bits")
	}
	switch {
	case n == 64:
		word(s, name, v)
		return
	case s.mode == readLSB:
		if code, ok := s.peek(n); ok {
			s.bit += n
			*v = extend[T](code, n)
			return
		}
	case s.mode == writeLSB:
		if code := uint64(*v) & (1<<(uint(n)&63) - 1); extend[T](code, n) == *v && s.poke(code, n) {
			return
		}
	}
	slowBits(s, name, v, n)
}

// word is Bits of 64.
func word[T Integer](s *Stream, name string, v *T) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek64(); ok {
			s.bit += 64
			*v = T(code)
			return
		}
	case writeLSB:
		if s.poke64(uint64(*v)) {
			return
		}
	}
	slowBits(s, name, v, 64)
}

// extend is the value of an n-bit code in T.
func extend[T Integer](code uint64, n int) T {
	if isSigned[T]() {
		unused := uint(64-n) & 127 // 64 for no bits at all
		return T(int64(code<<unused) >> unused)
	}
	return T(code)
}

func slowBits[T Integer](s *Stream, name string, v *T, n int) {
	code := uint64(*v) & wire.Mask(n)
	if s.dir != reading && s.mode != failed && extend[T](code, n) != *v {
		l := limits{span: wire.Mask(n), signed: isSigned[T](), kind: reject.OutOfRange}
		if l.signed && n > 0 {
			l.base = ^uint64(0) << uint(n-1)
		}
		s.refuseRange(s.bit, n, field{name: name}, uint64(*v)-l.base, l)
		return
	}
	code, _ = s.number(field{name: name}, code, n, limits{span: wire.Mask(n)})
	if s.dir == reading {
		*v = extend[T](code, n)
	}
}

// Flags is flags of n bits of which only those in mask are defined: another that is set is `reserved-nonzero`.
func Flags[T Integer](s *Stream, name string, v *T, n int, mask T) {
	at := s.bit
	if s.dir != reading && s.mode != failed && *v&^mask != 0 {
		s.refuseFlags(at, n, name, uint64(*v)&wire.Mask(widthOf[T]()), uint64(mask))
		return
	}
	Bits(s, name, v, n)
	if s.dir == reading && s.mode != failed && *v&^mask != 0 {
		s.refuseFlags(at, n, name, uint64(*v)&wire.Mask(n), uint64(mask))
		*v = 0
	}
}

func (s *Stream) refuseFlags(bit, n int, name string, code, mask uint64) {
	s.refuse(reject.ReservedNonzero, bit, n, field{name: name}, code, 0)
	s.want.base = mask
}

// Reserved is n zero bits, 0 ≤ n ≤ 64; set ones are `reserved-nonzero` at the object it is in.
func (s *Stream) Reserved(n int) {
	if uint(n) > 64 {
		panic("pktscope: internal error: serialize: more than 64 reserved bits")
	}
	s.number(field{}, 0, n, limits{kind: reject.ReservedNonzero})
}

// Const is the n bits of want, 0 ≤ n ≤ 64; others are `const-mismatch`.
func (s *Stream) Const(name string, want uint64, n int) {
	if uint(n) > 64 || want&^wire.Mask(n) != 0 {
		panic("pktscope: internal error: serialize: the constant " + name + " does not fit its bits")
	}
	at := s.bit
	code, ok := s.number(field{name: name}, want, n, limits{span: wire.Mask(n)})
	if ok && code != want {
		s.refuseRange(at, n, field{name: name}, code, limits{base: want, kind: reject.ConstMismatch})
	}
}

// Bool is one bit.
func (s *Stream) Bool(name string, v *bool) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(1); ok {
			s.bit++
			*v = code != 0
			return
		}
	case writeLSB:
		if s.poke(bit(*v), 1) {
			return
		}
	}
	code, _ := s.number(field{name: name}, bit(*v), 1, limits{span: 1})
	if s.dir == reading {
		*v = code != 0
	}
}

func bit(v bool) uint64 {
	if v {
		return 1
	}
	return 0
}

// Require refuses the packet as `rule-broken` when a relation between its fields does not hold, in all directions. rule
// says which: "first ≤ last".
func (s *Stream) Require(rule string, holds bool) {
	if s.mode == failed {
		s.waste()
		return
	}
	if !holds {
		s.refuseText(reject.RuleBroken, s.bit, 0, field{}, 0, rule)
	}
}
