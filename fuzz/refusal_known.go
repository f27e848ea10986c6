package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// What is known about operands beyond their types: what a struct's constant arguments decide.

// rests knows the `let` that writes a slot, where only one does, and the constants among them.
type rests struct {
	p         *plan.Plan
	lets      map[uint32]*plan.Let // by slot; nil of several
	constants map[uint32]uint64    // by slot: one `let` writes it, from constants
	terms     map[uint32]*term     // of operands
}

func newRests(p *plan.Plan) *rests {
	r := &rests{p: p, lets: map[uint32]*plan.Let{}, constants: map[uint32]uint64{}, terms: map[uint32]*term{}}
	for _, s := range p.Steps {
		if let, ok := s.(*plan.Let); ok {
			if _, twice := r.lets[let.Slot]; twice {
				let = nil
			}
			r.lets[s.(*plan.Let).Slot] = let
		}
	}
	for _, s := range p.Steps {
		let, ok := s.(*plan.Let)
		if !ok || r.lets[let.Slot] != let || len(p.SlotLeaves[let.Slot]) > 0 {
			continue
		}
		if v, ok := r.constant(let.Value); ok {
			r.constants[let.Slot] = v
		}
	}
	return r
}

// constant is the value of an operand that reads nothing but constants; false of any other.
func (r *rests) constant(operand uint32) (uint64, bool) {
	o := &r.p.Operands[operand]
	if o.Kind == plan.OperandLeaf {
		return 0, false
	}
	if o.Kind == plan.OperandCode {
		for i := o.Start; i < o.End; i++ {
			if word := r.p.Insts[i].Code.String(); word == "rest" || word == "from" {
				return 0, false
			}
		}
	}
	slots := r.p.Reads(operand)
	env := plan.Env{Slots: make([]uint64, r.p.Slots)}
	for _, slot := range slots {
		v, ok := r.constants[slot]
		if !ok {
			return 0, false
		}
		env.Slots[slot] = v
	}
	return r.p.Eval(operand, &env), true
}
