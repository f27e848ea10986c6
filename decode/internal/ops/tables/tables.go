package tables

import (
	"fmt"
	"iter"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Writer makes the tables of one plan.
type Writer struct {
	*Language
	Plan *plan.Plan
	flat *ops.Program
	// More adds what a language needs beside to row i of a table, by the table's name; nil where it needs nothing.
	More map[string]func(r *Row, i int)
}

// New makes a Writer of a plan.
func New(l *Language, p *plan.Plan) *Writer {
	return &Writer{Language: l, Plan: p, flat: ops.Lower(p)}
}

// Steps is after how many ops a machine ends that counts them, beside what the schema proves. It counts no looks.
func (w *Writer) Steps() int64 { return 4*w.Plan.Bound.MaxSteps + 4096 }

// Point is the place in the plan of op i, NoPoint of one that refuses and records nothing.
func (w *Writer) Point(i int) plan.Point { return w.flat.Ops[i].Point }

// All are the tables, by their names, each with its rows.
func (w *Writer) All() iter.Seq2[string, []string] {
	p := w.Plan
	return func(yield func(name string, rows []string) bool) {
		for _, table := range []struct {
			name string
			n    int
			row  func(r *Row, i int)
		}{
			{"ops", len(w.flat.Ops), w.op}, {"nodes", len(p.Nodes), w.node}, {"leaves", len(p.Leaves), w.leaf}, {"operands", len(p.Operands), w.operand},
			{"numbers", len(p.Numbers), w.number}, {"blobs", len(p.Blobs), w.blob}, {"switches", len(p.Switches), w.choice},
			{"checksums", len(p.Checksums), w.checksum}, {"requires", len(p.Requires), w.require},
		} {
			rows := make([]string, table.n)
			for i := range rows {
				r := w.Record()
				table.row(r, i)
				if more := w.More[table.name]; more != nil {
					more(r, i)
				}
				rows[i] = r.String()
			}
			if !yield(table.name, rows) {
				return
			}
		}
	}
}

func (w *Writer) op(r *Row, i int) {
	op := &w.flat.Ops[i]
	r.Raw("code", w.Quote(op.Code.String()))
	r.Number("order", int64(op.Order))
	r.Number("a", int64(op.A))
	r.Number("b", int64(op.B))
	r.Number("c", int64(op.C))
	r.Halves("i", op.Imm)
	r.Index("node", int(op.Node))
	r.Flag("any", op.Flags&ops.FlagAny != 0)
	r.Flag("packed", op.Flags&ops.FlagPacked != 0)
	r.Flag("case", op.Flags&ops.FlagCase != 0)
	r.Flag("shown", op.Flags&ops.FlagShown != 0)
	r.Flag("judged", op.Flags&ops.FlagJudged != 0)
	if w.Plan.HasSecret() {
		w.hides(r, op)
	}
}

// hides adds what of a refusal or a note at an op tells a secret: see decode.Trace's AppendWant and AppendGot.
func (w *Writer) hides(r *Row, op *ops.Op) {
	p, at, end := w.Plan, op.Point, op.Code == ops.OpEnd
	if end {
		at = p.End()
	}
	if at == plan.NoPoint {
		return
	}
	hides, d := w.Record(), p.DecisionAt(at)
	hides.Flag("bit", p.PlaceSecret(at) || d != nil || w.tagLost(op))
	hides.Flag("width", p.WidthSecret(at))
	hides.Flag("left", p.LeftSecret(at))
	if !end {
		hides.Flag("size", p.SizeSecret(at))
		hides.Flag("node", p.Nodes[p.StepAt(at).At().Node].Secret)
		hides.Flag("cond", op.Code == ops.OpRequire && p.Operands[op.A].Secret)
	}
	if d != nil {
		hides.Flag("decided", true)
		hides.Index("fold", int(d.Fold))
		hides.Index("base", int(d.Base))
		hides.Flag("list", d.List)
	}
	if !hides.Empty() {
		r.Raw("hides", hides.String())
	}
}

// tagLost reports whether a switch is refused at a tag whose place is computed from a secret.
func (w *Writer) tagLost(op *ops.Op) bool {
	if op.Code != ops.OpSwitch || w.Plan.Switches[op.B].TagRegister < 0 {
		return false
	}
	for _, leaf := range w.Plan.RegisterLeaves[w.Plan.Switches[op.B].TagRegister] {
		if w.Plan.PlaceSecret(w.Plan.Info[leaf].Point) {
			return true
		}
	}
	return false
}

func (w *Writer) node(r *Row, i int) {
	n := &w.Plan.Nodes[i]
	r.Text("name", n.Name)
	r.Index("parent", int(n.Parent))
	r.Flag("elem", n.Elem)
	r.Flag("item", n.Kind == plan.NodeItem)
	r.Flag("named", n.Named)
	r.Flag("list", n.Kind == plan.NodeArray)
	r.Flag("struct", n.Kind == plan.NodeStruct)
	r.Flag("masked", n.Secret)
}

var forms = map[plan.Form]string{plan.FormUint: "int", plan.FormInt: "int", plan.FormFloat: "float", plan.FormBool: "bool", plan.FormCase: "case",
	plan.FormFlags: "flags", plan.FormHex: "hex"}

var judgedAs = map[ops.JudgedAs]string{ops.AsAny: "", ops.AsCases: "cases", ops.AsFlags: "flags", ops.AsCheck: "check", ops.AsReserved: "reserved", ops.AsSum: "sum"}

var judgedBy = map[ops.JudgedBy]string{ops.ByNothing: "", ops.ByIn: "in", ops.ByEq: "eq", ops.ByNe: "ne", ops.ByFinite: "finite", ops.ByFloatIn: "float"}

// RuleWord is the word of a rule about values, "" of another.
func RuleWord(r *schema.Rule) string { return word(judgedBy, ops.RuleOf(r)) }

func (w *Writer) leaf(r *Row, i int) {
	l, info, judged := &w.Plan.Leaves[i], &w.Plan.Info[i], ops.Judge(w.Plan, i)
	r.Number("off", int64(l.Off))
	r.Given("width", int64(l.Width))
	r.Index("node", int(info.Node))
	r.Flag("swap", l.Swap)
	r.Flag("signed", info.Signed)
	r.Flag("zigzag", info.ZigZag)
	r.Flag("negative", info.Negative)
	r.Flag("any", info.Any)
	r.Flag("let", info.Let != nil)
	r.Text("form", word(forms, info.Form()))
	r.Text("as", word(judgedAs, judged.As))
	r.Text("by", word(judgedBy, judged.By))
	r.Flag("codes", judged.Codes)
	r.Word("base", info.Base)
	r.Raw("span", w.Words(info.TypeSpan))
	r.Word("want", judged.Want)
	r.Word("exponent", judged.Exponent)
	var set []string
	for _, s := range judged.Set {
		set = append(set, w.Interval(s.Lo, s.Hi))
	}
	if len(set) > 0 {
		r.Raw("set", w.Join(set))
	}
	if q := info.Quant; q != nil && info.Kind == plan.LeafQuantized {
		quantized := w.Record()
		quantized.Raw("min", double(q.Min))
		quantized.Raw("delta", double(q.Delta))
		quantized.Given("steps", int64(q.Steps))
		r.Raw("quantized", quantized.String())
	}
	if hexed := info.Enum != nil && info.Enum.Hex || info.Rule != nil && info.Rule.Hex; hexed && !info.IsSigned() {
		r.Flag("hexed", true)
		r.Flag("digits", info.Let == nil && info.Base == 0)
	}
}

// double is a number of 64 bits that is exactly a float32.
func double(f float32) string { return fmt.Sprintf("%.17g", float64(f)) }

func (w *Writer) operand(r *Row, i int) {
	o := &w.Plan.Operands[i]
	r.Flag("signed", o.Signed)
	switch o.Kind {
	case plan.OperandConst:
		r.Text("k", "const")
		r.Halves("", o.Const)
	case plan.OperandRegister:
		r.Text("k", "register")
		r.Given("r", int64(o.Register))
	case plan.OperandLeaf:
		r.Text("k", "leaf")
		r.Given("r", int64(o.Register))
		r.Number("x", int64(o.Extend))
		r.Halves("", o.Const)
	case plan.OperandCode:
		var code []string
		for i := range w.Plan.Insts[o.Start:o.End] {
			code = append(code, w.inst(&w.Plan.Insts[int(o.Start)+i]))
		}
		r.Text("k", "code")
		r.Raw("code", w.Join(code))
	}
}

func (w *Writer) inst(in *plan.Inst) string {
	code := in.Code.String()
	var rows []string
	r := w.Record()
	r.Raw("code", w.Quote(code))
	r.Flag("sx", in.SX)
	r.Flag("sy", in.SY)
	imm := in.Imm
	switch code {
	case "in":
		for lo, hi := range w.Plan.Set(in) {
			rows = append(rows, w.Interval(lo, hi))
		}
		r.Raw("rows", w.Join(rows))
	case "table":
		for key, value := range w.Plan.Rows(in) {
			rows = append(rows, w.Interval(key[0], key[1], value>>32, value&0xffffffff))
		}
		r.Raw("rows", w.Join(rows))
		imm = w.Plan.Other(in)
	default:
		r.Number("a", int64(in.A))
	}
	r.Halves("", imm)
	return r.String()
}

// numbers are the words of the kinds that the machines know.
var numbers = map[plan.NumberKind]string{plan.NumberSized: "sized", plan.NumberRanged: "ranged", plan.NumberVarint: "varint",
	plan.NumberBelow: "below", plan.NumberLadder: "ladder", plan.NumberIndex: "index", plan.NumberStep: "step"}

func (w *Writer) number(r *Row, i int) {
	n := w.Plan.Numbers[i]
	r.Text("kind", word(numbers, n.Kind))
	r.Flag("signed", n.Signed)
	r.Flag("any", n.Any)
	r.Given("operand", int64(n.Operand))
	if n.Register >= 0 {
		r.Given("register", int64(n.Register))
	}
	if n.Previous >= 0 {
		r.Given("previous", int64(n.Previous))
	}
	if n.EndLeaf >= 0 {
		r.Flag("ends", true)
		r.Given("last", int64(n.EndLeaf))
	}
	r.Raw("lo", w.Words(n.Lo))
	r.Raw("most", fmt.Sprint(n.Most))
	r.Given("bits", int64(n.Bits))
}

var texts = map[schema.TextKind]string{0: "", schema.TextString: "string", schema.TextWString: "wstring", schema.TextCString: "cstring", schema.TextChar: "char", schema.TextName: "name"}

var encodings = map[wire.Encoding]string{wire.EncodingNone: "", wire.EncodingUTF8: "utf8", wire.EncodingASCII: "ascii", wire.EncodingLatin1: "latin1",
	wire.EncodingUTF16LE: "utf16le", wire.EncodingUTF16BE: "utf16be"}

func (w *Writer) blob(r *Row, i int) {
	b := w.Plan.Blobs[i]
	r.Text("text", word(texts, b.Text))
	r.Flag("rest", b.Rest)
	r.Text("encoding", word(encodings, b.Encoding))
	if b.Size >= 0 {
		r.Given("size", int64(b.Size))
	}
	r.Given("max", int64(b.Max))
	r.Given("unit", int64(b.Unit()))
	if b.Rule != nil && b.Encoding == wire.EncodingNone && RuleWord(b.Rule) != "" {
		r.Raw("same", w.Bytes(string(b.Rule.Bytes)))
		r.Flag("equal", RuleWord(b.Rule) == "eq")
	}
}

func (w *Writer) choice(r *Row, i int) {
	s := w.Plan.Switches[i]
	var arms []string
	for _, a := range w.flat.Arms(s) {
		arms = append(arms, w.Interval(a.Lo, a.Hi, uint64(a.Op)))
	}
	r.Flag("signed", w.Plan.Operands[s.Tag].Signed)
	if s.TagRegister >= 0 {
		r.Given("register", int64(s.TagRegister))
	}
	bits, last := w.Plan.Look(s.Tag)
	r.Given("look", int64(bits))
	r.Flag("tail", last)
	r.Raw("arms", w.Join(arms))
	r.Flag("hexed", s.Item.Hex && !w.Plan.Operands[s.Tag].Signed)
}

func (w *Writer) checksum(r *Row, i int) {
	s := w.Plan.Checksums[i]
	a := s.Algorithm
	r.Text("name", a.String())
	kind, poly, first := "CRC", a.Polynomial, a.Initial
	if adds, ok := ops.Adds(a.Name); ok {
		kind, poly, first = adds.Kind, adds.Modulus, adds.First
		r.Flag("negated", adds.Negate)
	}
	r.Text("kind", kind)
	r.Given("width", int64(a.Width))
	r.Word("poly", poly)
	r.Word("init", first)
	r.Word("final", a.Final)
	r.Word("xor", s.Xor)
	r.Flag("refin", a.RefIn)
	r.Flag("refout", a.RefOut)
	r.Flag("swap", s.Swap)
	r.Flag("windowed", s.Windowed)
	r.Flag("around", s.To.Kind == schema.SumAround)
	r.Flag("own", s.From.Kind == schema.SumOwn)
	if s.From.Register >= 0 {
		r.Given("from", int64(s.From.Register))
	}
	if s.To.Register >= 0 {
		r.Given("to", int64(s.To.Register))
	}
	var parts []string
	for i := range len(s.Prefix) + len(s.Suffix) {
		v, part := s.Part(i), w.Record()
		if v.Register >= 0 {
			part.Given("register", int64(v.Register))
		}
		part.Word("value", v.Value)
		part.Given("size", int64(v.Size))
		part.Flag("big", v.BigEndian)
		parts = append(parts, part.String())
	}
	r.Raw("parts", w.Join(parts))
	r.Given("prefixes", int64(len(s.Prefix)))
}

func (w *Writer) require(r *Row, i int) {
	q := &w.Plan.Requires[i]
	r.Flag("secret", q.Secret())
	if q.Leaf >= 0 {
		r.Flag("bounds", true)
		r.Index("leaf", int(q.Leaf))
		r.Given("lo", int64(q.Lo))
		r.Given("hi", int64(q.Hi))
		return
	}
	if q.Item != nil {
		r.Text("text", string(syntax.AppendCut(nil, q.Item.Text)))
	}
	var vars []string
	for _, v := range q.Vars {
		one := w.Record()
		one.Text("name", v.Name)
		one.Given("register", int64(v.Register))
		one.Flag("signed", v.Signed)
		one.Flag("bool", v.Bool)
		one.Flag("secret", v.Secret)
		vars = append(vars, one.String())
	}
	if len(vars) > 0 {
		r.Raw("vars", w.Join(vars))
	}
	r.Flag("rest", q.Rest)
	r.Flag("from", q.From)
}

// word is the machines' name for something; they know all of them.
func word[K comparable](words map[K]string, k K) string {
	text, ok := words[k]
	if !ok {
		panic(fmt.Sprintf("pktscope: internal error: tables: the machines lack %v", k))
	}
	return text
}
