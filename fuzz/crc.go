package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// checksum is where a plan has its checksum.
type checksum struct {
	step *plan.Checksum // nil without one
	bit  int            // its first bit; -1 when that depends on the packet
}

// findChecksum looks for a plan's checksum and, where everything in front of it has one size, for its place.
func findChecksum(p *plan.Plan) checksum {
	i := slices.IndexFunc(p.Steps, isChecksum)
	if i < 0 {
		return checksum{}
	}
	return checksum{p.Steps[i].(*plan.Checksum), bitOf(p, p.Root, plan.StepID(i), 0)}
}

// bitOf is the first bit of a step that is in a block which begins at one; -1 where that depends on the packet.
func bitOf(p *plan.Plan, steps []plan.Step, id plan.StepID, at int) int {
	for _, s := range steps {
		b := s.At()
		if id == b.ID {
			return at
		}
		if group, ok := s.(*plan.Group); ok && id < b.End {
			return bitOf(p, group.Body, id, at)
		}
		if align, ok := s.(*plan.Align); ok {
			at += -at & (align.Bits - 1)
			continue
		}
		least, most := p.Bits(s)
		if least != most || id < b.End {
			return -1
		}
		at += int(most)
	}
	return -1
}

// end is the first byte behind the checksum.
func (c checksum) end(p *plan.Plan) int { return (c.bit + p.CRCs[c.step.Sum].Algorithm.Width) / 8 }

// repair makes the checksum of data right. It reports false when there is none, when data ends before it does, or when
// its place is not known.
func (c checksum) repair(p *plan.Plan, data []byte) bool {
	if c.step == nil || c.bit < 0 || c.end(p) > len(data) {
		return false
	}
	of := &p.CRCs[c.step.Sum]
	c.step.Order.Store(data, c.bit, of.Algorithm.Width, uint64(of.Sum(data, c.bit/8)))
	return true
}

// RepairCRC makes the checksum of a packet right, whatever else is wrong with it. It reports false and changes nothing
// when the protocol has no checksum, when the packet ends before it, or when what stands in front of the checksum has no
// constant size.
func RepairCRC(p *plan.Plan, data []byte) bool { return findChecksum(p).repair(p, data) }
