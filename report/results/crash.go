package results

import (
	"slices"

	"github.com/pktscope/pktscope/fuzz"
)

// crashLines are the lines of the reader's source in which each function dies, in order. A problem's fingerprint has no
// line, which moves when the source is edited above; what keeps the crashes of one function apart is their order.
type crashLines map[crashKey][]int

type crashKey struct{ protocol, target, kind, cause string }

// crashLines are those of all findings, known or not.
func (s *Set) crashLines() crashLines {
	c := crashLines{}
	for _, f := range append(s.AllFindings(), s.AllKnown()...) {
		if key, line := c.key(f); line > 0 {
			if n, ok := slices.BinarySearch(c[key], line); !ok {
				c[key] = slices.Insert(c[key], n, line)
			}
		}
	}
	return c
}

func (c crashLines) key(f *Finding) (crashKey, int) {
	cause, line := fuzz.CutLine(f.Cause)
	return crashKey{f.Protocol, f.Target, f.Kind, cause}, line
}

// of is how many crashes of its function are before a finding's.
func (c crashLines) of(f *Finding) int {
	key, line := c.key(f)
	n, _ := slices.BinarySearch(c[key], line)
	return n
}
