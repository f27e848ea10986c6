package plan

import (
	"slices"
)

// Constant is an operand that reads nothing of a packet; known is false where it does.
func (p *Plan) Constant(operand uint32) (value uint64, known bool) {
	if slices.ContainsFunc(p.code(&p.Operands[operand]), func(in Inst) bool { return in.Code.Looks() }) {
		return 0, false
	}
	return p.AskRest(operand, 0)
}

// AskRest is an operand where so many bits are left of the window; known is false where it asks more than how many whole
// bytes that are. With none left it may ask what they are, too.
func (p *Plan) AskRest(operand uint32, left int) (value uint64, known bool) {
	o := &p.Operands[operand]
	if o.Kind == OperandConst {
		return o.Const, true
	}
	if o.Kind != OperandCode || slices.ContainsFunc(p.code(o), func(in Inst) bool {
		return in.Code == instRegister || in.Code == instFrom || in.Code == instHere || in.Code.Looks() && in.Code != instRest && left > 0
	}) {
		return 0, false
	}
	return p.Eval(operand, &Env{End: left}), true
}

// Implies reports whether a condition of p proves one of q, which looks at the same values: whether it is the same, or
// the same comparison with a bound that is closer, or a smaller set. alike says which leaves and registers of both are
// the same. false says nothing.
func (p *Plan) Implies(operand uint32, q *Plan, other uint32, alike func(x, y Fact) bool) bool {
	x, y := p.askedCode(operand), q.askedCode(other)
	if x == nil || y == nil || len(x) != len(y) {
		return false
	}
	n := len(x) - 1
	for ; n > 0 && x[n].Code == instNot && y[n].Code == instNot; n-- { // not a proves not b where b proves a
		p, x, q, y = q, y, p, x
		was := alike
		alike = func(x, y Fact) bool { return was(y, x) }
	}
	same := func(i int) bool { return alikeFacts(p.instFacts(&x[i]), q.instFacts(&y[i]), alike) }
	differ := -1
	for i := range n {
		if same(i) {
			continue
		}
		if differ >= 0 || x[i].Code != instConst || y[i].Code != instConst {
			return false
		}
		differ = i
	}
	a, b := &x[n], &y[n]
	switch {
	case differ < 0 && same(n):
		return true
	case differ < 0 && a.Code == instIn && b.Code == instIn && a.SX == b.SX:
		return q.Sets[b.A].covers(p.Sets[a.A])
	case !less(a) || !less(b) || a.SX != b.SX || a.SY != b.SY:
		return false
	case differ < 0:
		return a.Code == instLt
	case differ == n-1: // v < k
		k, to := bounds(&x[differ], &y[differ], a.SY)
		return k < to || k == to && (a.Code == instLt || b.Code == instLe)
	case differ == 0 && complete(x[1:n]): // k < v
		k, to := bounds(&x[differ], &y[differ], a.SX)
		return k > to || k == to && (a.Code == instLt || b.Code == instLe)
	}
	return false
}

func less(in *Inst) bool { return in.Code == instLt || in.Code == instLe }

// bounds are two constants so that their unsigned order is that of their values.
func bounds(x, y *Inst, signed bool) (a, b uint64) {
	if signed {
		return x.Imm ^ signBit, y.Imm ^ signBit
	}
	return x.Imm, y.Imm
}

// complete reports whether code is one expression by itself.
func complete(code []Inst) bool {
	depth := 0
	for i := range code {
		takes := instRows[code[i].Code].takes
		if depth < takes {
			return false
		}
		depth += 1 - takes
	}
	return depth == 1
}

// covers reports whether a set has all that another has.
func (k keySet) covers(other keySet) bool {
	for _, one := range other {
		if !slices.ContainsFunc(k, func(r keyRange) bool { return r.lo <= one.lo && one.hi <= r.hi }) {
			return false
		}
	}
	return true
}

// askedCode is the instructions of an operand; nil of one that is no code.
func (p *Plan) askedCode(operand uint32) []Inst {
	if o := &p.Operands[operand]; o.Kind == OperandCode {
		return p.code(o)
	}
	return nil
}

func (p *Plan) instFacts(in *Inst) []Fact {
	f := &facts{p: p}
	f.inst(in)
	return f.out
}

func alikeFacts(x, y []Fact, alike func(x, y Fact) bool) bool {
	return slices.EqualFunc(x, y, alike)
}

// FragmentFacts are what decides how the message is put together of which a Blob holds a piece, the message's name left
// out.
func (p *Plan) FragmentFacts(b *Blob) []Fact {
	f := &facts{p: p, s: b}
	f.flags(b.Fragment.Note.Bytes)
	for _, operand := range []int32{b.Fragment.ID, b.Fragment.At, b.Fragment.Whole, b.Fragment.Last} {
		f.flags(operand >= 0)
		if operand >= 0 {
			f.operand(uint32(operand))
		}
	}
	return f.out
}
