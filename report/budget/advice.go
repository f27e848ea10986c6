package budget

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Advice: suggestions that only the author can take, because they change values or break a promise of the schema.

// tells reports whether enough was seen of what may be told.
func (d *declared) tells() bool { return !d.secret && d.seen && d.times >= minSeen && !d.facts.used }

// rangeAdvice is an int(a..b) of which less was seen: twice that, in whole bits, from the author's own lower end if
// that is not below zero.
func (b *Budget) rangeAdvice(d *declared, s *Suggestion, t *schema.RangedType) bool {
	if t.HiExpr != nil || !t.Lo.IsInt64() || !t.Hi.IsInt64() {
		return false
	}
	lo, hi := int64(d.least), int64(d.most)
	if b.shape.leaves[d.leaves[0]].mode == signed {
		lo, hi = int64(d.least^signBit), int64(d.most^signBit)
	} else {
		lo, hi = lo+t.Lo.Int64(), hi+t.Lo.Int64()
	}
	least := t.Lo.Int64()
	need := max(bits.Len64(uint64(lo^lo>>63)), bits.Len64(uint64(hi^hi>>63))) + 1
	if need >= 62 {
		return false
	}
	most := int64(1)<<need - 1
	if least < 0 {
		least = max(least, -most-1)
	}
	if most = min(most, t.Hi.Int64()); most <= least {
		return false
	}
	s.Advice = true
	return s.become(fmt.Sprintf("int(%d..%d)", least, most), uint64(wire.BitsRequired(uint64(most-least))), d,
		fmt.Sprintf("saw %d..%d; the range is yours to choose", lo, hi))
}

// quantAdvice is the same for a quantized float, with the author's step.
func (b *Budget) quantAdvice(d *declared, s *Suggestion, t *schema.QuantizedType) bool {
	if !d.tells() {
		return false
	}
	info := &b.shape.plan.Info[d.leaves[0]]
	lo, hi := info.Float(d.least, 0), info.Float(d.most, 0)
	most := math.Max(math.Abs(lo), math.Abs(hi))
	if !(most > float64(t.Step) && most < 1e6) {
		return false
	}
	to := math.Ldexp(1, int(math.Ceil(math.Log2(most)))+1)
	from := float64(t.Min)
	if from < 0 {
		from = math.Max(from, -to)
	}
	to = math.Min(to, float64(t.Max))
	if to <= from {
		return false
	}
	s.Advice = true
	step := float64(t.Step)
	return s.become(fmt.Sprintf("float(%g..%g, %s)", from, to, strconv.FormatFloat(step, 'g', -1, 32)), uint64(bits.Len64(uint64((to-from)/step+0.5))), d,
		fmt.Sprintf("saw %.4g..%.4g; the range is yours to choose", lo, hi))
}

// floatAdvice is what a quantized float of the range seen would take at a thousandth of its unit.
func (b *Budget) floatAdvice(d *declared, s *Suggestion) bool {
	if !d.tells() {
		return false
	}
	lo, hi := floatOfKey(d.least), floatOfKey(d.most)
	most := math.Max(math.Abs(lo), math.Abs(hi))
	if !(most > 0 && most < 1e6) {
		return false
	}
	to := math.Ldexp(1, int(math.Ceil(math.Log2(most)))+1)
	from := 0.0
	if lo < 0 {
		from = -to
	}
	const step = 0.001
	width := uint64(bits.Len64(uint64((to - from) / step)))
	if width > 24 || to < 1 {
		return false
	}
	s.Advice = true
	return s.become(fmt.Sprintf("float(%g..%g, %g)", from, to, step), width, d, fmt.Sprintf("saw %.4g..%.4g; the step is yours to choose", lo, hi))
}
