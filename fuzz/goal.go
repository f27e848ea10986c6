package fuzz

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz/coverage"
)

// goal is a boundary that a generated packet shall hold.
type goal struct {
	at   plan.StepID
	leaf int         // -1: the bytes or the list of the step
	to   plan.StepID // what the packet shall come to: the step, or what the leaf is the size of
	code uint64
	end  goalEnd
	why  string
	node plan.NodeID
	on   constraint // a list that its elements end: the codes with which it goes on, and those that end it
	off  constraint
}

// goalAt is to come to where a packet is refused: into a list that asks on the way whether it goes on; to the first
// step for what is of the packet as a whole.
func (g *Generator) goalAt(r *coverage.RejectPoint) *goal {
	to := goal{at: plan.NoStep, leaf: -1, to: plan.NoStep}
	if len(g.plan.Steps) == 0 {
		return &to
	}
	if to.at, to.to = 0, 0; r.At != plan.NoPoint {
		b := g.plan.StepAt(r.At).At()
		if to.at, to.to = b.ID, b.ID; r.At == b.Each && b.Each > b.Point {
			to.to = min(b.ID+1, b.End-1)
		}
	}
	return &to
}

// goalEnd says what code means.
type goalEnd uint8

const (
	goalCode  goalEnd = iota
	goalLeast         // the least code there, or an empty list or text
	goalMost          // the greatest, or a full one
)

// choices is what the generator knows of a leaf before the first packet.
type choices struct {
	all    []uint64    // codes worth trying, all of them allowed by themselves
	edges  []candidate // boundaries
	counts bool        // its value is the size of something
}

func (g *Generator) choicesOf(leaf int, sizings []plan.Sizing, switches []*plan.Switch) choices {
	p := g.plan
	info, l := &p.Info[leaf], &p.Leaves[leaf]
	c := choices{counts: len(sizings) > 0}
	width := int(l.Width)
	if info.Writes() != plan.Given {
		return c
	}
	most := min(info.TypeSpan, wire.Mask(width))
	add := func(code uint64) {
		if len(c.all) >= 4*g.known.most {
			return
		}
		if kind, _ := info.Judge(code, width); code <= most && kind == reject.None {
			c.all = append(c.all, code)
		}
	}
	if _, found := p.Reader(leaf).(*plan.Number); !found {
		for _, e := range candidates(p, leaf, g.known) {
			if e.kind == reject.None {
				c.edges = append(c.edges, e)
				add(e.code)
			}
		}
		if p.Nodes[info.Node].Value == nil && most > 0 { // a count, a length, a flag, a part of a quaternion
			c.edges = append(c.edges, candidate{code: 0, done: "min"}, candidate{code: most, done: "max"})
		}
	}
	for _, s := range switches {
		operand := &p.Operands[s.Tag]
		for i := range s.Entries[:min(len(s.Entries), labels)] {
			add(info.CodeOf(operand.Key(s.Entries[i].Lo), width))
			add(info.CodeOf(operand.Key(s.Entries[i].Hi), width))
		}
	}
	for code := uint64(0); code <= most && code < uint64(min(coverage.FewCodes, g.known.most)); code++ {
		add(code)
	}
	for at := range width {
		add(1 << at)
		add(most >> at)
	}
	for _, v := range g.pool {
		add(info.CodeOf(v, width))
	}
	info.EachEdge(width, add)
	if info.Form() == plan.FormFloat {
		for _, f := range []float64{0, 1, -1, 0.5, 100, -100} {
			add(info.FloatCode(f, width))
		}
	}
	slices.Sort(c.all)
	c.all = slices.Compact(c.all)
	return c
}

// allGoals lists every boundary of every field, in the order of the plan.
func (g *Generator) allGoals() []goal {
	p := g.plan
	var all []goal
	put := func(at plan.StepID, leaf int, node plan.NodeID, done string, code uint64, end goalEnd) {
		why := string(p.AppendRule(nil, node)) + ": " + done
		all = append(all, goal{at: at, leaf: leaf, to: at, code: code, end: end, why: why, node: node})
	}
	for _, s := range p.Steps {
		id, node := s.At().ID, s.At().Node
		if run, ok := s.(*plan.Run); ok {
			for leaf := run.First; leaf < run.First+run.N; leaf++ {
				for _, e := range g.leaves[leaf].edges {
					put(id, leaf, p.Info[leaf].Node, e.done, e.code, goalCode)
				}
			}
		} else if n, ok := s.(*plan.Number); ok {
			leaf := int(n.Leaf)
			node = p.Info[leaf].Node
			put(id, leaf, node, "min", 0, goalLeast)
			put(id, leaf, node, "max", 0, goalMost)
			for at := 7; n.Kind == plan.NumberVarint && at < n.Bits; at += 7 {
				for i, done := range []string{"the last of a varint group", "the first of a varint group"} {
					code := wire.Mask(at) + uint64(i)
					if kind, _ := p.Info[leaf].Judge(code, 64); kind == reject.None {
						put(id, leaf, node, done, code, goalCode)
					}
				}
			}
		} else if empty, full := g.sized(s); empty || full {
			if empty {
				put(id, -1, node, "empty", 0, goalLeast)
			}
			if full {
				all = append(all, g.full(s)...)
			}
		}
	}
	return all
}

// sized reports whether a list or bytes shall be empty, and as many as there may be: where that does not follow from
// the boundaries of what counts them.
func (g *Generator) sized(s plan.Step) (empty, full bool) {
	within := func(operand uint32, most uint64) bool {
		return g.terms.Within(operand, s.At().ID, most)
	}
	b, bytes := s.(*plan.Blob)
	list, _ := s.(*plan.List)
	switch {
	case bytes && b.Rule != nil && b.Rule.Kind == schema.RuleEq:
		return false, false
	case bytes && (b.Rest || b.Size < 0 && b.Text != 0 || g.open(s)):
		return g.mayBeEmpty(b), true
	case bytes:
		return false, b.Size >= 0 && within(uint32(b.Size), uint64(b.Max))
	case plan.Counted(s):
		count, _ := s.Expr()
		return g.open(s), g.open(s) || within(count, plan.MostOf(s))
	}
	// A list with a condition after its elements has one at least.
	return s.Flow() == plan.Repeat && (list == nil || list.Kind != plan.ListUntil), s.Flow() == plan.Repeat
}

// full are the ways to give the list or the bytes of a step as many as there may be: by a field that says how many, or
// by what is given. There is none where the number follows from several fields.
func (g *Generator) full(s plan.Step) []goal {
	p, id, node := g.plan, s.At().ID, s.At().Node
	to := goal{at: id, leaf: -1, to: id, end: goalMost, node: node, why: string(p.AppendRule(nil, node)) + ": full"}
	if list, ok := s.(*plan.List); ok && list.Kind == plan.ListUntil {
		to.on, to.off = constraint{}, constraint{}
		to.on.add(g, list.End, list.Size, nil, func(v uint64) bool { return v == 0 })
		to.off.add(g, list.End, list.Size, nil, func(v uint64) bool { return v != 0 })
	}
	if b, ok := s.(*plan.Blob); !(ok && b.Size >= 0 || plan.Counted(s)) || g.open(s) {
		return []goal{to}
	}
	var ways []goal
	for leaf, sizings := range g.sizings {
		for _, by := range sizings {
			if by.Point != s.At().Point {
				continue
			}
			if value, ok := by.Most(plan.MostOf(s)); ok {
				to.at, to.leaf, to.end = p.Reader(leaf).At().ID, leaf, goalCode
				to.code = p.Info[leaf].CodeOf(uint64(value), codeWidth(p, leaf))
				ways = append(ways, to)
			}
		}
	}
	return ways
}

// codeWidth is how many bits a leaf's code has at most.
func codeWidth(p *plan.Plan, leaf int) int {
	if width := int(p.Leaves[leaf].Width); width > 0 {
		return width
	}
	return 64
}

// mayBeEmpty reports whether bytes can be none: not where they take all that is left, and some is always left there, as
// in an arm of `switch rest`.
func (g *Generator) mayBeEmpty(b *plan.Blob) bool {
	at, least := g.rooms.At(b.ID)
	_, padding := at.Padding(8)
	return !b.Rest || least < 8+padding
}

// open reports whether the size of a step, or the number of its elements, follows from where the packet ends.
func (g *Generator) open(s plan.Step) bool {
	open := g.plan.Opens()
	i, ok := s.Expr()
	return ok && open != nil && open[i]
}
