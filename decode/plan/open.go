package plan

import "slices"

// What the end of the packet decides. An expression is open when it looks at bits that have not been read (`rest`), or
// reads a `let` or a parameter that does: a reader computes it, a writer has to be told what it stands for.

// Opens reports, for each operand, whether it is open; nil where none is.
func (p *Plan) Opens() []bool { return p.open }

// markOpen finds what Opens reports, once, when the plan is made.
func (p *Plan) markOpen() {
	if !p.ReadsRest() {
		return
	}
	open, registers := make([]bool, len(p.Operands)), make([]bool, p.Registers)
	for again := true; again; {
		again = false
		for i := range p.Operands {
			open[i] = open[i] || p.Looks(uint32(i), true, registers)
		}
		for _, s := range p.Steps {
			if let, ok := s.(*Let); ok && open[let.Value] && !registers[let.Register] {
				registers[let.Register], again = true, true
			}
		}
	}
	p.open = open
}

// Looks reports whether operand i depends on what is not known: on bits that have not been read, where ahead says that
// they are not known, or on one of the registers.
func (p *Plan) Looks(i uint32, ahead bool, registers []bool) bool {
	return p.look(p.code(&p.Operands[i]), ahead, registers)
}

func (p *Plan) look(code []Inst, ahead bool, registers []bool) bool {
	return slices.ContainsFunc(code, func(in Inst) bool {
		return in.Code == instRest && ahead || in.Code == instRegister && registers[in.A]
	})
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

// Behind is what an error about the size of a step adds where that is open: the expression, behind a colon.
func (p *Plan) Behind(s Step) string {
	i, ok := s.Expr()
	if !ok || p.open == nil || !p.open[i] || p.Operands[i].Expr == nil {
		return ""
	}
	return ": " + p.Operands[i].Expr.Text
}
