package ops

import (
	"fmt"
	"io"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Disassemble prints the program with the proof of its plan: a line per op, under each run a line per leaf, the schema
// line on the left.
func (o *Program) Disassemble(w io.Writer) error {
	p := o.Plan
	d := &disassembler{o: o, p: p}
	b := &p.Bound
	whole, of := "datagram", "protocol "+p.Schema.Name
	if m := p.Schema.Message; m != nil {
		whole, of = "message", "message "+m.Name
	}
	d.line("%s: order %s, %s, %s, %s", of, p.Order, plural(len(o.Ops), "op"), plural(len(p.Leaves), "leaf"), plural(p.Registers, "saved value"))
	d.line("proof: ends on every %s of up to %d bytes", whole, p.Schema.MaxDatagram)
	d.line("  shortest packet  at least %s (%s)", plural(int(b.MinBits), "bit"), plural(int(b.MinBits+7)/8, "byte"))
	d.line("  longest packet   at most %s (%s)", plural(int(b.MaxBits), "bit"), plural(int(b.MaxBits+7)/8, "byte"))
	d.line("  most fields      %d", b.MaxFields)
	d.line("  most steps       %d", b.MaxSteps)
	d.line("  loops in loops   %d", b.MaxLoops)
	if registers, bytes := p.Schema.Kept(); registers > 0 && p.Context == nil {
		d.line("  kept of a flow   %s, %s", plural(registers, "register"), plural(bytes, "byte"))
	}
	d.line("")
	d.line("%4s %5s  %-9s", "line", "op", "does")
	for pc := range o.Ops {
		if from := p.Schema.Origin(o.Pos[pc]); from != d.from {
			d.from = from
			if from == "" {
				from = p.Schema.File.Name
			}
			d.line("%s:", from)
		}
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
	o   *Program
	p   *plan.Plan
	out strings.Builder

	from string // the imported file of the last op, "" for the schema's own
}

func (d *disassembler) line(format string, args ...any) {
	d.out.WriteString(strings.TrimRight(fmt.Sprintf(format, args...), " "))
	d.out.WriteByte('\n')
}

func (d *disassembler) op(pc int) {
	p, op := d.p, &d.o.Ops[pc]
	text := d.text(op)
	if op.Flags&FlagAny != 0 {
		text += " any"
	}
	if op.Code == OpWindow && op.Imm > 0 {
		text += fmt.Sprintf(", zeros behind it up to %d bits", op.Imm)
	}
	if op.Order != p.Order {
		text += " order " + op.Order.String()
	}
	d.line("%4d %5d  %-9s %s", d.o.Pos[pc].Line, pc, op.Code, text)
	if op.Code == OpRun {
		for i := op.A; i < op.A+op.B; i++ {
			d.leaf(int(i))
		}
	}
}

// rule is a node's name; that of the packet itself is "packet".
func (d *disassembler) rule(id plan.NodeID) string {
	if id == plan.NoNode {
		return ""
	}
	if s := string(d.p.AppendRule(nil, id)); s != "" {
		return s
	}
	return "packet"
}

// text is what a line says of an op.
func (d *disassembler) text(op *Op) string {
	var b strings.Builder
	said, more, _ := strings.Cut(op.row().text, "{")
	for b.WriteString(said); more != ""; b.WriteString(said) {
		i := strings.IndexByte("ABCI", more[0])
		if said, more, _ = strings.Cut(more[len("A}"):], "{"); i < 0 {
			b.WriteString(d.rule(op.Node))
		} else if x := op.operands()[i]; roleRows[op.row().roles[i]].text != nil {
			b.WriteString(roleRows[op.row().roles[i]].text(d, op, x))
		} else {
			fmt.Fprint(&b, x)
		}
	}
	return b.String()
}

func (d *disassembler) more(op *Op, x uint64) string {
	switch op.C {
	case MoreRest:
		if op.Imm == 1 {
			return "while bits are left"
		}
		return "while bytes are left"
	case MoreWhile:
		return "while " + d.operand(op, x)
	}
	return "always"
}

func (d *disassembler) checksum(_ *Op, x uint64) string {
	c := d.p.Checksums[x]
	return fmt.Sprintf("%s over %s", c.Algorithm, c.Covers())
}

func (d *disassembler) blob(op *Op, x uint64) string {
	text := d.bytes(op, x)
	if f := d.p.Blobs[x].Fragment; f != nil {
		text += "; of " + f.Note.Section.Name
		for i, operand := range f.Operands {
			text += ", " + f.Note.Words()[i] + " " + d.operand(op, uint64(operand))
		}
	}
	return text
}

func (d *disassembler) bytes(op *Op, x uint64) string {
	b := d.p.Blobs[x]
	what := "bytes"
	if b.Text != 0 {
		what = "bytes of text"
	}
	switch {
	case b.Text == schema.TextCString:
		return fmt.Sprintf("text up to a NUL, at most %d bytes", b.Max)
	case b.Text == schema.TextName:
		return fmt.Sprintf("a domain name, at most %d bytes", b.Max)
	case b.Rest:
		return fmt.Sprintf("the rest, at most %d %s", b.Max, what)
	case b.Size >= 0:
		return fmt.Sprintf("%s %s, at most %d", d.operand(op, uint64(b.Size)), what, b.Max)
	}
	return fmt.Sprintf("%d %s", b.Max, what)
}

func (d *disassembler) number(_ *Op, x uint64) string {
	n := d.p.Numbers[x]
	operand := ""
	if i, ok := n.Expr(); ok {
		operand = d.p.Text(i)
	}
	return n.Text(operand)
}

func (d *disassembler) table(_ *Op, x uint64) string {
	s := d.p.Switches[x]
	var b strings.Builder
	for _, e := range s.Entries {
		fmt.Fprintf(&b, ", %s: op %d", s.Item.Arms[e.Arm].Label, d.o.Starts[x][e.Arm])
	}
	if s.Default >= 0 {
		fmt.Fprintf(&b, ", default: op %d", d.o.Starts[x][s.Default])
	} else {
		b.WriteString(", else refuse")
	}
	return b.String()
}

// names is the registers of the flow that the step behind a requirement names.
func (d *disassembler) names(_ *Op, x uint64) string {
	text, named := "", d.p.Requires[x].State
	for i := range d.p.State {
		if named>>i&1 != 0 {
			text += ", names state." + d.p.State[i].Name()
		}
	}
	return text
}

func (d *disassembler) operand(_ *Op, x uint64) string { return d.p.Text(uint32(x)) }

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
	d.line("%4d        +%-8d %s: %s", d.p.Nodes[info.Node].Pos.Line, l.Off, d.rule(info.Node), accepts)
}
