package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// code is the code of a leaf of a run, and the condition under which it cannot be written.
func (f *function) code(leaf int, name string) (code, cond string) {
	g := f.g
	l, info := &g.p.Leaves[leaf], &g.p.Info[leaf]
	width := int(l.Width)
	node := &g.p.Nodes[info.Node]
	if sent := rowOf(info).sent; sent != nil {
		return sent(f, info, width), ""
	}
	if node.Kind == plan.NodeItem && !f.has(info.Node) {
		n := f.length(node.Parent)
		if info.Base != 0 {
			n += fmt.Sprintf("-%#x", info.Base)
		}
		return n, g.unfit(l, info, name, false)
	}
	t := g.fieldTypeOf(info.Node, width)
	code = rowOf(info).code(info, t, f.place(info.Node))
	if info.Quant != nil && t.text == "float32" && info.Rule == nil && !info.Swap {
		return code, "" // it is never above the last step
	}
	derived := g.derived[leaf] != nil
	if info.Signed && (int(t.size)*8 > width || derived && width < 64) {
		// What does not come back from its low bits is no number of this width.
		return code, fmt.Sprintf("extend(%s, %d) != %s", name, width, name)
	}
	if info.Signed && width < 64 {
		code += fmt.Sprintf(" & %#x", wire.Mask(width))
	}
	fits := !derived && (t.shape == shapeBool || info.Signed || info.Base == 0 && !info.ZigZag && int(t.size)*8 <= width)
	return code, g.unfit(l, info, name, fits)
}

// unfit is the condition under which a code is refused; fits says that its bits are sure to hold it.
func (g *gen) unfit(l *plan.Leaf, info *plan.LeafInfo, name string, fits bool) string {
	cond := g.refused(l, info, name)
	if fits || l.Width == 64 || cond != "" && l.Count > 0 {
		return cond
	}
	wide := fmt.Sprintf("%s > %#x", name, l.Mask)
	if cond == "" {
		return wide
	}
	return wide + " || " + cond
}

// length is how many elements a list has, or bytes or units a text, as a uint64.
func (f *function) length(id plan.NodeID) string {
	g, place, t := f.g, f.place(id), f.g.fieldTypeOf(id, 0)
	b := g.blob(id)
	if b == nil {
		return "uint64(" + count(place, t) + ")"
	}
	c := g.constantText(id)
	if c == "" && textSize(b, "") == "len()" {
		return "uint64(" + count(place, t) + ")"
	}
	if t.fixed {
		place += ".Slice()"
	}
	if c != "" {
		place = fmt.Sprintf("either(%s, %s)", place, c)
	}
	return "uint64(" + textSize(b, place) + ")"
}

// constantText is a variable with the one text that a field can hold, "" where there are more.
func (g *gen) constantText(id plan.NodeID) string {
	r := g.blob(id).Rule
	if r == nil || r.Kind != schema.RuleEq {
		return ""
	}
	return g.once("text", "var %s = []byte("+strings.ReplaceAll(fmt.Sprintf("%q", r.Bytes), "%", "%%")+")")
}

func (f *function) writeRun(s *plan.Run) {
	leaves := f.g.p.Leaves[s.First:][:s.N]
	order := s.Order
	bytewise := order == wire.Bytewise && f.phase == 0
	for i := range leaves {
		bytewise = bytewise && leaves[i].Width%8 == 0
	}
	if order == wire.Bytewise && !bytewise {
		f.room = 0
		for i := range leaves {
			f.writeLeaf(s, i, fmt.Sprintf("bit-%d", leaves[i].Off))
			if leaves[i].Width > 0 {
				f.p("b, bit = put(bousk, b, bit, %s, %d)", f.wire(s, i), leaves[i].Width)
			}
		}
		return
	}
	if bytewise {
		order = wire.LSB
	}
	f.words64(s.ID, f.parts(s, 0), int(s.Bits), order)
}

// parts are the fields of a run that begins off bits after bit.
func (f *function) parts(s *plan.Run, off int) []part {
	leaves := f.g.p.Leaves[s.First:][:s.N]
	start := behind(off)
	var all []part
	for i := range leaves {
		all = append(all, part{func() { f.writeLeaf(s, i, start) }, f.wire(s, i), off + int(leaves[i].Off), int(leaves[i].Width)})
	}
	return all
}

// behind is the position off bits after bit.
func behind(off int) string {
	if off == 0 {
		return "bit"
	}
	return fmt.Sprintf("bit+%d", off)
}

// wire is the code of a leaf as it is sent.
func (f *function) wire(s *plan.Run, i int) string {
	leaf := s.First + i
	if f.g.p.Info[leaf].Swap {
		return fmt.Sprintf("swapBytes(c%d, %d)", leaf, f.g.p.Leaves[leaf].Width)
	}
	return fmt.Sprintf("c%d", leaf)
}

// joined writes runs that follow each other as one, and gives how many steps that were; 0 where there is nothing to
// join. Steps between two runs that have no bits are done where they stand. ahead is a set bit before the first.
func (f *function) joined(b []plan.Step, ahead bool) int {
	if len(b) == 0 {
		return 0
	}
	first, ok := b[0].(*plan.Run)
	if !ok || first.Order == wire.Bytewise {
		return 0
	}
	var parts []part
	off, runs, n := 0, 0, 0
	if ahead {
		parts, off, runs = append(parts, part{func() {}, "uint64(1)", 0, 1}), 1, 1
	}
	last := first
	var between []part
	for i, s := range b {
		start := off
		if run, ok := s.(*plan.Run); ok && run.Order == first.Order {
			parts = append(append(parts, between...), f.parts(run, off)...)
			last, off, runs, n = run, off+int(run.Bits), runs+1, i+1
			between = []part{{emit: func() { f.save(run) }}}
		} else if unit, ok := s.(*plan.Unit); ok {
			between = append(between, part{emit: func() { f.writeUnit(unit, start) }})
		} else if _, mark := s.(*plan.Open); !mark {
			break
		}
	}
	if runs < 2 {
		return 0
	}
	start := first.Room
	if ahead {
		start = start.Plus(63)
	}
	f.phase, f.rest = start.Phase(), b[n:]
	f.words64(first.ID, parts, off, first.Order)
	f.save(last)
	return n
}

// writeUnit refuses a quaternion that ends off bits after bit.
func (f *function) writeUnit(s *plan.Unit, off int) {
	width := 2 + 3*int(s.Bits)
	at := behind(off - width)
	if off < width {
		at = fmt.Sprintf("bit-%d", width-off)
	}
	f.p("%s", ifNotUnit(s, f.refuse("RejectNonUnit", at, fmt.Sprint(width), f.g.pathOf(s.Node))))
}

// writeLeaf takes the code of a leaf and judges it.
func (f *function) writeLeaf(s *plan.Run, i int, start string) {
	g, leaf := f.g, s.First+i
	l, info := &g.p.Leaves[leaf], &g.p.Info[leaf]
	table := g.leafTable(s.First, s.N)
	name := fmt.Sprintf("c%d", leaf)
	code, cond := f.code(leaf, name)
	f.p("%s := %s", name, code)
	if g.p.Nodes[info.Node].Kind == plan.NodeLeaf && rowOf(info).sent == nil {
		f.deriveOnly(leaf, name)
		f.derive(leaf, name)
	}
	stop := fmt.Sprintf("return b, w.stop(&%s[%d], %s, %s)", table, i, name, start)
	signed, unfit := strings.HasPrefix(cond, "extend"), stop
	if signed && info.Rule != nil { // its low bits may be a code that the rule refuses as something else
		unfit = fmt.Sprintf("return b, w.stop(&%s[%d], ^uint64(0), %s)", table, i, start)
	}
	if cond != "" {
		f.p("if %s { %s }", f.certain(leaf, cond), unfit)
	}
	if signed {
		f.p("%s &= %#x", name, l.Mask)
		if rest := g.refused(l, info, name); rest != "" {
			f.p("if %s { %s }", f.certain(leaf, rest), stop)
		}
	}
	if l.Width == 0 && !g.wanted[leaf] {
		f.p("_ = %s", name)
	}
}
