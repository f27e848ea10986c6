package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// mostSights bounds how many looks of one packet are mutated: a list may have one for each element.
const mostSights = 64

// sights changes the bits that looks saw, so that each sees one less, one more, nothing and all ones. What that makes
// of the packet is asked of the reference.
func (r *mutating) sights() bool {
	for i := range r.trace.Sights[:min(len(r.trace.Sights), mostSights)] {
		s := r.trace.Sights[i]
		from, to := s.Bits()
		if to-from != s.Width || slices.Contains(r.trace.Sights[:i], s) {
			continue
		}
		r.width = s.Width
		saw, all := s.Order.Load(r.packet, s.Place, s.Width), wire.Mask(s.Width)
		for _, c := range []candidate{{saw - 1, "a look sees one less", 0}, {saw + 1, "a look sees one more", 0}, {0, "a look sees zero", 0}, {all, "a look sees all ones", 0}} {
			data := r.copyPacket()
			s.Order.Store(data, s.Place, s.Width, c.code&all)
			if !r.give(classEdge, data, "", c.done, s.Place, c.code&all, oracle.Expectation{}) {
				return false
			}
		}
	}
	return true
}
