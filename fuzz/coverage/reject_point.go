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
func (o *RejectPoint) String() string { return o.Rule + ": " + o.Kind.String() }

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
func (o *RejectIndex) steps(steps []plan.Step) {
	for _, s := range steps {
		b := s.At()
		at := b.Point
		if s.Flow() == plan.Repeat && !plan.Counted(s) {
			at = b.Each // where it asks whether it goes on
		}
		o.point(at, b, &o.rooms.before[b.ID].room)
		o.step(s, o.rooms.before[b.ID].room)
		for _, block := range s.Blocks() {
			o.steps(block.Steps)
		}
		if _, kinds := s.Rejects(o.p); len(kinds) > 0 {
			o.point(b.Last, b, &o.rooms.behind[b.ID].room)
			o.close(kinds, o.rooms.behind[b.ID].room)
		}
	}
}

// point makes a point of a step the place at hand.
func (o *RejectIndex) point(at plan.Point, b *plan.Base, r *room) {
	o.first[at], o.dead = int32(len(o.List)), r.at == 0
	o.place = RejectPoint{Node: b.Node, At: at, Leaf: -1}
}

// add lists a reject point of the place at hand. Where no packet comes, nothing is refused.
func (o *RejectIndex) add(kind reject.Kind, unreachable string) {
	if o.dead {
		unreachable = "no packet comes this far"
	}
	r := o.place
	r.Rule, r.Kind, r.Unreachable = string(o.p.AppendRule(nil, r.Node)), kind, unreachable
	if r.Rule == "" {
		r.Rule = "packet"
	}
	o.List = append(o.List, r)
}

// of makes a leaf the place at hand.
func (o *RejectIndex) of(leaf int) { o.place.Leaf, o.place.Node = leaf, o.p.Info[leaf].Node }

// Find is the index of a reject's point, -1 when it is not listed, which would be a mistake here.
func (o *RejectIndex) Find(r *reject.Reject) int {
	switch r.Kind {
	case reject.DatagramSize:
		return rejectSize
	case reject.OverBudget:
		return rejectBudget
	}
	if r.At.Point < 0 {
		return rejectTrailing
	}
	at, leaf := o.first[r.At.Point], -1
	if r.At.Leaf >= 0 && o.ofLeaf[r.At.Leaf] > 0 {
		at, leaf = o.ofLeaf[r.At.Leaf], int(r.At.Leaf)
	}
	for ; int(at) < len(o.List) && o.List[at].At == r.At.Point && (leaf < 0 || o.List[at].Leaf == leaf); at++ {
		if o.List[at].Kind == r.Kind {
			return int(at)
		}
	}
	return -1
}

// step lists what a step refuses before its blocks, at the room before it.
func (o *RejectIndex) step(s plan.Step, at room) {
	if run, ok := s.(*plan.Run); ok {
		o.run(run, at)
		return
	}
	if n, ok := s.(*plan.Number); ok {
		o.number(n, at)
		return
	}
	for leaf := range s.Leaves() {
		o.of(leaf)
		break
	}
	itself, _ := s.Rejects(o.p)
	for _, kind := range itself {
		o.add(kind, o.proof(s, kind, at))
	}
}

// proof is why a step never refuses with one of its kinds; "" where that is not known.
func (o *RejectIndex) proof(s plan.Step, kind reject.Kind, at room) string {
	if relation, ok := s.(*plan.Require); ok {
		return o.required(relation, at)
	}
	n := uint64(s.Pads())
	switch kind {
	case reject.PastEnd:
		return o.fitting(s, at)
	case reject.NonzeroPadding:
		return at.noPadding(n)
	case reject.OutOfRange:
		return o.bounded(s, at.align(n))
	case reject.BadString:
		return o.wellFormed(s.(*plan.Blob))
	case reject.ConstMismatch:
		return o.equal(s.(*plan.Blob))
	case reject.NonUnit:
		if unit, _ := wire.SmallestJudge([]uint64{0, 0, 0}, int(s.(*plan.Unit).Bits)); unit { // the lowest codes lie farthest out
			return "three codes of this width are never that large"
		}
	case reject.UnknownCase:
		return o.tags(s.(*plan.Switch), at)
	}
	return ""
}

// run lists the leaves of a run, each with the room that is left in front of it.
func (o *RejectIndex) run(s *plan.Run, at room) {
	for leaf := s.First; leaf < s.First+s.N; leaf++ {
		width := uint64(o.p.Leaves[leaf].Width)
		o.ofLeaf[leaf] = int32(len(o.List))
		o.of(leaf)
		o.add(reject.PastEnd, at.holds(width))
		for _, v := range valueRefusals(o.p, leaf) {
			o.add(v.kind, v.unreachable)
		}
		at = at.after(width, width, 1)
		o.dead = at.at == 0
	}
}

// close lists how the end of a window is refused, at the room before it.
func (o *RejectIndex) close(kinds []reject.Kind, at room) {
	for _, kind := range kinds {
		unreachable := at.full()
		if kind == reject.NonzeroPadding {
			if unreachable = at.noPadding(8); at.hi == 0 {
				unreachable = "every bit of the window is read"
			} else if !at.end.OnBytes() {
				unreachable = ""
			}
		}
		o.add(kind, unreachable)
	}
}

// required proves that a relation holds.
func (o *RejectIndex) required(s *plan.Require, at room) string {
	if e := o.p.Operands[s.Cond].Expr; e != nil && e.Lo != nil && e.Lo.Sign() > 0 {
		return "the relation holds for all values that its fields may have"
	}
	if o.known.given(at, o.Terms.Of(s.Cond), false).at == 0 {
		return "the relation holds for all that is known of its fields there"
	}
	if o.holds(s) {
		return "the relation holds for all values that its fields may have, each of which was tried"
	}
	return ""
}

// most proves that a list which finds its end on the way never asks for more elements than it may have.
func (o *RejectIndex) most(s plan.Step, at room) string {
	if endsByIndex(s) {
		if s.(*plan.Subset).Any {
			return "an element too many is refused at its index"
		}
		return "indexes rise, and the last there can be ends the list"
	}
	if least := o.p.ElementBits(s.At().Node); least > 0 && plan.MostOf(s) >= at.hi/least+1 {
		return "a datagram has no room for as many elements"
	}
	return ""
}

// endsByIndex reports whether a list ends with an index that is no element's.
func endsByIndex(s plan.Step) bool {
	subset, ok := s.(*plan.Subset)
	return ok && (subset.Kind == schema.SubsetSentinel || subset.Kind == schema.SubsetRelative)
}
