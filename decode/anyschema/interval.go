package anyschema

import "math/big"

// span is lo..hi, both included. The arithmetic gives what the language page promises for each operator; what fits
// neither int64 nor uint64 is no value of the language.
type span struct{ lo, hi *big.Int }

var (
	zero   = new(big.Int)
	one    = big.NewInt(1)
	minI64 = new(big.Int).Neg(pow2(63))
	maxI64 = mask(63)
	maxU64 = mask(64)
)

func pow2(n int) *big.Int { return new(big.Int).Lsh(one, uint(n)) }
func mask(n int) *big.Int { return new(big.Int).Sub(pow2(n), one) }

func between(lo, hi int64) span { return span{big.NewInt(lo), big.NewInt(hi)} }
func single(v *big.Int) span    { return span{v, v} }

func (s span) fits() bool {
	if s.lo.Sign() >= 0 {
		return s.hi.Cmp(maxU64) <= 0
	}
	return s.lo.Cmp(minI64) >= 0 && s.hi.Cmp(maxI64) <= 0
}

func (s span) has(v *big.Int) bool { return s.lo.Cmp(v) <= 0 && v.Cmp(s.hi) <= 0 }
func (s span) inside(o span) bool  { return o.has(s.lo) && o.has(s.hi) }
func (s span) union(o span) span   { return span{least(s.lo, o.lo), most(s.hi, o.hi)} }
func (s span) width() *big.Int     { return new(big.Int).Sub(s.hi, s.lo) }

// meet is what s and o share; false when that is nothing.
func (s span) meet(o span) (span, bool) {
	r := span{most(s.lo, o.lo), least(s.hi, o.hi)}
	return r, r.lo.Cmp(r.hi) <= 0
}

func least(a, b *big.Int) *big.Int {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

func most(a, b *big.Int) *big.Int {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

func (s span) corners(o span, op func(z, x, y *big.Int) *big.Int) span {
	r := single(op(new(big.Int), s.lo, o.lo))
	for _, p := range [][2]*big.Int{{s.lo, o.hi}, {s.hi, o.lo}, {s.hi, o.hi}} {
		r = r.union(single(op(new(big.Int), p[0], p[1])))
	}
	return r
}

// apply is a binary operator over two intervals, or over two constants. A divisor holds no 0, a shift is 0..63.
func apply(op string, a, b span, konst bool) span {
	shift := func(f func(z, x *big.Int, n uint) *big.Int) func(z, x, y *big.Int) *big.Int {
		return func(z, x, y *big.Int) *big.Int { return f(z, x, uint(y.Uint64())) }
	}
	switch op {
	case "+":
		return a.corners(b, (*big.Int).Add)
	case "-":
		return a.corners(b, (*big.Int).Sub)
	case "*":
		return a.corners(b, (*big.Int).Mul)
	case "/":
		return a.corners(b, (*big.Int).Quo)
	case "<<":
		return a.corners(b, shift((*big.Int).Lsh))
	case ">>":
		return a.corners(b, shift((*big.Int).Rsh))
	case "%":
		return a.mod(b, konst)
	}
	return a.bits(op, b, konst)
}

func (s span) mod(b span, konst bool) span {
	if konst {
		return single(new(big.Int).Rem(s.lo, b.lo))
	}
	small, large := new(big.Int).Abs(b.lo), new(big.Int).Abs(b.hi)
	small, large = least(small, large), most(small, large)
	if s.lo.Sign() >= 0 && s.hi.Cmp(small) < 0 {
		return s
	}
	top := new(big.Int).Sub(large, one)
	r := span{zero, zero}
	if s.hi.Sign() > 0 {
		r.hi = least(s.hi, top)
	}
	if s.lo.Sign() < 0 {
		r.lo = new(big.Int).Neg(least(new(big.Int).Abs(s.lo), top))
	}
	return r
}

func isSingle(s span) bool { return s.lo.Cmp(s.hi) == 0 }

// bits is & | ^.
func (s span) bits(op string, b span, konst bool) span {
	if konst {
		z := new(big.Int)
		switch op {
		case "&":
			z.And(s.lo, b.lo)
		case "|":
			z.Or(s.lo, b.lo)
		default:
			z.Xor(s.lo, b.lo)
		}
		return single(z)
	}
	k := 0
	for _, v := range []*big.Int{s.lo, s.hi, b.lo, b.hi} {
		if v.Sign() < 0 {
			v = new(big.Int).Not(v)
		}
		k = max(k, v.BitLen())
	}
	if s.lo.Sign() < 0 || b.lo.Sign() < 0 {
		return span{new(big.Int).Neg(pow2(k)), mask(k)}
	}
	switch op {
	case "&":
		return span{zero, least(s.hi, b.hi)}
	case "|":
		return span{most(s.lo, b.lo), least(mask(k), new(big.Int).Add(s.hi, b.hi))}
	}
	return span{zero, mask(k)}
}
