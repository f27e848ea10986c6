package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// function is a Go function being written: a part of the packet's reader or writer.
type function struct {
	g      *gen
	write  bool
	name   string
	typ    *goType     // of what v points to
	base   plan.NodeID // the node that v is
	bind   map[plan.NodeID]string
	b      strings.Builder
	locals map[int]bool // slots that it keeps
	phase  int          // position modulo 8 where the step at hand begins, -1 when unknown
	filled *plan.Window // Decode: the one around it that is filled with zeros
	rest   []plan.Step  // of the block at hand: those after the one that is being written
	room   int          // Append: how many bits b is known to have room for, from bit on
	kept   string       // Append: in such a window, the variable that says where bytes end that are as many as are there
}

func (f *function) p(format string, args ...any) {
	fmt.Fprintf(&f.b, format, args...)
	f.b.WriteByte('\n')
}

// state is the receiver.
func (f *function) state() string {
	if f.write {
		return "w"
	}
	return "r"
}

// fail is the statement that ends the function with a refusal.
func (f *function) fail(call string) string {
	if f.write {
		return "return b, " + call
	}
	return "return " + call
}

func (f *function) refuse(kind, bit, width, path string) string {
	return f.fail(fmt.Sprintf("%s.refuse(%s, %s, %s, %s)", f.state(), kind, bit, width, path))
}

// place is the Go expression of what a node holds.
func (f *function) place(id plan.NodeID) string {
	if text, ok := f.bind[id]; ok {
		return text
	}
	n := &f.g.p.Nodes[id]
	if n.Parent == plan.NoNode {
		panic("pktscope: internal error: a node outside its function")
	}
	name, ok := f.g.field[id]
	up := n.Parent
	if sw, isArm := f.g.arm[id]; isArm {
		return f.place(sw) + "." + name
	}
	if !ok {
		panic("pktscope: internal error: no field for " + string(f.g.p.AppendRule(nil, id)))
	}
	return f.place(up) + "." + name
}

// has reports whether a node has a field.
func (f *function) has(id plan.NodeID) bool {
	_, ok := f.g.field[id]
	if !ok {
		_, ok = f.bind[id]
	}
	return ok
}

// slot is a saved value.
func (f *function) slot(s int) string {
	if at, shared := f.g.shared[f.write][s]; shared {
		return fmt.Sprintf("%s.s[%d]", f.state(), at)
	}
	f.locals[s] = true
	return fmt.Sprintf("s%d", s)
}

// pathOf is the path of a node as a Go string with [] for the indexes.
func (g *gen) pathOf(id plan.NodeID) string {
	for id != plan.NoNode && g.p.Nodes[id].Kind == plan.NodeItem && !g.p.Nodes[id].Named {
		id = g.p.Nodes[id].Parent
	}
	if id == plan.NoNode {
		return `""`
	}
	return fmt.Sprintf("%q", g.p.AppendPath(nil, id, func() (uint64, bool) { return 0, false }))
}

// maxWeight is how many ops and leaves a function has, about: compilers take more than linear time over long ones.
const maxWeight = 400

// steps writes a block, in parts of their own where it is long.
func (f *function) steps(steps []plan.Step) {
	b := flat(steps)
	if f.g.weightOf(b) <= f.g.weight || !f.pointer() {
		f.sequence(b)
		return
	}
	for len(b) > 0 {
		n, weight := 0, 0
		for n < len(b) && (weight < f.g.weight || !cuttable(b[n])) {
			weight += f.g.weights[b[n].At().ID]
			n++
		}
		f.rest, f.room = nil, 0
		if _, run := b[0].(*plan.Run); n == 1 && !run {
			f.step(b[0]) // it is parted inside
		} else {
			f.part(b[:n])
		}
		b = b[n:]
	}
}

// sequence writes steps one after the other; runs that follow each other are one.
func (f *function) sequence(b []plan.Step) {
	for len(b) > 0 {
		n := 0
		switch {
		case f.g.tooLong():
		case f.write:
			n = f.joined(b, false)
		default:
			n = f.readJoined(b)
		}
		if n == 0 {
			f.rest = b[1:]
			f.step(b[0])
			n = 1
		}
		b = b[n:]
	}
	f.room = 0
}

// cuttable reports whether nothing in a step looks at the run before it.
func cuttable(s plan.Step) bool {
	_, number := s.(*plan.Number)
	_, blob := s.(*plan.Blob)
	_, unit := s.(*plan.Unit)
	_, asks := s.Expr()
	return s.Flow() == plan.Straight && !asks && !number && !blob && !unit
}

// pointer reports whether the innermost place is a struct, so that a function can be given it.
func (f *function) pointer() bool { return f.typ.shape == shapeStruct && f.typ.text != "" }

// part writes a block as a function of its own and calls it.
func (f *function) part(b []plan.Step) {
	inner := f.g.function(f.write, f.typ, f.base)
	if w := f.filled; w != nil {
		inner.filled = w
		at := f.g.fillSlots[w.ID]
		inner.p("shift%d, ends%d := int(%s), int(%s)", w.ID, w.ID, inner.slot(at), inner.slot(at+1))
		inner.p("_, _ = shift%d, ends%d", w.ID, w.ID)
	}
	inner.sequence(b)
	inner.close()
	v := f.bind[f.base]
	if f.write {
		f.p("if b, bit = w.%s(%s, b, bit, end); bit < 0 { return b, -1 }", inner.name, v)
		return
	}
	f.p("if bit = r.%s(%s, data, bit, end); bit < 0 { return -1 }", inner.name, v)
}

// function begins a function over a place.
func (g *gen) function(write bool, t *goType, base plan.NodeID) *function {
	g.functions++
	prefix := "read"
	if write {
		prefix = "write"
	}
	return &function{
		g: g, write: write, name: fmt.Sprintf("%s%d", prefix, g.functions), typ: t, base: base,
		bind: map[plan.NodeID]string{base: "v"}, locals: map[int]bool{},
	}
}

// close ends a function and adds it to the source.
func (f *function) close() {
	out := &f.g.code
	if f.write {
		fmt.Fprintf(out, "\nfunc (w *writer) %s(v *%s, b []byte, bit, end int) ([]byte, int) {\n", f.name, f.typ.text)
	} else {
		fmt.Fprintf(out, "\nfunc (r *PacketReader) %s(v *%s, data []byte, bit, end int) int {\n", f.name, f.typ.text)
	}
	for s := range f.g.slotCount {
		if f.locals[s] {
			fmt.Fprintf(out, "var s%d uint64\n", s)
		}
	}
	out.WriteString(f.b.String())
	if f.write {
		out.WriteString("return b, bit\n}\n")
	} else {
		out.WriteString("return bit\n}\n")
	}
}

// step writes one step with what it brackets.
func (f *function) step(s plan.Step) {
	if f.g.tooLong() {
		return
	}
	f.phase = s.At().Room.Phase()
	if f.write {
		f.writeStep(s)
	} else {
		f.readStep(s)
	}
}

// choose writes a switch. Tags are compared as they are where they are few, as intervals elsewhere.
func (f *function) choose(sw *plan.Switch, fallback func()) {
	tag := f.operand(sw.Tag, sw)
	bias := uint64(0)
	if f.g.p.Operands[sw.Tag].Signed {
		bias = 1 << 63
	}
	total := uint64(0)
	for i := range sw.Entries {
		total += min(sw.Entries[i].Hi-sw.Entries[i].Lo+1, 1<<20)
		if sw.Entries[i].Hi-sw.Entries[i].Lo == ^uint64(0) {
			total += 1 << 20
		}
	}
	const few = 64
	name := fmt.Sprintf("t%d", sw.ID)
	f.p("%s := %s", name, tag.word())
	if f.write && f.g.isOpen(sw.Tag) {
		f.darkTag(sw, name)
	}
	if total <= few {
		f.p("switch %s {", name)
	} else {
		f.p("switch {")
	}
	cases := 0
	isDefault := func(arm *plan.Block) bool { return sw.Item.Arms[arm.Arm].Default }
	for i := range sw.Arms {
		a := &sw.Arms[i]
		var labels []string
		for j := range sw.Entries {
			e := &sw.Entries[j]
			if e.Arm != a.Arm {
				continue
			}
			if total > few {
				labels = append(labels, between(name, e.Lo^bias, e.Hi-e.Lo))
				continue
			}
			for k := e.Lo; ; k++ {
				labels = append(labels, literal(k^bias))
				if k == e.Hi {
					break
				}
			}
		}
		if len(labels) == 0 || isDefault(a) {
			continue
		}
		f.p("case %s:", strings.Join(labels, ", "))
		cases++
		f.steps(a.Steps)
	}
	f.p("default:")
	if sw.Default < 0 {
		fallback()
	} else {
		for i := range sw.Arms {
			if isDefault(&sw.Arms[i]) {
				f.steps(sw.Arms[i].Steps)
			}
		}
	}
	f.p("}")
	if cases == 0 && total > few {
		f.p("_ = %s", name)
	}
}
