package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// What bits that have not been read decide. An expression is open when it looks at bits that have not been read
// (`rest`, `peek(n)`, `tail(n)`), or reads a `let` or a parameter that does: a reader computes it, a writer has to be
// told what it stands for.

// Opens reports, for each operand, whether it is open; nil where none is.
func (p *Plan) Opens() []bool { return p.open }

// Grows reports whether the size of a step grows with each byte that the packet has more, as `rest - 16` does where no
// window is around it.
func (p *Plan) Grows(s Step) bool {
	operand, ok := s.Sized()
	if !ok {
		return false
	}
	for up := s.At().Up; up != NoStep; up = p.Steps[up].At().Up {
		if _, window := p.Steps[up].(*Window); window {
			return false
		}
	}
	e := p.Operands[operand].Expr
	for e != nil && (e.Op == schema.OpSub || e.Op == schema.OpAdd) {
		if e.Y.Looks() && e.Op == schema.OpAdd {
			e = e.Y
		} else {
			e = e.X
		}
	}
	return e != nil && e.Op == schema.OpRest
}

// markOpen finds what Opens reports, once, when the plan is made.
func (p *Plan) markOpen() {
	if !p.ReadsAhead() {
		return
	}
	open := p.Follows(func(int32) bool { return false })
	p.open = open
	for _, s := range p.Steps {
		if expr, ok := s.Expr(); s.Flow() != Choose || !ok || !open[expr] {
			continue
		}
		for _, inner := range p.Steps[s.At().ID+1 : s.At().End] {
			if let, ok := inner.(*Let); ok && let.Shown && p.Info[let.Leaf].Let.Var.Joined {
				p.Info[let.Leaf].Tells = true
			}
		}
	}
}

// Follows reports, for each operand, whether it looks at bits that have not been read, reads one of some leaves, or a
// `let` or a parameter that does.
func (p *Plan) Follows(leaf func(leaf int32) bool) []bool {
	follows, registers := make([]bool, len(p.Operands)), make([]bool, p.Registers)
	for register, leaves := range p.RegisterLeaves {
		registers[register] = slices.ContainsFunc(leaves, leaf)
	}
	for _, s := range p.Steps {
		if i, ok := s.Expr(); ok && p.Operands[i].Kind == OperandLeaf {
			follows[i] = leaf(int32(p.LeafOf(&p.Operands[i], s.At().ID)))
		}
	}
	for again := true; again; {
		again = false
		for i := range p.Operands {
			follows[i] = follows[i] || p.Looks(uint32(i), true, registers)
		}
		for _, s := range p.Steps {
			if let, ok := s.(*Let); ok && follows[let.Value] && !registers[let.Register] {
				registers[let.Register], again = true, true
			}
		}
	}
	return follows
}

// Looks reports whether operand i depends on what is not known: on bits that have not been read, where ahead says that
// they are not known, or on one of the registers.
func (p *Plan) Looks(i uint32, ahead bool, registers []bool) bool {
	return p.look(p.code(&p.Operands[i]), ahead, registers)
}

func (p *Plan) look(code []Inst, ahead bool, registers []bool) bool {
	return slices.ContainsFunc(code, func(in Inst) bool {
		return in.Code.Looks() && ahead || in.Code == instRegister && registers[in.A]
	})
}

// Look is how many bits an operand sees that is a look at bits and nothing else, and whether they are the last of the
// window; 0 bits for any other.
func (p *Plan) Look(i uint32) (bits int, last bool) {
	if code := p.code(&p.Operands[i]); len(code) == 1 && (code[0].Code == instPeek || code[0].Code == instTail) {
		return int(code[0].A), code[0].Code == instTail
	}
	return 0, false
}

// A Sight is the bits that a look sees: those of the Width at position Place that are not before From and not
// after To count, all others are 0.
type Sight struct {
	Place, Width int
	From, To     int
	Order        wire.Order
	Last         bool // it is the last bits of the window: `tail`, not `peek`
}

// Bits are the first bit that counts and the one after the last.
func (s *Sight) Bits() (from, to int) { return max(s.Place, s.From), min(s.Place+s.Width, s.To) }

// Value is what the look sees in data.
func (s *Sight) Value(data []byte) uint64 {
	if s.Last {
		return s.Order.Tail(data, s.From, s.To, s.Width)
	}
	return s.Order.Peek(data, s.From, s.To, s.Width)
}

// AppendSights appends what operand i sees.
func (p *Plan) AppendSights(all []Sight, i uint32, env *Env) []Sight {
	for _, in := range p.code(&p.Operands[i]) {
		if in.Code != instPeek && in.Code != instTail {
			continue
		}
		s := Sight{env.Bit, int(in.A), env.Bit, env.End, wire.Order(in.Imm), in.Code == instTail}
		if s.Last {
			s.Place = env.End - s.Width
		}
		all = append(all, s)
	}
	return all
}

// SeesBits reports whether an expression looks at what bits are that have not been read, not only at how many there
// are.
func (p *Plan) SeesBits() bool {
	return slices.ContainsFunc(p.Insts, func(in Inst) bool { return in.Code.Looks() && in.Code != instRest })
}

// ArmNodes lists the nodes of an arm of a switch: of its value, and before it of the flag where that is optional.
func (p *Plan) ArmNodes(sw *Switch, arm Block) []NodeID {
	of, label := sw.Node, sw.Item.Arms[arm.Arm].Label
	var nodes []NodeID
	for id := of + 1; int(id) < len(p.Nodes); id++ {
		if n := &p.Nodes[id]; n.Parent == p.Nodes[of].Parent && n.Name == p.Nodes[of].Name && n.Case == label {
			nodes = append(nodes, id)
		}
	}
	return nodes
}

// An Equation is a `require` that says what a leaf's value is: value*K + C is Other, an open expression. Who writes a
// packet finds the value where nobody gives it.
type Equation struct {
	Leaves []int32 // exclusive branches can declare the same name
	K, C   int64   // K is not 0
	Other  []Inst  // in postfix order
}

// Value is the value of the leaf; false when none makes the equation true.
func (e *Equation) Value(p *Plan, env *Env) (int64, bool) {
	var stack [maxStack]uint64
	n := int64(p.run(e.Other, env, stack[:])) - e.C
	return n / e.K, n%e.K == 0
}

// Equations lists them by their requirement.
func (p *Plan) Equations() map[Point]Equation {
	if p.open == nil {
		return nil
	}
	registers := make([]bool, p.Registers)
	for _, s := range p.Steps {
		if let, ok := s.(*Let); ok {
			registers[let.Register] = registers[let.Register] || p.open[let.Value]
		}
	}
	all, lets := map[Point]Equation{}, p.lets()
	for _, s := range p.Steps {
		require, ok := s.(*Require)
		if !ok || !p.open[require.Cond] {
			continue
		}
		o := &p.Operands[require.Cond]
		code := p.Insts[o.Start:o.End]
		if o.Kind != OperandCode || code[len(code)-1].Code != instEq {
			continue
		}
		code = code[:len(code)-1]
		cut := lastTerm(code)
		for _, sides := range [][2][]Inst{{code[:cut], code[cut:]}, {code[cut:], code[:cut]}} {
			if p.look(sides[0], true, registers) || !p.look(sides[1], true, registers) {
				continue
			}
			if l, ok := lets.code(sides[0], maxLets); ok && len(l.leaves) > 0 && l.k != 0 {
				all[require.Point] = Equation{l.leaves, l.k, l.c, sides[1]}
			}
		}
	}
	return all
}

// lastTerm is where the last of the terms begins that an expression in postfix order leaves on the stack.
func lastTerm(code []Inst) int {
	need := 1
	for i := len(code) - 1; i >= 0; i-- {
		if need += instRows[code[i].Code].takes - 1; need == 0 {
			return i
		}
	}
	return 0
}

// Behind is what an error about the size of a step adds where that is open: the expression, after a colon.
func (p *Plan) Behind(s Step) string {
	i, ok := s.Expr()
	if !ok || p.open == nil || !p.open[i] || p.Operands[i].Expr == nil {
		return ""
	}
	return ": " + p.Operands[i].Expr.Text
}
