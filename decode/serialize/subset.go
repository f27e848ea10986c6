package serialize

import (
	"iter"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// Subset is how a packet says which elements of an array it carries (wire.md, "Array subsets").
type Subset uint8

// The four ways.
const (
	Bitmap   Subset = iota // a bit for every element: best when most are sent
	Index                  // how many, then the index of each
	Sentinel               // the index of each, then n for "no more"
	Steps                  // the same with the distance from the one before: one bit for the next element
)

// Each goes through the elements of an array of n that are sent:
//
//	for i := range serialize.Sentinel.Each(s, "objects", len(w.Objects), w.sent) {
//		w.Objects[i].Serialize(s)
//	}
//
// sent is the flag of element i. Writing, it is asked; reading, all flags are cleared and those of the elements that
// come are set. The loop gets indexes from 0 to n - 1, each larger than the one before; an index above n is
// `out-of-range` on every way, one that repeats or falls `not-increasing`. The paths are objects[k].index and
// objects[k].value.… with k the number of the element among those sent.
//
// The hand-written loop of the articles, read an index until it is n, does not end when the packet ends before: no
// index comes any more. This one ends.
func (w Subset) Each(s *Stream, name string, n int, sent func(i int) *bool) iter.Seq[int] {
	return func(yield func(int) bool) { s.subset(w, name, n, sent, yield) }
}

func (s *Stream) subset(w Subset, name string, n int, sent func(i int) *bool, yield func(int) bool) {
	if n < 0 || w > Steps {
		panic("pktscope: internal error: serialize: no such subset")
	}
	if s.dir == reading {
		for i := range n {
			*sent(i) = false
		}
	}
	if !s.enter(name) {
		return
	}
	depth := len(s.scopes)
	if w == Bitmap {
		s.bitmap(depth, n, sent, yield)
	} else {
		s.indexes(w, depth, n, sent, yield)
	}
	s.leave(depth)
}

// bitmap goes through the slots.
func (s *Stream) bitmap(depth, n int, sent func(i int) *bool, yield func(int) bool) {
	for i, k := 0, 0; i < n; i++ {
		flag := sent(i)
		code, ok := s.number(field{}, bit(*flag), 1, limits{span: 1})
		if s.mode == failed {
			return
		}
		if ok {
			*flag = code != 0
		}
		if !*flag {
			continue
		}
		if !s.sentElement(depth, k, i, yield) {
			return
		}
		k++
	}
}

// sentElement is the turn of the loop for element i, number k of those sent.
func (s *Stream) sentElement(depth, k, i int, yield func(int) bool) bool {
	c := &s.scopes[depth-1]
	c.index, c.inner = k, "value"
	more := yield(i) && s.mode != failed
	if more {
		c = &s.scopes[depth-1]
		c.index, c.inner = -1, ""
	}
	return more
}

// indexes goes through the three ways that send indexes. next is the element from which on a writer looks.
func (s *Stream) indexes(w Subset, depth, n int, sent func(i int) *bool, yield func(int) bool) {
	count := n
	if w == Index {
		count = 0
		if s.dir != reading {
			for i := range n {
				count += int(bit(*sent(i)))
			}
		}
		code, ok := s.number(field{name: "count"}, uint64(count), bitsFor(n), limits{span: uint64(n), kind: reject.OutOfRange})
		if s.mode == failed {
			return
		}
		if ok {
			count = int(code)
		}
	}
	previous := -1
	for k := 0; w != Index || k < count; k++ {
		at := previous + 1
		if s.dir != reading {
			for at < n && !*sent(at) {
				at++
			}
		}
		s.scopes[depth-1].index = k
		i, ok := s.index(w, at, previous, n)
		if !ok || i == n {
			return
		}
		if s.dir == reading {
			*sent(i) = true
		}
		if !s.sentElement(depth, k, i, yield) {
			return
		}
		previous = i
	}
}

// index reads or writes an index; n ends the list. None is above the most on any rung: a short step from a high index
// is the attack that the articles' own reader lets through.
func (s *Stream) index(w Subset, at, previous, n int) (int, bool) {
	f, start, most := field{name: "index"}, s.bit, uint64(n)
	if w == Index {
		most--
	}
	if s.dir != reading {
		if w == Steps {
			s.putStep(at-previous, n)
		} else {
			s.put(uint64(at), bitsFor(int(most)))
		}
		return at, true
	}
	var code uint64
	inside, ok := true, false
	if w == Steps {
		code, inside, ok = s.takeStep(f, n)
		code += uint64(previous) // wraps to the index before when there is no step
	} else {
		code, ok = s.take(bitsFor(int(most)), f)
	}
	switch {
	case !ok:
		return 0, false
	case !inside || code > most:
		s.refuseRange(start, s.bit-start, f, code, limits{span: most, signed: true, kind: reject.OutOfRange})
		return 0, false
	case int64(code) <= int64(previous):
		s.refuse(reject.NotIncreasing, start, s.bit-start, f, code, 0)
		s.want.base = uint64(previous)
		return 0, false
	}
	return int(code), true
}

func (s *Stream) takeStep(f field, n int) (step uint64, inside, ok bool) {
	step, last, inside, ok := s.climb(&wire.IndexLadder, f)
	if !ok || !last {
		return step, inside, ok
	}
	span, ok := wire.IndexSpan(uint64(n))
	if !ok {
		return 0, false, true
	}
	code, ok := s.take(wire.BitsRequired(span), f)
	return code + wire.IndexLast, code <= span, ok
}

func (s *Stream) putStep(step, n int) {
	if !s.descend(&wire.IndexLadder, uint64(step)) {
		span, _ := wire.IndexSpan(uint64(n)) // a step that is on no other rung has this one
		s.put(uint64(step)-wire.IndexLast, wire.BitsRequired(span))
	}
}
