package infer

import (
	"math"

	"github.com/pktscope/pktscope/decode/wire"
)

// What values are like that are taken for IEEE floats. A wrong label is worse than none: numbers of a counter, of two
// halves, or any value are none of these.
const (
	floatNear  = 0.99 // of the values are 0, or between 2^-20 and 2^24
	floatMoves = 0.3  // of the steps are not 0
	floatCalm  = 0.8  // of the steps change the value less than twofold
	floatGain  = 0.97 // of what whole numbers of the same bits cost, and
	floatBonus = 30   // bits less: there is one field where each cut of a fraction seems to be one
)

// decimals are the steps that values are multiples of where a program made floats of whole numbers.
var decimals = [...]float64{1, 10, 100, 1000, 10000}

// priceFloat prices c.values as IEEE floats of w bits, 32 or 64. As bits they are in the order of numbers, so that what
// was found for whole numbers holds for them; multiples of a decimal step cost what the multiples do.
func (c *coster) priceFloat(v *window, w int, best *choice) {
	if best.model == modelConst || best.model == modelStep {
		return
	}
	like, sizes := c.floats(v, w)
	if !like {
		return
	}
	for _, k := range decimals {
		if bits, ok := c.decimal(v, w, k); ok {
			if bits < best.bits {
				best.bits, best.model = bits, modelFloat
			}
			return
		}
	}
	if sizes > 1 && best.model != modelRate && best.model != modelRange && best.model != modelUniform {
		best.bits, best.model = best.bits*floatGain-floatBonus, modelFloat
	}
}

// ieee is a value of w bits as a float.
func ieee(x uint64, w int) float64 {
	if w == 32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// floats reports whether c.values look like floats, and whether their exponents are 1 or more.
func (c *coster) floats(v *window, w int) (like bool, kinds int) {
	near, zeros, pairs, moves, calm := 0, 0, 0, 0, 0
	first := 0
	for r, x := range c.values {
		f := ieee(x, w)
		_, e := math.Frexp(f)
		switch {
		case f == 0:
			zeros++
			near++
		case e > -20 && e <= 24: // not NaN, not infinite: their exponent is 0 with f != 0, and f-f is not 0
			if f-f == 0 {
				near++
			}
			if kinds == 0 {
				first, kinds = e, 1
			} else if e != first {
				kinds = 2
			}
		}
		if r-near > len(c.values)/100 {
			return false, 0
		}
		if p := v.prev[r]; p >= 0 {
			before := ieee(c.values[p], w)
			pairs++
			if f != before {
				moves++
				if math.Abs(f-before) < max(math.Abs(f), math.Abs(before))/2 {
					calm++
				}
			}
		}
	}
	n := len(c.values)
	like = n >= fewest && float64(near) >= floatNear*float64(n) && 2*zeros < n && pairs > 0 &&
		float64(moves) >= floatMoves*float64(pairs) && float64(calm) >= floatCalm*float64(moves)
	return like, kinds
}

// decimal is what c.values cost as multiples of 1/k. ok is false where they are none.
func (c *coster) decimal(v *window, w int, k float64) (bits float64, ok bool) {
	n := len(c.values)
	whole := make([]int64, n)
	bad := 0
	for r, x := range c.values {
		f := ieee(x, w)
		m := math.Round(f * k)
		back := m / k
		if w == 32 {
			back = float64(float32(back))
		}
		if back != f || math.Abs(m) >= 1<<22 {
			if bad++; bad > n/100 {
				return 0, false
			}
			m = 0
		}
		whole[r] = int64(m)
	}
	var walk, smooth lengths
	firsts := 0
	for r, p := range v.prev {
		if p < 0 {
			firsts++
			continue
		}
		d := whole[r] - whole[p]
		walk[class(wire.ZigZag(d))]++
		if q := v.prev[p]; q >= 0 {
			d -= whole[p] - whole[q]
		}
		smooth[class(wire.ZigZag(d))]++
	}
	after := n - firsts
	if after == 0 {
		return 0, false
	}
	scale := v.scale()
	bits = math.Inf(1)
	for _, h := range [2]*lengths{&walk, &smooth} {
		data, once := h.cost(after, maxWidth, scale)
		bits = min(bits, scale*data+once)
	}
	return bits + float64(firsts*w) + float64(bad*w)*scale + 10, true
}
