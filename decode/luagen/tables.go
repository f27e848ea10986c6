package luagen

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// tables makes the tables of the plans of a packet and its messages.
type tables struct {
	p        *plan.Plan
	flat     *ops.Program
	prefix   string // of the filters of a message's fields
	fields   [][]*field
	types    map[string][]string // of each filter: the types that fields have under it
	enums    map[*plan.Cases]int
	enumRows strings.Builder
	count    int // of enums
}

// program is the tables of one plan.
func (t *tables) program(p *plan.Plan, prefix string) string {
	t.p, t.flat, t.prefix = p, ops.Lower(p), prefix
	t.fields = append(t.fields, nil)
	t.enums = map[*plan.Cases]int{}
	var top row
	top.text("name", p.Schema.Name)
	top.raw("order", fmt.Sprint(int(p.Order)))
	top.number("max", int64(p.Schema.MaxDatagram))
	top.raw("steps", fmt.Sprint(4*p.Bound.MaxSteps+4096)) // the machine counts ops, and no looks
	top.flag("secret", p.HasSecret())
	if p.Case != nil {
		tag := row{}
		t.enum(&tag, p.Case)
		tag.flag("signed", p.Case.IsSigned())
		tag.flag("secret", p.CaseSecret())
		top.raw("tag", tag.String())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "do\n  local p = %s\n  programs[#programs + 1] = p\n", top.String())
	section := func(name string, n int, row func(i int) string) {
		fmt.Fprintf(&b, "  p.%s = {\n", name)
		for i := range n {
			fmt.Fprintf(&b, "    %s,\n", row(i))
		}
		b.WriteString("  }\n")
	}
	section("ops", len(t.flat.Ops), t.op)
	section("nodes", len(p.Nodes), t.node)
	section("leaves", len(p.Leaves), t.leaf)
	section("operands", len(p.Operands), t.operand)
	section("numbers", len(p.Numbers), t.number)
	section("blobs", len(p.Blobs), t.blob)
	section("switches", len(p.Switches), t.choice)
	section("checksums", len(p.Checksums), t.checksum)
	section("requires", len(p.Requires), t.require)
	b.WriteString("end\n\n")
	return b.String()
}

func (t *tables) op(i int) string {
	op := &t.flat.Ops[i]
	var r row
	r.raw("", quoted(op.Code.String()))
	r.number("order", int64(op.Order))
	r.number("a", int64(op.A))
	r.number("b", int64(op.B))
	r.number("c", int64(op.C))
	r.halves("i", op.Imm)
	r.number("node", int64(op.Node)+1)
	r.flag("any", op.Flags&ops.FlagAny != 0)
	r.flag("packed", op.Flags&ops.FlagPacked != 0)
	r.flag("case", op.Flags&ops.FlagCase != 0)
	r.flag("shown", op.Flags&ops.FlagShown != 0)
	r.flag("judged", op.Flags&ops.FlagJudged != 0)
	t.hides(&r, op)
	if op.Point != plan.NoPoint {
		step := t.p.StepAt(op.Point)
		r.flag("grows", step != nil && t.p.Grows(step))
	}
	return r.String()
}

func (t *tables) node(i int) string {
	n := &t.p.Nodes[i]
	var r row
	r.text("name", n.Name)
	if n.Parent != plan.NoNode {
		r.number("parent", int64(n.Parent)+1)
	}
	r.flag("elem", n.Elem)
	r.flag("item", n.Kind == plan.NodeItem)
	r.flag("named", n.Named)
	r.flag("list", n.Kind == plan.NodeArray)
	if n.Kind == plan.NodeStruct {
		r.text("kind", "struct")
	}
	r.flag("secret", n.Secret || n.Decided)
	r.flag("masked", n.Secret)
	if n.Kind == plan.NodeStruct && n.Value != nil {
		_, smallest := n.Value.Type.(*schema.SmallestType)
		r.flag("parts", smallest || n.IsVector())
	}
	r.flag("unsized", n.Unsized || n.Decided)
	if (n.Kind == plan.NodeStruct || n.Kind == plan.NodeArray) && n.Parent != plan.NoNode {
		r.text("case", n.Case)
		if !n.Elem {
			r.number("field", t.field(plan.NodeID(i), "none", "", nil, false))
		}
	}
	return r.String()
}

func (t *tables) operand(i int) string {
	o := &t.p.Operands[i]
	var r row
	r.flag("signed", o.Signed)
	switch o.Kind {
	case plan.OperandConst:
		r.text("k", "const")
		r.halves("", o.Const)
	case plan.OperandRegister:
		r.text("k", "register")
		r.raw("r", fmt.Sprint(o.Register))
	case plan.OperandLeaf:
		r.text("k", "leaf")
		r.raw("r", fmt.Sprint(o.Register))
		r.number("x", int64(o.Extend))
		r.halves("", o.Const)
	case plan.OperandCode:
		var code row
		for i := range t.p.Insts[o.Start:o.End] {
			code.raw("", t.inst(&t.p.Insts[int(o.Start)+i]))
		}
		r.text("k", "code")
		r.raw("code", code.String())
	}
	return r.String()
}

func (t *tables) inst(in *plan.Inst) string {
	code := in.Code.String()
	var r, rows row
	r.raw("", quoted(code))
	r.flag("sx", in.SX)
	r.flag("sy", in.SY)
	imm := in.Imm
	switch code {
	case "in":
		for lo, hi := range t.p.Set(in) {
			rows.raw("", interval(ops.Range{Lo: lo, Hi: hi}))
		}
		r.raw("rows", rows.String())
	case "table":
		for key, value := range t.p.Rows(in) {
			rows.raw("", interval(ops.Range{Lo: key[0], Hi: key[1]}, value>>32, value&0xffffffff))
		}
		r.raw("rows", rows.String())
		imm = t.p.Other(in)
	default:
		r.number("a", int64(in.A))
	}
	r.halves("", imm)
	return r.String()
}

// interval is the halves of both ends, and what belongs to it.
func interval(r ops.Range, more ...uint64) string {
	text := fmt.Sprintf("{%d, %d, %d, %d", r.Lo>>32, r.Lo&0xffffffff, r.Hi>>32, r.Hi&0xffffffff)
	for _, v := range more {
		text += fmt.Sprintf(", %d", v)
	}
	return text + "}"
}

// numbers are the words of the kinds that the machine knows.
var numbers = map[plan.NumberKind]string{plan.NumberSized: "sized", plan.NumberRanged: "ranged", plan.NumberVarint: "varint",
	plan.NumberBelow: "below", plan.NumberLadder: "ladder", plan.NumberIndex: "index", plan.NumberStep: "step"}

func (t *tables) number(i int) string {
	n := t.p.Numbers[i]
	var r row
	r.text("kind", word(numbers, n.Kind))
	r.flag("signed", n.Signed)
	r.flag("any", n.Any)
	r.raw("operand", fmt.Sprint(n.Operand))
	if n.Register >= 0 {
		r.raw("register", fmt.Sprint(n.Register))
	}
	if n.Previous >= 0 {
		r.raw("previous", fmt.Sprint(n.Previous))
	}
	if n.EndLeaf >= 0 {
		r.flag("ends", true)
		r.raw("last", fmt.Sprint(n.EndLeaf))
	}
	r.raw("lo", pair(n.Lo))
	r.raw("most", fmt.Sprint(n.Most))
	r.raw("bits", fmt.Sprint(n.Bits))
	return r.String()
}

var texts = map[schema.TextKind]string{schema.TextString: "string", schema.TextWString: "wstring", schema.TextCString: "cstring", schema.TextChar: "char", schema.TextName: "name"}

var encodings = map[wire.Encoding]string{wire.EncodingUTF8: "utf8", wire.EncodingASCII: "ascii", wire.EncodingLatin1: "latin1",
	wire.EncodingUTF16LE: "utf16le", wire.EncodingUTF16BE: "utf16be"}

func (t *tables) blob(i int) string {
	b := t.p.Blobs[i]
	n := &t.p.Nodes[b.Node]
	var r row
	if b.Text != 0 {
		r.text("text", word(texts, b.Text))
	}
	r.flag("rest", b.Rest)
	if b.Encoding != wire.EncodingNone {
		r.text("encoding", word(encodings, b.Encoding))
	}
	if b.Size >= 0 {
		r.raw("size", fmt.Sprint(b.Size))
	}
	r.raw("max", fmt.Sprint(b.Max))
	r.raw("unit", fmt.Sprint(b.Unit()))
	if b.Rule != nil && b.Encoding == wire.EncodingNone && ops.RuleOf(b.Rule) != ops.ByNothing {
		r.raw("same", quoted(string(b.Rule.Bytes)))
		r.flag("equal", ops.RuleOf(b.Rule) == ops.ByEq)
	}
	kind := "bytes"
	switch {
	case n.Secret || n.Decided || n.Value.IsText():
		kind = "string"
	case n.Display != nil:
		kind = displayType(n.Display.Word)
		r.text("display", n.Display.Word)
	}
	r.number("field", t.field(b.Node, kind, "", nil, false))
	if f := b.Fragment; f != nil {
		var message row
		message.raw("section", fmt.Sprint(f.Section+2)) // behind the packet, from 1
		message.flag("piece", f.ID >= 0)
		message.flag("bytes", f.Note.Bytes)
		message.flag("secret", f.Secret)
		message.raw("max", fmt.Sprint(f.Note.Section.Max))
		if f.ID >= 0 {
			message.raw("at", fmt.Sprint(f.At))
		}
		if f.Whole >= 0 {
			message.raw("count", fmt.Sprint(f.Whole))
		}
		r.raw("message", message.String())
	}
	return r.String()
}

func (t *tables) choice(i int) string {
	s := t.p.Switches[i]
	var r, arms row
	for _, a := range t.flat.Arms(s) {
		arms.raw("", interval(a.Range, uint64(a.Op)))
	}
	r.flag("signed", t.p.Operands[s.Tag].Signed)
	if s.TagRegister >= 0 {
		r.raw("register", fmt.Sprint(s.TagRegister))
	}
	bits, last := t.p.Look(s.Tag)
	r.raw("look", fmt.Sprint(bits))
	r.flag("tail", last)
	r.raw("arms", arms.String())
	r.flag("hexed", s.Item.Hex && !t.p.Operands[s.Tag].Signed)
	t.atWidths(&r, "wants", 64, &reject.Reject{Kind: reject.UnknownCase, At: reject.Place{Point: s.Point, Leaf: -1, Parent: -1}})
	return r.String()
}

func (t *tables) checksum(i int) string {
	s := t.p.Checksums[i]
	a := s.Algorithm
	var r, parts row
	r.text("name", a.String())
	kind, poly, first := "CRC", a.Polynomial, a.Initial
	if adds, ok := ops.Adds(a.Name); ok {
		kind, poly, first = adds.Kind, adds.Modulus, adds.First
		r.flag("negated", adds.Negate)
	}
	r.text("kind", kind)
	r.raw("width", fmt.Sprint(a.Width))
	r.word("poly", poly)
	r.word("init", first)
	r.word("final", a.Final)
	r.word("xor", s.Xor)
	r.flag("refin", a.RefIn)
	r.flag("refout", a.RefOut)
	r.flag("swap", s.Swap)
	r.flag("windowed", s.Windowed)
	r.flag("around", s.To.Kind == schema.SumAround)
	r.flag("own", s.From.Kind == schema.SumOwn)
	if s.From.Register >= 0 {
		r.raw("from", fmt.Sprint(s.From.Register))
	}
	if s.To.Register >= 0 {
		r.raw("to", fmt.Sprint(s.To.Register))
	}
	for i := range len(s.Prefix) + len(s.Suffix) {
		v := s.Part(i)
		var part row
		if v.Register >= 0 {
			part.raw("register", fmt.Sprint(v.Register))
		}
		part.word("value", v.Value)
		part.raw("size", fmt.Sprint(v.Size))
		part.flag("big", v.BigEndian)
		parts.raw("", part.String())
	}
	r.raw("parts", parts.String())
	r.raw("prefixes", fmt.Sprint(len(s.Prefix)))
	return r.String()
}

func (t *tables) require(i int) string {
	q := &t.p.Requires[i]
	var r row
	if q.Leaf >= 0 {
		r.flag("bounds", true)
		r.raw("lo", fmt.Sprint(q.Lo))
		r.raw("hi", fmt.Sprint(q.Hi))
		r.flag("secret", q.Secret())
		return r.String()
	}
	at := slices.IndexFunc(t.p.Steps, func(s plan.Step) bool { q, ok := s.(*plan.Require); return ok && int(q.Index) == i })
	trace := decode.Trace{Plan: t.p}
	broken := reject.Reject{Kind: reject.RuleBroken, At: reject.Place{Point: t.p.Steps[at].At().Point, Leaf: -1, Parent: -1}}
	if want := string(trace.AppendWant(nil, &broken)); want != reject.Masked {
		r.text("text", want)
	}
	var vars row
	for _, v := range q.Vars {
		var one row
		one.text("name", v.Name)
		one.raw("register", fmt.Sprint(v.Register))
		one.flag("signed", v.Signed)
		one.flag("bool", v.Bool)
		one.flag("secret", v.Secret)
		vars.raw("", one.String())
	}
	if len(q.Vars) > 0 {
		r.raw("vars", vars.String())
	}
	r.flag("rest", q.Rest)
	r.flag("from", q.From)
	return r.String()
}

// hides adds what of a refusal at an op tells a secret: see decode.Trace's AppendWant and AppendGot.
func (t *tables) hides(r *row, op *ops.Op) {
	at := op.Point
	if op.Code == ops.OpEnd {
		at = t.p.End()
	}
	if at == plan.NoPoint || !t.p.HasSecret() {
		return
	}
	var hides row
	hides.flag("width", t.p.WidthSecret(at))
	hides.flag("left", t.p.LeftSecret(at))
	hides.flag("size", t.p.SizeSecret(at))
	hides.flag("decided", t.p.DecisionAt(at) != nil)
	hides.flag("cond", op.Code == ops.OpRequire && t.p.Operands[op.A].Secret)
	if len(hides.b) > 0 {
		r.raw("hides", hides.String())
	}
}

// atWidths adds what a correct packet has where one is refused, of which the schema alone says it: a text, or, where
// there are digits for as many bits as were refused, one for each number of bits up to most.
func (t *tables) atWidths(r *row, name string, most int, refused *reject.Reject) {
	trace := decode.Trace{Plan: t.p}
	want := func(width int) string {
		refused.Width = width
		return string(trace.AppendWant(nil, refused))
	}
	other := want(most)
	if other == reject.Masked {
		return
	}
	var each row
	for width := range most {
		if text := want(width); text != other {
			each.raw(fmt.Sprintf("[%d]", width), quoted(text))
		}
	}
	if len(each.b) == 0 {
		r.raw(name, quoted(other))
		return
	}
	each.text("other", other)
	r.raw(name, each.String())
}

// word is the machine's name for something; it knows all of them.
func word[K comparable](words map[K]string, k K) string {
	text, ok := words[k]
	if !ok {
		panic(fmt.Sprintf("pktscope: internal error: luagen: the machine lacks %v", k))
	}
	return text
}
