package gogen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The writer: the plan in write mode. Padding, checks, reserved bits, constants and checksums are derived, counts and
// lengths that belong to a list or a text are those of the Go slice; all else is taken from the fields and judged as a
// reader does.

func (f *function) writeStep(s plan.Step) {
	g, base := f.g, s.At()
	if _, run := s.(*plan.Run); !run {
		left := 0 // of the room that is known
		if bits, all := g.ahead([]plan.Step{s}, f.room); all {
			left = f.room - bits
		} else {
			f.room = 0
		}
		defer func() { f.room = left }()
	}
	path, order := g.pathOf(base.Node), base.Order
	switch s := s.(type) {
	case *plan.Run:
		f.writeRun(s)
		f.save(s)
	case *plan.Checksum:
		f.writeSum(s)
	case *plan.Align:
		if s.Any {
			f.p("b, bit = putKept(%s, b, bit, -bit&%d, %s)", order, s.Bits-1, f.words(s.Node))
		} else {
			f.p("b, bit = fill(%s, b, bit, -bit&%d)", order, s.Bits-1)
		}
	case *plan.Reserved:
		if s.Any {
			f.p("b, bit = putKept(%s, b, bit, %d, %s)", order, s.Bits, f.words(s.Node))
		} else {
			f.p("b, bit = fill(%s, b, bit, %d)", order, s.Bits)
		}
	case *plan.Number:
		f.writeNumber(s)
	case *plan.Unit:
		f.writeUnit(s, 0)
	case *plan.Blob:
		f.writeBlob(s)
	case *plan.Window:
		f.writeWindow(s)
	case *plan.List:
		f.writeList(s)
	case *plan.Subset:
		f.writeSubset(s)
	case *plan.If:
		cond := f.operand(s.Cond, s).bool()
		if g.isOpen(s.Cond) {
			f.p("holds%d := %s", s.ID, cond)
			cond = fmt.Sprintf("holds%d", s.ID)
			f.dark(s.Cond, "%s = %s", cond, f.darkWay(s))
		}
		room := f.room
		f.p("if %s {", cond)
		f.steps(s.Then)
		if len(s.Else) > 0 {
			f.p("} else {")
			f.room = room
			f.steps(s.Else)
		}
		f.p("}")
	case *plan.Switch:
		f.p("{")
		f.choose(s, func() {
			if refusal := f.refuse("RejectUnknownCase", "bit", "0", path); g.isOpen(s.Tag) && g.p.SeesBits() {
				f.p("if %s { %s }", g.judged(), refusal)
			} else {
				f.p("%s", refusal)
			}
		})
		f.p("}")
	case *plan.Let:
		f.let(s)
	case *plan.Require:
		cond := g.known(s.Cond, g.lit(s.Cond, not(f.operand(s.Cond, s).bool())))
		if e, ok := g.equations[s.Point]; ok {
			f.relate(s.ID, &e, path)
		}
		f.p("if %s { %s }", cond, f.broken(s, path))
	case *plan.Open, *plan.Group: // notes are the interpreter's
	default:
		panic(fmt.Sprintf("pktscope: internal error: no Go for a %T", s))
	}
}

func (f *function) writeNumber(n *plan.Number) {
	g, leaf, id := f.g, int(n.Leaf), n.ID
	info := &g.p.Info[leaf]
	most := int(g.p.Leaves[leaf].Width)
	path, order := g.pathOf(info.Node), n.Order
	code, width := fmt.Sprintf("c%d", leaf), fmt.Sprintf("n%d", id)
	t := g.fieldTypeOf(info.Node, most)
	value := f.place(info.Node)
	ladder := n.Kind == plan.NumberLadder
	if ladder {
		value += ".Value"
		f.p("previous%d := %s", id, f.operand(n.Operand, n).word())
		f.dark(n.Operand, "previous%d = 0", id)
	}
	f.p("%s := %s", code, rowOf(info).code(info, t, value))
	f.deriveNumber(leaf, code, value)
	if ladder || n.Kind == plan.NumberVarint || n.Kind == plan.NumberBelow {
		width = "0" // it follows from the value
	} else {
		f.p("%s := 0", width)
	}
	put := fmt.Sprintf("put(%s, b, bit, %s, %s)", order, code, width)
	if info.Swap {
		put = fmt.Sprintf("put(%s, b, bit, swapBytes(%s, %s), %s)", order, code, width, width)
	}
	refuse := f.refuse("RejectOutOfRange", "bit", width, path)
	constant := info.Rule != nil && info.Rule.Kind == schema.RuleEq // in no bits it is not that
	switch n.Kind {
	case plan.NumberSized:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, n).word())
		f.dark(n.Operand, "size = min(uint64(leastWidth(%s, %t)), %d)", code, info.Signed, n.Bits)
		f.p("if size > 64 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("%s = int(size)", width)
		if constant {
			f.p("if size == 0 && %s { %s = 0 }", isZero(value, t), code)
		}
		if info.Signed {
			f.p("if extend(%s, %s) != %s { %s }", code, width, code, refuse)
			f.p("%s &= mask(%s)", code, width)
		} else {
			f.p("if %s > mask(%s) { %s }", code, width, refuse)
		}
		f.p("}")
	case plan.NumberRanged:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, n).word())
		f.dark(n.Operand, "size = min(%s, %#x) + %s", code, info.TypeSpan, literal(n.Lo))
		f.fromLeast(n, path)
		f.p("%s = bits.Len64(size)", width)
		if n.Lo != 0 || constant {
			f.p("if size == 0 && %s { %s = 0 }", isZero(value, t), code)
		}
		f.p("if %s > size { %s }", code, refuse)
		f.p("}")
	case plan.NumberVarint:
		if n.Bits < 64 {
			f.p("if %s>>%d != 0 { %s }", code, n.Bits, refuse)
		}
		put = fmt.Sprintf("putVarint(%s, b, bit, %s)", order, code)
	case plan.NumberBelow:
		f.p("limit%d := %s", id, f.operand(n.Operand, n).word())
		f.dark(n.Operand, "limit%d = min(%s, %#x) + 1", id, code, info.TypeSpan)
		if len(g.lengthSlots) > 0 && g.guessed[n.Operand] { // of a length that is a guess
			f.p("if %s >= limit%d && !w.sure() { limit%d = %s + 1 }", code, id, id, code)
		}
		f.p("if %s >= limit%d { %s }", code, id, refuse)
		put = fmt.Sprintf("putBelow(%s, b, bit, limit%d, %s)", order, id, code)
	case plan.NumberLadder:
		f.p("if %s > 1<<31-1 { %s }", code, refuse)
		refusal := f.refuse("RejectNotIncreasing", "bit", width, path)
		if g.derived[leaf] != nil { // what nobody gave cannot stand there
			refusal = fmt.Sprintf("if %s { %s }; %s", isZero(value, t), refuse, refusal)
		}
		f.p("if %s { %s }", f.certain(leaf, fmt.Sprintf("%s <= previous%d", code, id)), refusal)
		put = fmt.Sprintf("putLadder(%s, b, bit, previous%d, %s, %s.Long)", order, id, code, f.place(info.Node))
	case plan.NumberIndex, plan.NumberStep:
		panic("pktscope: internal error: an index outside its list")
	default:
		panic(fmt.Sprintf("pktscope: internal error: no Go for a number of kind %d", n.Kind))
	}
	call := g.numberCheck(info, most, code, width)
	if call != "" {
		f.p("if k := %s; %s { %s }", call, f.certain(leaf, "k != RejectNone"), f.refuse("k", "bit", width, path))
	}
	f.saveNumber(n, code, width)
	f.p("b, bit = %s", put)
}

// textSize is how many units of a blob's size a text has.
func textSize(b *plan.Blob, text string) string {
	switch {
	case b.Encoding.Unit() == 2:
		return "2*wideSize(" + text + ")"
	case b.Encoding == wire.EncodingLatin1:
		return "runes(" + text + ")"
	case b.Text == schema.TextWString:
		return "wideSize(" + text + ")"
	}
	return "len(" + text + ")"
}

func (f *function) writeBlob(b *plan.Blob) {
	g := f.g
	path, order := g.pathOf(b.Node), b.Order
	if !b.Packed && f.phase != 0 {
		f.p("b, bit = fill(%s, b, bit, -bit&7)", order)
	}
	f.p("{")
	defer f.p("}")
	if b.Text == schema.TextName {
		t := g.fieldTypeOf(b.Node, 0)
		f.given("text", f.place(b.Node)+".Text", t.fields[0].typ, path)
		f.given("own", f.place(b.Node)+".Own", t.fields[1].typ, path)
		f.p("var ok bool")
		f.p("if b, bit, ok = putName(b, bit, text, own); !ok { %s }", f.refuse("RejectBadString", "bit", "0", path))
		return
	}
	f.given("text", f.place(b.Node), g.fieldTypeOf(b.Node, 0), path)
	if c := g.constantText(b.Node); c != "" {
		f.p("text = either(text, %s)", c)
	}
	f.p("size := %s", textSize(b, "text"))
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	switch {
	case b.Text == schema.TextChar, b.Rest:
		f.p("if size > %d { %s }", b.Max, out)
	case b.Text == schema.TextCString:
		f.p("if size >= %d { %s }", b.Max, out)
	case b.Size >= 0:
		differs := fmt.Sprintf("size > %d || %s", b.Max, g.known(uint32(b.Size), g.lit(uint32(b.Size), fmt.Sprintf("uint64(size) != %s", f.operand(uint32(b.Size), b).word()))))
		if length, contradicts := f.sizedBy(b.ID, "uint64(size)", fmt.Sprint(b.Max)); length != "" {
			differs = fmt.Sprintf("%s == 0 && (%s) || %s != 0 && %s", length, differs, length, contradicts)
		}
		f.p("if %s { %s }", differs, out)
	default:
		f.p("if size != %d { %s }", b.Max, out)
	}
	switch b.Text {
	case schema.TextString, schema.TextWString:
		f.p("if _, kind := judgeString(text); kind != RejectNone { %s }", f.refuse("kind", "bit", "8*size", path))
	case schema.TextChar: // NULs after the text are what a writer puts there anyway
		f.p("text, kind := judgeChar(text)")
		f.p("if kind != RejectNone { %s }", f.refuse("RejectBadString", "bit", "8*size", path))
		f.p("size = %s", textSize(b, "text"))
	case schema.TextCString:
		f.p("for _, c := range text { if c == 0 { %s } }", f.refuse("RejectBadString", "bit", "8*size", path))
	}
	f.rule(b, "text", "bit", "8*size", path)
	switch {
	case b.Encoding.Unit() == 2:
		f.p("if _, kind := judgeUTF8(text); kind != RejectNone { %s }", f.refuse("kind", "bit", "8*size", path))
		f.p("b, bit = putUTF16(%s, b, bit, %t, text)", order, b.Encoding == wire.EncodingUTF16BE)
	case b.Encoding == wire.EncodingLatin1:
		f.p("if _, kind := judgeLatin1(text); kind != RejectNone { %s }", f.refuse("kind", "bit", "8*size", path))
		f.p("b, bit = putLatin1(%s, b, bit, text)", order)
	case b.Text == schema.TextWString:
		f.p("b, bit = putWide(%s, b, bit, text)", order)
	default:
		f.p("b, bit = putBytes(%s, b, bit, text)", order)
	}
	f.taken(b.ID)
	if b.Rest && f.kept != "" {
		f.p("if size > 0 { %s = bit }", f.kept)
	}
	switch b.Text {
	case schema.TextChar:
		f.p("b, bit = fill(%s, b, bit, 8*(%d-size))", order, b.Max)
	case schema.TextCString:
		f.p("b, bit = put(%s, b, bit, 0, 8)", order)
	}
}

func (f *function) writeWindow(s *plan.Window) {
	g := f.g
	path := g.pathOf(s.Node)
	if !s.Packed && f.phase != 0 {
		f.p("b, bit = fill(%s, b, bit, -bit&7)", s.Order)
	}
	outer := fmt.Sprintf("end%d", s.ID)
	f.p("%s := end", outer)
	f.p("{")
	f.p("size := %s", f.operand(s.Size, s).word())
	need := fmt.Sprintf("uint64(bit-start%d+%d)/%d", s.ID, s.Unit-1, s.Unit)
	length, contradicts := f.sizedBy(s.ID, "need", "")
	out := f.refuse("RejectOutOfRange", "bit", "0", path)
	if length != "" {
		f.p("if size > 1<<40 && %s != 0 { size = 0 }", length)
	}
	f.p("if %s { %s }", g.known(s.Size, g.lit(s.Size, "size > 1<<40")), out)
	f.p("end = bit + int(size)*%d", s.Unit)
	f.dark(s.Size, "end = 8*MaxDatagram")
	f.p("}")
	if len(g.lengthSlots) > 0 || g.isOpen(s.Size) || s.Fill > 0 {
		f.p("start%d := bit", s.ID)
	}
	kept := f.kept
	if f.kept = ""; s.Fill > 0 {
		f.kept = fmt.Sprintf("kept%d", s.ID)
		need = fmt.Sprintf("need%d", s.ID)
		f.p("%s := bit // after the last bytes that are as many as are there", f.kept)
	}
	guessed := length != "" && g.open != nil // then what is in it does not know where it ends
	if guessed {
		f.p("dark%d := w.found.dark", s.ID)
		f.p("w.found.dark = w.found.dark || w.guessed(%s)", length)
	}
	over := "end-bit >= 8"
	tooMuch := over
	if crowded := f.crowded(s.ID, "end"); crowded != "" {
		over += " || " + crowded
		tooMuch += " || " + g.final(crowded)
	}
	f.p("{")
	f.b.WriteString(g.noSums(s.ID))
	f.steps(s.Body)
	f.p("}")
	if s.Fill > 0 {
		f.p("%s := needed(%s, b, start%d, bit, %s)", need, s.Order, s.ID, f.kept)
		if cond := f.lengthRefused(s.ID, need); cond != "" {
			f.p("for %s < uint64(bit-start%d+7)/8 && (%s) { %s++ }", need, s.ID, cond, need)
		}
	}
	f.kept = kept
	if guessed {
		f.p("w.found.dark = dark%d", s.ID)
	}
	if length != "" {
		f.p("if %s != 0 {", length)
		if f.p("need := %s", need); s.Fill > 0 { // the first byte stays
			f.p("need = max(need, min(1, uint64(bit-start%d)))", s.ID)
		}
		f.p("if %s { %s }", contradicts, out)
		f.p("end = start%d + int(need)*%d", s.ID, s.Unit)
		f.p("}")
	}
	if g.isOpen(s.Size) {
		guess, used := "w.found.dark", "bit"
		if s.Fill > 0 {
			used = fmt.Sprintf("start%d+8*int(%s)", s.ID, need)
		}
		if g.p.SeesBits() { // of another pass's bits
			guess += fmt.Sprintf(" || !w.found.judged && (%s > end || %s)", used, over)
		}
		f.p("if %s { end = start%d + int(%s)*%d }", guess, s.ID, need, s.Unit)
	}
	if len(g.lengthSlots) > 0 { // what is inside, or how much there is for it, can be another in the next pass
		used := "bit > end"
		if s.Fill > 0 {
			used = fmt.Sprintf("start%d+8*int(%s) > end", s.ID, need)
		}
		f.p("if (%s || %s) && !w.sure() { end = start%d + int(%s)*%d }", used, over, s.ID, need, s.Unit)
	}
	past := f.refuse("RejectPastEnd", "bit", "bit-end", path)
	if s.Fill > 0 { // what is after its end is zero, and not sent
		past = fmt.Sprintf("if start%d + 8*int(%s) > end { %s }; bit = end", s.ID, need, past)
	} else if g.p.SeesBits() { // a size inside that does not fit says so first, where it is judged
		past = fmt.Sprintf("if w.found.dark || w.found.judged { %s }; end = bit", past)
	}
	f.p("if bit > end { %s }", past)
	f.p("if %s { %s }", tooMuch, f.refuse("RejectTrailingBytes", "bit", "end-bit", path))
	f.p("b, bit = fill(%s, b, bit, end-bit)", s.Order)
	f.b.WriteString(g.sealSums(s.ID, "b", "bit/8"))
	f.p("end = %s", outer)
}

// lengthRefused is the condition under which a window's length, which follows from what is inside, may not be some
// bytes; "" where it may be any.
func (f *function) lengthRefused(window plan.StepID, size string) string {
	g := f.g
	slot, ok := g.lengthSlots[window]
	if !ok {
		return ""
	}
	s := g.sizing[window]
	for leaf := range g.p.Leaves {
		d := g.derived[leaf]
		if d == nil || !slices.Contains(d.slots, slot) {
			continue
		}
		value, conds := size, []string{}
		if s.K != 1 || s.C != 0 {
			n := fmt.Sprintf("(int64(%s)-(%d))", size, s.C)
			value = fmt.Sprintf("uint64(%s/%d)", n, s.K)
			conds = append(conds, fmt.Sprintf("%s%%%d != 0", n, s.K))
		}
		info := &g.p.Info[leaf]
		if cond := g.refused(&g.p.Leaves[leaf], info, codeOfValue(info, value)); cond != "" {
			conds = append(conds, cond)
		}
		conds = append(conds, f.outside(leaf, value)...)
		return strings.Join(conds, " || ")
	}
	return ""
}

// outside is the conditions under which a value is outside the range that earlier fields give a leaf; none where they
// give none.
func (f *function) outside(leaf int, value string) (conds []string) {
	for s := range stepsOf[*plan.Require](f.g.p) {
		q := &f.g.p.Requires[s.Index]
		if !s.Bounds || q.Leaf != int32(leaf) {
			continue
		}
		for _, end := range []struct {
			operand  uint32
			compares string
		}{{q.Lo, "<"}, {q.Hi, ">"}} {
			signed := "%s %s %s"
			if f.g.p.Operands[end.operand].Signed {
				signed = "int64(%s) %s int64(%s)"
			}
			conds = append(conds, fmt.Sprintf(signed, value, end.compares, f.operand(end.operand, s).word()))
		}
	}
	return conds
}

func (f *function) writeList(s *plan.List) {
	if s.Kind == plan.ListCount {
		f.writeCounted(s, s.Size, s.Max, s.Depth, s.Body)
		return
	}
	g, id := f.g, s.ID
	out := f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(s.Node))
	f.beginList(s, s.Depth, func() {
		if s.Kind == plan.ListUntil {
			f.p("ended%d := false", id)
		}
	})
	if s.Kind == plan.ListUntil {
		f.p("if %s { %s }", g.ends(s.Size, fmt.Sprintf("ended%d", id)), out)
	} else if s.Kind == plan.ListWhile {
		f.p("if %s { %s }", g.ends(s.Size, not(f.operand(s.Size, s).bool())), out)
	}
	f.bounded(s, s.Max)
	done := f.element(s.Node, id)
	f.steps(s.Body)
	done()
	if s.Kind == plan.ListUntil {
		f.p("ended%d = %s", id, g.lit(s.Size, f.operand(s.Size, s).bool()))
	}
	f.p("}")
	f.taken(id)
	if s.Kind == plan.ListUntil {
		f.p("if %s { %s }", g.ends(s.Size, fmt.Sprintf("!ended%d", id)), out)
	} else if s.Kind == plan.ListWhile {
		f.p("if %s { %s }", g.ends(s.Size, f.operand(s.Size, s).bool()), out)
	}
	f.p("}")
}

// beginList begins the loop over what is given of a list.
func (f *function) beginList(s plan.Step, depth int, before func()) {
	node, id := s.At().Node, s.At().ID
	f.p("{")
	f.given(fmt.Sprintf("l%d", id), f.place(node), f.g.fieldTypeOf(node, 0), f.g.pathOf(node))
	before()
	f.p("for i%d := range l%d {", id, id)
	f.p("w.at[%d] = i%d", depth, id)
}

// writeCounted writes a list whose count is in front.
func (f *function) writeCounted(s plan.Step, count uint32, most uint64, depth int, body []plan.Step) {
	g, node, id := f.g, s.At().Node, s.At().ID
	f.beginList(s, depth, func() {
		out := f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(node))
		size := fmt.Sprintf("uint64(len(l%d))", id)
		differs := fmt.Sprintf("n > %d || %s != n", most, size)
		length, contradicts := f.sizedBy(id, size, fmt.Sprint(most))
		if judged := g.ends(count, "("+differs+")"); g.isOpen(count) || length == "" && judged != "("+differs+")" {
			differs = fmt.Sprintf("%s || %s > %d", judged, size, most)
		}
		if length != "" {
			differs = fmt.Sprintf("%s == 0 && (%s) || %s != 0 && %s", length, differs, length, contradicts)
		}
		f.p("if n := %s; %s { %s }", f.operand(count, s).word(), differs, out)
	})
	done := f.element(node, id)
	if n, rest := indexed(body); n != nil {
		f.writeIndex(n, "uint64("+f.place(g.p.Info[n.Leaf].Node)+")", false)
		body = rest
	}
	f.steps(body)
	done()
	f.p("}")
	f.p("}")
}

// writeIndex writes the index of an element, or the one that ends the list.
func (f *function) writeIndex(n *plan.Number, index string, ends bool) {
	path := f.g.pathOf(f.g.p.Info[n.Leaf].Node)
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
	f.p("b, bit = putIndex(%s, %d, index, %d, %s, b, bit)", f.slot(int(n.Previous)), n.Most, bits, n.Order)
	if !n.Any {
		f.p("%s = index", f.slot(int(n.Previous)))
	}
	f.p("}")
}

func (f *function) writeSubset(s *plan.Subset) {
	n, body := indexed(s.Body)
	switch {
	case n == nil:
		f.writeBitmap(s)
		return
	case s.Kind == schema.SubsetIndex:
		f.writeCounted(s, s.Count, s.N, s.Depth, s.Body)
		return
	}
	f.beginList(s, s.Depth, func() {})
	done := f.element(s.Node, s.ID)
	if s.Any {
		f.p("if i%d == %d { %s }", s.ID, s.N, f.refuse("RejectOutOfRange", "bit", "0", f.g.pathOf(f.g.p.Info[n.Leaf].Node)))
	}
	f.writeIndex(n, "uint64("+f.place(f.g.p.Info[n.Leaf].Node)+")", false)
	f.steps(body)
	done()
	f.p("}")
	f.writeIndex(n, fmt.Sprintf("uint64(%d)", n.Most), true)
	f.p("}")
}

func (f *function) writeBitmap(s *plan.Subset) {
	g, id := f.g, s.ID
	f.beginList(s, s.Depth, func() {
		f.p("slot%d := uint64(0)", id)
	})
	done := f.element(s.Node, id)
	info := &g.p.Info[s.Index]
	f.p("index := uint64(%s)", f.place(info.Node))
	f.p("if index >= %d { %s }", s.N, f.refuse("RejectOutOfRange", "bit", "0", g.pathOf(info.Node)))
	f.p("if index < slot%d { %s }", id, f.refuse("RejectNotIncreasing", "bit", "0", g.pathOf(info.Node)))
	f.p("if index > slot%d { b, bit = fill(%s, b, bit, int(index-slot%d)) }", id, s.Order, id)
	f.p("slot%d = index + 1", id)
	body := flat(s.Body)
	n := 0 // the flag is written with the runs after it
	if len(body) > 0 && body[0].At().Order == s.Order && g.weightOf(body) <= g.weight {
		n = f.joined(body, true)
	}
	if body = body[n:]; n == 0 {
		f.p("b, bit = put(%s, b, bit, 1, 1)", s.Order)
	}
	f.steps(body)
	done()
	f.p("}")
	f.p("b, bit = fill(%s, b, bit, int(%d-slot%d))", s.Order, s.N, id)
	f.p("}")
}
