package gogen

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// The reader: one statement or a few for every step, with the meaning that the interpreter gives it.

func (f *function) readStep(s plan.Step) {
	g, base := f.g, s.At()
	path, order := g.pathOf(base.Node), base.Order
	switch s := s.(type) {
	case *plan.Run:
		run, _ := g.stretchOf([]plan.Step{s})
		f.readStretch(&run, false, f.stop(&run))
	case *plan.Checksum:
		f.readSum(s)
	case *plan.Align:
		if s.Any {
			f.p("if bit = r.padAny(%s, data, bit, end, %d, %s, %s); bit < 0 { return -1 }", order, s.Bits, f.words(s.Node), path)
		} else {
			f.p("if bit = r.pad(%s, data, bit, end, %d, %s); bit < 0 { return -1 }", order, s.Bits, path)
		}
	case *plan.Reserved:
		f.p("if end-bit < %d { %s }", s.Bits, f.refuse("RejectPastEnd", "bit", fmt.Sprint(s.Bits), path))
		if s.Any {
			f.p("bit = keep(%s, data, bit, %d, %s)", order, s.Bits, f.words(s.Node))
		} else {
			f.p("if bit = r.zeros(%s, data, bit, %d, RejectReservedNonzero, %s); bit < 0 { return -1 }", order, s.Bits, path)
		}
	case *plan.Number:
		f.readNumber(s)
	case *plan.Unit:
		width := 2 + 3*int(s.Bits)
		f.p("%s", ifNotUnit(s, f.refuse("RejectNonUnit", fmt.Sprintf("bit-%d", width), fmt.Sprint(width), path)))
	case *plan.Blob:
		f.readBlob(s)
	case *plan.Window:
		f.readWindow(s)
	case *plan.List:
		f.readList(s)
	case *plan.Subset:
		f.readSubset(s)
	case *plan.If:
		f.readIf(s)
	case *plan.Switch:
		f.p("{")
		if t := f.g.fieldType[s.Node]; t != nil && f.has(s.Node) && f.g.p.SeesBits() && f.g.isOpen(s.Tag) {
			f.p("%s", f.g.zeroed(f.place(s.Node), t)) // what is given says which arm Append begins with
		}
		f.choose(s, func() {
			bit, width := f.tagPlace(s)
			f.p("%s", f.refuse("RejectUnknownCase", bit, width, path))
		})
		f.p("}")
	case *plan.Let:
		f.let(s)
	case *plan.Require:
		f.p("if %s { %s }", not(f.operand(s.Cond, s).bool()), f.broken(s, path))
	case *plan.Open, *plan.Group: // notes are the interpreter's
	default:
		panic(fmt.Sprintf("pktscope: internal error: no Go for a %T", s))
	}
}

// save puts what is read of a run's values into their slots.
func (f *function) save(s *plan.Run) {
	for _, save := range s.Saves {
		if !f.g.read[int(save.Register)] {
			continue
		}
		info := &f.g.p.Info[save.Leaf]
		extension := info.Extension(int(f.g.p.Leaves[save.Leaf].Width))
		f.p("%s = %s", f.slot(int(save.Register)), leafValue(fmt.Sprintf("c%d", save.Leaf), extension, info.Base))
	}
}

func (f *function) let(s *plan.Let) {
	g := f.g
	used := g.read[int(s.Register)]
	if !used && !s.Shown && !s.Judged {
		return // a local that only this would read is not declared
	}
	value := f.operand(s.Value, s).word()
	if used {
		f.p("%s = %s", f.slot(int(s.Register)), value)
		value = f.slot(int(s.Register))
	} else {
		f.p("x%d := %s", s.ID, value)
		value = fmt.Sprintf("x%d", s.ID)
	}
	if s.Judged {
		f.judgeLet(s, value)
	}
	if s.Shown && !f.write {
		info := &g.p.Info[s.Leaf]
		f.p("%s = %s", f.place(s.Node), rowOf(info).read(info, g.fieldTypeOf(s.Node, 64), value, "64"))
	} else if !used && !s.Judged {
		f.p("_ = %s", value)
	}
}

// judgeLet refuses a value out of its range. A writer does not where a guess is in it.
func (f *function) judgeLet(s *plan.Let, value string) {
	info := &f.g.p.Info[s.Leaf]
	outside := "false"
	for lo, hi := range info.RuleSet() { // keys: of a signed value the sign is turned over
		bias := uint64(0)
		if info.IsSigned() {
			bias = 1 << 63
		}
		outside = fmt.Sprintf("%s-%s > %s", value, constant(lo^bias), constant(hi-lo))
	}
	if f.write {
		outside = f.g.known(s.Value, f.g.lit(s.Value, outside))
	}
	f.p("if %s { %s }", outside, f.refuse("RejectOutOfRange", "bit", "0", f.g.pathOf(s.Node)))
}

// broken refuses what a requirement does not allow.
func (f *function) broken(s *plan.Require, path string) string {
	if !s.Bounds {
		return f.refuse("RejectRuleBroken", "bit", "0", path)
	}
	leaf := f.g.p.Requires[s.Index].Leaf
	bit, width := "bit", "0"
	if slot, ok := f.g.boundSlots[int(leaf)]; ok && !f.write {
		bit, width = fmt.Sprintf("int(%s)", f.slot(slot)), fmt.Sprintf("int(%s)", f.slot(slot+1))
	} else if f.g.p.LeafRuns(leaf) {
		width = fmt.Sprint(f.g.p.Leaves[leaf].Width)
		bit = "bit-" + width
	}
	return f.refuse("RejectOutOfRange", bit, width, path)
}

// ifNotUnit does something where a quaternion's components are too long.
func ifNotUnit(s *plan.Unit, do string) string {
	args := fmt.Sprintf("(c%d, c%d, c%d, %d)", s.First+1, s.First+2, s.First+3, s.Bits)
	return fmt.Sprintf("if !inside%s { if !unit%s { %s } }", args, args, do)
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
		if w := f.filled; w != nil {
			f.p("%s, %s = there(%s, %s, shift%d, ends%d)", f.slot(slot), f.slot(slot+1), bit, width, w.ID, w.ID)
			continue
		}
		f.p("%s, %s = uint64(%s), uint64(%s)", f.slot(slot), f.slot(slot+1), bit, width)
	}
}

// tagPlace is the bit and width that a switch names when it refuses.
func (f *function) tagPlace(sw *plan.Switch) (bit, width string) {
	if n, last := f.g.p.Look(sw.Tag); last {
		return fmt.Sprintf("max(bit, end-%d)", n), fmt.Sprintf("min(%d, end-bit)", n)
	} else if n > 0 {
		return "bit", fmt.Sprintf("min(%d, end-bit)", n)
	}
	if sw.TagRegister >= 0 {
		if slot, ok := f.g.tagSlots[sw.TagRegister]; ok {
			shift := ""
			if f.filled != nil {
				shift = fmt.Sprintf("-shift%d", f.filled.ID)
			}
			return fmt.Sprintf("int(%s)", f.slot(slot)) + shift, fmt.Sprintf("int(%s)", f.slot(slot+1))
		}
	}
	return "bit", "0"
}

// loads are what follows "load" in the name of the function that loads bits in an order.
var loads = [...]string{wire.LSB: "LSB", wire.MSB: "MSB", wire.Bytewise: "Bytewise"}

// readIf writes both sides. Fields of the side that is not taken are made zero: what an earlier datagram left there is
// not this one's.
func (f *function) readIf(s *plan.If) {
	f.p("if %s {", f.operand(s.Cond, s).bool())
	flag := f.g.p.Nodes[s.Node].Kind == plan.NodeItem // of an optional, whose field says that it is not there
	then, other := f.fieldsIn(s.Then, s.Node), f.fieldsIn(s.Else, s.Node)
	if !flag {
		f.zero(other, then)
	}
	f.steps(s.Then)
	if !flag && len(then) > 0 || len(s.Else) > 0 {
		f.p("} else {")
		if !flag {
			f.zero(then, other)
		}
		f.steps(s.Else)
	}
	f.p("}")
}

// fieldsIn lists the fields of a struct that a block of it sets.
func (f *function) fieldsIn(b []plan.Step, owner plan.NodeID) []plan.NodeID {
	var all []plan.NodeID
	seen := map[string]bool{}
	for _, id := range f.g.nodesIn(b, owner) {
		if sw, ok := f.g.arm[id]; ok {
			id = sw
		}
		if name, ok := f.g.field[id]; ok && !seen[name] {
			seen[name] = true
			all = append(all, id)
		}
	}
	return all
}

// nodesIn lists the nodes right below a struct's that steps have.
func (g *gen) nodesIn(b []plan.Step, under plan.NodeID) []plan.NodeID {
	var nodes []plan.NodeID
	seen := map[plan.NodeID]bool{}
	add := func(id plan.NodeID) {
		for id != plan.NoNode && g.p.Nodes[id].Parent != under {
			id = g.p.Nodes[id].Parent
		}
		if id != plan.NoNode && !seen[id] {
			seen[id] = true
			nodes = append(nodes, id)
		}
	}
	for s := range plan.Walk(b) {
		add(s.At().Node)
		if run, ok := s.(*plan.Run); ok {
			for _, info := range g.p.Info[run.First : run.First+run.N] {
				add(info.Node)
			}
		}
	}
	return nodes
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

func (f *function) readNumber(n *plan.Number) {
	g, leaf := f.g, int(n.Leaf)
	info := &g.p.Info[leaf]
	path, order := g.pathOf(info.Node), n.Order
	code, at := fmt.Sprintf("c%d", leaf), fmt.Sprintf("n%d", n.ID)
	f.p("var %s int", at)
	f.p("var %s uint64", code)
	kind := fmt.Sprintf("k%d", n.ID) // what its bits say of it
	if n.Kind == plan.NumberSized || n.Kind == plan.NumberBelow {
		kind = ""
	} else {
		f.p("var %s RejectKind", kind)
	}
	field := f.has(info.Node)
	switch n.Kind {
	case plan.NumberSized:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, n).word())
		f.p("if size > 64 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
		f.p("if %s, %s = r.take(%s, data, bit, end, int(size), %s); %s < 0 { return -1 }", code, at, order, path, at)
		f.p("}")
	case plan.NumberRanged:
		f.p("{")
		f.p("size := %s", f.operand(n.Operand, n).word())
		f.fromLeast(n, path)
		f.p("if %s, %s = r.take(%s, data, bit, end, bits.Len64(size), %s); %s < 0 { return -1 }", code, at, order, path, at)
		f.p("if %s > size { %s = RejectOutOfRange }", code, kind)
		f.p("}")
	case plan.NumberVarint:
		f.p("if %s, %s, %s = r.varint(%s, data, bit, end, %d, %s); %s < 0 { return -1 }", code, at, kind, order, n.Bits, path, at)
	case plan.NumberBelow:
		f.p("if %s, %s = r.below(%s, %s, data, bit, end, %s); %s < 0 { return -1 }", code, at, f.operand(n.Operand, n).word(), order, path, at)
	case plan.NumberLadder:
		long := "_"
		if field {
			long = f.place(info.Node) + ".Long"
		}
		f.p("if %s, %s, %s, %s = r.ladder(%s, %s, data, bit, end, %s); %s < 0 { return -1 }", code, long, at, kind, f.operand(n.Operand, n).word(), order, path, at)
	case plan.NumberIndex, plan.NumberStep:
		panic("pktscope: internal error: an index outside its list")
	default:
		panic(fmt.Sprintf("pktscope: internal error: no Go for a number of kind %d", n.Kind))
	}
	f.judge(info, leaf, code, at, kind, path)
	if n.Kind == plan.NumberLadder && field {
		f.p("%s.Value = uint32(%s)", f.place(info.Node), code)
	} else if field {
		f.p("%s = %s", f.place(info.Node), rowOf(info).read(info, g.fieldTypeOf(info.Node, int(g.p.Leaves[leaf].Width)), code, "("+at+"-bit)"))
	}
	f.saveNumber(n, code, at+"-bit")
	f.tagAt(leaf, "bit", at+"-bit")
	f.p("bit = %s", at)
}

// fromLeast makes the size of a ranged number the highest code that it may have.
func (f *function) fromLeast(n *plan.Number, path string) {
	less := fmt.Sprintf("size < %s", literal(n.Lo))
	if n.Signed {
		less = fmt.Sprintf("int64(size) < %d", int64(n.Lo))
	}
	if n.Signed || n.Lo > 0 {
		f.p("if %s { %s }", less, f.refuse("RejectOutOfRange", "bit", "0", path))
	}
	f.p("size -= %s", literal(n.Lo))
}

// saveNumber puts the value of a code into its slot.
func (f *function) saveNumber(n *plan.Number, code, width string) {
	if n.Register < 0 || !f.g.read[int(n.Register)] {
		return
	}
	switch info := &f.g.p.Info[n.Leaf]; {
	case info.Signed:
		code = fmt.Sprintf("extend(%s, %s)", code, width)
	case info.ZigZag:
		code = fmt.Sprintf("(%s>>1 ^ -(%s & 1))", code, code)
	case info.Base != 0:
		code = fmt.Sprintf("%s + %#x", code, info.Base)
	}
	f.p("%s = %s", f.slot(int(n.Register)), code)
}

// judge refuses a number that was read: kind, where there is one, is what its bits said already.
func (f *function) judge(info *plan.LeafInfo, leaf int, code, at, kind, path string) {
	l := &f.g.p.Leaves[leaf]
	if info.Swap {
		f.p("%s = swapBytes(%s, %s-bit)", code, code, at)
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

func (f *function) readBlob(b *plan.Blob) {
	g := f.g
	path, order := g.pathOf(b.Node), b.Order
	start := "bit"
	text := b.Text == schema.TextString || b.Text == schema.TextWString
	if text {
		// A text that breaks a rule is refused from its length on.
		leaf := g.p.LeafOf(&g.p.Operands[b.Size], b.ID)
		start = fmt.Sprintf("b%d", b.ID)
		f.p("%s := bit-%d", start, int(g.p.Reader(leaf).(*plan.Run).Bits)-int(g.p.Leaves[leaf].Off))
	}
	if !b.Packed && f.phase != 0 {
		f.p("if bit = r.pad(%s, data, bit, end, 8, %s); bit < 0 { return -1 }", order, path)
	}
	place, t := f.place(b.Node), g.fieldTypeOf(b.Node, 0)
	f.p("{")
	defer f.p("}")
	if b.Text == schema.TextName {
		own := t.fields[1].typ
		f.p("text, own, size := r.name(data, bit, end, %s, %s, %s)", empty(place+".Text", t.fields[0].typ), empty(place+".Own", own), path)
		f.p("if size < 0 { return -1 }")
		f.p("%s", assign(place+".Text", "text", t.fields[0].typ))
		f.p("%s", assign(place+".Own", "own", own))
		f.p("bit += 8*size")
		return
	}
	if b.Text == schema.TextCString {
		f.p("size := r.until(%s, data, bit, end, %d, %s)", order, b.Max, path)
		f.p("if size < 0 { return -1 }")
		f.take(b, empty(place, t), "text")
		f.rule(b, "text", "bit", "8*size+8", path)
		f.p("%s", assign(place, "text", t))
		f.p("bit += 8*size + 8")
		return
	}
	switch {
	case b.Rest:
		if f.filled != nil {
			f.p("size := max(0, ends%d-bit) / 8", f.filled.ID)
		} else {
			f.p("size := (end - bit) / 8")
		}
		f.p("if size > %d { %s }", b.Max, f.refuse("RejectOutOfRange", "bit", "0", path))
	case b.Size >= 0:
		f.p("want := %s", f.operand(uint32(b.Size), b).word())
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
	switch {
	case b.Encoding.Unit() == 2:
		f.p("text, kind := judgeUTF16(%s, data, bit, size, %t, %s)", order, b.Encoding == wire.EncodingUTF16BE, empty(place, t))
		f.p("if kind != RejectNone { %s }", f.refuse("kind", start, width, path))
	case b.Text == schema.TextWString:
		f.p("text, kind := judgeWide(%s, data, bit, size, %s)", order, empty(place, t))
		f.p("if kind != RejectNone { %s }", f.refuse("kind", start, width, path))
	case b.Text == schema.TextChar, b.Text == schema.TextString:
		judge := "judgeString"
		if b.Text == schema.TextChar {
			judge = "judgeChar"
		}
		f.take(b, empty(place, t), "all")
		f.p("text, kind := %s(all)", judge)
		f.p("if kind != RejectNone { %s }", f.refuse("kind", start, width, path))
	default:
		f.take(b, empty(place, t), "text")
	}
	f.rule(b, "text", start, width, path)
	f.p("%s", assign(place, "text", t))
	f.p("bit += %d*size", unit)
}

// take copies size bytes at bit into a field's memory, under a name; those of Latin-1 as UTF-8.
func (f *function) take(b *plan.Blob, memory, name string) {
	order := b.Order
	if b.Encoding == wire.EncodingLatin1 {
		f.p("%s := %s.AppendLatin1(%s, data, bit, size)", name, order, memory)
		return
	}
	if order == wire.Bytewise && f.phase != 0 {
		f.p("%s := %s", name, memory)
		f.p("if bit&7 == 0 { %s = append(%s, data[bit>>3:bit>>3+size]...) } else { %s = bytesAt(%s, data, bit, size, %s) }", name, name, name, order, name)
		return
	}
	f.p("%s := append(%s, data[bit>>3:bit>>3+size]...)", name, memory)
}

// textJudges judge the bytes of a text in an encoding; those of the others are judged as they are converted.
var textJudges = map[wire.Encoding]string{wire.EncodingUTF8: "judgeUTF8", wire.EncodingASCII: "judgeASCII"}

// rule refuses text that breaks what stands after its type.
func (f *function) rule(b *plan.Blob, text, bit, width, path string) {
	if b.Rule == nil {
		return
	}
	switch b.Rule.Kind {
	case schema.RuleEncoding:
		if judge := textJudges[b.Encoding]; judge != "" {
			f.p("if _, kind := %s(%s); kind != RejectNone { %s }", judge, text, f.refuse("kind", bit, width, path))
		}
	case schema.RuleEq:
		f.p("if string(%s) != %q { %s }", text, b.Rule.Bytes, f.refuse("RejectConstMismatch", bit, width, path))
	case schema.RuleNe:
		f.p("if string(%s) == %q { %s }", text, b.Rule.Bytes, f.refuse("RejectConstMismatch", bit, width, path))
	}
}

func (f *function) readWindow(s *plan.Window) {
	g := f.g
	path, order := g.pathOf(s.Node), s.Order
	if !s.Packed && f.phase != 0 {
		f.p("if bit = r.pad(%s, data, bit, end, 8, %s); bit < 0 { return -1 }", order, path)
	}
	outer := fmt.Sprintf("end%d", s.ID)
	f.p("%s := end", outer)
	f.p("{")
	f.p("size := %s", f.operand(s.Size, s).word())
	if g.p.Operands[s.Size].Signed {
		f.p("if int64(size) < 0 { %s }", f.refuse("RejectOutOfRange", "bit", "0", path))
	}
	f.p("if size > uint64(end-bit)/%d { %s }", s.Unit, f.refuse("RejectPastEnd", "bit", fmt.Sprintf("widthOf(size, %d)", s.Unit), path))
	f.p("end = bit + int(size)*%d", s.Unit)
	f.p("}")
	f.p("{")
	if s.Fill > 0 {
		f.readFilled(s)
	} else {
		f.steps(s.Body)
	}
	f.p("}")
	f.p("if bit = r.closeWindow(%s, data, bit, end, %s); bit < 0 { return -1 }", order, path)
	f.p("end = %s", outer)
}

// readFilled reads what is in a window that is filled with zeros: from the datagram where it is long enough, else from
// a copy of it, whose first bit is 0. The window begins on a byte.
func (f *function) readFilled(s *plan.Window) {
	id := s.ID
	f.p("data, shift%d, stop%d, ends%d := data, 0, end, end // this data lives no longer than the copy", id, id, id)
	f.p("var room%d [%d]byte", id, s.Fill/8)
	f.p("short%d := end-bit < %d", id, s.Fill)
	f.p("if short%d {", id)
	f.p("copy(room%d[:], data[bit>>3:end>>3])", id)
	f.p("data, shift%d, bit, end, ends%d = room%d[:], bit, 0, %d, end-bit", id, id, id, s.Fill)
	f.p("}")
	if at, ok := f.g.fillSlots[id]; ok {
		f.p("%s, %s = uint64(shift%d), uint64(ends%d)", f.slot(at), f.slot(at+1), id, id)
	}
	around := f.filled
	f.filled = s
	f.p("if func() int {")
	f.steps(s.Body)
	f.p("return 0")
	f.p("}() < 0 {")
	f.p("if short%d { return r.moved(shift%d, stop%d) }", id, id, id)
	f.p("return -1")
	f.p("}")
	f.filled = around
	f.p("if short%d { bit, end = min(shift%d+bit, stop%d), stop%d }", id, id, id, id)
	f.p("_ = ends%d", id)
}
