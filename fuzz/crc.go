package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// checksum is where a plan has its checksum.
type checksum struct {
	step *plan.Checksum // nil without one
	bit  int            // its first bit; -1 when that depends on the packet
}

// findChecksum looks for a plan's checksum and, where everything in front of it has one size, for its place.
func findChecksum(p *plan.Plan) checksum {
	at := 0
	for _, s := range p.Steps {
		if sum, ok := s.(*plan.Checksum); ok {
			return checksum{sum, at}
		} else if run, ok := s.(*plan.Run); ok {
			at = advance(at, int(run.Bits))
		} else if bits, ok := s.(*plan.Reserved); ok {
			at = advance(at, bits.Bits)
		} else if align, ok := s.(*plan.Align); ok {
			at = advance(at, -at&(align.Bits-1))
		} else if b, ok := s.(*plan.Blob); ok {
			if b.Size >= 0 || b.Rest || b.Text == schema.TextCString {
				at = -1
			}
			if !b.Packed {
				at = advance(at, -at&7)
			}
			at = advance(at, 8*b.Max)
		} else if _, ok := s.(*plan.Number); ok || s.Flow() != plan.Straight && !isGroup(s) {
			at = -1
		}
	}
	return checksum{}
}

func isGroup(s plan.Step) bool { _, ok := s.(*plan.Group); return ok }

// advance moves a position that may be unknown, and stays so.
func advance(at, bits int) int {
	if at < 0 {
		return -1
	}
	return at + bits
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
