package fuzz

import (
	"iter"

	"github.com/pktscope/pktscope/fuzz/coverage"
)

// fates are, for each point of coverage, how many packets with it were lost, because the target died of them or took too
// long, and how many it answered.
type fates struct{ lost, answered []uint32 }

func newFates(points int) fates { return fates{make([]uint32, points), make([]uint32, points)} }

// count takes in what became of a packet.
func (f *fates) count(packet *coverage.Set, lost bool) {
	counts := f.answered
	if lost {
		counts = f.lost
	}
	for at := range packet.Points() {
		counts[at]++
	}
}

// add adds others, of as many points.
func (f *fates) add(o *fates) {
	for at := range f.lost {
		f.lost[at] += o.lost[at]
		f.answered[at] += o.answered[at]
	}
}

func (f *fates) reset() {
	clear(f.lost)
	clear(f.answered)
}

// of yields how many packets were lost at each point of a packet with at least fewest, and which share they are of all
// there. more are counted besides; nil for none.
func (f *fates) of(packet *coverage.Set, fewest uint32, more *fates) iter.Seq2[uint32, float64] {
	return func(yield func(uint32, float64) bool) {
		for at := range packet.Points() {
			lost, answered := f.lost[at], f.answered[at]
			if more != nil {
				lost, answered = lost+more.lost[at], answered+more.answered[at]
			}
			if lost >= fewest && !yield(lost, float64(lost)/float64(lost+answered)) {
				return
			}
		}
	}
}
