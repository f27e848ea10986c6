package fuzz

import (
	"math/bits"

	"github.com/pktscope/pktscope/decode/plan"
)

// What is known about operands beyond their types: those that a struct's constant arguments decide, and words whose
// number of bytes a requirement has be a multiple.

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

// mostZeros is as many low bits as are looked at: positions are known modulo 64.
const mostZeros = 6

// multiple is a requirement that a slot holds a multiple of two to the power of zeros.
type multiple struct{ pc, zeros int }

// findMultiples finds the requirements that say so.
func (r *rests) findMultiples() {
	var ask func(t *term, pc int)
	ask = func(t *term, pc int) {
		switch t.word() {
		case "and":
			ask(t.x, pc)
			ask(t.y, pc)
		case "eq":
			x, y := t.x, t.y
			if x.word() == "const" {
				x, y = y, x
			}
			if y.word() == "const" && y.in.Imm == 0 && x.word() == "mod" && x.x.word() == "slot" && x.y.word() == "const" && x.y.in.Imm != 0 {
				slot := x.x.in.A
				r.multiples[slot] = append(r.multiples[slot], multiple{pc, min(mostZeros, bits.TrailingZeros64(x.y.in.Imm))})
			}
		}
	}
	for pc := range r.p.Ops {
		if op := &r.p.Ops[pc]; op.Code == plan.OpRequire {
			ask(termOf(r.p, op.A), pc)
		}
	}
}

// steps rounds a size of least to most bits, units of which an operand of the op at pc says how many, to what that can be,
// and finds its step.
func (r *rests) steps(least, most, unit uint64, operand uint32, pc int) (from, to, step uint64) {
	step = unit << r.zeros(termOf(r.p, operand), pc)
	return (least + step - 1) / step * step, most / step * step, step
}

// zeros is how many low bits of a term of the op at pc are known to be 0.
func (r *rests) zeros(t *term, pc int) int {
	n := 0
	switch t.word() {
	case "const":
		n = bits.TrailingZeros64(t.in.Imm)
	case "slot":
		for _, m := range r.multiples[t.in.A] {
			if m.pc < pc && r.passed(m.pc, pc) && r.written(t.in.A, m.pc) {
				n = max(n, m.zeros)
			}
		}
		if v, ok := r.constants[t.in.A]; ok {
			n = bits.TrailingZeros64(v)
		}
	case "mul":
		n = r.zeros(t.x, pc) + r.zeros(t.y, pc)
	case "add", "sub":
		n = min(r.zeros(t.x, pc), r.zeros(t.y, pc))
	case "shl":
		n = r.zeros(t.x, pc)
		if t.y.word() == "const" && t.y.in.Imm < 64 {
			n += int(t.y.in.Imm)
		}
	}
	return min(n, mostZeros)
}

// passed reports whether all that comes to an op has passed another that stands before it: whatever is around that one is
// also around the op.
func (r *rests) passed(before, pc int) bool {
	if r.gates == nil {
		r.gates = gates(r.p)
	}
	around := r.gates[pc]
	for i, g := range r.gates[before] {
		if i >= len(around) || around[i] != g {
			return false
		}
	}
	return true
}

// written reports whether a slot is written only before an op, so that what the op says of it stays true until the op comes
// again.
func (r *rests) written(slot uint32, pc int) bool {
	for _, leaf := range r.p.SlotLeaves[slot] {
		if int(r.p.Info[leaf].Op) >= pc {
			return false
		}
	}
	at, let := r.lets[slot]
	return !let || 0 <= at && at < pc
}
