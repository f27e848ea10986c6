package gogen

import (
	"fmt"
	"hash/crc32"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The reader: one statement or a few for every op, with the meaning that the interpreter gives it.

func (f *function) readStep(s *step) {
	g, op := f.g, s.op
	path := g.pathOf(op.Node)
	order := op.Order
	switch op.Code {
	case plan.OpRun:
		f.readRun(s)
	case plan.OpSave:
		if g.read[int(op.A)] {
			f.p("%s = %s", f.slot(int(op.A)), leafValue(fmt.Sprintf("c%d", f.leafBefore(s.pc, op.B)), uint8(op.C), op.Imm))
		}
	case plan.OpCRC:
		f.readCRC(op)
	case plan.OpAlign:
		if op.Flags&plan.FlagAny != 0 {
			f.p("if bit = r.padAny(%s, data, bit, end, %d, %s, %s); bit < 0 { return -1 }", order, op.A, f.words(op.Node), path)
		} else if f.phase != 0 || op.A != 8 {
			f.p("if bit = r.pad(%s, data, bit, end, %d, %s); bit < 0 { return -1 }", order, op.A, path)
		}
	case plan.OpReserved:
		f.p("if end-bit < %d { %s }", op.A, f.refuse("RejectPastEnd", "bit", fmt.Sprint(op.A), path))
		if op.Flags&plan.FlagAny != 0 {
			f.p("bit = keep(%s, data, bit, %d, %s)", order, op.A, f.words(op.Node))
		} else {
			f.p("if bit = r.zeros(%s, data, bit, %d, RejectReservedNonzero, %s); bit < 0 { return -1 }", order, op.A, path)
		}
	case plan.OpNumber:
		f.readNumber(s)
	case plan.OpUnit:
		width := 2 + 3*int(op.C)
		f.p("if %s { %s }", notUnit(op), f.refuse("RejectNonUnit", fmt.Sprintf("bit-%d", width), fmt.Sprint(width), path))
	case plan.OpBlob:
		f.readBlob(s)
	case plan.OpWindow:
		f.readWindow(s)
	case plan.OpArray:
		f.readArray(s)
	case plan.OpRepeat:
		f.readRepeat(s)
	case plan.OpIf:
		f.readIf(s)
	case plan.OpSwitch:
		f.p("{")
		f.choose(s, func() {
			bit, width := f.tagPlace(g.p.Switches[op.B])
			f.p("%s", f.refuse("RejectUnknownCase", bit, width, path))
		})
		f.p("}")
	case plan.OpLet:
		if g.read[int(op.A)] {
			f.p("%s = %s", f.slot(int(op.A)), f.operand(op.B, s.pc).word())
		}
	case plan.OpRequire:
		f.p("if %s { %s }", not(f.operand(op.A, s.pc).bool()), f.refuse("RejectRuleBroken", "bit", "0", path))
	case plan.OpMark, plan.OpFrom, plan.OpStruct, plan.OpMore, plan.OpSlot, plan.OpUntil:
		// Notes are the interpreter's; the heads of lists are written with their lists.
	default:
		panic("pktscope: internal error: no Go for the op " + op.Code.String())
	}
}

// notUnit is the condition under which a quaternion's components are too long.
func notUnit(op *plan.Op) string {
	args := fmt.Sprintf("(c%d, c%d, c%d, %d)", op.A+1, op.A+2, op.A+3, op.C)
	return "!inside" + args + " && !unit" + args
}

// leafBefore is leaf n of the run before an op.
func (f *function) leafBefore(pc int, n uint32) int {
	for pc--; f.g.p.Ops[pc].Code != plan.OpRun; pc-- {
	}
	return int(f.g.p.Ops[pc].A + n)
}

// words is the field of bits of which any may be set, as a slice.
func (f *function) words(id plan.NodeID) string {
	return f.place(id) + "[:]"
}

// tagAt remembers where a leaf lies that a switch names when it refuses.
func (f *function) tagAt(leaf int, bit, width string) {
	if f.write {
		return
	}
	for _, slot := range f.g.tagged[leaf] {
		f.p("%s, %s = uint64(%s), uint64(%s)", f.slot(slot), f.slot(slot+1), bit, width)
	}
}

// tagPlace is the bit and width that a switch names when it refuses.
func (f *function) tagPlace(sw *plan.Switch) (bit, width string) {
	if sw.TagSlot >= 0 {
		if slot, ok := f.g.tagSlots[sw.TagSlot]; ok {
			return fmt.Sprintf("int(%s)", f.slot(slot)), fmt.Sprintf("int(%s)", f.slot(slot+1))
		}
	}
	return "bit", "0"
}

func (f *function) readCRC(op *plan.Op) {
	g := f.g
	info := &g.p.Info[op.A]
	path := g.pathOf(info.Node)
	f.p("if end-bit < 32 { %s }", f.refuse("RejectPastEnd", "bit", "32", path))
	stored := fmt.Sprintf("load(%s, data, bit, 32)", op.Order)
	if info.Swap {
		stored = fmt.Sprintf("swap(%s, 32)", stored)
	}
	f.p("if %s != %s { %s }", g.checksum(op, "data", "bit/8"), stored, f.refuse("RejectCRCMismatch", "bit", "32", path))
	f.p("bit += 32")
}

func (g *gen) checksum(op *plan.Op, data, at string) string {
	c := &g.p.CRCs[op.B]
	table, of := "crc32.IEEETable", crc32.IEEETable
	if c.Castagnoli {
		table, of = "castagnoli", crc32.MakeTable(crc32.Castagnoli)
	}
	return fmt.Sprintf("checksum(%s, %#x, %t, %s, %s)", table, crc32.Checksum(c.Prefix[:c.PrefixLen], of), c.OverRest, data, at)
}

// readIf writes both sides. Fields of the side that is not taken are made zero: what an earlier datagram left there is not
// this one's.
func (f *function) readIf(s *step) {
	phase := f.phase
	f.p("if %s {", f.operand(s.op.A, s.pc).bool())
	flag := f.g.p.Nodes[s.op.Node].Kind == plan.NodeItem // of an optional, whose field says that it is not there
	then, other := f.fieldsIn(s.body, s.op.Node), f.fieldsIn(s.other, s.op.Node)
	if !flag {
		f.zero(other, then)
	}
	f.in(s.body, phase)
	if !flag && len(then) > 0 || len(s.other) > 0 {
		f.p("} else {")
		if !flag {
			f.zero(then, other)
		}
		f.in(s.other, phase)
	}
	f.p("}")
}

// fieldsIn lists the fields of a struct that a block of it sets.
func (f *function) fieldsIn(b block, owner plan.NodeID) []plan.NodeID {
	var all []plan.NodeID
	seen := map[string]bool{}
	add := func(id plan.NodeID) {
		for id != plan.NoNode && f.g.p.Nodes[id].Parent != owner {
			id = f.g.p.Nodes[id].Parent
		}
		if id == plan.NoNode {
			return
		}
		if sw, ok := f.g.arm[id]; ok {
			id = sw
		}
		if name, ok := f.g.field[id]; ok && !seen[name] {
			seen[name] = true
			all = append(all, id)
		}
	}
	b.each(func(s *step) {
		switch s.op.Code {
		case plan.OpRun:
			for i := s.op.A; i < s.op.A+s.op.B; i++ {
				add(f.g.p.Info[i].Node)
			}
		case plan.OpNumber, plan.OpCRC:
			add(f.g.p.Info[s.op.A].Node)
		case plan.OpMark:
		default:
			add(s.op.Node)
		}
	})
	return all
}

// zero makes fields zero that are not among those that will be set.
func (f *function) zero(fields, set []plan.NodeID) {
	keep := map[string]bool{}
	for _, id := range set {
		keep[f.g.field[id]] = true
	}
	for _, id := range fields {
		if !keep[f.g.field[id]] {
			f.p("%s", f.g.zeroed(f.place(id), f.g.fieldType[id]))
		}
	}
}

// zeroed is the statement that empties a place. Lists keep their memory.
func (g *gen) zeroed(place string, t *goType) string {
	switch t.shape {
	case shapeBool:
		return place + " = false"
	case shapeNumber:
		return place + " = 0"
	case shapeBytes, shapeList:
		if t.fixed {
			return place + ".Len = 0"
		}
		return place + " = " + place + "[:0]"
	case shapeArray:
		if !t.pages {
			return "clear(" + place + "[:])"
		}
		if t.elem.shape == shapeStruct {
			g.needReset(t.elem)
			return fmt.Sprintf("for i := range %s { %s[i].reset() }", place, place)
		}
		return fmt.Sprintf("%s = %s{}", place, t.text)
	}
	if !t.pages {
		return fmt.Sprintf("%s = %s{}", place, t.text)
	}
	g.needReset(t)
	return place + ".reset()"
}

func (g *gen) needReset(t *goType) {
	if t.reset {
		return
	}
	t.reset = true
	for i := range t.fields {
		g.zeroed("", t.fields[i].typ)
	}
}

func (f *function) readNumber(s *step) {
	g, op := f.g, s.op
	n, leaf := g.p.Numbers[op.B], int(op.A)
	info := &g.p.Info[leaf]
	path, order := g.pathOf(info.Node), op.Order
	code, at := fmt.Sprintf("c%d", leaf), fmt.Sprintf("n%d", s.pc)
	if n.Kind >= plan.NumberIndex {
		panic("pktscope: internal error: an index outside its list")
	}
	f.p("var %s int", at)
	f.p("var %s uint64", code)
	kind := ""
	switch n.Kind {
	case plan.NumberSized:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, s.pc).word())
		f.p("if size > 64 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("if %s, %s = r.take(%s, data, bit, end, int(size), %s); %s < 0 { return -1 }", code, at, order, path, at)
		f.p("}")
	case plan.NumberRanged:
		kind = fmt.Sprintf("k%d", s.pc)
		f.p("var %s RejectKind", kind)
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, s.pc).word())
		less := fmt.Sprintf("size < %s", literal(n.Lo))
		if n.Signed {
			less = fmt.Sprintf("int64(size) < %d", int64(n.Lo))
		}
		if n.Signed || n.Lo > 0 {
			f.p("if %s { %s }", less, f.refuse("RejectOutOfRange", "bit", "0", path))
		}
		f.p("size -= %s", literal(n.Lo))
		f.p("if %s, %s = r.take(%s, data, bit, end, bits.Len64(size), %s); %s < 0 { return -1 }", code, at, order, path, at)
		f.p("if %s > size { %s = RejectOutOfRange }", code, kind)
		f.p("}")
	case plan.NumberVarint:
		kind = fmt.Sprintf("k%d", s.pc)
		f.p("var %s RejectKind", kind)
		f.p("if %s, %s, %s = r.varint(%s, data, bit, end, %d, %s); %s < 0 { return -1 }", code, at, kind, order, n.Bits, path, at)
	case plan.NumberLadder:
		kind = fmt.Sprintf("k%d", s.pc)
		f.p("var %s RejectKind", kind)
		long := "_"
		if f.has(info.Node) {
			long = f.place(info.Node) + ".Long"
		}
		f.p("if %s, %s, %s, %s = r.ladder(%s, %s, data, bit, end, %s); %s < 0 { return -1 }", code, long, at, kind, f.operand(n.Operand, s.pc).word(), order, path, at)
	}
	f.judge(info, leaf, code, at, kind, path, s.pc)
	if f.has(info.Node) {
		if n.Kind == plan.NumberLadder {
			f.p("%s.Value = uint32(%s)", f.place(info.Node), code)
		} else {
			f.p("%s = %s", f.place(info.Node), g.fromCode(info, g.fieldTypeOf(info.Node, int(g.p.Leaves[leaf].Width)), code, "("+at+"-bit)"))
		}
	}
	if n.Slot >= 0 && g.read[int(n.Slot)] {
		value := code
		switch {
		case info.Signed:
			value = fmt.Sprintf("extend(%s, %s-bit)", code, at)
		case info.ZigZag:
			value = fmt.Sprintf("(%s>>1 ^ -(%s & 1))", code, code)
		case info.Base != 0:
			value = fmt.Sprintf("%s + %#x", code, info.Base)
		}
		f.p("%s = %s", f.slot(int(n.Slot)), value)
	}
	f.tagAt(leaf, "bit", at+"-bit")
	f.p("bit = %s", at)
}

// judge refuses a number that was read: kind, where there is one, is what its bits said already.
func (f *function) judge(info *plan.LeafInfo, leaf int, code, at, kind, path string, pc int) {
	l := &f.g.p.Leaves[leaf]
	if info.Swap {
		f.p("%s = swap(%s, %s-bit)", code, code, at)
	}
	call := f.g.numberCheck(info, int(l.Width), code, at+"-bit")
	if kind == "" {
		if call == "" {
			return
		}
		f.p("if k := %s; k != RejectNone { %s }", call, f.refuse("k", "bit", at+"-bit", path))
		return
	}
	// A closed enum knows its cases only, whatever its base type could hold, and closed flags their bits.
	if info.Enum != nil && !info.Enum.Open {
		to, cond := "RejectUnknownCase", ""
		if info.Enum.Flags {
			to, cond = "RejectReservedNonzero", fmt.Sprintf(" && %s&^uint64(%#x) != 0", code, info.Enum.Mask)
		}
		f.p("if %s == RejectNone { %s = %s } else if %s == RejectOutOfRange%s { %s = %s }", kind, kind, call, kind, cond, kind, to)
	} else if call != "" {
		f.p("if %s == RejectNone { %s = %s }", kind, kind, call)
	}
	f.p("if %s != RejectNone { %s }", kind, f.refuse(kind, "bit", at+"-bit", path))
}

func (f *function) readBlob(s *step) {
	g, op := f.g, s.op
	b := g.p.Blobs[op.A]
	path, order := g.pathOf(op.Node), op.Order
	start := "bit"
	text := b.Text == schema.TextString || b.Text == schema.TextWString
	if text {
		// A text that breaks a rule is refused from its length on.
		run := g.p.Ops[g.p.Info[g.p.Leaf(&g.p.Operands[b.Size], s.pc)].Op]
		l := &g.p.Leaves[g.p.Leaf(&g.p.Operands[b.Size], s.pc)]
		start = fmt.Sprintf("b%d", s.pc)
		f.p("%s := bit-%d", start, int(run.C)-int(l.Off))
	}
	if op.Flags&plan.FlagPacked == 0 && f.phase != 0 {
		f.p("if bit = r.pad(%s, data, bit, end, 8, %s); bit < 0 { return -1 }", order, path)
	}
	place, t := f.place(op.Node), g.fieldTypeOf(op.Node, 0)
	f.p("{")
	defer f.p("}")
	if b.Text == schema.TextCString {
		f.p("size := r.until(%s, data, bit, end, %d, %s)", order, b.Max, path)
		f.p("if size < 0 { return -1 }")
		f.take(op, empty(place, t), "text")
		f.rule(b, "text", "bit", "8*size+8", path)
		f.p("%s", assign(place, "text", t))
		f.p("bit += 8*size + 8")
		return
	}
	switch {
	case b.Rest:
		f.p("size := (end - bit) / 8")
		f.p("if size > %d { %s }", b.Max, f.refuse("RejectOutOfRange", "bit", "0", path))
	case b.Size >= 0:
		f.p("want := %s", f.operand(uint32(b.Size), s.pc).word())
		f.p("if want > %d { %s }", b.Max, f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("size := int(want)")
	default:
		f.p("size := %d", b.Max)
	}
	unit := b.Unit()
	if !b.Rest {
		f.p("if size > (end-bit)/%d { %s }", unit, f.refuse("RejectPastEnd", "bit", fmt.Sprintf("%d*size", unit), path))
	}
	width := fmt.Sprintf("bit+%d*size-%s", unit, start)
	switch b.Text {
	case schema.TextWString:
		f.p("text, kind := judgeWide(%s, data, bit, size, %s)", order, empty(place, t))
		f.p("if kind != RejectNone { %s }", f.refuse("kind", start, width, path))
	case schema.TextChar, schema.TextString:
		judge := "judgeString"
		if b.Text == schema.TextChar {
			judge = "judgeChar"
		}
		f.take(op, empty(place, t), "all")
		f.p("text, kind := %s(all)", judge)
		f.p("if kind != RejectNone { %s }", f.refuse("kind", start, width, path))
	default:
		f.take(op, empty(place, t), "text")
	}
	f.rule(b, "text", start, width, path)
	f.p("%s", assign(place, "text", t))
	f.p("bit += %d*size", unit)
}

// take copies size bytes at bit into a field's memory, under a name.
func (f *function) take(op *plan.Op, memory, name string) {
	if op.Order == wire.Bousk && f.phase != 0 {
		f.p("%s := %s", name, memory)
		f.p("if bit&7 == 0 { %s = append(%s, data[bit>>3:bit>>3+size]...) } else { %s = bytesAt(%s, data, bit, size, %s) }", name, name, name, op.Order, name)
		return
	}
	f.p("%s := append(%s, data[bit>>3:bit>>3+size]...)", name, memory)
}

// rule refuses text that breaks what stands behind its type.
func (f *function) rule(b *plan.Blob, text, bit, width, path string) {
	if b.Rule == nil {
		return
	}
	switch b.Rule.Kind {
	case schema.RuleUTF8:
		f.p("if !utf8.Valid(%s) { %s }", text, f.refuse("RejectBadString", bit, width, path))
	case schema.RuleEq:
		f.p("if string(%s) != %q { %s }", text, b.Rule.Bytes, f.refuse("RejectConstMismatch", bit, width, path))
	case schema.RuleNe:
		f.p("if string(%s) == %q { %s }", text, b.Rule.Bytes, f.refuse("RejectConstMismatch", bit, width, path))
	}
}

func (f *function) readWindow(s *step) {
	g, op := f.g, s.op
	path, order := g.pathOf(op.Node), op.Order
	if op.Flags&plan.FlagPacked == 0 && f.phase != 0 {
		f.p("if bit = r.pad(%s, data, bit, end, 8, %s); bit < 0 { return -1 }", order, path)
		f.phase = 0
	}
	outer := fmt.Sprintf("end%d", s.pc)
	f.p("%s := end", outer)
	f.p("{")
	f.p("size := %s", f.operand(op.A, s.pc).word())
	if g.p.Operands[op.A].Signed {
		f.p("if int64(size) < 0 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
	}
	f.p("if size > uint64(end-bit)/%d { %s }", op.C, f.refuse("RejectPastEnd", "bit", fmt.Sprintf("widthOf(size, %d)", op.C), path))
	f.p("end = bit + int(size)*%d", op.C)
	f.p("}")
	f.p("{")
	f.in(s.body, f.phase)
	f.p("}")
	f.p("if bit = r.closeWindow(%s, data, bit, end, %s); bit < 0 { return -1 }", g.p.Ops[s.end].Order, g.pathOf(g.p.Ops[s.end].Node))
	f.p("end = %s", outer)
}
