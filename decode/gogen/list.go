package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// Lists. A Go slice grows by what the datagram really holds: a count is the attacker's, and what it promises must have its
// bits before it has memory.

// element binds the element of a list for a block that is inside it, and gives what undoes it.
func (f *function) element(list plan.NodeID, pc int) func() {
	g := f.g
	bound := []plan.NodeID{}
	set := func(id plan.NodeID, text string) {
		f.bind[id] = text
		bound = append(bound, id)
	}
	t := g.elemType(list)
	item := fmt.Sprintf("l%d[i%d]", pc, pc)
	var elems []plan.NodeID
	for _, child := range g.kids[list] {
		if g.p.Nodes[child].Elem {
			elems = append(elems, child)
		}
	}
	pointer := t.shape == shapeStruct && t.text != "struct{}"
	if pointer {
		f.p("e%d := &%s", pc, item)
		item = fmt.Sprintf("e%d", pc)
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

func (f *function) readArray(s *step) {
	g, op, pc := f.g, s.op, s.pc
	t := g.fieldTypeOf(op.Node, 0)
	place := f.place(op.Node)
	f.p("{")
	f.p("n%d := %s", pc, f.operand(op.C, pc).word())
	f.p("if n%d > %d { %s }", pc, op.Imm, f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(op.Node)))
	switch {
	case t.shape == shapeArray:
		f.p("l%d := %s[:]", pc, place)
	case t.fixed:
		f.p("l%d := %s.At[:min(n%d, %d)]", pc, place, pc, t.n)
		f.p("%s", assign(place, fmt.Sprintf("l%d", pc), t))
	default:
		room := fmt.Sprintf("int(n%d)", pc)
		if bits := g.elemBits(op.Node); bits > 0 {
			room = fmt.Sprintf("min(%s, (end-bit)/%d+1)", room, bits)
		}
		f.p("l%d := grow(%s, %s)", pc, place, room)
		f.p("%s = l%d", place, pc)
	}
	if t.elem.text == "struct{}" {
		f.p("_ = l%d", pc)
	}
	f.p("for i%d := range int(n%d) {", pc, pc)
	f.p("r.at[%d] = i%d", op.A, pc)
	f.readElement(s, s.body)
	f.p("}")
	f.p("}")
}

// readElement writes the body of a list without what controls the list.
func (f *function) readElement(s *step, body block) {
	f.phase = f.g.loopPhase(s, f.phase)
	done := f.element(s.op.Node, s.pc)
	for len(body) > 0 && body[0].op.Code == plan.OpNumber && f.g.p.Numbers[body[0].op.B].Kind >= plan.NumberIndex {
		f.readIndex(body[0])
		body = body[1:]
		f.phase = -1
	}
	f.steps(body)
	done()
}

// readIndex reads the index of a subset's element.
func (f *function) readIndex(s *step) {
	g, op := f.g, s.op
	n := g.p.Numbers[op.B]
	info := &g.p.Info[op.A]
	f.p("{")
	f.p("index, at := %s", f.indexCall(n, op, g.pathOf(info.Node)))
	f.p("if at < 0 { return -1 }")
	f.p("%s = index", f.slot(int(n.Previous)))
	f.p("%s = %s", f.place(info.Node), g.fromCode(info, g.fieldTypeOf(info.Node, 0), "index", ""))
	f.p("bit = at")
	f.p("}")
}

func (f *function) indexCall(n *plan.Number, op *plan.Op, path string) string {
	bits := n.Bits
	if n.Kind == plan.NumberStep {
		bits = -1
	}
	return fmt.Sprintf("r.index(%s, %d, %d, %s, data, bit, end, %s)", f.slot(int(n.Previous)), n.Most, bits, op.Order, path)
}

// readRepeat writes a list that finds its end on the way. Its head asks for another element.
func (f *function) readRepeat(s *step) {
	g, op, pc := f.g, s.op, s.pc
	place, path := f.place(op.Node), g.pathOf(op.Node)
	t := g.fieldTypeOf(op.Node, 0)
	f.p("{")
	f.p("l%d := %s", pc, empty(place, t))
	body := s.body
	head := body[0]
	body = body[1:]
	var end *step
	if len(body) > 0 && body[0].op.Code == plan.OpNumber && g.p.Numbers[body[0].op.B].EndLeaf >= 0 {
		end, body = body[0], body[1:]
	}
	if head.op.Code == plan.OpSlot {
		f.p("slot%d := 0", pc)
	}
	f.p("for i%d := 0; ; i%d++ {", pc, pc)
	switch {
	case head.op.Code == plan.OpSlot:
		f.p("slot, at := r.next(%s, data, bit, end, slot%d, %d, %s)", head.op.Order, pc, head.op.Imm, g.pathOf(g.p.Info[head.op.B].Node))
		f.p("if at < 0 { return -1 }")
		f.p("bit = at")
		f.p("if slot == %d { break }", head.op.Imm)
		f.p("slot%d = slot + 1", pc)
	case head.op.C == plan.MoreRest:
		f.p("if end-bit < 8 { break }")
	case head.op.C == plan.MoreWhile:
		f.p("if %s { break }", not(f.operand(head.op.B, head.pc).bool()))
	}
	if head.op.Code == plan.OpMore {
		f.p("if i%d == %d { %s }", pc, op.Imm, f.refuse("RejectOutOfRange", "bit", "0", path))
	}
	f.p("r.at[%d] = i%d", op.A, pc)
	if end != nil {
		n := g.p.Numbers[end.op.B]
		f.p("index, at := %s", f.indexCall(n, end.op, g.pathOf(g.p.Info[end.op.A].Node)))
		f.p("if at < 0 { return -1 }")
		f.p("%s = index", f.slot(int(n.Previous)))
		f.p("bit = at")
		f.p("if index == %d { break }", n.Most)
	}
	if t.fixed {
		f.p("l%d = l%d[:len(l%d)+1]", pc, pc, pc)
	} else {
		f.p("l%d = more(l%d)", pc, pc)
		f.p("%s = l%d", place, pc)
	}
	f.phase = g.loopPhase(s, f.phase)
	if end != nil || head.op.Code == plan.OpSlot {
		f.phase = -1
	}
	done := f.element(op.Node, pc)
	switch {
	case end != nil:
		info := &g.p.Info[end.op.A]
		f.p("%s = %s", f.place(info.Node), g.fromCode(info, g.fieldTypeOf(info.Node, 0), "index", ""))
	case head.op.Code == plan.OpSlot:
		info := &g.p.Info[head.op.C]
		f.p("%s = %s", f.place(info.Node), g.fromCode(info, g.fieldTypeOf(info.Node, 0), "uint64(slot)", ""))
	}
	until := (*step)(nil)
	if n := len(body); n > 0 && body[n-1].op.Code == plan.OpUntil {
		until, body = body[n-1], body[:n-1]
	}
	f.steps(body)
	done()
	if until != nil {
		f.p("if %s { break }", f.operand(until.op.B, until.pc).bool())
	}
	f.p("}")
	f.p("%s", assign(place, fmt.Sprintf("l%d", pc), t))
	f.p("}")
}
