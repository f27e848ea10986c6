package stats

import (
	"math/bits"
)

// checkSums refuses a part that contradicts itself: parts of a sum that together are more than the sum. What is counted
// by case, by peer and over time may be less: packets without a time are in no moment, and those without a tag in no case.
func (s *Stats) checkSums(c *coder) {
	if c.writing || c.err != nil {
		return
	}
	var total, cases, peers Tally
	for side := range s.total {
		total.Merge(&s.total[side])
		cases.Merge(&s.other[side])
		peers.Merge(&s.peers.rest.tally[side])
	}
	refused := total.Rejected.Packets
	c.check(addedUp(s.odd.rejects[:]) == refused, "the rejects of the saved part by kind are not as many as its rejected packets")
	for _, one := range s.cases.table {
		cases.Merge(&one.tally)
	}
	c.check(cases.within(&total), "the cases of the saved part have more than all of its packets")
	for _, p := range s.peers.table {
		for h := range p.halves {
			peers.Merge(&p.halves[h].tally)
		}
	}
	c.check(peers.within(&total), "the peers of the saved part have more than all of its packets")

	var series bucket
	for i := range s.series.buckets {
		series.merge(&s.series.buckets[i], nil)
	}
	c.check(series.packets <= total.Packets() && series.rejected <= refused && series.payload <= total.PayloadBits(), "the series of the saved part has more than all of its packets")
	for k, n := range series.kinds {
		c.check(n <= s.odd.rejects[k], "the series of the saved part has more rejects of a kind than there are")
	}
	if t := s.peers.timeline; t != nil {
		var all moment
		for i := range t.buckets {
			all.Count.merge(&t.buckets[i].Count)
			all.refused += t.buckets[i].refused
		}
		c.check(all.Packets <= total.Packets() && all.refused <= refused && all.PayloadBits <= total.PayloadBits(), "the moments of the saved part have more than all of its packets")
	}
}

// within reports whether t can be of the packets that all is of.
func (t *Tally) within(all *Tally) bool {
	for _, pair := range [...][2]*Count{{&t.Accepted, &all.Accepted}, {&t.Rejected, &all.Rejected}, {&t.Cut, &all.Cut}, {&t.NeedsContext, &all.NeedsContext}} {
		if part, whole := pair[0], pair[1]; part.Packets > whole.Packets || part.PayloadBits > whole.PayloadBits || part.OverheadBits > whole.OverheadBits {
			return false
		}
	}
	return true
}

func addedUp(list []uint64) (sum uint64) {
	for _, n := range list {
		sum += n
	}
	return sum
}

// fits reports whether so many values between least and most can have a sum, which stays at its greatest number.
func fits(n, least, most, sum uint64) bool {
	high, low := bits.Mul64(n, least)
	if high != 0 {
		low = 1<<64 - 1
	}
	above, top := bits.Mul64(n, most)
	return sum >= low && (above != 0 || sum <= top)
}
