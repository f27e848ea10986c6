package serialize

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Quantized is float(lo..hi, step) (wire.md, "Floats"): the numbers of a quantized float, made once with NewQuantized.
//
// The zero Quantized has one value, 0, in no bits.
type Quantized struct {
	wire.Quantized
	width int
}

// NewQuantized makes the type float(lo..hi, step) of ceil((hi - lo)/step) steps, at least 1 and at most 4294967040. It
// panics unless lo < hi, 0 < step and hi - lo is finite. Above 2^24 steps neighbouring codes read as one value.
func NewQuantized(lo, hi, step float32) Quantized {
	if !(lo < hi) || !(step > 0) || math.IsInf(float64(hi-lo), 0) {
		panic(fmt.Sprintf("pktscope: internal error: serialize: float(%v..%v, %v)", lo, hi, step))
	}
	q := Quantized{Quantized: wire.NewQuantized(lo, hi, step)}
	q.width = q.Quantized.Width()
	return q
}

// Width is how many bits a value takes.
func (q *Quantized) Width() int { return q.width }

// Quantized is a float of q's steps. Writing clamps to the range, as the C++ writers do, and refuses only NaN
// (`not-finite`); reading refuses codes above the last step (`out-of-range`). The last step itself can read as the
// float32 next to hi, above it (1.1000001 of -3.3..1.1 by 0.013), as in C++: wire.md's rounding.
func (s *Stream) Quantized(name string, v *float32, q *Quantized) {
	s.quantized(field{name: name}, v, q)
}

func (s *Stream) quantized(f field, v *float32, q *Quantized) {
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
