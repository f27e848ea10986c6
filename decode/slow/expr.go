package slow

import (
	"fmt"
	"math/big"

	"github.com/pktscope/pktscope/decode/schema"
)

// Expressions: over mathematical integers, as the language page says, without a thought for machine words.

// eval computes e at the current position. Bools are 0 and 1.
func (w *walk) eval(s *scope, e *schema.TypedExpr) *big.Int {
	switch e.Op {
	case schema.OpConst:
		return e.Val
	case schema.OpVar:
		if held := e.Path[0].State; held != nil {
			return w.stateVar(held)
		}
		v := s.find(e.Path).value
		if v == nil {
			panic(fmt.Sprintf("pktscope: internal error: slow: `%s` has no value", e.Text))
		}
		return v
	case schema.OpFlag:
		mask := new(big.Int).SetUint64(e.Mask)
		return truth(mask.And(mask, s.find(e.Path).value).Sign() != 0)
	case schema.OpRest:
		return big.NewInt(int64((w.end - w.bit) / 8))
	case schema.OpPeek: // what bits(n) would read here
		return w.look(e.Order, w.bit, e.Bits)
	case schema.OpTail: // what bits(n) would read so far before the end
		return w.look(e.Order, w.end-e.Bits, e.Bits)
	case schema.OpFrom:
		return truth(w.from == e.Side)
	case schema.OpLAnd:
		return truth(w.holds(s, e.X) && w.holds(s, e.Y))
	case schema.OpLOr:
		return truth(w.holds(s, e.X) || w.holds(s, e.Y))
	case schema.OpNot:
		return truth(!w.holds(s, e.X))
	case schema.OpNeg:
		return new(big.Int).Neg(w.eval(s, e.X))
	case schema.OpIn:
		return truth(inSet(e.Set, w.eval(s, e.X)))
	case schema.OpTable:
		v := w.eval(s, e.X)
		for _, r := range e.Table.Rows {
			if r.Lo.Cmp(v) <= 0 && v.Cmp(r.Hi) <= 0 {
				return r.Value
			}
		}
		if e.Table.Default == nil {
			panic(fmt.Sprintf("pktscope: internal error: slow: `%s` has no row for %s", e.Table.Name, v))
		}
		return e.Table.Default
	}
	x, y := w.eval(s, e.X), w.eval(s, e.Y)
	r := new(big.Int)
	switch e.Op {
	case schema.OpAdd:
		return r.Add(x, y)
	case schema.OpSub:
		return r.Sub(x, y)
	case schema.OpMul:
		return r.Mul(x, y)
	case schema.OpDiv:
		return r.Quo(x, y)
	case schema.OpMod:
		return r.Rem(x, y)
	case schema.OpAnd:
		return r.And(x, y)
	case schema.OpOr:
		return r.Or(x, y)
	case schema.OpXor:
		return r.Xor(x, y)
	case schema.OpShl:
		return r.Lsh(x, uint(y.Uint64()))
	case schema.OpShr:
		return r.Rsh(x, uint(y.Uint64()))
	case schema.OpEq:
		return truth(x.Cmp(y) == 0)
	case schema.OpNe:
		return truth(x.Cmp(y) != 0)
	case schema.OpLt:
		return truth(x.Cmp(y) < 0)
	case schema.OpLe:
		return truth(x.Cmp(y) <= 0)
	case schema.OpGt:
		return truth(x.Cmp(y) > 0)
	case schema.OpGe:
		return truth(x.Cmp(y) >= 0)
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown expression op %d", e.Op))
}

// look is the value of the n bits at position p. A bit that has been read, or that lies after the window's end, counts
// as 0.
func (w *walk) look(order schema.Order, p, n int) *big.Int {
	v := new(big.Int)
	for k := range n {
		// Positions of bits hang on their place in a byte, so p is moved by whole bytes to be no less than 0.
		i := StreamBit(order, p+64, n, k) - 64
		if w.bit <= i && i < w.end && Bit(order, w.data, i) != 0 {
			v.SetBit(v, k, 1)
		}
	}
	return v
}

// holds evaluates a condition.
func (w *walk) holds(s *scope, e *schema.TypedExpr) bool {
	return w.eval(s, e).Sign() != 0
}

func truth(b bool) *big.Int {
	if b {
		return big.NewInt(1)
	}
	return big.NewInt(0)
}

// inSet reports whether v is in one of the ranges.
func inSet(set []schema.Range, v *big.Int) bool {
	for _, r := range set {
		if r.Lo.Cmp(v) <= 0 && v.Cmp(r.Hi) <= 0 {
			return true
		}
	}
	return false
}
