package serialize

import (
	"math"

	"github.com/pktscope/pktscope/decode/bitio"
	"github.com/pktscope/pktscope/decode/reject"
)

// Ladders (wire.md, "Integers" and "Array subsets"): a small step costs few bits. The first flag set names the rung; on
// the last one all flags are zero.

// rung is one step of a ladder: int(lo..hi).
type rung struct{ lo, hi uint64 }

var (
	relativeRungs = [6]rung{{1, 1}, {2, 6}, {7, 23}, {24, 280}, {281, 4377}, {4378, 69914}}
	indexRungs    = [6]rung{{1, 1}, {2, 5}, {6, 13}, {14, 29}, {30, 61}, {62, 125}}
)

// climb reads the flags, and on any rung but the last the step.
func (s *Stream) climb(rungs *[6]rung, f field) (step uint64, last, inside, ok bool) {
	for i := range rungs {
		flag, ok := s.take(1, f)
		if !ok {
			return 0, false, false, false
		}
		if flag == 0 {
			continue
		}
		span := rungs[i].hi - rungs[i].lo
		code, ok := s.take(bitio.BitsRequired(span), f)
		return code + rungs[i].lo, false, code <= span, ok
	}
	return 0, true, true, true
}

// descend writes a step on its rung; false when it is on none but the last, whose flags are then written.
func (s *Stream) descend(rungs *[6]rung, step uint64) bool {
	for i := range rungs {
		r := &rungs[i]
		if step > r.hi {
			s.put(0, 1)
			continue
		}
		s.put(1, 1)
		s.put(step-r.lo, bitio.BitsRequired(r.hi-r.lo))
		return true
	}
	return false
}

// Relative is relative(previous): a value larger than one before it, in 1 to 38 bits by how much larger. Both are 0 to
// 2^31 - 1 and fit T, or it is `out-of-range`; a value that is not larger is `not-increasing`. The last rung is read for a
// small step too, as the C++ readers do.
func Relative[T Integer](s *Stream, name string, v *T, previous T) {
	f := field{name: name}
	most := uint64(math.MaxInt32)
	if w := widthOf[T](); w < 32 {
		most = bitio.Mask(w)
		if isSigned[T]() {
			most >>= 1
		}
	}
	code, _ := s.relative(f, uint64(*v), uint64(previous), most)
	if s.dir == reading {
		*v = T(code)
	}
}

func (s *Stream) relative(f field, code, previous, most uint64) (uint64, bool) {
	if s.mode == failed {
		s.waste()
		return 0, false
	}
	start := s.bit
	inside, last := true, false
	if s.dir == reading {
		var step uint64
		var ok bool
		step, last, inside, ok = s.climb(&relativeRungs, f)
		if !ok {
			return 0, false
		}
		code = previous + step
		if last {
			if code, ok = s.take(32, f); !ok {
				return 0, false
			}
		}
		inside = inside && (last || code >= previous) // else it wrapped
	}
	switch {
	case !inside || code > most:
		s.refuseRange(start, s.bit-start, f, code, limits{span: most, kind: reject.OutOfRange})
		return 0, false
	case code <= previous:
		s.refuse(reject.NotIncreasing, start, s.bit-start, f, code, 0)
		s.want.base = previous
		return 0, false
	case s.dir == reading:
		return code, true
	}
	if !s.descend(&relativeRungs, code-previous) {
		s.put(code, 32)
	}
	return 0, false
}
