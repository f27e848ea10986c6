package fuzz

import (
	"math"
	"math/big"
	"math/bits"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// fewBits: the codes of fields of so many bits are counted one by one.
const fewBits = 10

// refusedCount is how many codes a field may not hold, math.MaxUint64 for 2^64. Of flags of more than 16 bits with a rule
// it is those with a bit that is not defined; what is not known of a code (refuses) is not counted.
func (f *field) refusedCount() uint64 {
	if f.width <= fewBits || f.width <= allBits && f.enum != nil {
		n, room := uint64(0), new(big.Int)
		for code := range uint64(1) << f.width {
			if f.refusesIn(room, code) != reject.None {
				n++
			}
		}
		return n
	}
	n := new(big.Int).Lsh(big.NewInt(1), uint(f.width))
	if n.Sub(n, f.allowedCount()); !n.IsUint64() {
		return math.MaxUint64
	}
	return n.Uint64()
}

// allowedCount is how many codes a field of integers, quantized steps or floats may hold.
func (f *field) allowedCount() *big.Int {
	one, n, r := big.NewInt(1), new(big.Int), f.value.Rule
	switch form := f.typ.Row().Rules; {
	case form == schema.RulesFloat:
		return f.allowedFloats()
	case form == schema.RulesQuantized:
		return n.Add(n.SetUint64(f.top), one)
	case f.enum != nil && !f.enum.Open && f.enum.Flags:
		return n.Lsh(one, uint(bits.OnesCount64(f.enum.Mask&wire.Mask(f.width))))
	case f.enum != nil && !f.enum.Open:
		room, codes := new(big.Int), map[uint64]bool{}
		for i := range f.enum.Cases {
			if code := f.typ.CodeOf(f.enum.Cases[i].Value); code.Sign() >= 0 && code.BitLen() <= f.width && f.judge(room, code.Uint64()) == reject.None {
				codes[code.Uint64()] = true
			}
		}
		return n.SetInt64(int64(len(codes)))
	}
	whole, ok := f.typ.Interval()
	if !ok { // a bool
		whole = schema.Range{Lo: new(big.Int), Hi: new(big.Int).SetUint64(f.top)}
	}
	add := func(lo, hi *big.Int) {
		if lo.Cmp(whole.Lo) < 0 {
			lo = whole.Lo
		}
		if hi.Cmp(whole.Hi) > 0 {
			hi = whole.Hi
		}
		if lo.Cmp(hi) <= 0 {
			n.Add(n, new(big.Int).Sub(hi, lo)).Add(n, one)
		}
	}
	switch {
	case r == nil || r.Bounds != nil:
		add(whole.Lo, whole.Hi)
	case r.Kind == schema.RuleEq:
		add(r.Want, r.Want)
	case r.Kind == schema.RuleNe:
		add(whole.Lo, new(big.Int).Sub(r.Want, one))
		add(new(big.Int).Add(r.Want, one), whole.Hi)
	case r.Kind == schema.RuleIn:
		for _, s := range r.Set {
			add(s.Lo, s.Hi)
		}
	}
	return n
}

// allowedFloats is how many codes of a float of 32 or 64 bits a rule allows. Codes of one sign are in the order of their
// magnitudes, so where a range begins and ends is found by halving.
func (f *field) allowedFloats() *big.Int {
	value, inf := func(code uint64) float64 { return float64(math.Float32frombits(uint32(code))) }, uint64(math.Float32bits(float32(math.Inf(1))))
	if f.width == 64 {
		value, inf = math.Float64frombits, math.Float64bits(math.Inf(1))
	}
	// up is how many magnitudes there are for which small holds, which it does up to one of them.
	up := func(small func(v float64) bool) uint64 {
		lo, hi := uint64(0), inf
		for lo < hi {
			if mid := lo + (hi-lo)/2; small(value(mid)) {
				lo = mid + 1
			} else {
				hi = mid
			}
		}
		return lo
	}
	within := func(lo, hi float64) uint64 {
		return up(func(v float64) bool { return v <= hi }) - up(func(v float64) bool { return v < lo }) +
			up(func(v float64) bool { return -v >= lo }) - up(func(v float64) bool { return -v > hi })
	}
	all := new(big.Int).Lsh(big.NewInt(1), uint(f.width))
	r, n := f.value.Rule, uint64(0)
	if r == nil {
		return all
	}
	switch r.Kind {
	case schema.RuleFinite:
		n = 2 * inf
	case schema.RuleEq:
		n = within(*r.WantFloat, *r.WantFloat)
	case schema.RuleNe:
		return all.Sub(all, new(big.Int).SetUint64(within(*r.WantFloat, *r.WantFloat)))
	case schema.RuleIn:
		for _, s := range r.Floats {
			n += within(s.Lo, s.Hi)
		}
	default:
		return all
	}
	return all.SetUint64(n)
}
