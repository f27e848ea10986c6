package plan

import (
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
)

// Disassemble prints the plan with its proof: a line per op, under each run a line per leaf, the schema line on the left.
func (p *Plan) Disassemble(w io.Writer) error {
	d := &disassembler{p: p}
	b := &p.Bound
	d.line("protocol %s: order %s, %s, %s, %s", p.Schema.Name, p.Order, plural(len(p.Ops), "op"), plural(len(p.Leaves), "leaf"), plural(p.Slots, "saved value"))
	d.line("proof: ends on every datagram of up to %d bytes", p.Schema.MaxDatagram)
	d.line("  shortest packet  at least %s (%s)", plural(int(b.MinBits), "bit"), plural(int(b.MinBits+7)/8, "byte"))
	d.line("  longest packet   at most %s (%s)", plural(int(b.MaxBits), "bit"), plural(int(b.MaxBits+7)/8, "byte"))
	d.line("  most fields      %d", b.MaxFields)
	d.line("  most steps       %d", b.MaxSteps)
	d.line("  loops in loops   %d", b.MaxLoops)
	d.line("")
	d.line("%4s %5s  %-9s", "line", "op", "does")
	for pc := range p.Ops {
		d.op(pc)
	}
	_, err := io.WriteString(w, d.out.String())
	return err
}

// plural is a number of things: "1 leaf", "2 leaves".
func plural(n int, thing string) string {
	switch {
	case n == 1:
		return "1 " + thing
	case thing == "leaf":
		return fmt.Sprintf("%d leaves", n)
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

type disassembler struct {
	p   *Plan
	out strings.Builder
}

func (d *disassembler) line(format string, args ...any) {
	d.out.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	d.out.WriteByte('\n')
}

func (d *disassembler) op(pc int) {
	p, op := d.p, &d.p.Ops[pc]
	text := d.operands(op)
	if op.Flags&FlagAny != 0 {
		text += " any"
	}
	if op.Order != p.Order {
		text += " order " + op.Order.String()
	}
	d.line("%4d %5d  %-9s %s", p.OpPos[pc].Line, pc, op.Code, text)
	if op.Code == OpRun {
		for i := op.A; i < op.A+op.B; i++ {
			d.leaf(int(i))
		}
	}
}

// rule is a node's name; that of the packet itself is "packet".
func (d *disassembler) rule(id NodeID) string {
	if id == NoNode {
		return ""
	}
	if s := string(d.p.AppendRule(nil, id)); s != "" {
		return s
	}
	return "packet"
}

func (d *disassembler) operands(op *Op) string {
	p := d.p
	switch op.Code {
	case OpRun:
		return plural(int(op.C), "bit") + ", " + plural(int(op.B), "leaf")
	case OpSave:
		return fmt.Sprintf("s%d = %s", op.A, d.rule(op.Node))
	case OpCRC:
		c := &p.CRCs[op.B]
		over := "the datagram"
		if c.OverRest {
			over = "what follows"
		}
		return fmt.Sprintf("%s: %s over % x and %s", d.rule(op.Node), c.Algorithm.Name, c.Prefix[:c.PrefixLen], over)
	case OpAlign:
		return fmt.Sprintf("%s: to %d bits", d.rule(op.Node), op.A)
	case OpReserved:
		return fmt.Sprintf("%s: %d bits", d.rule(op.Node), op.A)
	case OpNumber:
		return d.rule(op.Node) + ": " + d.number(p.Numbers[op.B])
	case OpUnit:
		return fmt.Sprintf("%s: squares of %d-bit parts within 1", d.rule(op.Node), op.C)
	case OpWindow:
		return fmt.Sprintf("%s: %s times %d bits", d.rule(op.Node), d.operand(op.A), op.C)
	case OpClose:
		return d.rule(op.Node)
	case OpRepeat:
		return fmt.Sprintf("%s: at most %d; then op %d", d.rule(op.Node), op.Imm, op.B)
	case OpMore:
		switch op.C {
		case MoreRest:
			return "while bytes are left"
		case MoreWhile:
			return "while " + d.operand(op.B)
		}
		return "always"
	case OpSlot:
		return fmt.Sprintf("next of %d flags that is set", op.Imm)
	case OpUntil:
		return d.operand(op.B)
	case OpBlob:
		return d.rule(op.Node) + ": " + d.blob(p.Blobs[op.A])
	case OpArray:
		return fmt.Sprintf("%s: %s times, at most %d; then op %d", d.rule(op.Node), d.operand(op.C), op.Imm, op.B)
	case OpNext:
		return fmt.Sprintf("back to op %d", op.A+1)
	case OpIf:
		return fmt.Sprintf("%s, else op %d", d.operand(op.A), op.B)
	case OpJump:
		return fmt.Sprintf("to op %d", op.A)
	case OpSwitch:
		return d.rule(op.Node) + ": " + d.table(op)
	case OpLet:
		return fmt.Sprintf("s%d = %s", op.A, d.operand(op.B))
	case OpRequire:
		return d.operand(op.A)
	case OpMark:
		return fmt.Sprintf("s%d = here", op.A)
	case OpFrom:
		return fmt.Sprintf("%s: from the %s", d.rule(op.Node), schema.Side(op.B))
	case OpStruct:
		return d.rule(op.Node)
	}
	return ""
}

func (d *disassembler) blob(b *Blob) string {
	what := "bytes"
	if b.Text != 0 {
		what = "bytes of text"
	}
	switch {
	case b.Text == schema.TextCString:
		return fmt.Sprintf("text up to a NUL, at most %d bytes", b.Max)
	case b.Rest:
		return fmt.Sprintf("the rest, at most %d %s", b.Max, what)
	case b.Size >= 0:
		return fmt.Sprintf("%s %s, at most %d", d.operand(uint32(b.Size)), what, b.Max)
	}
	return fmt.Sprintf("%d %s", b.Max, what)
}

func (d *disassembler) number(n *Number) string {
	operand := ""
	if n.Kind.row().asks {
		operand = d.operand(n.Operand)
	}
	return fmt.Sprintf(n.Kind.row().text, operand, int64(n.Lo), n.Bits, n.Most, n.Previous)
}

func (d *disassembler) table(op *Op) string {
	s := d.p.Switches[op.B]
	var b strings.Builder
	b.WriteString(d.operand(op.A))
	for _, e := range s.Entries {
		fmt.Fprintf(&b, ", %s: op %d", s.Item.Arms[e.Arm].Label, e.Target)
	}
	if s.Default >= 0 {
		fmt.Fprintf(&b, ", default: op %d", s.Default)
	} else {
		b.WriteString(", else refuse")
	}
	return b.String()
}

func (d *disassembler) operand(i uint32) string {
	o := &d.p.Operands[i]
	switch o.Kind {
	case OperandConst:
		if o.Signed {
			return fmt.Sprint(int64(o.Const))
		}
		return fmt.Sprint(o.Const)
	case OperandSlot:
		return fmt.Sprintf("s%d", o.Slot)
	case OperandLeaf:
		return o.Expr.Text
	}
	var b strings.Builder
	for j, in := range d.p.Insts[o.Start:o.End] {
		if j > 0 {
			b.WriteByte(' ')
		}
		switch in.Code {
		case instConst:
			fmt.Fprint(&b, int64(in.Imm))
		case instSlot:
			fmt.Fprintf(&b, "s%d", in.A)
		case instFrom:
			fmt.Fprintf(&b, "from-%s", schema.Side(in.A))
		case instFlag:
			fmt.Fprintf(&b, "has-%#x", in.Imm)
		default:
			b.WriteString(instWords[in.Code])
		}
	}
	return "(" + b.String() + ")"
}

func (d *disassembler) leaf(i int) {
	l, info := &d.p.Leaves[i], &d.p.Info[i]
	accepts := fmt.Sprintf("any of %d bits", l.Width)
	switch {
	case l.Count == 0:
		accepts = fmt.Sprintf("%d bits, judged", l.Width)
	case l.Count == 1:
		accepts = fmt.Sprintf("code %d of %d bits", l.Lo, l.Width)
	case l.Count-1 < l.Mask:
		accepts = fmt.Sprintf("codes %d..%d of %d bits", l.Lo, l.Lo+l.Count-1, l.Width)
	}
	d.line("%4d        +%-8d %s: %s", info.pos.Line, l.Off, d.rule(info.Node), accepts)
}
