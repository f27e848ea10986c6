package serialize

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/reject"
)

// Quantised is float(lo..hi, step) (wire.md, "Floats"): the numbers of a quantised float, made once with NewQuantised. All
// arithmetic is in float32 and each operation rounds on its own, because the code must be the one that the C++ libraries
// write; the explicit conversions keep the compiler from fusing a product into a sum.
//
// The zero Quantised has one value, 0, in no bits.
type Quantised struct {
	lo, delta float32
	steps     uint32
	width     int
}

// NewQuantised makes the type float(lo..hi, step) of ceil((hi - lo)/step) steps, at least 1 and at most 4294967040. It
// panics unless lo < hi, 0 < step and hi - lo is finite. Above 2^24 steps neighbouring codes read as one value.
func NewQuantised(lo, hi, step float32) Quantised {
	q := Quantised{lo: lo, delta: hi - lo}
	if !(lo < hi) || !(step > 0) || math.IsInf(float64(q.delta), 0) {
		panic(fmt.Sprintf("pktscope: internal error: serialize: float(%v..%v, %v)", lo, hi, step))
	}
	n := min(max(float32(q.delta/step), 1), 4294967040)
	q.steps = uint32(math.Ceil(float64(n)))
	q.width = bitio.BitsRequired(uint64(q.steps))
	return q
}

// Width is how many bits a value takes.
func (q *Quantised) Width() int { return q.width }

// value is what code i ≤ steps stands for.
func (q *Quantised) value(i uint32) float32 {
	if q.steps == 0 {
		return q.lo
	}
	t := float32(float32(i) / float32(q.steps))
	return float32(float32(t*q.delta) + q.lo)
}

// code is what a writer sends for v; values outside the range are clamped to it.
func (q *Quantised) code(v float32) uint32 {
	t := float32(float32(v-q.lo) / q.delta)
	if !(t > 0) {
		t = 0
	} else if t > 1 {
		t = 1
	}
	// Not negative, so that the conversion rounds down; in 64 bits because float32(steps) can round up past steps.
	return uint32(min(uint64(float32(float32(t*float32(q.steps))+0.5)), uint64(q.steps)))
}

// Quantised is a float of q's steps. Writing clamps to the range, as the C++ writers do, and refuses only NaN
// (`not-finite`); reading refuses codes above the last step (`out-of-range`). The last step itself can read as the float32 next
// to hi, above it (1.1000001 of -3.3..1.1 by 0.013), as in C++: wire.md's rounding.
func (s *Stream) Quantised(name string, v *float32, q *Quantised) {
	s.quantised(field{name: name}, v, q)
}

func (s *Stream) quantised(f field, v *float32, q *Quantised) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(q.width); ok && code <= uint64(q.steps) {
			s.bit += q.width
			*v = q.value(uint32(code))
			return
		}
	case writeLSB:
		if *v == *v && s.poke(uint64(q.code(*v)), q.width) {
			return
		}
	}
	code := uint64(0)
	if s.dir != reading && s.mode != failed {
		if *v != *v {
			s.refuse(reject.NotFinite, s.bit, q.width, f, uint64(math.Float32bits(*v)), 0)
			return
		}
		code = uint64(q.code(*v))
	}
	code, _ = s.number(f, code, q.width, limits{span: uint64(q.steps), kind: reject.OutOfRange})
	if s.dir == reading {
		*v = q.value(uint32(code))
	}
}
