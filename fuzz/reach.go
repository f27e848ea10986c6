package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// gate is a decision that a packet must take in some way to come to an op.
type gate struct {
	op   int  // OpIf, OpSwitch, OpArray, OpRepeat
	on   bool // OpIf: the condition holds
	arm  int  // OpSwitch: the op that the arm begins with
	end  int  // the first op behind what the gate guards
	from int
}

// gates lists, for every op of a plan, what lies around it, the outermost first. Branches are contiguous: a body stands
// between its decision and the op that the other way leads to.
func gates(p *plan.Plan) [][]gate {
	all := make([][]gate, len(p.Ops))
	var open []gate
	next := map[int][]gate{} // by where they begin
	for pc := range p.Ops {
		open = slices.DeleteFunc(open, func(g gate) bool { return g.end <= pc })
		open = append(open, next[pc]...)
		delete(next, pc)
		all[pc] = slices.Clone(open)
		op := &p.Ops[pc]
		switch op.Code {
		case plan.OpIf:
			ways := p.Ways(pc)
			then, other := ways[0], ways[1]
			open = append(open, gate{op: pc, on: true, end: then.To})
			if other.From < other.To {
				next[other.From] = append(next[other.From], gate{op: pc, from: other.From, end: other.To})
			}
		case plan.OpSwitch:
			for _, arm := range arms(p, pc) {
				next[arm.from] = append(next[arm.from], arm)
			}
		case plan.OpArray, plan.OpRepeat:
			open = append(open, gate{op: pc, end: int(op.B)})
		}
	}
	return all
}

// arms are the gates of a switch.
func arms(p *plan.Plan, pc int) []gate {
	var out []gate
	for _, way := range p.Ways(pc) {
		out = append(out, gate{op: pc, arm: way.From, from: way.From, end: way.To})
	}
	return out
}

// steering is how to pass gates: for some leaves the codes that lead there.
type steering map[int][]uint64

// wayTo is how to come to an op. What was found is kept for a while: all ways of a large plan together have no bound.
func (g *Generator) wayTo(op int) steering {
	way, ok := g.ways[op]
	if !ok {
		way = g.steer(g.gates[op])
		for _, codes := range way {
			g.kept += len(codes)
		}
		if g.kept++; g.kept > allKept {
			clear(g.ways)
			g.kept = 0
		}
		g.ways[op] = way
	}
	return way
}

// steer finds the codes that lead through gates. A decision that depends on more than one field is left to demandsOf, or chance.
func (g *Generator) steer(gates []gate) steering {
	s := steering{}
	for _, at := range gates {
		op := &g.plan.Ops[at.op]
		switch op.Code {
		case plan.OpIf:
			s.add(g, at.op, op.A, func(v uint64) bool { return (v != 0) == at.on })
		case plan.OpSwitch:
			sw, o := g.plan.Switches[op.B], &g.plan.Operands[op.A]
			s.add(g, at.op, op.A, func(v uint64) bool { return int(sw.Find(o.Key(v))) == at.arm })
		case plan.OpArray:
			s.add(g, at.op, op.C, func(v uint64) bool { return 0 < int64(v) && v <= op.Imm })
		case plan.OpRepeat:
			if more := &g.plan.Ops[at.op+1]; more.Code == plan.OpMore && more.C == plan.MoreWhile {
				s.add(g, at.op+1, more.B, func(v uint64) bool { return v != 0 })
			}
		}
	}
	return s
}

// demandsOf are the conditions on the way through gates that steering leaves to chance: those of several fields.
func (g *Generator) demandsOf(gates []gate, s steering) (all []demand) {
	l := g.lines
	for _, at := range gates {
		op := &g.plan.Ops[at.op]
		if op.Code != plan.OpIf {
			continue
		}
		for _, d := range l.demands(l.rests.term(op.A), at.on) {
			if len(d.leaves) > 1 || s[d.leaves[0]] == nil {
				all = append(all, d)
			}
		}
	}
	return all
}

// add restricts the leaf that an operand depends on to the codes for which good holds.
func (s steering) add(g *Generator, pc int, operand uint32, good func(uint64) bool) {
	p := g.plan
	o := &p.Operands[operand]
	if o.Kind == plan.OperandLeaf {
		leaf := p.Leaf(o, pc)
		s.restrict(g, leaf, func(code uint64) bool { return good(p.Info[leaf].Value(code, int(p.Leaves[leaf].Width))) })
		return
	}
	slots := p.Reads(operand)
	if len(slots) != 1 {
		return
	}
	env := plan.Env{Slots: make([]uint64, p.Slots)}
	for _, leaf := range p.SlotLeaves[slots[0]] {
		s.restrict(g, int(leaf), func(code uint64) bool {
			env.Slots[slots[0]] = p.Info[leaf].Value(code, int(p.Leaves[leaf].Width))
			return good(p.Eval(operand, &env))
		})
	}
}

func (s steering) restrict(g *Generator, leaf int, good func(code uint64) bool) {
	codes, known := s[leaf]
	if !known {
		codes = g.leaves[leaf].all
	}
	var kept []uint64
	for _, c := range codes {
		if good(c) {
			kept = append(kept, c)
		}
	}
	if len(kept) > 0 {
		s[leaf] = kept
	}
}
