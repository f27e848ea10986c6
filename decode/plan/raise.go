package plan

import (
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Raised is the plan with by more allowed where some of its steps have a most: elements of a list, bytes of a blob (so
// many steps where the size goes in steps), and what a field that says how many there are may hold. It is for an
// Encoder without a reader after it: what it writes with one too many is right in all else, the lengths around it
// included. Nothing is proved of it. Its Steps say what is allowed, not the blocks, which are the plan's own.
func (p *Plan) Raised(by int, some func(Step) bool) *Plan {
	q := *p
	q.Steps, q.Blobs, q.Info = slices.Clone(p.Steps), slices.Clone(p.Blobs), slices.Clone(p.Info)
	q.Bound.MaxSteps = math.MaxInt64
	steps := map[Point]uint64{} // whose size goes in steps
	for leaf, sizings := range p.Sizings() {
		for _, s := range sizings {
			steps[s.Point] = max(steps[s.Point], s.step())
		}
		if slices.ContainsFunc(sizings, func(s Sizing) bool {
			step := p.StepAt(s.Point)
			_, window := step.(*Window)
			return !window && some(step)
		}) {
			q.Info[leaf].raise(int(p.Leaves[leaf].Width), uint64(by))
		}
	}
	for id, s := range p.Steps {
		more := max(steps[s.At().Point], 1) * uint64(by)
		if !some(s) {
			continue
		}
		// Of a subset that does not say how many it has, one more element means another wire.
		if list, ok := s.(*List); ok {
			raised := *list
			raised.Max += more
			q.Steps[id] = &raised
		} else if subset, ok := s.(*Subset); ok && (subset.Kind == schema.SubsetIndex || subset.Any) {
			raised := *subset
			raised.N += more
			q.Steps[id] = &raised
		} else if b, ok := s.(*Blob); ok && (b.Rest || b.Size >= 0 || b.Text == schema.TextCString) { // else the most is the size itself
			raised := *b
			raised.Max += int(more)
			q.Steps[id], q.Blobs[b.Index] = &raised, &raised
		}
	}
	return &q
}

// Without is the plan without what some of its steps demand, as Raised is without its bounds: requirements hold, no
// value of a `let` is out of its range, and tags without an arm take the first.
func (p *Plan) Without(some func(Step) bool) *Plan {
	q := *p
	q.Steps, q.Switches = slices.Clone(p.Steps), slices.Clone(p.Switches)
	q.Operands = append(slices.Clone(p.Operands), Operand{Kind: OperandConst, Const: 1})
	for id, s := range p.Steps {
		if !some(s) {
			continue
		}
		if r, ok := s.(*Require); ok {
			held := *r
			held.Cond = uint32(len(p.Operands)) // true
			q.Steps[id] = &held
		} else if let, ok := s.(*Let); ok {
			held := *let
			if held.Judged = false; !held.Shown {
				held.Leaf = -1
			}
			q.Steps[id] = &held
		} else if sw, ok := s.(*Switch); ok && sw.Default < 0 { // it has entries, or the checker refuses it
			held := *sw
			held.Default = int(sw.Entries[0].Arm)
			q.Steps[id], q.Switches[sw.Index] = &held, &held
		}
	}
	q.markOpen() // of the new operand, too
	return &q
}

// Loose is the plan in which sizes may be anything up to room more than their most: its decoder tells how much a packet
// announces that is refused for it. Requirements hold, values of `let`s are not judged, and a leaf that decides a size has
// the codes beyond its range, too.
func (p *Plan) Loose(room int) *Plan {
	q := p.Without(func(s Step) bool { _, tag := s.(*Switch); return !tag }).Raised(room, func(Step) bool { return true })
	for leaf, steps := range p.Decided() {
		if slices.ContainsFunc(steps, func(id StepID) bool { _, sized := p.Steps[id].Sized(); return sized }) {
			q.Info[leaf].raise(int(p.Leaves[leaf].Width), uint64(room))
		}
	}
	return q
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
