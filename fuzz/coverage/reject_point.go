package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// RejectPoint is one way to refuse a packet: one rule of a schema, broken in one way.
type RejectPoint struct {
	Rule string      // the rule's stable name (plan.AppendRule); "packet" for the packet as a whole
	Node plan.NodeID // of the rule
	At   plan.Point  // where it refuses, NoPoint for the packet as a whole
	Leaf int         // -1 where the step has none
	Kind reject.Kind // never None
	// Unreachable is the proof, in words, that no packet is refused so; "" where there is none.
	Unreachable string
}

// String is the point's name: `body<Snapshot>.players[].health: out-of-range`.
func (r *RejectPoint) String() string { return r.Rule + ": " + r.Kind.String() }

// RejectPoints lists every way in which a packet can be refused, the packet as a whole first, then in the order of the
// plan. A rule that declares a restriction is listed with it even where no code can break it: then Unreachable says so.
//
// What is not proved unreachable need not be reachable: relations between fields are not looked at.
func RejectPoints(p *plan.Plan) []RejectPoint { return NewRejectIndex(p).List }

// RejectIndex is the list with its indexes.
type RejectIndex struct {
	p      *plan.Plan
	rooms  *Rooms
	Terms  *Terms
	known  *atoms
	List   []RejectPoint
	first  []int32     // of each point
	ofLeaf []int32     // first of each leaf of a run
	place  RejectPoint // what is being listed
	dead   bool        // no packet comes there
	tried  int         // values of relations
}

// The refusals of the packet as a whole.
const (
	rejectSize = iota
	rejectTrailing
	rejectBudget
)

// NewRejectIndex lists the reject points of a plan, with what is proved of them.
func NewRejectIndex(p *plan.Plan) *RejectIndex {
	r := NewTerms(p)
	known := newAtoms(r)
	o := &RejectIndex{p: p, rooms: findRooms(r, known), Terms: r, known: known}
	o.first, o.ofLeaf = make([]int32, p.End()), make([]int32, len(p.Leaves))
	o.place = RejectPoint{At: plan.NoPoint, Leaf: -1}
	o.add(reject.DatagramSize, "")
	o.add(reject.TrailingBytes, o.rooms.end.full())
	o.add(reject.OverBudget, "the plan's bound is proved: this is its tripwire")
	o.steps(p.Root)
	return o
}

// steps lists what steps refuse, in the order of the wire.
func (ri *RejectIndex) steps(steps []plan.Step) {
	for _, s := range steps {
		b := s.At()
		at := b.Point
		if s.Flow() == plan.Repeat && !plan.Counted(s) {
			at = b.Each // where it asks whether it goes on
		}
		ri.point(at, b, &ri.rooms.before[b.ID].room)
		ri.step(s, ri.rooms.before[b.ID].room)
		for _, block := range s.Blocks() {
			ri.steps(block.Steps)
		}
		if _, kinds := s.Rejects(ri.p); len(kinds) > 0 {
			ri.point(b.Last, b, &ri.rooms.behind[b.ID].room)
			ri.close(kinds, ri.rooms.behind[b.ID].room)
		}
	}
}

// point makes a point of a step the place at hand.
func (ri *RejectIndex) point(at plan.Point, b *plan.Base, r *room) {
	ri.first[at], ri.dead = int32(len(ri.List)), r.at == 0
	ri.place = RejectPoint{Node: b.Node, At: at, Leaf: -1}
}

// add lists a reject point of the place at hand. Where no packet comes, nothing is refused.
func (ri *RejectIndex) add(kind reject.Kind, unreachable string) {
	if ri.dead {
		unreachable = "no packet comes this far"
	}
	r := ri.place
	r.Rule, r.Kind, r.Unreachable = string(ri.p.AppendRule(nil, r.Node)), kind, unreachable
	if r.Rule == "" {
		r.Rule = "packet"
	}
	ri.List = append(ri.List, r)
}

// of makes a leaf the place at hand.
func (ri *RejectIndex) of(leaf int) { ri.place.Leaf, ri.place.Node = leaf, ri.p.Info[leaf].Node }

// Find is the index of a reject's point, -1 when it is not listed, which would be a mistake here.
func (ri *RejectIndex) Find(r *reject.Reject) int {
	switch r.Kind {
	case reject.DatagramSize:
		return rejectSize
	case reject.OverBudget:
		return rejectBudget
	}
	if r.At.Point < 0 {
		return rejectTrailing
	}
	at, leaf := ri.first[r.At.Point], -1
	if r.At.Leaf >= 0 && ri.ofLeaf[r.At.Leaf] > 0 {
		at, leaf = ri.ofLeaf[r.At.Leaf], int(r.At.Leaf)
	}
	for ; int(at) < len(ri.List) && ri.List[at].At == r.At.Point && (leaf < 0 || ri.List[at].Leaf == leaf); at++ {
		if ri.List[at].Kind == r.Kind {
			return int(at)
		}
	}
	return -1
}

// step lists what a step refuses before its blocks, at the room before it.
func (ri *RejectIndex) step(s plan.Step, at room) {
	if run, ok := s.(*plan.Run); ok {
		ri.run(run, at)
		return
	}
	if n, ok := s.(*plan.Number); ok {
		ri.number(n, at)
		return
	}
	for leaf := range s.Leaves() {
		ri.of(leaf)
		break
	}
	itself, _ := s.Rejects(ri.p)
	for _, kind := range itself {
		ri.add(kind, ri.proof(s, kind, at))
	}
}

// proof is why a step never refuses with one of its kinds; "" where that is not known.
func (ri *RejectIndex) proof(s plan.Step, kind reject.Kind, at room) string {
	if relation, ok := s.(*plan.Require); ok {
		return ri.required(relation, at)
	}
	n := uint64(s.Pads())
	switch kind {
	case reject.PastEnd:
		return ri.fitting(s, at)
	case reject.NonzeroPadding:
		return at.noPadding(n)
	case reject.OutOfRange:
		return ri.bounded(s, at.align(n))
	case reject.BadString:
		return ri.wellFormed(s.(*plan.Blob))
	case reject.ConstMismatch:
		return ri.equal(s.(*plan.Blob))
	case reject.NonUnit:
		if unit, _ := wire.SmallestJudge([]uint64{0, 0, 0}, int(s.(*plan.Unit).Bits)); unit { // the lowest codes lie farthest out
			return "three codes of this width are never that large"
		}
	case reject.UnknownCase:
		return ri.tags(s.(*plan.Switch), at)
	}
	return ""
}

// run lists the leaves of a run, each with the room that is left before it.
func (ri *RejectIndex) run(s *plan.Run, at room) {
	for leaf := s.First; leaf < s.First+s.N; leaf++ {
		width := uint64(ri.p.Leaves[leaf].Width)
		ri.ofLeaf[leaf] = int32(len(ri.List))
		ri.of(leaf)
		ri.add(reject.PastEnd, at.holds(width))
		kind, fixed := at.judged(ri.p, leaf, s.Order)
		for _, v := range valueRefusals(ri.p, leaf) {
			if fixed && v.kind != kind && v.unreachable == "" {
				v.unreachable = "a look has seen what is here"
			}
			ri.add(v.kind, v.unreachable)
		}
		at = at.after(width, width, 1)
		ri.dead = at.at == 0
	}
}

// judged is what becomes of the one code that a leaf can have here, as a look has seen its bits.
func (r room) judged(p *plan.Plan, leaf int, order wire.Order) (kind reject.Kind, fixed bool) {
	width, code := int(p.Leaves[leaf].Width), r.seen.code
	if width < 8 || r.seen.bits != width || r.seen.order != order {
		return reject.None, false
	}
	if p.Info[leaf].Swap {
		code = wire.SwapBytes(code, width)
	}
	kind, _ = p.Info[leaf].Judge(code, width)
	return kind, true
}

// close lists how the end of a window is refused, at the room before it.
func (ri *RejectIndex) close(kinds []reject.Kind, at room) {
	for _, kind := range kinds {
		unreachable := at.full()
		if kind == reject.NonzeroPadding {
			if unreachable = at.noPadding(8); at.hi == 0 {
				unreachable = "every bit of the window is read"
			} else if !at.end.OnBytes() {
				unreachable = ""
			}
		}
		ri.add(kind, unreachable)
	}
}

// required proves that a relation holds.
func (ri *RejectIndex) required(s *plan.Require, at room) string {
	if e := ri.p.Operands[s.Cond].Expr; e != nil && e.Lo != nil && e.Lo.Sign() > 0 {
		return "the relation holds for all values that its fields may have"
	}
	if ri.known.given(at, ri.Terms.Of(s.Cond), false).at == 0 {
		return "the relation holds for all that is known of its fields there"
	}
	if ri.holds(s) {
		return "the relation holds for all values that its fields may have, each of which was tried"
	}
	return ""
}

// most proves that a list which finds its end on the way never asks for more elements than it may have.
func (ri *RejectIndex) most(s plan.Step, at room) string {
	if endsByIndex(s) {
		if s.(*plan.Subset).Any {
			return "an element too many is refused at its index"
		}
		return "indexes rise, and the last there can be ends the list"
	}
	if least := ri.p.ElementBits(s.At().Node); least > 0 && plan.MostOf(s) >= at.hi/least+1 {
		return "a datagram has no room for as many elements"
	}
	return ""
}

// endsByIndex reports whether a list ends with an index that is no element's.
func endsByIndex(s plan.Step) bool {
	subset, ok := s.(*plan.Subset)
	return ok && (subset.Kind == schema.SubsetSentinel || subset.Kind == schema.SubsetRelative)
}
