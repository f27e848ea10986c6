package schema

import (
	"cmp"
	"math"
	"strconv"

	"github.com/pktscope/pktscope/decode/wire"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Quantized floats (wire.md, "Floats"): the steps as the C++ readers compute them, in float32 throughout, and the proof
// that no two codes read as one value. Without it decode followed by encode would change a packet.

// exactCodes is where float32 stops holding every code: above it two codes are one number before any arithmetic.
const exactCodes = 1 << 24

// proofBudget is how many codes one CheckFile looks at where the proof leaves a float open: enough for any one float,
// and a small part of a second.
const proofBudget = exactCodes + 1

// maxSmallest is the most bits of a smallest3 component: with one more, two codes read as one float32.
const maxSmallest = 23

// floatProver decides injectivity and remembers what it has decided.
type floatProver struct {
	spent int
	known map[[3]float32]bool
}

// quantized checks float(a..b, step).
func (c *checker) quantized(t *syntax.QuantizedType) Type {
	since := c.settable
	lo, ok := c.constFloat(t.Lo, "the lower end of a float", 32)
	hi, ok2 := c.constFloat(t.Hi, "the upper end of a float", 32)
	step, ok3 := c.constFloat(t.Step, "the step of a float", 32)
	if !ok || !ok2 || !ok3 {
		return nil
	}
	q := &QuantizedType{Max: float32(hi), Step: float32(step)}
	q.Min = float32(lo)
	q.Delta = q.Max - q.Min
	switch {
	case q.Min >= q.Max:
		c.errorf(Span{Pos: t.Lo.Place().Pos, End: t.Hi.Place().End}, cmp.Or(c.decimal(t.Lo), c.decimal(t.Hi), "write the smaller number first"),
			"the range %v..%v is empty", q.Min, q.Max)
		return nil
	case q.Step <= 0:
		c.errorf(t.Step.Place(), c.decimal(t.Step), "the step of a float is above 0, got %v", q.Step)
		return nil
	case math.IsInf(float64(q.Delta), 0):
		c.errorf(t.Span, "", "the range %v..%v is wider than a float32 can say", q.Min, q.Max)
		return nil
	}
	q.Quantized = wire.NewQuantized(q.Min, q.Max, q.Step)
	q.Width = q.Quantized.Width()
	if !c.float.injective(q) {
		c.errorf(t.Span, "write a larger step or a smaller range",
			"`%s` has codes that read as one value: a float32 cannot tell %d steps apart there", c.text(t.Span), q.Steps)
		return nil
	}
	// Off by more than float32 arithmetic is: the field holds other values than its author thinks.
	if sent := q.Delta / float32(q.Steps); c.settable == since && math.Abs(float64(sent-q.Step)) > 1e-5*float64(q.Step) {
		c.warnf(t.Step.Place(), "write a step that divides the range", "the step %s does not divide %s..%s: the real one is %s, in %s",
			plainFloat(q.Step), plainFloat(q.Min), plainFloat(q.Max), plainFloat(sent), syntax.Count(uint64(q.Steps), "step"))
	}
	return q
}

// plainFloat is a float32 as the language writes it, without an exponent.
func plainFloat(v float32) string { return strconv.FormatFloat(float64(v), 'f', -1, 32) }

// injective decides whether all codes of q read as different values.
//
// Reading is monotone: code → quotient → product → sum, and each rounding keeps order, so only neighbours can collide.
// The exact values of two neighbours are delta/steps apart. Each of the three roundings moves a value by at most half a
// unit in the last place of the largest number of its stage: the quotient (at most 1) by 2^-25, which the product makes
// delta × 2^-25; the product by ulp(delta)/2; the sum by ulp(M)/2, M the largest magnitude in the range. Two neighbours
// move towards each other by twice that. If the distance is larger they stay apart, whatever the codes.
//
// Above 2^24 steps it is refused outright: the codes themselves are no longer different float32 numbers. What lies
// between, a distance of less than a few units in the last place, is decided by looking at every code, from the end
// where the magnitude is largest, since collisions sit there. The budget makes sure that a hostile file of many such
// floats costs no more than one; what it leaves undecided is refused.
func (f *floatProver) injective(q *QuantizedType) bool {
	if q.Steps > exactCodes {
		return false
	}
	delta := float64(q.Delta)
	most := max(math.Abs(float64(q.Min)), math.Abs(float64(q.Max)))
	// The sum may round up to just above the range: the next unit covers it. All of this is exact in float64 or a power
	// of two away from the decision.
	moved := delta*0x1p-24 + ulp32(delta) + ulp32(most+ulp32(most)+ulp32(delta))
	if delta/float64(q.Steps) > moved*(1+0x1p-20) {
		return true
	}
	key := [3]float32{q.Min, q.Max, q.Step}
	if got, ok := f.known[key]; ok {
		return got
	}
	got := f.enumerate(q)
	if f.known == nil {
		f.known = map[[3]float32]bool{}
	}
	f.known[key] = got
	return got
}

// enumerate compares every two neighbours, as far as the budget goes.
func (f *floatProver) enumerate(q *QuantizedType) bool {
	down := math.Abs(float64(q.Max)) >= math.Abs(float64(q.Min))
	at := func(i uint32) float32 {
		if down {
			return q.Value(q.Steps - i)
		}
		return q.Value(i)
	}
	last := at(0)
	for i := uint32(1); i <= q.Steps; i++ {
		if f.spent++; f.spent > proofBudget {
			return false
		}
		v := at(i)
		if v == last {
			return false
		}
		last = v
	}
	return true
}

// ulp32 is the unit in the last place of float32 at magnitude v.
func ulp32(v float64) float64 {
	if v < 0x1p-126 {
		return 0x1p-149
	}
	_, e := math.Frexp(v) // v = f × 2^e, f in [0.5, 1)
	return math.Ldexp(1, e-24)
}
