package infer

import (
	"math"

	"github.com/pktscope/pktscope/decode/wire"
)

// What values are like that are taken for IEEE floats. A wrong label is worse than none: numbers of a counter, of two
// halves, or any value are none of these.
const (
	floatNear  = 0.99 // of the values are 0, or between 2^floatLow and 2^floatHigh
	floatMoves = 0.3  // of the steps are not 0
	floatCalm  = 0.8  // of the steps change the value less than twofold
	floatLow   = -20
	floatHigh  = 24
	floatSides = 10   // one in so many is on each side of zero at least
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
	if bits := c.real(v, w)*floatGain - floatBonus; sizes > 1 && bits < best.bits {
		best.bits, best.model = bits, modelFloat
	}
}

// real is what c.values cost as numbers with a fraction: by how much each differs from the one before, or from where that
// was going, in units of the last place of the greater; or each by its sign and size, and any fraction.
func (c *coster) real(v *window, w int) float64 {
	digits := 24
	if w == 64 {
		digits = 53
	}
	var walk, smooth lengths
	sizes := map[int]int{}
	finer, after, thirds := 0, 0, 0 // bits below the last place of the greater
	for r, x := range c.values {
		f := ieee(x, w)
		_, e := math.Frexp(f)
		size := 2 * e
		if f < 0 {
			size++
		}
		sizes[size]++
		p := v.prev[r]
		if p < 0 {
			continue
		}
		after++
		before := ieee(c.values[p], w)
		_, last := math.Frexp(before)
		place := max(e, last)
		if f == 0 {
			e = place
		}
		finer += min(place-e, digits)
		inPlaces := func(x float64) int {
			return class(wire.ZigZag(int64(max(-1<<62, min(1<<62, math.Round(math.Ldexp(x, digits-place)))))))
		}
		walk[inPlaces(f-before)]++
		if q := v.prev[p]; q >= 0 {
			thirds++
			smooth[inPlaces(f-2*before+ieee(c.values[q], w))]++
		}
	}
	n := len(c.values)
	each := nlogn(n) + float64(n*(digits-1))
	for _, k := range sizes {
		each -= nlogn(k)
	}
	scale := v.scale()
	once := float64(len(sizes)) * (8 + share(n, scale))
	bits := scale*each + once
	each /= float64(n)
	for _, one := range [2]struct {
		*lengths
		n int
	}{{&walk, after}, {&smooth, thirds}} {
		if one.n > 0 {
			data, shares := one.cost(one.n, maxWidth, scale)
			data += float64(finer) * float64(one.n) / float64(after)
			first := float64(v.flows)
			bits = min(bits, first*each+data*(scale*float64(n)-first)/float64(one.n)+shares+once)
		}
	}
	return bits
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
	near, zeros, pairs, moves, calm, below := 0, 0, 0, 0, 0, 0
	first := 0
	var sizes [floatHigh - floatLow + 1]int
	for r, x := range c.values {
		f := ieee(x, w)
		_, e := math.Frexp(f)
		switch {
		case f == 0:
			zeros++
			near++
		case e > floatLow && e <= floatHigh: // not NaN, not infinite: their exponent is 0 with f != 0, and f-f is not 0
			if f-f == 0 {
				near++
				sizes[e-floatLow]++
			}
			if f < 0 {
				below++
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
		float64(moves) >= floatMoves*float64(pairs) && (float64(calm) >= floatCalm*float64(moves) || aroundZero(sizes[:], n-zeros, below))
	return like, kinds
}

// aroundZero reports whether numbers lie as those do that are spread around zero: on both sides, and of those of the
// lesser half a quarter is four times nearer to it. How many are of each size is known.
func aroundZero(sizes []int, n, below int) bool {
	if below*floatSides < n || (n-below)*floatSides < n {
		return false
	}
	sum := 0
	for size, k := range sizes {
		if sum += k; 2*sum >= n {
			nearer := 0
			for _, k := range sizes[:max(0, size-1)] {
				nearer += k
			}
			return nearer*10 >= sum && nearer*10 <= 7*sum // more where some move less than others
		}
	}
	return false
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
	return bits + float64(v.flows*w) + float64(bad*w)*scale + 10, true
}
