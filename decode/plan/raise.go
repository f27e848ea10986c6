package plan

import (
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Raised is the plan with by more allowed where some of its ops have a most: elements of a list, bytes of a blob (so many
// steps where the size goes in steps), and what a field that says how many there are may hold. It is for an Encoder without a
// reader behind it: what it writes with one too many is right in all else, the lengths around it included. Nothing is proved
// of it.
func (p *Plan) Raised(by int, some func(pc int) bool) *Plan {
	q := *p
	q.Ops, q.Blobs, q.Info = slices.Clone(p.Ops), slices.Clone(p.Blobs), slices.Clone(p.Info)
	q.Bound.MaxSteps = math.MaxInt64
	steps := map[uint32]uint64{} // of ops whose size goes in steps
	for leaf, sizings := range p.Sizings() {
		for _, s := range sizings {
			steps[s.Op] = max(steps[s.Op], s.step())
		}
		if slices.ContainsFunc(sizings, func(s Sizing) bool { return p.Ops[s.Op].Code != OpWindow && some(int(s.Op)) }) {
			q.Info[leaf].raise(int(p.Leaves[leaf].Width), uint64(by))
		}
	}
	for pc := range q.Ops {
		op, more := &q.Ops[pc], max(steps[uint32(pc)], 1)*uint64(by)
		switch {
		case !some(pc):
		case op.Code == OpArray, op.Code == OpRepeat && !q.endsByIndex(pc):
			op.Imm += more
		case op.Code == OpBlob:
			// Without an operand the most is the size itself.
			if b := q.Blobs[op.A]; b.Rest || b.Size >= 0 || b.Text == schema.TextCString {
				raised := *b
				raised.Max += int(more)
				q.Blobs[op.A] = &raised
			}
		}
	}
	return &q
}

// Without is the plan without what some of its ops demand, as Raised is without its bounds: requirements hold, and tags
// without an arm take the first.
func (p *Plan) Without(some func(pc int) bool) *Plan {
	q := *p
	q.Ops, q.Switches = slices.Clone(p.Ops), slices.Clone(p.Switches)
	q.Operands = append(slices.Clone(p.Operands), Operand{Kind: OperandConst, Const: 1})
	for pc := range q.Ops {
		switch op := &q.Ops[pc]; {
		case !some(pc):
		case op.Code == OpRequire:
			op.A = uint32(len(p.Operands)) // true
		case op.Code == OpSwitch && len(q.Switches[op.B].Entries) > 0:
			s := *q.Switches[op.B]
			s.Default = int32(s.Entries[0].Target)
			q.Switches[op.B] = &s
		}
	}
	q.markOpen() // of the new operand, too
	return &q
}

// endsByIndex reports whether the list at pc has as many places as elements, so that one more means another wire: a bitmap,
// or one that an index ends.
func (p *Plan) endsByIndex(pc int) bool {
	first := &p.Ops[pc+2]
	return p.Ops[pc+1].Code == OpSlot || first.Code == OpNumber && p.Numbers[first.B].EndLeaf >= 0
}

// raise allows by values more at the upper end, where the width has codes for them.
func (l *LeafInfo) raise(width int, by uint64) {
	switch {
	case l.Rule != nil && l.Rule.Kind == schema.RuleIn && len(l.rule) > 0:
		l.rule = slices.Clone(l.rule)
		if last := &l.rule[len(l.rule)-1]; last.hi <= math.MaxUint64-by {
			last.hi += by
		}
	case l.Rule == nil && l.TypeSpan < wire.Mask(width):
		l.TypeSpan += min(by, wire.Mask(width)-l.TypeSpan)
	}
}
