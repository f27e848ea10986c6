package coverage

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// How many values are tried to prove relations: of one, and of all.
const (
	triedForOne = 1 << 16
	triedForAll = 1 << 22
)

// holds proves a requirement by trying all that its fields may have, where that is not too much.
func (ri *RejectIndex) holds(relation *plan.Require) bool {
	p := ri.p
	if p.Requires[relation.Index].From || p.Looks(relation.Cond, true, make([]bool, p.Registers)) {
		return false
	}
	registers := p.Reads(relation.Cond)
	if len(registers) == 0 {
		return false // a field right before it, which is in no register
	}
	values, all := make([][]uint64, len(registers)), 1
	for i, register := range registers {
		values[i] = ri.Terms.registerValues(register)
		if all *= len(values[i]); all == 0 || all > triedForOne {
			return false
		}
	}
	if ri.tried += all; ri.tried > triedForAll {
		return false
	}
	env := plan.Env{Registers: make([]uint64, p.Registers)}
	for n := range all {
		for i, register := range registers {
			env.Registers[register] = values[i][n%len(values[i])]
			n /= len(values[i])
		}
		if p.Eval(relation.Cond, &env) == 0 {
			return false
		}
	}
	return true
}

// registerValues are the values that a register may have, and perhaps others; none where they are too many, or found on
// the way.
func (r *Terms) registerValues(register uint32) (values []uint64) {
	p := r.Plan
	for _, s := range p.Steps {
		let, ok := s.(*plan.Let)
		if !ok || let.Register != register {
			continue
		}
		if from := &p.Operands[let.Value]; from.Kind == plan.OperandRegister && len(p.RegisterLeaves[from.Register]) > 0 && len(p.RegisterLeaves[register]) > 0 {
			continue // an argument that is a field, which is one of the leaves below
		}
		n := r.intervalOf(let.Value, let.ID)
		span := new(big.Int).Sub(n.hi, n.lo)
		if len(values) > triedForOne || span.Sign() < 0 || span.Cmp(big.NewInt(triedForOne)) >= 0 {
			return nil
		}
		for i := range span.Uint64() + 1 {
			values = append(values, lowBits(n.lo)+i)
		}
	}
	for _, leaf := range p.RegisterLeaves[register] {
		info, width := &p.Info[leaf], int(p.Leaves[leaf].Width)
		if _, fixed := p.Reader(int(leaf)).(*plan.Run); !fixed || len(values) > triedForOne || info.TypeSpan >= triedForOne {
			return nil
		}
		for code := range info.TypeSpan + 1 {
			if kind, _ := info.Judge(code, width); kind == reject.None {
				values = append(values, info.Value(code, width))
			}
		}
	}
	return values
}
