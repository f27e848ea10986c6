package gogen

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// What a writer finds out by itself. A field that can have one value only, and one that says how many elements, bytes
// or bits something has, need not be given: where it is zero, which is what Go makes of a field that nobody sets, it
// becomes what it has to be. Where it is not, it is held against what is there, as decode.Encoder does with what a
// message gives.
//
// A count whose list is written whenever the count is, is the list's length: one expression. All others are lengths of
// which nothing is known before what they size has been written: of windows, and of what stands in branches, arms or
// elements that the count is outside of. They are guessed, found on the way (wire: writer.learn) and written in another
// pass, as the Encoder writes them.

// derivation is how a leaf follows from what it sizes.
type derivation struct {
	direct *plan.Sizing  // from a list, bytes or a text that is always there
	slots  []int         // else: where the steps that it sizes find which length it is
	leads  []plan.Sizing // of these, what stands only where a branch that the leaf itself decides leads to
}

// lengths finds what each leaf sizes, and how.
func (g *gen) lengths() {
	p := g.p
	for leaf, sizings := range p.Sizings() {
		if len(sizings) == 0 || !g.derivable(leaf) {
			continue
		}
		d := &derivation{}
		g.derived[leaf] = d
		mine := p.Around(p.Reader(leaf).At().ID)
		for i := range sizings {
			s := p.StepAt(sizings[i].Point)
			around := p.Around(s.At().ID)
			if _, window := s.(*plan.Window); window || len(around) > len(mine) || !slices.Equal(around, mine[:len(around)]) {
				d.direct = nil
				break
			}
			if d.direct == nil {
				d.direct = &sizings[i]
			}
		}
		if d.direct != nil {
			continue
		}
		for i := range sizings {
			s := p.StepAt(sizings[i].Point)
			g.find(d, s.At().ID, sizings[i])
			if around := p.Around(s.At().ID); len(around) > len(mine) && slices.Equal(mine, around[:len(mine)]) && g.leads(leaf, s, around[len(mine):]) {
				d.leads = append(d.leads, sizings[i])
			}
		}
	}
}

// find gives a step a slot for the length that it is sized by, and the leaf's derivation that slot.
func (g *gen) find(d *derivation, id plan.StepID, s plan.Sizing) {
	slot, ok := g.lengthSlots[id]
	if !ok {
		slot = g.slotCount
		g.slotCount++
		g.lengthSlots[id], g.sizing[id] = slot, s
	}
	if !slices.Contains(d.slots, slot) {
		d.slots = append(d.slots, slot)
	}
}

// leads reports whether a leaf decides one of the branches that lead to what it sizes: with a wrong guess of its value
// the writer would not come there, and would learn nothing. No list may be on the way.
func (g *gen) leads(leaf int, sized plan.Step, on []plan.Turn) bool {
	p, decides := g.p, false
	for _, turn := range on {
		if turn.At.Flow() == plan.Repeat {
			return false
		}
		tag, _ := turn.At.Expr()
		if o := &p.Operands[tag]; o.Kind == plan.OperandLeaf {
			decides = decides || p.LeafOf(o, turn.At.At().ID) == leaf
		}
		for _, slot := range p.Reads(tag) {
			decides = decides || slices.Contains(p.RegisterLeaves[slot], int32(leaf))
		}
	}
	_, window := sized.(*plan.Window)
	return decides && !window && !p.Info[leaf].IsSigned()
}

// related finds the leaves that a requirement over the end of the packet says, and that nothing else does.
func (g *gen) related() {
	for s := range stepsOf[*plan.Require](g.p) {
		e := g.equations[s.Point]
		for _, leaf := range e.Leaves {
			d := g.derived[int(leaf)]
			if !g.derivable(int(leaf)) || d != nil && d.direct != nil {
				continue
			}
			if d == nil {
				d = &derivation{}
				g.derived[int(leaf)] = d
			}
			g.find(d, s.ID, plan.Sizing{K: e.K, C: e.C})
		}
	}
}

// derivable reports whether a leaf has a field of its own in which zero can stand for nothing given.
func (g *gen) derivable(leaf int) bool {
	info := &g.p.Info[leaf]
	if g.p.Nodes[info.Node].Kind != plan.NodeLeaf {
		return false
	}
	if _, one := g.only(leaf); one {
		return false
	}
	return rowOf(info).sizes
}

// isZero is the condition under which a field holds what nobody has set.
func isZero(place string, t *goType) string {
	if t.shape == shapeBool {
		return "!" + place
	}
	return place + " == 0"
}

// codeOfValue is the code of a value, a uint64 that is a number of the leaf's own kind.
func codeOfValue(l *plan.LeafInfo, value string) string {
	switch {
	case l.ZigZag:
		return fmt.Sprintf("%s<<1^uint64(int64(%s)>>63)", value, value)
	case l.Base != 0:
		return fmt.Sprintf("%s-%#x", value, l.Base)
	}
	return value
}

// derive gives a leaf's code where its field is zero, and reports whether it did: then the code may be any.
func (f *function) derive(leaf int, name string) bool {
	g := f.g
	d := g.derived[leaf]
	if d == nil {
		return false
	}
	info := &g.p.Info[leaf]
	place, ladder := f.place(info.Node), g.ladder(int32(leaf))
	if ladder {
		place += ".Value"
	}
	zero := isZero(place, g.fieldTypeOf(info.Node, int(g.p.Leaves[leaf].Width)))
	if d.direct != nil {
		f.p("if %s { %s = %s }", zero, name, codeOfValue(info, f.valueFor(d.direct)))
		return true
	}
	guess := literal(info.Base)
	for i := range d.leads {
		guess = fmt.Sprintf("max(%s, %s)", guess, f.valueFor(&d.leads[i]))
	}
	if ladder {
		guess = fmt.Sprintf("previous%d + 1", g.p.Reader(leaf).At().ID)
	}
	slot := f.slot(d.slots[0])
	f.p("%s = 0", slot)
	f.p("if %s {", zero)
	f.p("%s, %s = w.ask(%s)", name, slot, guess)
	if code := codeOfValue(info, name); code != name {
		f.p("%s = %s", name, code)
	}
	f.p("}")
	for _, other := range d.slots[1:] {
		f.p("%s = %s", f.slot(other), slot)
	}
	return true
}

// valueFor is the value that the size of what is there gives a leaf.
func (f *function) valueFor(s *plan.Sizing) string {
	size := f.length(f.g.p.StepAt(s.Point).At().Node)
	if s.K != 1 || s.C != 0 {
		size = fmt.Sprintf("sized(%s, %d, %d)", size, s.K, s.C)
	}
	return size
}

// certain adds to the condition under which a leaf is refused that it is no guess.
func (f *function) certain(leaf int, cond string) string {
	if d := f.g.derived[leaf]; cond != "" && d != nil && d.direct == nil {
		return "(" + cond + ") && w.certain()" // in the dark what follows from the packet's end is no more than a guess
	}
	return cond
}

// sizedBy is the length that a step has its size from, and the condition under which what is there contradicts it; ""
// where the size is always given. most, where it is not "", is what the size may be: a field that cannot hold it is
// refused before, in the pass that writes it there.
func (f *function) sizedBy(id plan.StepID, size, most string) (length, contradicts string) {
	slot, ok := f.g.lengthSlots[id]
	if !ok {
		return "", ""
	}
	s := f.g.sizing[id]
	length = f.slot(slot)
	contradicts = fmt.Sprintf("!w.learn(%s, %s, %d, %d)", length, size, s.K, s.C)
	if most != "" {
		contradicts = fmt.Sprintf("(%s || %s > %s && !w.found.retry)", contradicts, size, most)
	}
	return length, contradicts
}

// only is the code of a leaf that can have one value only, where that is not the one of a field that nobody sets.
func (g *gen) only(leaf int) (code uint64, ok bool) {
	info, width := &g.p.Info[leaf], int(g.p.Leaves[leaf].Width)
	code, ok = info.Constant(width)
	switch {
	case ok:
		return code, true
	case info.TypeSpan == 0 && info.Kind == plan.LeafRanged:
		return 0, true
	}
	return 0, false
}

// deriveOnly gives a leaf the one code that it can have, where its field is zero.
func (f *function) deriveOnly(leaf int, name string) {
	g := f.g
	code, ok := g.only(leaf)
	if !ok {
		return
	}
	info, width := &g.p.Info[leaf], int(g.p.Leaves[leaf].Width)
	place, t := f.place(info.Node), g.fieldTypeOf(info.Node, width)
	if info.Signed && int(t.size)*8 > width {
		code = uint64(wire.SignExtend(code, width)) // as a field has it: what is after this looks at its high bits
	}
	zero := isZero(place, t)
	if info.Kind == plan.LeafFloat {
		zero = name + " == 0" // -0.0 is no field that nobody sets
	}
	f.p("if %s { %s = %s }", zero, name, literal(code))
}

// deriveNumber is what a number whose width is found on the way has in place of a zero.
func (f *function) deriveNumber(leaf int, name, place string) {
	g := f.g
	info := &g.p.Info[leaf]
	if r := info.Rule; r != nil && r.Kind == schema.RuleEq && r.Want != nil {
		value := r.Want.Uint64()
		if r.Want.Sign() < 0 {
			value = uint64(r.Want.Int64())
		}
		zero := isZero(place, g.fieldTypeOf(info.Node, int(g.p.Leaves[leaf].Width)))
		f.p("if %s { %s = %s }", zero, name, literal(info.CodeOf(value, 0)))
		return
	}
	f.derive(leaf, name)
}

// lengthRoom is how many lengths a writer has room for; more are in memory that packets share.
const lengthRoom = 64
