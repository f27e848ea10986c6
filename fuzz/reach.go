package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// constraint is the way to a step: for some leaves the codes that lead there.
type constraint map[int][]uint64

// way is how to come to a step: by codes of single fields, and by values of groups of them.
type way struct {
	codes  constraint
	groups map[int]*group
}

// wayTo is how to come to a step. What was found is kept for a while: all ways of a large plan together have no bound.
// The steps of a block have one way.
func (g *Generator) wayTo(to plan.StepID) way {
	if up := g.plan.Steps[to].At().Up; up == plan.NoStep {
		to = 0
	} else {
		i := max(plan.BlockOf(g.plan.Steps[up], to), 0)
		to = g.plan.Steps[up].Blocks()[i].Steps[0].At().ID
	}
	found, ok := g.ways[to]
	if !ok {
		found = g.way(g.plan.Around(to))
		for _, codes := range found.codes {
			g.kept += len(codes)
		}
		if g.kept++; g.kept > allKept {
			clear(g.ways)
			g.kept = 0
		}
		g.ways[to] = found
	}
	return found
}

// way is how decisions go as they shall.
func (g *Generator) way(turns []plan.Turn) way {
	w := way{codes: g.constrain(turns), groups: g.groups}
	if demands := g.demandsOf(turns, w.codes); len(demands) > 0 {
		w.groups = g.groupsWith(turns, nil, demands)
	}
	return w
}

// constrain finds the codes that lead the way that decisions go. A decision that depends on more than one field is left
// to demandsOf, or to chance.
func (g *Generator) constrain(turns []plan.Turn) constraint {
	s := constraint{}
	for _, t := range turns {
		list, _ := t.At.(*plan.List)
		if operand, ok := t.At.Expr(); ok && (list == nil || list.Kind != plan.ListUntil) {
			s.add(g, t.At.At().ID, operand, labelsOf(g.plan, t), func(v uint64) bool { return t.At.Enters(g.plan, t.Block, v) })
		}
	}
	return s
}

// labelsOf are values of a tag that lead into an arm: of thousands of arms few are among the codes that a leaf is tried
// with.
func labelsOf(p *plan.Plan, t plan.Turn) (values []uint64) {
	s, ok := t.At.(*plan.Switch)
	for i := 0; ok && i < len(s.Entries) && len(values) < armLabels; i++ {
		if e := &s.Entries[i]; int(e.Arm) == t.Block {
			values = append(values, p.Operands[s.Tag].Key(e.Lo)) // a key is its own inverse
		}
	}
	return values
}

// armLabels is how many labels of an arm are tried to come to it.
const armLabels = 16

// demandsOf are the conditions and the tags on the way that decisions go which constrain leaves to chance: those of
// several fields, and of what a `let` computes.
func (g *Generator) demandsOf(turns []plan.Turn, s constraint) (all []demand) {
	for _, t := range turns {
		if test, ok := t.At.(*plan.If); ok {
			all = append(all, g.lines.demands(g.terms.Of(test.Cond), t.Block == 0)...)
		} else if choice, ok := t.At.(*plan.Switch); ok {
			all = append(all, g.lines.tagged(choice, t.Block)...)
		}
	}
	return slices.DeleteFunc(all, func(d demand) bool { return len(d.leaves) == 1 && s[d.leaves[0]] != nil })
}

// add restricts the leaf that an operand of a step depends on to the codes for which good holds. more are values of the
// operand that are tried, too.
func (s constraint) add(g *Generator, at plan.StepID, operand uint32, more []uint64, good func(uint64) bool) {
	p := g.plan
	o := &p.Operands[operand]
	if o.Kind == plan.OperandLeaf {
		leaf := p.LeafOf(o, at)
		s.restrict(g, leaf, more, func(code uint64) bool { return good(p.Info[leaf].Value(code, int(p.Leaves[leaf].Width))) })
		return
	}
	slots := p.Reads(operand)
	if len(slots) != 1 {
		return
	}
	env := plan.Env{Registers: make([]uint64, p.Registers)}
	for _, leaf := range p.RegisterLeaves[slots[0]] {
		s.restrict(g, int(leaf), more, func(code uint64) bool {
			env.Registers[slots[0]] = p.Info[leaf].Value(code, int(p.Leaves[leaf].Width))
			return good(p.Eval(operand, &env))
		})
	}
}

func (s constraint) restrict(g *Generator, leaf int, more []uint64, good func(code uint64) bool) {
	codes, known := s[leaf]
	if !known {
		codes = slices.Clip(g.leaves[leaf].all)
		info, width := &g.plan.Info[leaf], codeWidth(g.plan, leaf)
		for _, v := range more {
			code := info.CodeOf(v, width)
			if kind, _ := info.Judge(code, width); kind == reject.None && code&^wire.Mask(width) == 0 && !slices.Contains(codes, code) {
				codes = append(codes, code)
			}
		}
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
