package serialize

import (
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Ladders (wire.md, "Integers" and "Array subsets"): a small step costs few bits. The first flag set names the rung; on
// the last one all flags are zero.

// climb reads the flags, and on any rung but the last the step.
func (s *Stream) climb(ladder *[wire.Rungs]wire.Rung, f field) (step uint64, last, inside, ok bool) {
	for i := range ladder {
		flag, ok := s.take(1, f)
		if !ok {
			return 0, false, false, false
		}
		if flag == 0 {
			continue
		}
		r := &ladder[i]
		code, ok := s.take(r.Width(), f)
		return code + r.Lo, false, code <= r.Hi-r.Lo, ok
	}
	return 0, true, true, true
}

// descend writes a step on its rung; false when it is on none but the last, whose flags are then written.
func (s *Stream) descend(ladder *[wire.Rungs]wire.Rung, step uint64) bool {
	for i := range ladder {
		r := &ladder[i]
		if step > r.Hi {
			s.put(0, 1)
			continue
		}
		s.put(1, 1)
		s.put(step-r.Lo, r.Width())
		return true
	}
	return false
}

// Ladder is relative(previous): a value larger than one before it, in 1 to 38 bits by how much larger. Both are 0 to
// 2^31 - 1 and fit T, or it is `out-of-range`; a value that is not larger is `not-increasing`. The last rung is read
// for a small step too, as the C++ readers do.
func Ladder[T Integer](s *Stream, name string, v *T, previous T) {
	f := field{name: name}
	most := uint64(wire.RelativeMost)
	if w := widthOf[T](); w < 32 {
		most = wire.Mask(w)
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
		step, last, inside, ok = s.climb(&wire.RelativeLadder, f)
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
	if !s.descend(&wire.RelativeLadder, code-previous) {
		s.put(code, 32)
	}
	return 0, false
}
