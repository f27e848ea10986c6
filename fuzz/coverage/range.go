package coverage

import "math/bits"

// numbers is a set of integers: those from lo to hi that are off modulo step. Of a single one step is 0, and off is it;
// else step is 1 at least, and 0 <= off < step. From unbounded on there is no bound, and as far below zero none below.
type numbers struct{ lo, hi, step, off int64 }

const (
	unbounded = int64(1) << 62
	// mostBound is how far a bound may lie on the inner side: what is added to it stays a bound.
	mostBound = int64(1) << 60
	mostStep  = int64(1) << 32
)

var anyNumber = numbers{-unbounded, unbounded, 1, 0}

func oneNumber(n int64) numbers { return numbers{n, n, 0, n} }

// fromTo is all numbers from lo to hi.
func fromTo(lo, hi int64) numbers { n, _ := numbers{lo, hi, 1, 0}.tidy(); return n }

// tidy draws the bounds in to numbers of the set; false when there are none.
func (n numbers) tidy() (numbers, bool) {
	if n.lo <= -unbounded {
		n.lo = -unbounded
	} else if n.lo = min(n.lo, mostBound); n.step > 1 {
		n.lo += modulo(n.off-n.lo, n.step)
	}
	if n.hi >= unbounded {
		n.hi = unbounded
	} else if n.hi = max(n.hi, -mostBound); n.step > 1 {
		n.hi -= modulo(n.hi-n.off, n.step)
	}
	switch {
	case n.lo > n.hi:
		return n, false
	case n.lo == n.hi:
		return oneNumber(n.lo), true
	case n.step == 0, n.step > mostStep:
		n.step, n.off = 1, 0
	}
	return n, true
}

// modulo is n modulo m, 0 at least.
func modulo(n, m int64) int64 {
	if n %= m; n < 0 {
		n += m
	}
	return n
}

func commonDivisor(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return max(a, -a)
}

// bounded adds or takes from a bound, which stays none where it is none.
func bounded(a, b int64) int64 {
	switch {
	case a <= -unbounded || b <= -unbounded:
		return -unbounded
	case a >= unbounded || b >= unbounded:
		return unbounded
	}
	return max(-unbounded, min(a+b, unbounded))
}

// in reports whether a number is in the set.
func (n numbers) in(v int64) bool {
	return n.lo <= v && v <= n.hi && (n.step == 0 || modulo(v-n.off, n.step) == 0)
}

// is reports whether the set is one number.
func (n numbers) is(v int64) bool { return n.lo == v && n.hi == v }

// step and off of a set of numbers, times k or plus k.
func (n numbers) with(step, off int64) numbers {
	if n.step = max(step, -step); n.step > 0 {
		n.off = modulo(off, n.step)
	} else {
		n.off = off
	}
	return n
}

func (n numbers) plus(o numbers) numbers {
	out := numbers{lo: bounded(n.lo, o.lo), hi: bounded(n.hi, o.hi)}
	if n.step > 0 || o.step > 0 {
		step := commonDivisor(n.step, o.step)
		out = out.with(step, n.off%step+o.off%step)
	}
	out, _ = out.tidy()
	return out
}

// times is the set with every number k times as large.
func (n numbers) times(k int64) numbers {
	if k == 0 {
		return oneNumber(0)
	}
	lo, hi := product(n.lo, k), product(n.hi, k)
	out := numbers{lo: min(lo, hi), hi: max(lo, hi)}
	switch {
	case n.step == 0 || k >= mostStep || k <= -mostStep:
		out.step = 1
	case n.step < mostStep/max(k, -k):
		out = out.with(n.step*k, n.off*k)
	default:
		out = out.with(k, 0)
	}
	out, _ = out.tidy()
	return out
}

// product of bounds.
func product(a, b int64) int64 {
	if a == 0 || b == 0 {
		return 0
	}
	hi, lo := bits.Mul64(uint64(max(a, -a)), uint64(max(b, -b)))
	sign := int64(1)
	if (a < 0) != (b < 0) {
		sign = -1
	}
	if hi != 0 || lo >= uint64(unbounded) {
		return sign * unbounded
	}
	return sign * int64(lo)
}

// over is the set of numbers that are in n when they are taken k times.
func (n numbers) over(k int64) (numbers, bool) {
	if k < 0 {
		n, k = n.times(-1), -k
	}
	out := numbers{-unbounded, unbounded, 1, 0}
	if n.lo > -unbounded {
		out.lo = -FloorDiv(-n.lo, k)
	}
	if n.hi < unbounded {
		out.hi = FloorDiv(n.hi, k)
	}
	if g := commonDivisor(k, n.step); n.step > 1 {
		if modulo(n.off, g) != 0 {
			return out, false
		}
		// x*(k/g) is off/g modulo step/g.
		for x := int64(0); x < min(n.step/g, 1<<12); x++ {
			if modulo(x%(n.step/g)*(k/g%(n.step/g))-n.off/g, n.step/g) == 0 {
				out.step, out.off = n.step/g, x
				break
			}
		}
	}
	return out.tidy()
}

// meet is what is in both; false when nothing is.
func (n numbers) meet(o numbers) (numbers, bool) {
	if n.step == 0 || o.step == 0 {
		if n.step != 0 {
			n, o = o, n
		}
		return n, o.in(n.lo)
	}
	if n.step < o.step {
		n, o = o, n
	}
	out := numbers{max(n.lo, o.lo), min(n.hi, o.hi), n.step, n.off}
	g := commonDivisor(n.step, o.step)
	if modulo(n.off-o.off, g) != 0 {
		return out, false
	}
	if o.step > g && o.step/g < 1<<12 && n.step/g*o.step <= mostStep {
		for modulo(out.off-o.off, o.step) != 0 {
			out.off += n.step
		}
		out.step = n.step / g * o.step
		out.off = modulo(out.off, out.step)
	}
	return out.tidy()
}

// join is what is in one of them, and perhaps more.
func (n numbers) join(o numbers) numbers {
	out := numbers{lo: min(n.lo, o.lo), hi: max(n.hi, o.hi)}
	step := commonDivisor(commonDivisor(n.step, o.step), apart(n.off, o.off))
	out = out.with(step, n.off)
	out, _ = out.tidy()
	return out
}

func apart(a, b int64) int64 {
	if d := bounded(a, -b); d > -unbounded && d < unbounded {
		return d
	}
	return 1
}

// between is n without what is less than lo or more than hi.
func (n numbers) between(lo, hi int64) (numbers, bool) {
	n.lo, n.hi = max(n.lo, lo), min(n.hi, hi)
	return n.tidy()
}

// without is n without the numbers from lo to hi, where these are at an end of it.
func (n numbers) without(lo, hi int64) (numbers, bool) {
	switch {
	case lo <= n.lo && n.hi <= hi:
		return n, false
	case lo <= n.lo && n.lo <= hi:
		return n.between(hi+1, n.hi)
	case lo <= n.hi && n.hi <= hi:
		return n.between(n.lo, lo-1)
	}
	return n, true
}

// allOnes is as many ones as n has bits.
func allOnes(n int64) int64 { return int64(1)<<bits.Len64(uint64(n)) - 1 }

// evenly is the largest power of two that divides all of them.
func (n numbers) evenly() int64 {
	v := commonDivisor(n.step, n.off)
	if v == 0 {
		return mostStep
	}
	return v & -v
}

// truth is the set of a condition.
func truth(no, yes bool) numbers {
	switch {
	case no && yes:
		return fromTo(0, 1)
	case yes:
		return oneNumber(1)
	}
	return oneNumber(0)
}

// binaryNumbers is what an operator makes of two sets, where it is no comparison and no sum.
func binaryNumbers(word string, x, y numbers) numbers {
	known := y.step == 0 && 0 <= y.lo && y.lo < mostStep
	natural := x.lo >= 0 && y.lo >= 0 && x.hi < unbounded && y.hi < unbounded
	c := y.lo
	switch {
	case word == "mul" && y.step == 0:
		return x.times(c)
	case word == "mul" && x.step == 0:
		return y.times(x.lo)
	case word == "mul":
		a, b, e, f := product(x.lo, y.lo), product(x.lo, y.hi), product(x.hi, y.lo), product(x.hi, y.hi)
		out, _ := numbers{min(a, b, e, f), max(a, b, e, f), 1, 0}.tidy()
		return out
	case word == "shl" && known && c < 32:
		return x.times(1 << c)
	case word == "div" && known && c > 0:
		out := numbers{-unbounded, unbounded, 1, 0}
		if x.lo > -unbounded {
			out.lo = x.lo / c
		}
		if x.hi < unbounded {
			out.hi = x.hi / c
		}
		if x.step > 1 && x.step%c == 0 && x.off%c == 0 {
			out.step, out.off = x.step/c, x.off/c
		}
		out, _ = out.tidy()
		return out
	case word == "shr" && known && c < 63:
		out := numbers{x.lo >> c, x.hi >> c, 1, 0}
		if x.lo <= -unbounded {
			out.lo = -unbounded
		}
		if x.hi >= unbounded {
			out.hi = unbounded
		}
		out, _ = out.tidy()
		return out
	case word == "mod" && known && c > 0, word == "and" && known && c&(c+1) == 0 && x.lo >= 0:
		if word == "and" {
			c++
		}
		out := numbers{0, c - 1, 1, 0}
		if x.lo < 0 {
			out.lo = 1 - c
			out, _ = out.tidy()
			return out
		}
		if out.hi = min(out.hi, x.hi); x.hi < c {
			out.lo = x.lo
		}
		if step := commonDivisor(x.step, c); step > 0 {
			out = out.with(step, x.off)
		}
		out, _ = out.tidy()
		return out
	case word == "and" && x.step == 0 && y.step == 0:
		return oneNumber(x.lo & y.lo)
	case word == "and" && (natural || known):
		out := numbers{0, y.hi, 1, 0}
		if x.lo >= 0 {
			out.hi = min(x.hi, y.hi)
		}
		out = out.with(max(x.evenly(), y.evenly()), 0)
		if x.lo == 1 && y.lo == 1 && out.hi == 1 {
			out.lo = 1
		}
		out, _ = out.tidy()
		return out
	case (word == "or" || word == "xor") && natural:
		out := numbers{0, allOnes(x.hi | y.hi), 1, 0}
		if word == "or" {
			out.lo = max(x.lo, y.lo)
		}
		out = out.with(min(x.evenly(), y.evenly()), 0)
		out, _ = out.tidy()
		return out
	}
	return anyNumber
}

// FloorDiv is a/b, rounded down.
func FloorDiv(a, b int64) int64 {
	if q := a / b; a%b < 0 {
		return q - 1
	} else {
		return q
	}
}
