package serialize

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Quantised is float(lo..hi, step) (wire.md, "Floats"): the numbers of a quantised float, made once with NewQuantised.
//
// The zero Quantised has one value, 0, in no bits.
type Quantised struct {
	wire.Quantized
	width int
}

// NewQuantised makes the type float(lo..hi, step) of ceil((hi - lo)/step) steps, at least 1 and at most 4294967040. It
// panics unless lo < hi, 0 < step and hi - lo is finite. Above 2^24 steps neighbouring codes read as one value.
func NewQuantised(lo, hi, step float32) Quantised {
	if !(lo < hi) || !(step > 0) || math.IsInf(float64(hi-lo), 0) {
		panic(fmt.Sprintf("pktscope: internal error: serialize: float(%v..%v, %v)", lo, hi, step))
	}
	q := Quantised{Quantized: wire.NewQuantized(lo, hi, step)}
	q.width = q.Quantized.Width()
	return q
}

// Width is how many bits a value takes.
func (q *Quantised) Width() int { return q.width }

// Quantised is a float of q's steps. Writing clamps to the range, as the C++ writers do, and refuses only NaN
// (`not-finite`); reading refuses codes above the last step (`out-of-range`). The last step itself can read as the float32 next
// to hi, above it (1.1000001 of -3.3..1.1 by 0.013), as in C++: wire.md's rounding.
func (s *Stream) Quantised(name string, v *float32, q *Quantised) {
	s.quantised(field{name: name}, v, q)
}

func (s *Stream) quantised(f field, v *float32, q *Quantised) {
	switch s.mode {
	case readLSB:
		if code, ok := s.peek(q.width); ok && code <= uint64(q.Steps) {
			s.bit += q.width
			*v = q.Value(uint32(code))
			return
		}
	case writeLSB:
		if *v == *v && s.poke(uint64(q.Code(*v)), q.width) {
			return
		}
	}
	code := uint64(0)
	if s.dir != reading && s.mode != failed {
		if *v != *v {
			s.refuse(reject.NotFinite, s.bit, q.width, f, uint64(math.Float32bits(*v)), 0)
			return
		}
		code = uint64(q.Code(*v))
	}
	code, _ = s.number(f, code, q.width, limits{span: uint64(q.Steps), kind: reject.OutOfRange})
	if s.dir == reading {
		*v = q.Value(uint32(code))
	}
}
