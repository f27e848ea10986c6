package gogen

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The writer: the plan in write mode. Padding, checks, reserved bits, constants and checksums are derived, counts and lengths
// that belong to a list or a text are those of the Go slice; all else is taken from the fields and judged as a reader does.

func (g *gen) writer(root *goType) {
	f := g.function(true, root, 0, 0)
	f.name = "packet"
	f.steps(g.body)
	f.close()
}

func (f *function) writeStep(s *step) {
	g, op := f.g, s.op
	path := g.pathOf(op.Node)
	order := op.Order
	switch op.Code {
	case plan.OpRun:
		f.writeRun(s)
	case plan.OpSave:
		if g.read[int(op.A)] {
			f.p("%s = %s", f.slot(int(op.A)), leafValue(fmt.Sprintf("c%d", f.leafBefore(s.pc, op.B)), uint8(op.C), op.Imm))
		}
	case plan.OpCRC:
		f.p("w.crc = bit / 8")
		f.p("b, bit = put(lsb, b, bit, 0, 32)")
	case plan.OpAlign:
		if op.Flags&plan.FlagAny != 0 {
			f.p("b, bit = putKept(%s, b, bit, -bit&%d, %s)", order, op.A-1, f.words(op.Node))
		} else if f.phase != 0 || op.A != 8 {
			f.p("b, bit = fill(%s, b, bit, -bit&%d)", order, op.A-1)
		}
	case plan.OpReserved:
		if op.Flags&plan.FlagAny != 0 {
			f.p("b, bit = putKept(%s, b, bit, %d, %s)", order, op.A, f.words(op.Node))
		} else {
			f.p("b, bit = fill(%s, b, bit, %d)", order, op.A)
		}
	case plan.OpNumber:
		f.writeNumber(s)
	case plan.OpUnit:
		f.writeUnit(s, 0)
	case plan.OpBlob:
		f.writeBlob(s)
	case plan.OpWindow:
		f.writeWindow(s)
	case plan.OpArray:
		f.writeArray(s)
	case plan.OpRepeat:
		f.writeRepeat(s)
	case plan.OpIf:
		phase, cond := f.phase, f.operand(op.A, s.pc).bool()
		if g.isOpen(s.pc) {
			f.p("holds%d := %s", s.pc, cond)
			cond = fmt.Sprintf("holds%d", s.pc)
			f.dark(s.pc, "%s = %s", cond, f.darkWay(s.pc))
		}
		f.p("if %s {", cond)
		f.in(s.body, phase)
		if len(s.other) > 0 {
			f.p("} else {")
			f.in(s.other, phase)
		}
		f.p("}")
	case plan.OpSwitch:
		f.p("{")
		f.choose(s, func() { f.p("%s", f.refuse("RejectUnknownCase", "bit", "0", path)) })
		f.p("}")
	case plan.OpLet:
		if g.read[int(op.A)] {
			f.p("%s = %s", f.slot(int(op.A)), f.operand(op.B, s.pc).word())
		}
	case plan.OpRequire:
		cond := g.lit(s.pc, not(f.operand(op.A, s.pc).bool()))
		if len(g.lengthSlots) > 0 {
			cond += " && w.sure()"
		}
		if e, ok := g.equations[s.pc]; ok {
			f.relate(s.pc, &e, path)
		}
		f.p("if %s { %s }", cond, f.refuse("RejectRuleBroken", "bit", "0", path))
	case plan.OpMark, plan.OpFrom, plan.OpStruct, plan.OpMore, plan.OpSlot, plan.OpUntil:
	default:
		panic("pktscope: internal error: no Go for the op " + op.Code.String())
	}
}

func (f *function) writeNumber(s *step) {
	g, op := f.g, s.op
	n, leaf := g.p.Numbers[op.B], int(op.A)
	info := &g.p.Info[leaf]
	most := int(g.p.Leaves[leaf].Width)
	path, order := g.pathOf(info.Node), op.Order
	code, width := fmt.Sprintf("c%d", leaf), fmt.Sprintf("n%d", s.pc)
	t := g.fieldTypeOf(info.Node, most)
	value := f.place(info.Node)
	if n.Kind == plan.NumberLadder {
		value += ".Value"
	}
	f.p("%s := %s", code, g.toCode(info, t, value, most))
	f.deriveNumber(leaf, code, value)
	if n.Kind == plan.NumberVarint || n.Kind == plan.NumberLadder {
		width = "0" // it follows from the value
	} else {
		f.p("%s := 0", width)
	}
	wire := code
	if info.Swap {
		wire = fmt.Sprintf("swap(%s, %s)", code, width)
	}
	refuse := f.refuse("RejectOutOfRange", "bit", width, path)
	switch n.Kind {
	case plan.NumberSized:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, s.pc).word())
		f.dark(s.pc, "size = min(uint64(leastWidth(%s, %t)), %d)", code, info.Signed, n.Bits)
		f.p("if size > 64 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("%s = int(size)", width)
		if info.Signed {
			f.p("if extend(%s, %s) != %s { %s }", code, width, code, refuse)
			f.p("%s &= mask(%s)", code, width)
		} else {
			f.p("if %s > mask(%s) { %s }", code, width, refuse)
		}
		f.p("}")
	case plan.NumberRanged:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, s.pc).word())
		f.dark(s.pc, "size = min(%s, %#x) + %s", code, info.TypeSpan, literal(n.Lo))
		less := fmt.Sprintf("size < %s", literal(n.Lo))
		if n.Signed {
			less = fmt.Sprintf("int64(size) < %d", int64(n.Lo))
		}
		if n.Signed || n.Lo > 0 {
			f.p("if %s { %s }", less, f.refuse("RejectOutOfRange", "bit", "0", path))
		}
		f.p("size -= %s", literal(n.Lo))
		f.p("%s = bits.Len64(size)", width)
		if n.Lo != 0 {
			f.p("if size == 0 && %s { %s = 0 }", isZero(value, t), code)
		}
		f.p("if %s > size { %s }", code, refuse)
		f.p("}")
	case plan.NumberVarint:
		if n.Bits < 64 {
			f.p("if %s>>%d != 0 { %s }", code, n.Bits, refuse)
		}
	case plan.NumberLadder:
		f.p("previous%d := %s", s.pc, f.operand(n.Operand, s.pc).word())
		f.dark(s.pc, "previous%d = 0", s.pc)
		f.p("if %s > 1<<31-1 { %s }", code, refuse)
		f.p("if %s <= previous%d { %s }", code, s.pc, f.refuse("RejectNotIncreasing", "bit", width, path))
	}
	call := g.numberCheck(info, most, code, width)
	if call != "" {
		f.p("if k := %s; %s { %s }", call, f.certain(leaf, "k != RejectNone"), f.refuse("k", "bit", width, path))
	}
	if n.Slot >= 0 && g.read[int(n.Slot)] {
		v := code
		switch {
		case info.Signed:
			v = fmt.Sprintf("extend(%s, %s)", code, width)
		case info.ZigZag:
			v = fmt.Sprintf("(%s>>1 ^ -(%s & 1))", code, code)
		case info.Base != 0:
			v = fmt.Sprintf("%s + %#x", code, info.Base)
		}
		f.p("%s = %s", f.slot(int(n.Slot)), v)
	}
	switch n.Kind {
	case plan.NumberVarint:
		f.p("b, bit = putVarint(%s, b, bit, %s)", order, code)
	case plan.NumberLadder:
		f.p("b, bit = putLadder(%s, b, bit, previous%d, %s, %s.Long)", order, s.pc, code, f.place(info.Node))
	default:
		f.p("b, bit = put(%s, b, bit, %s, %s)", order, wire, width)
	}
}

func (f *function) writeBlob(s *step) {
	g, op := f.g, s.op
	b := g.p.Blobs[op.A]
	path, order := g.pathOf(op.Node), op.Order
	if op.Flags&plan.FlagPacked == 0 && f.phase != 0 {
		f.p("b, bit = fill(%s, b, bit, -bit&7)", op.Order)
	}
	f.p("{")
	defer f.p("}")
	f.given("text", f.place(op.Node), g.fieldTypeOf(op.Node, 0), path)
	if c := g.constantText(op.Node); c != "" {
		f.p("text = either(text, %s)", c)
	}
	size := "len(text)"
	if b.Text == schema.TextWString {
		size = "units(text)"
	}
	f.p("size := %s", size)
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	switch {
	case b.Text == schema.TextChar, b.Rest:
		f.p("if size > %d { %s }", b.Max, out)
	case b.Text == schema.TextCString:
		f.p("if size >= %d { %s }", b.Max, out)
	case b.Size >= 0:
		differs := fmt.Sprintf("size > %d || %s", b.Max, g.lit(s.pc, fmt.Sprintf("uint64(size) != %s", f.operand(uint32(b.Size), s.pc).word())))
		if length, contradicts := f.sizedBy(s.pc, "uint64(size)", fmt.Sprint(b.Max)); length != "" {
			differs = fmt.Sprintf("%s == 0 && (%s) || %s != 0 && %s", length, differs, length, contradicts)
		}
		f.p("if %s { %s }", differs, out)
	default:
		f.p("if size != %d { %s }", b.Max, out)
	}
	switch b.Text {
	case schema.TextString, schema.TextWString:
		f.p("if _, kind := judgeString(text); kind != RejectNone { %s }", f.refuse("kind", "bit", "8*size", path))
	case schema.TextChar: // NULs behind the text are what a writer puts there anyway
		f.p("text, kind := judgeChar(text)")
		f.p("if kind != RejectNone { %s }", f.refuse("RejectBadString", "bit", "8*size", path))
		f.p("size = len(text)")
	case schema.TextCString:
		f.p("for _, c := range text { if c == 0 { %s } }", f.refuse("RejectBadString", "bit", "8*size", path))
	}
	f.rule(b, "text", "bit", "8*size", path)
	if b.Text == schema.TextWString {
		f.p("b, bit = putWide(%s, b, bit, text)", order)
		return
	}
	f.p("b, bit = putBytes(%s, b, bit, text)", order)
	switch b.Text {
	case schema.TextChar:
		f.p("b, bit = fill(%s, b, bit, 8*(%d-size))", order, b.Max)
	case schema.TextCString:
		f.p("b, bit = put(%s, b, bit, 0, 8)", order)
	}
}

func (f *function) writeWindow(s *step) {
	g, op := f.g, s.op
	path := g.pathOf(op.Node)
	if op.Flags&plan.FlagPacked == 0 && f.phase != 0 {
		f.p("b, bit = fill(%s, b, bit, -bit&7)", op.Order)
		f.phase = 0
	}
	outer := fmt.Sprintf("end%d", s.pc)
	f.p("%s := end", outer)
	f.p("{")
	f.p("size := %s", f.operand(op.A, s.pc).word())
	need := fmt.Sprintf("uint64(bit-start%d+%d)/%d", s.pc, op.C-1, op.C)
	length, contradicts := f.sizedBy(s.pc, "need", "")
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	if length != "" {
		f.p("if size > 1<<40 && %s != 0 { size = 0 }", length)
	}
	f.p("if %s { %s }", g.lit(s.pc, "size > 1<<40"), out)
	f.p("end = bit + int(size)*%d", op.C)
	f.dark(s.pc, "end = 8*MaxDatagram")
	f.p("}")
	if length != "" || g.isOpen(s.pc) {
		f.p("start%d := bit", s.pc)
	}
	guessed := length != "" && g.open != nil // then what is in it does not know where it ends
	if guessed {
		f.p("dark%d := w.found.dark", s.pc)
		f.p("w.found.dark = w.found.dark || w.guessed(%s)", length)
	}
	f.p("{")
	f.in(s.body, f.phase)
	f.p("}")
	if guessed {
		f.p("w.found.dark = dark%d", s.pc)
	}
	if length != "" {
		f.p("if %s != 0 {", length)
		f.p("need := %s", need)
		f.p("if %s { %s }", contradicts, out)
		f.p("end = start%d + int(need)*%d", s.pc, op.C)
		f.p("}")
	}
	f.dark(s.pc, "end = start%d + int(%s)*%d", s.pc, need, op.C)
	f.p("if bit > end { %s }", f.refuse("RejectPastEnd", "bit", "bit-end", path))
	f.p("if end-bit >= 8 { %s }", f.refuse("RejectTrailingBytes", "bit", "end-bit", path))
	f.p("b, bit = fill(%s, b, bit, end-bit)", g.p.Ops[s.end].Order)
	f.p("end = %s", outer)
}

func (f *function) writeArray(s *step) {
	g, op, pc := f.g, s.op, s.pc
	path := g.pathOf(op.Node)
	f.p("{")
	f.given(fmt.Sprintf("l%d", pc), f.place(op.Node), g.fieldTypeOf(op.Node, 0), path)
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	size := fmt.Sprintf("uint64(len(l%d))", pc)
	differs := fmt.Sprintf("n > %d || %s != n", op.Imm, size)
	if g.isOpen(pc) {
		differs = fmt.Sprintf("!w.found.dark && (%s) || %s > %d", differs, size, op.Imm)
	}
	if length, contradicts := f.sizedBy(pc, size, fmt.Sprint(op.Imm)); length != "" {
		differs = fmt.Sprintf("%s == 0 && (%s) || %s != 0 && %s", length, differs, length, contradicts)
	}
	f.p("if n := %s; %s { %s }", f.operand(op.C, pc).word(), differs, out)
	f.p("for i%d := range l%d {", pc, pc)
	f.p("w.at[%d] = i%d", op.A, pc)
	f.phase = g.loopPhase(s, f.phase)
	body := s.body
	done := f.element(op.Node, pc)
	if len(body) > 0 && body[0].op.Code == plan.OpNumber && g.p.Numbers[body[0].op.B].Kind >= plan.NumberIndex {
		f.writeIndex(body[0], "uint64("+f.place(g.p.Info[body[0].op.A].Node)+")", false)
		body = body[1:]
		f.phase = -1
	}
	f.steps(body)
	done()
	f.p("}")
	f.p("}")
}

// writeIndex writes the index of an element, or the one that ends the list.
func (f *function) writeIndex(s *step, index string, ends bool) {
	g, op := f.g, s.op
	n := g.p.Numbers[op.B]
	path := g.pathOf(g.p.Info[op.A].Node)
	bits := n.Bits
	if n.Kind == plan.NumberStep {
		bits = -1
	}
	f.p("{")
	f.p("index := %s", index)
	most := n.Most
	if n.EndLeaf >= 0 && !ends {
		most-- // the most itself ends the list
	}
	if !ends {
		f.p("if index > %d { %s }", most, f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("if int64(index) <= int64(%s) { %s }", f.slot(int(n.Previous)), f.refuse("RejectNotIncreasing", "bit", "0", path))
	}
	f.p("b, bit = putIndex(%s, %d, index, %d, %s, b, bit)", f.slot(int(n.Previous)), n.Most, bits, op.Order)
	f.p("%s = index", f.slot(int(n.Previous)))
	f.p("}")
}

func (f *function) writeRepeat(s *step) {
	g, op, pc := f.g, s.op, s.pc
	place, path := f.place(op.Node), g.pathOf(op.Node)
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	body := s.body
	head := body[0]
	body = body[1:]
	var end *step
	if len(body) > 0 && body[0].op.Code == plan.OpNumber && g.p.Numbers[body[0].op.B].EndLeaf >= 0 {
		end, body = body[0], body[1:]
	}
	until := (*step)(nil)
	if n := len(body); n > 0 && body[n-1].op.Code == plan.OpUntil {
		until, body = body[n-1], body[:n-1]
	}
	f.p("{")
	f.given(fmt.Sprintf("l%d", pc), place, g.fieldTypeOf(op.Node, 0), path)
	slot := head.op.Code == plan.OpSlot
	if slot {
		f.p("if len(l%d) > %d { %s }", pc, op.Imm, out)
		f.p("slot%d := uint64(0)", pc)
	}
	if until != nil {
		f.p("ended%d := false", pc)
	}
	f.p("for i%d := range l%d {", pc, pc)
	f.p("w.at[%d] = i%d", op.A, pc)
	if until != nil {
		f.p("if %s { %s }", g.ends(until.pc, fmt.Sprintf("ended%d", pc)), out)
	}
	if head.op.Code == plan.OpMore {
		if head.op.C == plan.MoreWhile {
			f.p("if %s { %s }", g.ends(head.pc, not(f.operand(head.op.B, head.pc).bool())), out)
		}
		if end == nil { // where there are more elements than there are indexes, one of them is refused
			f.p("if i%d == %d { %s }", pc, op.Imm, out)
		}
	}
	f.phase = g.loopPhase(s, f.phase)
	if end != nil || slot {
		f.phase = -1
	}
	done := f.element(op.Node, pc)
	switch {
	case end != nil:
		f.writeIndex(end, "uint64("+f.place(g.p.Info[end.op.A].Node)+")", false)
	case slot:
		info := &g.p.Info[head.op.C]
		f.p("index := uint64(%s)", f.place(info.Node))
		f.p("if index >= %d { %s }", head.op.Imm, f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(info.Node)))
		f.p("if index < slot%d { %s }", pc, f.refuse("RejectNotIncreasing", "bit", "0", g.pathOf(info.Node)))
		f.p("if index > slot%d { b, bit = fill(%s, b, bit, int(index-slot%d)) }", pc, head.op.Order, pc)
		f.p("slot%d = index + 1", pc)
		n := 0
		if len(body) > 0 && body[0].op.Order == head.op.Order && body.weight() <= g.weight {
			n = f.joined(body, true)
		}
		if body = body[n:]; n == 0 {
			f.p("b, bit = put(%s, b, bit, 1, 1)", head.op.Order)
		}
	}
	f.steps(body)
	done()
	if until != nil {
		f.p("ended%d = %s", pc, g.lit(until.pc, f.operand(until.op.B, until.pc).bool()))
	}
	f.p("}")
	switch {
	case end != nil:
		f.writeIndex(end, fmt.Sprintf("uint64(%d)", g.p.Numbers[end.op.B].Most), true)
	case slot:
		f.p("b, bit = fill(%s, b, bit, int(%d-slot%d))", head.op.Order, head.op.Imm, pc)
	case until != nil:
		f.p("if %s { %s }", g.ends(until.pc, fmt.Sprintf("!ended%d", pc)), out)
	case head.op.C == plan.MoreWhile:
		f.p("if %s { %s }", g.ends(head.pc, fmt.Sprintf("len(l%d) < %d && %s", pc, op.Imm, f.operand(head.op.B, head.pc).bool())), out)
	}
	f.p("}")
}
