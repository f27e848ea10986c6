package fuzz

import (
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// goal is a boundary that a generated packet shall hold.
type goal struct {
	op   int
	leaf int // -1: the bytes or the list of op
	to   int // the op that the packet shall come to: op, or what the leaf is the size of
	code uint64
	end  goalEnd
	why  string
	node plan.NodeID
	on   steering // a list that its elements end: the codes with which it goes on, and those that end it
	off  steering
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

// fewCodes is how many codes a leaf may have to be tried in full.
const fewCodes = 1 << 10

func (g *Generator) choicesOf(leaf int, sizings []plan.Sizing, switches []int) choices {
	p := g.plan
	info, l := &p.Info[leaf], &p.Leaves[leaf]
	c := choices{counts: len(sizings) > 0}
	width := int(l.Width)
	if info.Form() == plan.FormHex {
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
	found := p.Ops[info.Op].Code == plan.OpNumber
	if !found {
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
	for _, pc := range switches {
		s, operand := p.Switches[p.Ops[pc].B], &p.Operands[p.Ops[pc].A]
		for i := range s.Entries[:min(len(s.Entries), labels)] {
			add(info.CodeOf(operand.Key(s.Entries[i].Lo), width))
			add(info.CodeOf(operand.Key(s.Entries[i].Hi), width))
		}
	}
	for code := uint64(0); code <= most && code < uint64(min(fewCodes, g.known.most)); code++ {
		add(code)
	}
	for at := range width {
		add(1 << at)
		add(most >> at)
	}
	for _, v := range g.pool {
		add(info.CodeOf(v, width))
	}
	eachEdge(info, width, add)
	if info.Form() == plan.FormFloat {
		for _, f := range []float64{0, 1, -1, 0.5, 100, -100} {
			add(floatCode(info, f, width))
		}
	}
	slices.Sort(c.all)
	c.all = slices.Compact(c.all)
	return c
}

func floatCode(info *plan.LeafInfo, f float64, width int) uint64 {
	switch {
	case info.Kind == plan.LeafQuant:
		return uint64(info.Quant.Code(float32(f)))
	case width == 32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// allGoals lists every boundary of every field, in the order of the plan.
func (g *Generator) allGoals() []goal {
	p := g.plan
	var all []goal
	put := func(op, leaf int, node plan.NodeID, done string, code uint64, end goalEnd) {
		why := string(p.AppendRule(nil, node)) + ": " + done
		all = append(all, goal{op: op, leaf: leaf, to: op, code: code, end: end, why: why, node: node})
	}
	full := func(pc int) { all = append(all, g.full(pc)...) }
	for pc := range p.Ops {
		op := &p.Ops[pc]
		switch op.Code {
		case plan.OpRun:
			for leaf := int(op.A); leaf < int(op.A+op.B); leaf++ {
				for _, e := range g.leaves[leaf].edges {
					put(pc, leaf, p.Info[leaf].Node, e.done, e.code, goalCode)
				}
			}
		case plan.OpNumber:
			leaf := int(op.A)
			put(pc, leaf, p.Info[leaf].Node, "min", 0, goalLeast)
			put(pc, leaf, p.Info[leaf].Node, "max", 0, goalMost)
			n := p.Numbers[op.B]
			for at := 7; n.Kind == plan.NumberVarint && at < n.Bits; at += 7 {
				for i, done := range []string{"the last of a varint group", "the first of a varint group"} {
					code := wire.Mask(at) + uint64(i)
					if kind, _ := p.Info[leaf].Judge(code, 64); kind == reject.None {
						put(pc, leaf, p.Info[leaf].Node, done, code, goalCode)
					}
				}
			}
		case plan.OpBlob:
			b := p.Blobs[op.A]
			switch {
			case b.Rule != nil && b.Rule.Kind == schema.RuleEq:
			case b.Rest, b.Size < 0 && b.Text != 0, g.open(pc):
				if g.mayBeEmpty(pc) {
					put(pc, -1, op.Node, "empty", 0, goalLeast)
				}
				full(pc)
			case b.Size >= 0 && g.rests.intervalOf(uint32(b.Size), pc).within(uint64(b.Max)) == "":
				full(pc)
			}
		case plan.OpArray:
			if g.open(pc) {
				put(pc, -1, op.Node, "empty", 0, goalLeast)
			}
			if g.rests.intervalOf(op.C, pc).within(op.Imm) == "" || g.open(pc) { // else the ends of its count are its own
				full(pc)
			}
		case plan.OpRepeat:
			// A list with a condition behind its elements has one at least.
			if more := &p.Ops[pc+1]; more.Code != plan.OpMore || more.C != plan.MoreAlways || g.endsByIndex(pc) {
				put(pc, -1, op.Node, "empty", 0, goalLeast)
			}
			full(pc)
		}
	}
	return all
}

// full are the ways to give the list or the bytes of the op at pc as many as there may be: by a field that says how many, or
// by what is given. There is none where the number follows from several fields.
func (g *Generator) full(pc int) []goal {
	p := g.plan
	op := &p.Ops[pc]
	to := goal{op: pc, leaf: -1, to: pc, end: goalMost, node: op.Node, why: string(p.AppendRule(nil, op.Node)) + ": full"}
	operand, most := int32(-1), op.Imm
	switch op.Code {
	case plan.OpBlob:
		operand, most = p.Blobs[op.A].Size, uint64(p.Blobs[op.A].Max)
	case plan.OpArray:
		operand = int32(op.C)
	case plan.OpRepeat:
		if last := &p.Ops[op.B-2]; last.Code == plan.OpUntil && last.A == uint32(pc) {
			to.on, to.off = steering{}, steering{}
			to.on.add(g, int(op.B-2), last.B, func(v uint64) bool { return v == 0 })
			to.off.add(g, int(op.B-2), last.B, func(v uint64) bool { return v != 0 })
		}
	}
	if operand < 0 || g.open(pc) {
		return []goal{to}
	}
	var ways []goal
	for leaf, sizings := range g.sizings {
		for _, s := range sizings {
			if s.Op != uint32(pc) {
				continue
			}
			if value, ok := s.Most(most); ok {
				info := &p.Info[leaf]
				to.op, to.leaf, to.end, to.code = int(info.Op), leaf, goalCode, info.CodeOf(uint64(value), codeWidth(p, leaf))
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

// mayBeEmpty reports whether bytes can be none: not where they take all that is left, and some is always left there, as in an arm of
// `switch rest`.
func (g *Generator) mayBeEmpty(pc int) bool {
	_, padding := g.rooms[pc].padding(8)
	return !g.plan.Blobs[g.plan.Ops[pc].A].Rest || g.rooms[pc].lo < 8+padding
}

// open reports whether the size of the op at pc, or the number of its elements, follows from where the packet ends.
func (g *Generator) open(pc int) bool {
	i, ok := g.plan.Sized(pc)
	return ok && g.plan.Opens() != nil && g.plan.Opens()[i]
}

// endsByIndex reports whether the list at pc ends with an index.
func (g *Generator) endsByIndex(pc int) bool {
	op := &g.plan.Ops[pc+2]
	return op.Code == plan.OpNumber && g.plan.Numbers[op.B].EndLeaf >= 0
}

// eachEdge yields the codes of an enum's cases, and those at the ends of a rule's ranges.
func eachEdge(info *plan.LeafInfo, width int, yield func(code uint64)) {
	value := func(key uint64) {
		if info.IsSigned() {
			key ^= 1 << 63
		}
		yield(info.CodeOf(key, width))
	}
	for key := range info.CaseSet() {
		value(key)
	}
	for lo, hi := range info.RuleSet() {
		value(lo)
		value(hi)
	}
}
