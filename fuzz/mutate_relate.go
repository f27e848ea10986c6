package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// A packet of another length breaks the `require` that says how long it is, and no reader looks at what is after that.
// So it is also tried with the field that makes it true.

// triedValues is how many values of a field are tried for one that makes a requirement true.
const triedValues = 1 << 8

// relate changes the field of an equation that a packet breaks so that it holds. It reports false where the packet
// breaks none, or no value is found.
func (r *mutating) relate(data []byte) bool {
	if len(r.equations) == 0 {
		return false
	}
	broken := func() plan.Point {
		if r.decoder.Decode(data, r.from, &r.related) == nil || r.related.Reject().Kind != reject.RuleBroken {
			return plan.NoPoint
		}
		return r.related.Reject().At.Point
	}
	at := broken()
	e, ok := r.equations[at]
	if !ok {
		return false
	}
	t := &r.related
	for i := len(t.Records) - 1; i >= 0; i-- {
		s := &t.Records[i]
		run, ok := r.plan.StepAt(s.Point).(*plan.Run)
		if !ok {
			continue
		}
		for n := range int(s.N) {
			leaf := run.First + n
			if !slices.Contains(e.Leaves, int32(leaf)) {
				continue
			}
			l, info, order := &r.plan.Leaves[leaf], &r.plan.Info[leaf], run.Order
			bit, width, was := int(s.Bit)+int(l.Off), int(l.Width), t.Raw[int(s.Raw)+n]
			more := int64(len(data) - len(r.packet))
			for try := range int64(triedValues) {
				// Around what it would be in bytes, in words and so on.
				code := was + uint64(more*(1<<(try%4))/(1<<(try/4%4))) + uint64(try/16) - triedValues/32
				if code &= wire.Mask(width); info.Swap {
					code = wire.SwapBytes(code, width)
				}
				order.Store(data, bit, width, code)
				r.repair(data)
				if broken() != at {
					return true
				}
			}
			return false
		}
	}
	return false
}
