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
	Op   int         // that refuses, -1 for the packet as a whole
	Leaf int         // -1 where the op has none
	Kind reject.Kind // never None
	// Unreachable is the proof, in words, that no packet is refused so; "" where there is none.
	Unreachable string
}

// String is the refusal's name: `body<Snapshot>.players[].health: out-of-range`.
func (o *Refusal) String() string { return o.Rule + ": " + o.Kind.String() }

// Refusals lists every way in which a packet can be refused, the packet as a whole first, then in the order of the plan. A
// rule that declares a restriction is listed with it even where no code can break it: then Unreachable says so.
//
// What is not proved unreachable need not be reachable: relations between fields are not looked at.
func Refusals(p *plan.Plan) []Refusal { return newRefusals(p).list }

// refusals is the list with its indexes.
type refusals struct {
	p      *plan.Plan
	rooms  []room
	rests  *rests
	known  *atoms
	list   []Refusal
	ofOp   []int32 // first of each op
	ofLeaf []int32 // first of each leaf of a run
	dead   bool    // no packet comes to the op being listed
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
	o.ofOp, o.ofLeaf = make([]int32, len(p.Ops)), make([]int32, len(p.Leaves))
	o.add(-1, -1, 0, reject.DatagramSize, "")
	o.add(-1, -1, 0, reject.TrailingBytes, o.rooms[len(p.Ops)-1].full())
	o.add(-1, -1, 0, reject.OverBudget, "the plan's bound is proved: this is its tripwire")
	for pc := range p.Ops {
		op := &p.Ops[pc]
		o.ofOp[pc] = int32(len(o.list))
		o.dead = o.rooms[pc].at == 0
		if op.Code == plan.OpRun {
			o.run(pc, op)
		} else {
			o.op(pc, op)
		}
	}
	return o
}

// add lists a refusal. Where no packet comes to, nothing is refused.
func (o *refusals) add(op, leaf int, node plan.NodeID, kind reject.Kind, unreachable string) {
	if o.dead {
		unreachable = "no packet comes this far"
	}
	rule := string(o.p.AppendRule(nil, node))
	if rule == "" {
		rule = "packet"
	}
	o.list = append(o.list, Refusal{Rule: rule, Node: node, Op: op, Leaf: leaf, Kind: kind, Unreachable: unreachable})
}

// find is the index of a reject's refusal, -1 when it is not listed, which would be a mistake here.
func (o *refusals) find(r *reject.Reject) int {
	switch r.Kind {
	case reject.DatagramSize:
		return refusalSize
	case reject.OverBudget:
		return refusalBudget
	}
	pc := int(r.At.Op)
	if pc < 0 {
		return refusalTrailing
	}
	at := int(o.ofOp[pc])
	run := o.p.Ops[pc].Code == plan.OpRun
	if run {
		at = int(o.ofLeaf[r.At.Leaf])
	}
	for ; at < len(o.list) && o.list[at].Op == pc && (!run || o.list[at].Leaf == int(r.At.Leaf)); at++ {
		if o.list[at].Kind == r.Kind {
			return at
		}
	}
	return -1
}

// run lists the leaves of a run, each with the room that is left in front of it.
func (o *refusals) run(pc int, op *plan.Op) {
	at := o.rooms[pc]
	for leaf := int(op.A); leaf < int(op.A+op.B); leaf++ {
		width := uint64(o.p.Leaves[leaf].Width)
		o.ofLeaf[leaf] = int32(len(o.list))
		o.add(pc, leaf, o.p.Info[leaf].Node, reject.PastEnd, at.holds(width))
		o.values(pc, leaf)
		at = at.after(width, width, 1)
	}
}

// values lists how a leaf's code can be refused.
func (o *refusals) values(pc, leaf int) {
	for _, v := range valueRefusals(o.p, leaf) {
		o.add(pc, leaf, o.p.Info[leaf].Node, v.kind, v.unreachable)
	}
}

// op lists any op but a run.
func (o *refusals) op(pc int, op *plan.Op) {
	p, at := o.p, o.rooms[pc]
	add := func(kind reject.Kind, unreachable string) { o.add(pc, -1, op.Node, kind, unreachable) }
	switch op.Code {
	case plan.OpCRC:
		o.add(pc, int(op.A), op.Node, reject.PastEnd, at.holds(uint64(p.Leaves[op.A].Width)))
		o.add(pc, int(op.A), op.Node, reject.CRCMismatch, "")
	case plan.OpAlign:
		least, most := at.padding(uint64(op.A))
		add(reject.PastEnd, at.holdsPadding(uint64(op.A)))
		if op.Flags&plan.FlagAny == 0 {
			add(reject.NonzeroPadding, noPadding(least, most))
		}
	case plan.OpReserved:
		add(reject.PastEnd, at.holds(uint64(op.A)))
		if op.Flags&plan.FlagAny == 0 {
			add(reject.ReservedNonzero, "")
		}
	case plan.OpNumber:
		o.number(pc, op)
	case plan.OpUnit:
		unreachable := ""
		if unit, _ := wire.SmallestJudge([]uint64{0, 0, 0}, int(op.C)); unit { // the lowest codes lie farthest out
			unreachable = "three codes of this width are never that large"
		}
		add(reject.NonUnit, unreachable)
	case plan.OpBlob:
		o.blob(pc, op)
	case plan.OpWindow:
		o.window(pc, op)
	case plan.OpClose:
		add(reject.TrailingBytes, at.full())
		unreachable := ""
		if least, most := at.padding(8); most == 0 && at.end&^wholeBytes == 0 {
			unreachable = noPadding(least, most)
		}
		add(reject.NonzeroPadding, unreachable)
	case plan.OpArray:
		n, _, _ := o.known.operand(op.C, pc, &at)
		add(reject.OutOfRange, n.within(op.Imm))
	case plan.OpMore:
		add(reject.OutOfRange, o.most(pc, op))
	case plan.OpSlot:
		o.add(pc, int(op.B), p.Info[op.B].Node, reject.PastEnd, at.holds(op.Imm))
	case plan.OpSwitch:
		add(reject.UnknownCase, o.tags(pc, op))
	case plan.OpRequire:
		unreachable := ""
		if e := p.Operands[op.A].Expr; e != nil && e.Lo != nil && e.Lo.Sign() > 0 {
			unreachable = "the relation holds for all values that its fields may have"
		}
		if unreachable == "" && o.known.given(at, o.known.rests.term(op.A), false).at == 0 {
			unreachable = "the relation holds for all that is known of its fields there"
		}
		if unreachable == "" && o.holds(p.StepOf(uint32(pc)).(*plan.Require)) {
			unreachable = "the relation holds for all values that its fields may have, each of which was tried"
		}
		add(reject.RuleBroken, unreachable)
	}
}

func noPadding(_, most uint64) string {
	if most == 0 {
		return "it lies on a boundary, so there is no padding"
	}
	return ""
}

// most proves that a list which finds its end on the way never asks for more elements than it may have.
func (o *refusals) most(pc int, op *plan.Op) string {
	p := o.p
	list := &p.Ops[op.A]
	if o.endsByIndex(int(op.A)) {
		return "indexes rise, and the last there can be ends the list"
	}
	start := o.rooms[op.A]
	if least := elementBits(p, list.Node); least > 0 && list.Imm >= start.hi/least+1 {
		return "a datagram has no room for as many elements"
	}
	return ""
}

// endsByIndex reports whether the list at pc ends with an index that is no element's.
func (o *refusals) endsByIndex(pc int) bool {
	s, ok := o.p.StepOf(uint32(pc)).(*plan.Subset)
	return ok && (s.Kind == schema.SubsetSentinel || s.Kind == schema.SubsetRelative)
}
