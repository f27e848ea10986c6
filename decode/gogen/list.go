package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Lists. A Go slice grows by what the datagram really holds: a count is the attacker's, and what it promises must have
// its bits before it has memory.

// element binds the element of a list for a block that is inside it, and gives what undoes it.
func (f *function) element(list plan.NodeID, id plan.StepID) func() {
	g := f.g
	bound := []plan.NodeID{}
	set := func(id plan.NodeID, text string) {
		f.bind[id] = text
		bound = append(bound, id)
	}
	t := g.elemType(list)
	item := fmt.Sprintf("l%d[i%d]", id, id)
	var elems []plan.NodeID
	for _, child := range g.kids[list] {
		if g.p.Nodes[child].Elem {
			elems = append(elems, child)
		}
	}
	pointer := t.shape == shapeStruct && t.text != "struct{}"
	if pointer {
		f.p("e%d := &%s", id, item)
		item = fmt.Sprintf("e%d", id)
	}
	wasBase, wasType := f.base, f.typ
	if g.wrapped[list] {
		for _, e := range elems {
			set(e, item+"."+g.field[e])
		}
		f.typ = &goType{}
	} else {
		set(elems[0], item)
		f.base, f.typ = elems[0], t
		if !pointer {
			f.typ = &goType{}
		}
	}
	from := f.b.Len()
	return func() {
		if pointer && !mentions(f.b.String()[from:], item) {
			f.p("_ = %s", item)
		}
		for _, id := range bound {
			delete(f.bind, id)
		}
		f.base, f.typ = wasBase, wasType
	}
}

// mentions reports whether Go source has an identifier in it.
func mentions(source, name string) bool {
	for {
		at := strings.Index(source, name)
		if at < 0 {
			return false
		}
		before := at == 0 || !isWord(source[at-1])
		source = source[at+len(name):]
		if before && (source == "" || !isWord(source[0])) {
			return true
		}
	}
}

func isWord(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

// elemType is the Go type of a list's elements.
func (g *gen) elemType(list plan.NodeID) *goType { return g.fieldTypeOf(list, 0).elem }

// elemBits is the fewest bits that an element takes.
func (g *gen) elemBits(list plan.NodeID) uint64 {
	for _, child := range g.kids[list] {
		if n := &g.p.Nodes[child]; n.Elem && n.Value != nil {
			if optional(g.kids[list], g) {
				return 1
			}
			return n.Value.MinBits
		}
	}
	return 1 // of a subset, its index; where that has no bits there is but one
}

func optional(kids []plan.NodeID, g *gen) bool {
	n := 0
	for _, k := range kids {
		if g.p.Nodes[k].Elem {
			n++
		}
	}
	return n > 1
}

func (f *function) readList(s *plan.List) {
	if s.Kind == plan.ListCount {
		f.readCounted(s, s.Size, s.Max, s.Depth, s.Body)
		return
	}
	id := s.ID
	f.p("{")
	f.p("l%d := %s", id, empty(f.place(s.Node), f.g.fieldTypeOf(s.Node, 0)))
	f.p("for i%d := 0; ; i%d++ {", id, id)
	if s.Kind == plan.ListRest {
		f.p("if end-bit < %d { break }", s.Left)
	} else if s.Kind == plan.ListWhile {
		f.p("if %s { break }", not(f.operand(s.Size, s).bool()))
	}
	f.bounded(s, s.Max)
	f.p("r.at[%d] = i%d", s.Depth, id)
	f.another(s)
	done := f.element(s.Node, id)
	f.steps(s.Body)
	done()
	if s.Kind == plan.ListUntil {
		f.p("if %s { break }", f.operand(s.Size, s).bool())
	}
	f.endList(s)
}

// readCounted reads a list that knows its count.
func (f *function) readCounted(s plan.Step, size uint32, most uint64, depth int, body []plan.Step) {
	g, node, id := f.g, s.At().Node, s.At().ID
	t := g.fieldTypeOf(node, 0)
	place := f.place(node)
	f.p("{")
	f.p("n%d := %s", id, f.operand(size, s).word())
	f.p("if n%d > %d { %s }", id, most, f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(node)))
	run, fixed := g.fixedElements(body, most)
	if fixed {
		f.p("if uint64(end-bit) < %d*n%d { return r.short(%s, %s[:], data, bit, end, %d, %d) }", run.bits, id, run.order, g.stretchTable(&run), run.bits, depth)
	}
	switch {
	case t.shape == shapeArray:
		f.p("l%d := %s[:]", id, place)
	case t.fixed:
		f.p("l%d := %s.At[:min(n%d, %d)]", id, place, id, t.n)
		f.p("%s", assign(place, fmt.Sprintf("l%d", id), t))
	default:
		room := fmt.Sprintf("int(n%d)", id)
		if bits := g.elemBits(node); bits > 0 && !fixed {
			room = fmt.Sprintf("min(%s, (end-bit)/%d+1)", room, bits)
		}
		f.p("l%d := grow(%s, %s)", id, place, room)
		f.p("%s = l%d", place, id)
	}
	if t.elem.text == "struct{}" {
		f.p("_ = l%d", id)
	}
	if fixed {
		f.readRuns(s, &run, depth)
	} else {
		f.p("for i%d := range int(n%d) {", id, id)
		f.p("r.at[%d] = i%d", depth, id)
		done := f.element(node, id)
		if n, rest := indexed(body); n != nil {
			f.readIndex(n)
			body = rest
		}
		f.steps(body)
		done()
		f.p("}")
	}
	f.p("}")
}

// fixedElements is the run that is all that an element has, whose bits are then asked for once for the whole list.
func (g *gen) fixedElements(body []plan.Step, most uint64) (stretch, bool) {
	b := flat(body)
	run, n := g.stretchOf(b)
	for _, s := range b[n:] {
		if _, mark := s.(*plan.Open); !mark {
			return run, false
		}
	}
	return run, run.bits > 0 && most <= 1<<32 && g.weightOf(b) <= g.weight
}

// readRuns reads the elements of a list whose bits are there.
func (f *function) readRuns(s plan.Step, run *stretch, depth int) {
	node, id := s.At().Node, s.At().ID
	index := fmt.Sprintf("i%d", id)
	if f.g.fieldTypeOf(node, 0).shape == shapeArray {
		f.p("for %s := range int(n%d) {", index, id)
	} else {
		f.p("for %s := range l%d {", index, id) // the compiler sees that each index is inside
	}
	from := f.b.Len()
	done := f.element(node, id)
	f.phase = run.phase
	f.readStretch(run, true, fmt.Sprintf("r.at[%d] = %s; %s", depth, index, f.stop(run)))
	done()
	if !mentions(f.b.String()[from:], index) {
		f.p("_ = %s", index)
	}
	f.p("}")
}

// indexed parts the body of a subset into the number of the index and the value; nil where it has none.
func indexed(body []plan.Step) (*plan.Number, []plan.Step) {
	if len(body) > 0 {
		if n, ok := body[0].(*plan.Number); ok && n.Kind >= plan.NumberIndex {
			return n, body[1:]
		}
	}
	return nil, body
}

// readIndex reads the index of a subset's element.
func (f *function) readIndex(n *plan.Number) {
	g := f.g
	info := &g.p.Info[n.Leaf]
	f.p("{")
	f.nextIndex(n)
	f.p("%s = %s", f.place(info.Node), rowOf(info).read(info, g.fieldTypeOf(info.Node, 0), "index", ""))
	f.p("bit = at")
	f.p("}")
}

// nextIndex reads an index, which is larger than the one before.
func (f *function) nextIndex(n *plan.Number) {
	bits := n.Bits
	if n.Kind == plan.NumberStep {
		bits = -1
	}
	path := f.g.pathOf(f.g.p.Info[n.Leaf].Node)
	f.p("index, at := r.index(%s, %d, %d, %s, data, bit, end, %s)", f.slot(int(n.Previous)), n.Most, bits, n.Order, path)
	f.p("if at < 0 { return -1 }")
	if !n.Any {
		f.p("%s = index", f.slot(int(n.Previous)))
	}
}

// bounded refuses one element above the most.
func (f *function) bounded(s plan.Step, most uint64) {
	f.p("if i%d == %d { %s }", s.At().ID, most, f.refuse("RejectOutOfRange", "bit", "0", f.g.pathOf(s.At().Node)))
}

// another makes room for one more element of a list that finds its end on the way.
func (f *function) another(s plan.Step) {
	node, id := s.At().Node, s.At().ID
	if f.g.fieldTypeOf(node, 0).fixed {
		f.p("l%d = l%d[:len(l%d)+1]", id, id, id)
		return
	}
	f.p("if i%d == cap(l%d) { l%d = more(l%d); %s = l%d }", id, id, id, id, f.place(node), id)
	f.p("l%d = l%d[:i%d+1]", id, id, id)
}

func (f *function) endList(s plan.Step) {
	node := s.At().Node
	f.p("}")
	f.p("%s", assign(f.place(node), fmt.Sprintf("l%d", s.At().ID), f.g.fieldTypeOf(node, 0)))
	f.p("}")
}

// oneBit is the bit at position bit.
func oneBit(order wire.Order) string {
	if order == wire.LSB {
		return "data[uint(bit)>>3]>>(bit&7)&1"
	}
	return "data[uint(bit)>>3]<<(bit&7)&0x80"
}

// readSubset writes a list of indexes and values.
func (f *function) readSubset(s *plan.Subset) {
	if s.Kind == schema.SubsetIndex {
		f.readCounted(s, s.Count, s.N, s.Depth, s.Body)
		return
	}
	g, id := f.g, s.ID
	f.p("{")
	f.p("l%d := %s", id, empty(f.place(s.Node), g.fieldTypeOf(s.Node, 0)))
	n, body := indexed(s.Body)
	if n == nil {
		f.p("slot%d := 0", id)
	}
	f.p("for i%d := 0; ; i%d++ {", id, id)
	if n == nil {
		// Where flags are sent there are many: the next is often the one that is set.
		f.p("slot, at := slot%d, bit+1", id)
		f.p("if slot == %d || bit >= end || %s == 0 {", s.N, oneBit(s.Order))
		f.p("if slot, at = r.next(%s, data, bit, end, slot, %d, %s); at < 0 { return -1 }", s.Order, s.N, g.pathOf(g.p.Info[s.Flag].Node))
		f.p("}")
		f.p("bit = at")
		f.p("if slot == %d { break }", s.N)
		f.p("slot%d = slot + 1", id)
	} else {
		f.bounded(s, s.Most())
	}
	f.p("r.at[%d] = i%d", s.Depth, id)
	index, leaf := "uint64(slot)", s.Index
	if n != nil {
		index, leaf = "index", n.Leaf
		f.nextIndex(n)
		if s.Any {
			f.p("if i%d == %d && index != %d { %s }", id, s.N, n.Most, f.refuse("RejectOutOfRange", "bit", fmt.Sprint(n.Bits), g.pathOf(g.p.Info[n.Leaf].Node)))
		}
		f.p("bit = at")
		f.p("if index == %d { break }", n.Most)
	}
	f.another(s)
	done := f.element(s.Node, id)
	info := &g.p.Info[leaf]
	f.p("%s = %s", f.place(info.Node), rowOf(info).read(info, g.fieldTypeOf(info.Node, 0), index, ""))
	f.steps(body)
	done()
	f.endList(s)
}
