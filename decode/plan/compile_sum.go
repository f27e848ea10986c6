package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// A checksum covers what lies between two ends. Where an end is no constant, a Let before it saves the bit.

// place is where an element or the inside of a window begins. Its register is made where a checksum asks for it.
type place struct {
	at, end  schema.Places // end only of a window
	register int32
	sums     *group // of an element
}

// group is the checksums of the packet outside arrays, or of an element outside the arrays in it: no others of the same
// bits can cover each other.
type group struct{ sums []*Checksum }

// sumEnd is where an end of a coverage can lie.
type sumEnd struct {
	at     schema.Places
	onByte string // the last field before it that begins on a byte
}

// here is an expression for the bit at hand, rounded up to a multiple of align.
func (c *compiler) here(align int) uint32 {
	c.p.Operands = append(c.p.Operands, Operand{Kind: OperandCode, Start: uint32(len(c.p.Insts)), Expr: hereExpr})
	c.inst(Inst{Code: instHere, A: uint32(align)})
	c.p.Operands[len(c.p.Operands)-1].End = uint32(len(c.p.Insts))
	return uint32(len(c.p.Operands) - 1)
}

// hereExpr stands for the place of a coverage's end.
var hereExpr = &schema.TypedExpr{Text: "here", Lo: zero, Hi: maxInt64}

// end saves the bit where a coverage begins or ends; v is nil where none does.
func (c *compiler) end(v *schema.Var, align int, node NodeID, pos schema.Pos, sc *scope) {
	if v == nil {
		return
	}
	register := c.register(sc, v)
	at := c.at
	if align > 1 {
		at = at.Align(uint64(align))
	}
	e := c.ends[register]
	c.ends[register] = sumEnd{e.at | at, c.onByte}
	c.put(&Let{Register: register, Value: c.here(align), Leaf: -1}, node, pos)
}

// opens compiles the inside of an element or a window, before which it saves the bit where a checksum asks for it.
// No run goes on into it.
func (c *compiler) opens(now **place, p *place, node NodeID, pos schema.Pos, make func()) {
	around, at := *now, len(c.block)
	p.at, p.register = c.at, -1
	*now = p
	make()
	if *now = around; p.register < 0 {
		return
	}
	c.put(&Let{Register: uint32(p.register), Value: c.here(1), Leaf: -1}, node, pos)
	let := c.block[len(c.block)-1]
	let.At().Room = p.at
	copy(c.block[at+1:], c.block[at:])
	c.block[at] = let
}

// elem compiles the element of an array.
func (c *compiler) elem(node NodeID, pos schema.Pos, make func()) {
	window, p := c.win, &place{sums: &group{}}
	c.win = nil
	c.opens(&c.element, p, node, pos, make)
	c.win = window
	c.groups = append(c.groups, p.sums)
}

// of is the register of a place.
func (c *compiler) of(p *place) int32 {
	if p.register < 0 {
		p.register = int32(c.temp())
		c.ends[uint32(p.register)] = sumEnd{at: p.at}
	}
	return p.register
}

// checksum compiles a checksum, after the values that are added to what it covers.
func (c *compiler) checksum(t *schema.ChecksumType, val *schema.Value, n Node, sc *scope) NodeID {
	n.Kind = NodeLeaf
	id := c.node(n)
	s := &Checksum{Algorithm: t.Algorithm, Xor: t.Xor, Swap: val.Swap, Index: uint32(len(c.p.Checksums)), Windowed: c.win != nil}
	c.covers(s, t, val.Pos, sc)
	s.Prefix, s.Suffix = c.sumParts(t.Prefix, id, sc), c.sumParts(t.Suffix, id, sc)
	mask := wire.Mask(t.Algorithm.Width)
	s.Leaf = uint32(c.looseLeaf(Leaf{Width: uint8(t.Algorithm.Width), Swap: val.Swap}, LeafInfo{Node: id, Kind: LeafChecksum, TypeSpan: mask}))
	c.p.Checksums = append(c.p.Checksums, s)
	c.put(s, id, n.Pos)
	return id
}

// covers finds the ends of what a checksum covers. Both lie on bytes, in an array in the same element.
func (c *compiler) covers(s *Checksum, t *schema.ChecksumType, pos schema.Pos, sc *scope) {
	all, where := c.groups[0], "outside arrays"
	if c.element != nil {
		all, where = c.element.sums, "in an element"
	}
	if all.sums = append(all.sums, s); len(all.sums) > schema.MaxSums {
		c.complain(pos, "", "at most %d checksums are %s", schema.MaxSums, where)
	}
	s.From, s.To = SumEnd{t.From.Kind, -1}, SumEnd{t.To.Kind, -1}
	switch {
	case t.From.Kind == schema.SumField:
		s.From.Register = int32(c.resolve(sumPath(t.From.Path, t.From.Path[len(t.From.Path)-1].First), sc))
	case t.From.Kind == schema.SumStart && c.element != nil:
		s.From.Register = c.of(c.element)
	case t.From.Kind == schema.SumAround && c.win != nil:
		s.From.Register = c.of(c.win)
	}
	switch {
	case t.To.Kind == schema.SumField:
		s.To.Register = int32(c.resolve(sumPath(t.To.Path, t.To.Path[len(t.To.Path)-1].Behind), sc))
	case t.To.Kind == schema.SumAround && c.element != nil && c.win == nil:
		c.complain(pos, "say what it covers, as in `over a..`", "a checksum in an array covers bits of its own element: this one covers all that is around it")
	case t.To.Kind == schema.SumAround && c.win != nil && !c.win.end.OnBytes():
		c.complain(pos, "say what it covers, as in `over a..`", "the window that this checksum covers may end in the middle of a byte")
	}
	if r := s.From.Register; r >= 0 && !c.ends[uint32(r)].at.OnBytes() {
		fix := ""
		if name := c.ends[uint32(r)].onByte; name != "" {
			fix = "begin at `" + name + "`"
		}
		c.complain(pos, fix, "the coverage begins in the middle of a byte")
	}
	if r := s.To.Register; r >= 0 && !c.ends[uint32(r)].at.OnBytes() {
		c.complain(pos, "", "the coverage ends in the middle of a byte")
	}
}

// sumPath is the path of what stands for an end of the field at another.
func sumPath(path []*schema.Var, end *schema.Var) []*schema.Var {
	return append(path[:len(path)-1:len(path)-1], end)
}

func (c *compiler) complain(pos schema.Pos, fix, format string, args ...any) {
	d := errorAt(pos, format, args...)
	d.Fix = fix
	c.diags = append(c.diags, d)
}

// circles finds the checksums that cover each other.
func (c *compiler) circles() {
	for _, g := range c.groups {
		for i, b := range g.sums {
			for _, a := range g.sums[:i] {
				if c.p.seals(a, b) && c.p.seals(b, a) {
					name := func(s *Checksum) string { return c.p.Nodes[s.Node].Name }
					c.complain(b.Pos, "", "`%s` and `%s` cover each other: no writer can make both", name(a), name(b))
				}
			}
		}
	}
}

// seals reports whether a checksum covers another one, of a packet that has both.
func (p *Plan) seals(s, other *Checksum) bool {
	from, to := p.covered(s)
	return from <= other.ID && other.ID < to && !p.exclude(s.ID, other.ID)
}

// exclude reports whether no packet comes by both of two steps.
func (p *Plan) exclude(a, b StepID) bool {
	way := func(all []Block, id StepID) int {
		return slices.IndexFunc(all, func(b Block) bool {
			return len(b.Steps) > 0 && b.Steps[0].At().ID <= id && id < b.Steps[len(b.Steps)-1].At().End
		})
	}
	for up := p.Steps[a].At().Up; up != NoStep; up = p.Steps[up].At().Up {
		s := p.Steps[up]
		if at := s.At(); s.Flow() == Choose && at.ID < b && b < at.End && way(s.Blocks(), a) != way(s.Blocks(), b) {
			return true
		}
	}
	return false
}

// covered are the steps whose bits a checksum can cover: those from one on, up to before the other.
func (p *Plan) covered(s *Checksum) (from, to StepID) {
	to = s.ID
	if s.From.Kind == schema.SumOwn {
		from = s.ID + 1
	} else if s.From.Register >= 0 {
		from = p.ends[s.From.Register][0]
	}
	if s.To.Register >= 0 {
		to = p.ends[s.To.Register][1]
	} else if s.To.Kind == schema.SumAround {
		to = StepID(len(p.Steps))
		for up := s.Up; s.Windowed && up != NoStep; up = p.Steps[up].At().Up {
			if w, ok := p.Steps[up].(*Window); ok {
				return from, w.End
			}
		}
	}
	return from, to
}

// findEnds finds, of each register that has an end of a coverage, the first and the last step that writes it.
func (p *Plan) findEnds() {
	p.ends = map[int32][2]StepID{}
	for _, s := range p.Checksums {
		for _, e := range []SumEnd{s.From, s.To} {
			if e.Register >= 0 {
				p.ends[e.Register] = [2]StepID{StepID(len(p.Steps)), 0}
			}
		}
	}
	if len(p.ends) == 0 {
		return
	}
	for _, s := range p.Steps {
		let, ok := s.(*Let)
		if !ok {
			continue
		}
		if e, ok := p.ends[int32(let.Register)]; ok {
			p.ends[int32(let.Register)] = [2]StepID{min(e[0], let.ID), max(e[1], let.ID)}
		}
	}
}

func (c *compiler) sumParts(values []schema.SumValue, id NodeID, sc *scope) []SumPart {
	var parts []SumPart
	for _, v := range values {
		part := SumPart{Register: -1, Size: v.Width / 8, BigEndian: v.BigEndian}
		if v.Value.IsConst() {
			part.Value = Low64(v.Value.Val)
		} else {
			register := c.temp()
			c.put(&Let{Register: register, Value: c.operand(v.Value, sc), Leaf: -1}, id, c.p.Nodes[id].Pos)
			part.Register = int32(register)
		}
		parts = append(parts, part)
	}
	return parts
}
