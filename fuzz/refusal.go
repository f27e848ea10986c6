package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Refusal is one way to refuse a packet: one rule of a schema, broken in one way.
type Refusal struct {
	Rule string      // the rule's stable name (plan.AppendRule); "packet" for the packet as a whole
	Node plan.NodeID // of the rule
	Step plan.StepID // that refuses, NoStep for the packet as a whole
	// Behind says that it refuses behind its blocks: where a window closes.
	Behind bool
	Leaf   int         // -1 where the step has none
	Kind   reject.Kind // never None
	// Unreachable is the proof, in words, that no packet is refused so; "" where there is none.
	Unreachable string
}

// String is the refusal's name: `body<Snapshot>.players[].health: out-of-range`.
func (o *Refusal) String() string { return o.Rule + ": " + o.Kind.String() }

// Point is where it refuses, NoPoint for the packet as a whole.
func (o *Refusal) Point(p *plan.Plan) plan.Point {
	if o.Step == plan.NoStep {
		return plan.NoPoint
	}
	s := p.Steps[o.Step]
	switch b := s.At(); {
	case o.Behind:
		return b.Last
	case s.Flow() == plan.Repeat && !plan.Counted(s):
		return b.Each // where it asks whether it goes on
	default:
		return b.Point
	}
}

// Refusals lists every way in which a packet can be refused, the packet as a whole first, then in the order of the plan. A
// rule that declares a restriction is listed with it even where no code can break it: then Unreachable says so.
//
// What is not proved unreachable need not be reachable: relations between fields are not looked at.
func Refusals(p *plan.Plan) []Refusal { return newRefusals(p).list }

// refusals is the list with its indexes.
type refusals struct {
	p      *plan.Plan
	rooms  *rooms
	rests  *rests
	known  *atoms
	list   []Refusal
	ofStep []int32 // first of each step
	closes []int32 // first of each window's end
	ofLeaf []int32 // first of each leaf of a run
	place  Refusal // what is being listed
	dead   bool    // no packet comes there
	tried  int     // values of relations
}

// The refusals of the packet as a whole.
const (
	refusalSize = iota
	refusalTrailing
	refusalBudget
)

func newRefusals(p *plan.Plan) *refusals {
	r := newRests(p)
	known := newAtoms(r)
	o := &refusals{p: p, rooms: findRooms(r, known), rests: r, known: known}
	o.ofStep, o.closes, o.ofLeaf = make([]int32, len(p.Steps)), make([]int32, len(p.Steps)), make([]int32, len(p.Leaves))
	o.place = Refusal{Step: plan.NoStep, Leaf: -1}
	o.add(reject.DatagramSize, "")
	o.add(reject.TrailingBytes, o.rooms.end.full())
	o.add(reject.OverBudget, "the plan's bound is proved: this is its tripwire")
	o.steps(p.Root)
	return o
}

// steps lists what steps refuse, in the order of the wire.
func (o *refusals) steps(steps []plan.Step) {
	for _, s := range steps {
		b := s.At()
		o.ofStep[b.ID] = int32(len(o.list))
		o.dead = o.rooms.before[b.ID].at == 0
		o.place = Refusal{Node: b.Node, Step: b.ID, Leaf: -1}
		o.step(s, o.rooms.before[b.ID].room)
		for _, block := range s.Blocks() {
			o.steps(block.Steps)
		}
		if w, ok := s.(*plan.Window); ok {
			o.closes[b.ID] = int32(len(o.list))
			o.dead = o.rooms.behind[b.ID].at == 0
			o.place = Refusal{Node: b.Node, Step: b.ID, Behind: true, Leaf: -1}
			o.close(o.rooms.behind[w.ID].room)
		}
	}
}

// add lists a refusal of the place at hand. Where no packet comes to, nothing is refused.
func (o *refusals) add(kind reject.Kind, unreachable string) {
	if o.dead {
		unreachable = "no packet comes this far"
	}
	r := o.place
	r.Rule, r.Kind, r.Unreachable = string(o.p.AppendRule(nil, r.Node)), kind, unreachable
	if r.Rule == "" {
		r.Rule = "packet"
	}
	o.list = append(o.list, r)
}

// of makes a leaf the place at hand.
func (o *refusals) of(leaf int) { o.place.Leaf, o.place.Node = leaf, o.p.Info[leaf].Node }

// find is the index of a reject's refusal, -1 when it is not listed, which would be a mistake here.
func (o *refusals) find(r *reject.Reject) int {
	switch r.Kind {
	case reject.DatagramSize:
		return refusalSize
	case reject.OverBudget:
		return refusalBudget
	}
	if r.At.Point < 0 {
		return refusalTrailing
	}
	s := o.p.StepAt(r.At.Point)
	id, behind := s.At().ID, s.Flow() == plan.Enter && r.At.Point == s.At().Last
	at := int(o.ofStep[id])
	_, run := s.(*plan.Run)
	if behind {
		at = int(o.closes[id])
	} else if run {
		at = int(o.ofLeaf[r.At.Leaf])
	}
	for ; at < len(o.list) && o.list[at].Step == id && o.list[at].Behind == behind && (!run || o.list[at].Leaf == int(r.At.Leaf)); at++ {
		if o.list[at].Kind == r.Kind {
			return at
		}
	}
	return -1
}

// step lists what a step refuses before its blocks, at the room before it.
func (o *refusals) step(s plan.Step, at room) {
	switch s := s.(type) {
	case *plan.Run:
		o.run(s, at)
	case *plan.Checksum:
		o.place.Leaf = int(s.Leaf)
		o.add(reject.PastEnd, at.holds(uint64(o.p.Leaves[s.Leaf].Width)))
		o.add(reject.CRCMismatch, "")
	case *plan.Align:
		least, most := at.padding(uint64(s.Bits))
		o.add(reject.PastEnd, at.holdsPadding(uint64(s.Bits)))
		if !s.Any {
			o.add(reject.NonzeroPadding, noPadding(least, most))
		}
	case *plan.Reserved:
		o.add(reject.PastEnd, at.holds(uint64(s.Bits)))
		if !s.Any {
			o.add(reject.ReservedNonzero, "")
		}
	case *plan.Number:
		o.number(s, at)
	case *plan.Unit:
		unreachable := ""
		if unit, _ := wire.SmallestJudge([]uint64{0, 0, 0}, int(s.Bits)); unit { // the lowest codes lie farthest out
			unreachable = "three codes of this width are never that large"
		}
		o.add(reject.NonUnit, unreachable)
	case *plan.Blob:
		o.blob(s, at)
	case *plan.Window:
		o.window(s, at)
	case *plan.List, *plan.Subset:
		o.elements(s, at)
	case *plan.Switch:
		o.add(reject.UnknownCase, o.tags(s, at))
	case *plan.Require:
		o.add(reject.RuleBroken, o.required(s, at))
	case *plan.If, *plan.Let, *plan.Group, *plan.Open:
	default:
		panic("pktscope: internal error: a step of an unknown type")
	}
}

// run lists the leaves of a run, each with the room that is left in front of it.
func (o *refusals) run(s *plan.Run, at room) {
	for leaf := s.First; leaf < s.First+s.N; leaf++ {
		width := uint64(o.p.Leaves[leaf].Width)
		o.ofLeaf[leaf] = int32(len(o.list))
		o.of(leaf)
		o.add(reject.PastEnd, at.holds(width))
		for _, v := range valueRefusals(o.p, leaf) {
			o.add(v.kind, v.unreachable)
		}
		at = at.after(width, width, 1)
	}
}

// elements lists how many elements a list refuses to have.
func (o *refusals) elements(s plan.Step, at room) {
	subset, _ := s.(*plan.Subset)
	switch {
	case plan.Counted(s):
		count, _ := s.Expr()
		n, _, _ := o.known.operand(count, s.At().ID, &at)
		o.add(reject.OutOfRange, n.within(mostOf(s)))
	case subset != nil && subset.Kind == schema.SubsetBitmap:
		o.of(int(subset.Flag))
		o.add(reject.PastEnd, o.rooms.behind[subset.ID].holds(subset.N))
	default:
		o.add(reject.OutOfRange, o.most(s, at))
	}
}

// close lists how the end of a window is refused, at the room before it.
func (o *refusals) close(at room) {
	o.add(reject.TrailingBytes, at.full())
	unreachable := ""
	if least, most := at.padding(8); most == 0 && at.end&^wholeBytes == 0 {
		unreachable = noPadding(least, most)
	}
	o.add(reject.NonzeroPadding, unreachable)
}

// required proves that a relation holds.
func (o *refusals) required(s *plan.Require, at room) string {
	if e := o.p.Operands[s.Cond].Expr; e != nil && e.Lo != nil && e.Lo.Sign() > 0 {
		return "the relation holds for all values that its fields may have"
	}
	if o.known.given(at, o.rests.term(s.Cond), false).at == 0 {
		return "the relation holds for all that is known of its fields there"
	}
	if o.holds(s) {
		return "the relation holds for all values that its fields may have, each of which was tried"
	}
	return ""
}

func noPadding(_, most uint64) string {
	if most == 0 {
		return "it lies on a boundary, so there is no padding"
	}
	return ""
}

// most proves that a list which finds its end on the way never asks for more elements than it may have.
func (o *refusals) most(s plan.Step, at room) string {
	if endsByIndex(s) {
		return "indexes rise, and the last there can be ends the list"
	}
	if least := elementBits(o.p, s.At().Node); least > 0 && mostOf(s) >= at.hi/least+1 {
		return "a datagram has no room for as many elements"
	}
	return ""
}

// endsByIndex reports whether a list ends with an index that is no element's.
func endsByIndex(s plan.Step) bool {
	subset, ok := s.(*plan.Subset)
	return ok && (subset.Kind == schema.SubsetSentinel || subset.Kind == schema.SubsetRelative)
}
