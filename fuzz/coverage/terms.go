package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// What is known about operands beyond their types: what a struct's constant arguments decide.

// Terms knows the `let` that writes a register, where only one does, and the constants among them.
type Terms struct {
	Plan      *plan.Plan
	lets      [][]*plan.Let     // by register
	constants map[uint32]uint64 // by register: one `let` writes it, from constants
	terms     map[uint32]*Term  // of operands
}

// NewTerms reads the lets of a plan.
func NewTerms(p *plan.Plan) *Terms {
	r := &Terms{Plan: p, lets: p.Lets(), constants: map[uint32]uint64{}, terms: map[uint32]*Term{}}
	for _, s := range p.Steps {
		let, ok := s.(*plan.Let)
		if !ok || r.Let(let.Register) == nil || len(p.RegisterLeaves[let.Register]) > 0 {
			continue
		}
		if v, ok := r.constant(let.Value); ok {
			r.constants[let.Register] = v
		}
	}
	return r
}

// Let is the one `let` that writes a register; nil of none, and of several.
func (r *Terms) Let(register uint32) *plan.Let {
	if by := r.lets[register]; len(by) == 1 {
		return by[0]
	}
	return nil
}

// constant is the value of an operand that reads nothing but constants; false of any other.
func (r *Terms) constant(operand uint32) (uint64, bool) {
	o := &r.Plan.Operands[operand]
	if o.Kind == plan.OperandLeaf {
		return 0, false
	}
	if o.Kind == plan.OperandCode {
		for i := o.Start; i < o.End; i++ {
			if code := r.Plan.Insts[i].Code; code.Looks() || code.String() == "from" || code.String() == "here" {
				return 0, false
			}
		}
	}
	registers := r.Plan.Reads(operand)
	env := plan.Env{Registers: make([]uint64, r.Plan.Registers)}
	for _, register := range registers {
		v, ok := r.constants[register]
		if !ok {
			return 0, false
		}
		env.Registers[register] = v
	}
	return r.Plan.Eval(operand, &env), true
}
