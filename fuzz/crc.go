package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// checksum is where a plan has its checksum.
type checksum struct {
	op  *plan.Op // nil without one
	bit int      // its first bit; -1 when that depends on the packet
}

// findChecksum looks for a plan's checksum and, where everything in front of it has one size, for its place.
func findChecksum(p *plan.Plan) checksum {
	at := 0
	for i := range p.Ops {
		op := &p.Ops[i]
		switch op.Code {
		case plan.OpCRC:
			return checksum{op, at}
		case plan.OpRun:
			at = advance(at, int(op.C))
		case plan.OpReserved:
			at = advance(at, int(op.A))
		case plan.OpAlign:
			at = advance(at, -at&(int(op.A)-1))
		case plan.OpBlob:
			b := p.Blobs[op.A]
			if b.Size >= 0 || b.Rest || b.Text == schema.TextCString {
				at = -1
			}
			if op.Flags&plan.FlagPacked == 0 {
				at = advance(at, -at&7)
			}
			at = advance(at, 8*b.Max)
		case plan.OpArray, plan.OpIf, plan.OpSwitch, plan.OpNumber, plan.OpRepeat, plan.OpWindow:
			at = -1
		}
	}
	return checksum{}
}

// advance moves a position that may be unknown, and stays so.
func advance(at, bits int) int {
	if at < 0 {
		return -1
	}
	return at + bits
}

// end is the first byte behind the checksum.
func (c checksum) end(p *plan.Plan) int { return (c.bit + p.CRCs[c.op.B].Algorithm.Width) / 8 }

// repair makes the checksum of data right. It reports false when there is none, when data ends before it does, or when
// its place is not known.
func (c checksum) repair(p *plan.Plan, data []byte) bool {
	if c.op == nil || c.bit < 0 || c.end(p) > len(data) {
		return false
	}
	of := &p.CRCs[c.op.B]
	c.op.Order.Store(data, c.bit, of.Algorithm.Width, uint64(of.Sum(data, c.bit/8)))
	return true
}

// RepairCRC makes the checksum of a packet right, whatever else is wrong with it. It reports false and changes nothing
// when the protocol has no checksum, when the packet ends before it, or when what stands in front of the checksum has no
// constant size.
func RepairCRC(p *plan.Plan, data []byte) bool { return findChecksum(p).repair(p, data) }
