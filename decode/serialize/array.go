package serialize

import (
	"iter"
	"math/bits"

	"github.com/pktscope/pktscope/decode/reject"
)

// Lists. The stream drives their loops: they end when the packet has been refused, and the elements have numbers in its
// path. A count is an Int that s has read, so it is inside its range; still nothing is sized by it: each element takes
// its bits from the datagram or ends the packet.

// maxIdle is how many elements of a packet may take no bits at all. Otherwise a count of 2^32 would be as many steps
// for nothing.
const maxIdle = 4096

// Array counts the elements of a list from 0 to n - 1:
//
//	for i := range s.Array("players", int(p.Count)) {
//		p.Players[i].Serialize(s)
//	}
//
// The path of a field inside is players[2].health. More than 4096 elements in a packet that take no bits are
// `over-budget`.
func (s *Stream) Array(name string, n int) iter.Seq[int] {
	return func(yield func(int) bool) { s.array(name, n, yield) }
}

func (s *Stream) array(name string, n int, yield func(int) bool) {
	if !s.enter(name) {
		return
	}
	depth := len(s.scopes)
	for i := 0; i < n && s.element(depth, i, yield); i++ {
	}
	s.leave(depth)
}

// element is one turn of a loop; false when it was the last.
func (s *Stream) element(depth, i int, yield func(int) bool) bool {
	s.scopes[depth-1].index = i
	at := s.bit
	if !yield(i) || s.mode == failed {
		return false
	}
	if s.bit == at {
		if s.idle++; s.idle > maxIdle {
			s.refuse(reject.OverBudget, s.bit, 0, field{}, maxIdle+1, maxIdle)
			return false
		}
	}
	return true
}

// Slice is Array over *v, a list of n elements. Reading, *v begins empty and has one zero element more for each that is
// begun, in its own memory as far as that goes: it never grows by a count, only by elements, so a packet can cost the
// size of a T for each of its bits, and for 4096 elements that take none, up to the largest count. Writing, len(*v)
// must be n, or it is `rule-broken`.
func Slice[T any](s *Stream, name string, v *[]T, n int) iter.Seq2[int, *T] {
	return func(yield func(int, *T) bool) {
		if s.dir == reading {
			*v = (*v)[:0]
		} else if s.mode != failed && len(*v) != n {
			s.refuseLength(field{name: name}, len(*v), n)
		}
		s.array(name, n, func(i int) bool {
			if s.dir != reading {
				return yield(i, &(*v)[i])
			}
			var zero T
			*v = append(*v, zero)
			more := yield(i, &(*v)[i])
			if s.mode == failed {
				*v = (*v)[:i] // it was not read whole
			}
			return more
		})
	}
}

func bitsFor(span int) int { return bits.Len64(uint64(span)) }
