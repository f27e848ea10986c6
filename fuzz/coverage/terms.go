package coverage

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// What is known about operands beyond their types: what a struct's constant arguments decide.

// Terms knows the `let` that writes a register, where only one does, and the constants among them.
type Terms struct {
	Plan      *plan.Plan
	Lets      map[uint32]*plan.Let // by register; nil of several
	constants map[uint32]uint64    // by register: one `let` writes it, from constants
	terms     map[uint32]*Term     // of operands
}

// NewTerms reads the lets of a plan.
func NewTerms(p *plan.Plan) *Terms {
	r := &Terms{Plan: p, Lets: map[uint32]*plan.Let{}, constants: map[uint32]uint64{}, terms: map[uint32]*Term{}}
	for _, s := range p.Steps {
		if let, ok := s.(*plan.Let); ok {
			if _, twice := r.Lets[let.Register]; twice {
				let = nil
			}
			r.Lets[s.(*plan.Let).Register] = let
		}
	}
	for _, s := range p.Steps {
		let, ok := s.(*plan.Let)
		if !ok || r.Lets[let.Register] != let || len(p.RegisterLeaves[let.Register]) > 0 {
			continue
		}
		if v, ok := r.constant(let.Value); ok {
			r.constants[let.Register] = v
		}
	}
	return r
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
