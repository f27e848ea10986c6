package plan

import "iter"

// String gives the instruction's word: "const", "register", "rest", "peek", "tail", "from", "here", "flag", "neg",
// "not", "in", "table", or that of an operator.
func (i InstCode) String() string { return instRows[i].word }

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

// RegisterInst is the instruction that an operand stands for which is a register.
func RegisterInst(register uint32) *Inst { return &Inst{Code: instRegister, A: register} }

// Apply computes what an instruction makes of its operands, y only where it has two. It pushes nothing: of a constant,
// a register and what else has no operands it makes 0.
func (p *Plan) Apply(in *Inst, x, y uint64) uint64 {
	switch instRows[in.Code].takes {
	case 0:
		return 0
	case 1:
		return p.unary(in, x)
	}
	return binary(in, x, y)
}
