package fuzz

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// What is known about operands beyond their types: what a struct's constant arguments decide.

// rests knows the op that writes a slot by `let`, where only one does, and the constants among them.
type rests struct {
	p         *plan.Plan
	lets      map[uint32]int    // by slot; -1 of several
	constants map[uint32]uint64 // by slot
	terms     map[uint32]*term  // of operands
}

func newRests(p *plan.Plan) *rests {
	r := &rests{p: p, lets: map[uint32]int{}, constants: map[uint32]uint64{}, terms: map[uint32]*term{}}
	for pc := range p.Ops {
		if op := &p.Ops[pc]; op.Code == plan.OpLet {
			if _, twice := r.lets[op.A]; twice {
				r.lets[op.A] = -1
			} else {
				r.lets[op.A] = pc
			}
		}
	}
	r.findConstants()
	return r
}

// findConstants finds the slots that always hold the same value: one `let` writes each, from constants.
func (r *rests) findConstants() {
	for pc := range r.p.Ops {
		op := &r.p.Ops[pc]
		if op.Code != plan.OpLet || r.lets[op.A] != pc || len(r.p.SlotLeaves[op.A]) > 0 {
			continue
		}
		if v, ok := r.constant(op.B); ok {
			r.constants[op.A] = v
		}
	}
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
