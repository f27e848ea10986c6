package plan

import (
	"fmt"
	"slices"
)

// What decides how a step reads, so that the steps of two plans can be compared (see report/wirediff). Leaves and blocks
// are compared by themselves.

// FactKind is how the facts of two steps are compared.
type FactKind uint8

// The kinds of facts.
const (
	FactIs       FactKind = iota // both have the same Value and Text
	FactLimit                    // a step with the greater Value accepts all that the other does
	FactRule                     // Text is a rule about what was read, "" for none: what accepts all
	FactRegister                 // Value is a register: the same ones belong together everywhere
	FactLeaf                     // Value is a leaf, of which the value counts
)

// Fact is one thing that decides how a step reads.
type Fact struct {
	Kind  FactKind
	Value uint64
	Text  string
}

// facts collects those of a step.
type facts struct {
	p   *Plan
	s   Step
	out []Fact
}

// Facts are those of a step, in an order that its type has.
func (p *Plan) Facts(s Step) []Fact {
	f := &facts{p: p, s: s}
	s.facts(f)
	f.is(uint64(s.At().Order))
	return f.out
}

func (f *facts) is(values ...uint64) {
	for _, v := range values {
		f.out = append(f.out, Fact{Value: v})
	}
}

func (f *facts) flags(all ...bool) {
	for _, one := range all {
		f.is(flag(one))
	}
}

func (f *facts) text(text string) { f.out = append(f.out, Fact{Text: text}) }

func (f *facts) limit(n uint64) { f.out = append(f.out, Fact{Kind: FactLimit, Value: n}) }

// register is one register, -1 for none. What holds the value of one leaf is that leaf.
func (f *facts) register(register int32) {
	switch {
	case register < 0:
		f.is(^uint64(0))
	case len(f.p.RegisterLeaves[register]) == 1:
		f.leaf(int(f.p.RegisterLeaves[register][0]))
	default:
		f.out = append(f.out, Fact{Kind: FactRegister, Value: uint64(register)})
	}
}

func (f *facts) leaf(leaf int) { f.out = append(f.out, Fact{Kind: FactLeaf, Value: uint64(leaf)}) }

// operand is an expression, as the instructions that compute it.
func (f *facts) operand(i uint32) {
	o := &f.p.Operands[i]
	f.flags(o.Signed, o.Bool)
	if o.Kind == OperandLeaf {
		f.is(1)
		f.leaf(f.p.LeafOf(o, f.s.At().ID))
		return
	}
	code := f.p.code(o)
	f.is(uint64(len(code)))
	for k := range code {
		f.inst(&code[k])
	}
}

func (f *facts) inst(in *Inst) {
	if in.Code == instRegister {
		f.register(int32(in.A))
		return
	}
	f.is(uint64(in.Code), in.Imm)
	f.flags(in.SX, in.SY)
	f.is(uint64(in.A))
	if in.Code == instIn {
		f.out[len(f.out)-1] = Fact{Text: fmt.Sprint(f.p.Sets[in.A])}
	}
	if in.Code == instTable {
		table := &f.p.Tables[in.A]
		f.out[len(f.out)-1] = Fact{Text: fmt.Sprint(table.Signed, table.rows, table.other)}
	}
}

// asked is the operand of a step, where it has one.
func (f *facts) asked() {
	if i, ok := f.s.Expr(); ok {
		f.operand(i)
	}
}

func (r *Run) facts(*facts) {}

func (u *Unit) facts(f *facts) {
	f.is(uint64(u.Bits))
	for i := range 4 {
		f.leaf(int(u.First) + i)
	}
}

func (a *Align) facts(f *facts) {
	f.is(uint64(a.Bits))
	f.flags(a.Any)
}

func (r *Reserved) facts(f *facts) {
	f.is(uint64(r.Bits))
	f.flags(r.Any)
}

func (s *Number) facts(f *facts) {
	f.is(uint64(s.Kind), s.Lo, uint64(s.Bits), s.Most)
	f.flags(s.Signed, s.Any, s.EndLeaf >= 0)
	f.register(s.Previous)
	f.asked()
}

func (b *Blob) facts(f *facts) {
	f.is(uint64(b.Text))
	f.flags(b.Rest, b.Packed, b.Fragment != nil)
	encoding, rule := "", ""
	if b.Text != 0 || b.Encoding != 0 {
		encoding = fmt.Sprint(b.Encoding)
	}
	if b.Rule != nil {
		rule = fmt.Sprintf("%d %d %s", b.Rule.Kind, b.Rule.Encoding, b.Rule.Bytes)
	}
	f.out = append(f.out, Fact{Kind: FactRule, Text: encoding}, Fact{Kind: FactRule, Text: rule})
	if b.Text == 0 && (b.Rest || b.Size >= 0) {
		f.limit(uint64(b.Max))
	} else {
		f.is(uint64(b.Max))
	}
	f.asked()
}

func (w *Window) facts(f *facts) {
	f.is(uint64(w.Unit), uint64(w.Fill))
	f.flags(w.Packed, w.Trimmed)
	f.asked()
}

func (s *List) facts(f *facts) {
	f.is(uint64(s.Kind), uint64(s.Left))
	f.limit(s.Max)
	f.asked()
}

func (s *Subset) facts(f *facts) {
	f.is(uint64(s.Kind), s.N)
	f.flags(s.Any)
	f.asked()
}

func (i *If) facts(f *facts)     { f.asked() }
func (s *Switch) facts(f *facts) { f.asked() }

// A group only says which side it is expected from.
func (g *Group) facts(*facts) {}
func (o *Open) facts(*facts)  {}

func (l *Let) facts(f *facts) {
	f.out = append(f.out, Fact{Kind: FactRegister, Value: uint64(l.Register)})
	f.flags(l.Judged)
	f.asked()
}

func (r *Require) facts(f *facts) { f.asked() }

func (c *Checksum) facts(f *facts) {
	a := c.Algorithm
	f.text(a.Name)
	f.is(uint64(a.Width), a.Polynomial, a.Initial, a.Final, a.Check, c.Xor, uint64(c.From.Kind), uint64(c.To.Kind))
	f.flags(a.RefIn, a.RefOut, c.Swap, c.Windowed)
	f.register(c.From.Register)
	f.register(c.To.Register)
	for _, part := range slices.Concat(c.Prefix, c.Suffix) {
		f.is(part.Value, uint64(part.Size), uint64(len(c.Prefix)))
		f.flags(part.BigEndian)
		f.register(part.Register)
	}
}
