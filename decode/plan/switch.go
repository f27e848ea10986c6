package plan

import (
	"iter"
	"math"
	"sort"

	"github.com/pktscope/pktscope/decode/schema"
)

// enter maps an arm's labels to it; false when no tag can reach it.
func (s *Switch) enter(arm *schema.Arm, index int32, signed bool) bool {
	set := makeSet(arm.Ranges, signed)
	for _, r := range set {
		s.Entries = append(s.Entries, SwitchEntry{Lo: r.lo, Hi: r.hi, Arm: index})
	}
	return arm.Default || len(set) > 0
}

func (s *Switch) sort() {
	sort.Slice(s.Entries, func(i, j int) bool { return s.Entries[i].Lo < s.Entries[j].Lo })
	if len(s.Arms) >= math.MaxInt16 || len(s.Entries) == 0 || s.Entries[0].Lo > 255 {
		return
	}
	s.low = new([256]int16)
	for _, e := range s.Entries {
		for key := e.Lo; key <= min(e.Hi, 255); key++ {
			s.low[key] = int16(e.Arm) + 1
		}
	}
}

// Set is the tags that have an arm, as intervals of keys in ascending order.
func (s *Switch) Set() iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		for _, e := range s.Entries {
			if !yield(e.Lo, e.Hi) {
				return
			}
		}
	}
}
