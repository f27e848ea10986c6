package gogen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// term is a piece of an expression: a uint64, or a bool.
type term struct {
	text  string
	truth bool
	fixed bool // a constant
}

func (t term) word() string {
	if t.truth {
		return "flag(" + t.text + ")"
	}
	return t.text
}

func (t term) bool() string {
	if t.truth {
		return t.text
	}
	return "(" + t.text + " != 0)"
}

// not is the opposite of a truth that stands in brackets, is a call, or begins with its own `!`.
func not(truth string) string {
	if opposite, ok := strings.CutPrefix(truth, "!"); ok {
		return opposite
	}
	return "!" + truth
}

// constant is a number as an expression of type uint64.
func constant(v uint64) string {
	if v < 1<<16 {
		return fmt.Sprintf("uint64(%d)", v)
	}
	return fmt.Sprintf("uint64(%#x)", v)
}

// operand is an operand of a step as an expression.
func (f *function) operand(i uint32, s plan.Step) term {
	o := &f.g.p.Operands[i]
	switch o.Kind {
	case plan.OperandConst:
		return term{text: constant(o.Const), fixed: true}
	case plan.OperandRegister:
		return term{text: f.slot(int(o.Register))}
	case plan.OperandLeaf:
		return term{text: leafValue(fmt.Sprintf("c%d", f.g.p.LeafOf(o, s.At().ID)), o.Extend, o.Const)}
	case plan.OperandCode:
		return f.expression(f.g.p.Insts[o.Start:o.End])
	default:
		panic(fmt.Sprintf("pktscope: internal error: no Go for an operand of kind %d", o.Kind))
	}
}

// leafValue is the value of a code, as a uint64.
func leafValue(code string, extend uint8, base uint64) string {
	switch {
	case extend == plan.ExtendZigZag:
		return fmt.Sprintf("(%s>>1 ^ -(%s & 1))", code, code)
	case extend != 0 && base == 0:
		return fmt.Sprintf("extend(%s, %d)", code, extend)
	case extend != 0:
		return fmt.Sprintf("extend(%s+%#x, %d)", code, base, extend)
	case base != 0:
		return fmt.Sprintf("(%s + %#x)", code, base)
	}
	return code
}

func (f *function) expression(code []plan.Inst) term {
	var stack []term
	pop := func() term {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		return t
	}
	for i := range code {
		in := &code[i]
		var t term
		switch in.Code.String() {
		case "const":
			t = term{text: constant(in.Imm), fixed: true}
		case "register":
			t = term{text: f.slot(int(in.A))}
		case "rest":
			t = term{text: "left(end, bit)"}
		case "peek", "tail":
			t = term{text: f.look(in)}
		case "here":
			t = term{text: "uint64(bit)"}
			if in.A > 1 {
				t = term{text: fmt.Sprintf("uint64((bit+%d)&^%d)", in.A-1, in.A-1)}
			}
		case "from":
			side := "FromClient"
			if schema.Direction(in.A) == schema.Server {
				side = "FromServer"
			}
			t = term{text: "(" + f.state() + ".from == " + side + ")", truth: true}
		case "flag":
			t = term{text: fmt.Sprintf("(%s&%#x != 0)", variable(pop()), in.Imm), truth: true}
		case "neg":
			t = term{text: "(-" + variable(pop()) + ")"}
		case "not":
			t = term{text: not(pop().bool()), truth: true}
		case "table":
			t = term{text: f.g.lookup(in, variable(pop()))}
		case "in":
			t = f.g.member(variable(pop()), f.g.p.Set(in), in.SX)
		default:
			y := pop()
			t = binary(in, pop(), y)
		}
		stack = append(stack, t)
	}
	return stack[0]
}

// variable is a term that the compiler does not compute: constant expressions may not wrap.
func variable(t term) string {
	if t.fixed {
		return "opaque(" + t.text + ")"
	}
	return t.word()
}

func binary(in *plan.Inst, a, b term) term {
	name := in.Code.String()
	if a.truth && b.truth && (name == "and" || name == "or") {
		op := map[string]string{"and": "&&", "or": "||"}[name]
		return term{text: "(" + a.text + " " + op + " " + b.text + ")", truth: true}
	}
	x, y := a.word(), b.word()
	if a.fixed && b.fixed {
		x = variable(a)
	}
	switch name {
	case "div", "mod":
		return term{text: fmt.Sprintf("divide(%s, %s, %t, %t, %t)", x, y, in.SX, in.SY, name == "mod")}
	case "shl":
		return term{text: fmt.Sprintf("(%s << (%s & 63))", x, y)}
	case "shr":
		if in.SX {
			return term{text: fmt.Sprintf("uint64(int64(%s) >> (%s & 63))", variable(a), y)}
		}
		return term{text: fmt.Sprintf("(%s >> (%s & 63))", x, y)}
	case "eq":
		if in.SX != in.SY {
			return term{text: fmt.Sprintf("equal(%s, %s)", x, y), truth: true}
		}
		return term{text: fmt.Sprintf("(%s == %s)", x, y), truth: true}
	case "lt":
		return term{text: lessThan(x, y, in.SX, in.SY), truth: true}
	case "le":
		return term{text: not(lessThan(y, x, in.SY, in.SX)), truth: true}
	}
	op := map[string]string{"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}[name]
	if op == "" {
		panic("pktscope: internal error: no Go for the instruction " + name)
	}
	return term{text: fmt.Sprintf("(%s %s %s)", x, op, y)}
}

func lessThan(x, y string, sx, sy bool) string {
	if !sx && !sy {
		return "(" + x + " < " + y + ")"
	}
	return fmt.Sprintf("less(%s, %s, %t, %t)", x, y, sx, sy)
}

// member asks whether a value lies in intervals of keys.
func (g *gen) member(value string, set func(func(lo, hi uint64) bool), signed bool) term {
	bias := uint64(0)
	if signed {
		bias = 1 << 63
	}
	var ranges [][2]uint64
	for lo, hi := range set {
		ranges = append(ranges, [2]uint64{lo, hi})
	}
	const few = 6
	if len(ranges) > few {
		key := value
		if signed {
			key += "^1<<63"
		}
		return term{text: fmt.Sprintf("in(%s, %s)", g.table(ranges), key), truth: true}
	}
	var parts []string
	for _, r := range ranges {
		parts = append(parts, between(value, r[0]^bias, r[1]-r[0]))
	}
	if len(parts) == 0 {
		return term{text: fmt.Sprintf("(%s != %s)", value, value), truth: true}
	}
	return term{text: "(" + strings.Join(parts, " || ") + ")", truth: true}
}

// lookup asks a table of constants: a function with a switch for each.
func (g *gen) lookup(in *plan.Inst, value string) string {
	var rows []lookupRow
	for keys, v := range g.p.Rows(in) {
		rows = append(rows, lookupRow{keys[0], keys[1], v})
	}
	key := "v"
	if in.SX {
		key = "v ^ 1<<63"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "func %%s(v uint64) uint64 { // %s\n", g.p.Tables[in.A].Of.Name)
	if len(rows) > 0 { // else there is no more than the default
		fmt.Fprintf(&b, "key := %s\n", key)
		lookupRows(&b, rows)
	}
	fmt.Fprintf(&b, "return %s\n}", literal(g.p.Other(in)))
	return g.once("table", b.String()) + "(" + value + ")"
}

// lookupRow gives the keys lo..hi a value.
type lookupRow struct{ lo, hi, value uint64 }

// lookupRows writes the search for a key among rows: halves of many, a switch over few.
func lookupRows(b *strings.Builder, rows []lookupRow) {
	const few = 8
	if len(rows) > few {
		half := len(rows) / 2
		fmt.Fprintf(b, "if key < %s {\n", literal(rows[half].lo))
		lookupRows(b, rows[:half])
		b.WriteString("} else {\n")
		lookupRows(b, rows[half:])
		b.WriteString("}\n")
		return
	}
	b.WriteString("switch {\n")
	for _, r := range rows {
		fmt.Fprintf(b, "case %s: return %s\n", between("key", r.lo, r.hi-r.lo), literal(r.value))
	}
	b.WriteString("}\n")
}

// between asks whether a value is one of span+1 from lo on.
func between(value string, lo, span uint64) string {
	switch {
	case span == 0:
		return fmt.Sprintf("%s == %s", value, literal(lo))
	case lo == 0:
		return fmt.Sprintf("%s <= %s", value, literal(span))
	}
	return fmt.Sprintf("%s-%s <= %s", value, literal(lo), literal(span))
}

func literal(v uint64) string {
	if v < 1<<16 {
		return fmt.Sprint(v)
	}
	return fmt.Sprintf("%#x", v)
}

// table is a sorted list of intervals as a variable.
func (g *gen) table(ranges [][2]uint64) string {
	var b strings.Builder
	b.WriteString("[][2]uint64{")
	for i, r := range ranges {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "{%s, %s}", literal(r[0]), literal(r[1]))
	}
	b.WriteString("}")
	return g.once("set", "var %s = "+b.String())
}
