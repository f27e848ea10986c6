package plan

import "iter"

// String gives the instruction's word: "const", "slot", "rest", "from", "flag", "neg", "not", "in", or that of an operator.
func (c InstCode) String() string { return instWords[c] }

// Set is the values that an "in" instruction looks for, as intervals of keys in ascending order (see Operand.Key).
func (p *Plan) Set(in *Inst) iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		for _, r := range p.Sets[in.A] {
			if !yield(r.lo, r.hi) {
				return
			}
		}
	}
}

// SlotInst is the instruction that an operand stands for which is a slot.
func SlotInst(slot uint32) *Inst { return &Inst{Code: instSlot, A: slot} }
