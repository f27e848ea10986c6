package schema

import "math/big"

// Interval arithmetic: the checker's proof that nothing overflows at run time. Every operation takes intervals that fit
// 64 bits and gives one that holds each result; the caller refuses what does not fit again, so no number here is ever
// wider than 128 bits, whatever the source says.

// interval is lo..hi, both included, lo ≤ hi.
type interval struct{ lo, hi *big.Int }

var (
	bigZero   = new(big.Int)
	bigOne    = big.NewInt(1)
	minInt64  = new(big.Int).Neg(pow2(63))
	maxInt64  = new(big.Int).Sub(pow2(63), bigOne)
	maxUint64 = new(big.Int).Sub(pow2(64), bigOne)
)

func pow2(n uint) *big.Int { return new(big.Int).Lsh(bigOne, n) }

// mask is 2^n - 1.
func mask(n uint) *big.Int { return new(big.Int).Sub(pow2(n), bigOne) }

func single(v *big.Int) interval { return interval{v, v} }

func span64(lo, hi int64) interval { return interval{big.NewInt(lo), big.NewInt(hi)} }

// fits says whether all of it fits int64, or all of it uint64: what a register of the plan can hold.
func (i interval) fits() bool {
	if i.lo.Sign() >= 0 {
		return i.hi.Cmp(maxUint64) <= 0
	}
	return i.lo.Cmp(minInt64) >= 0 && i.hi.Cmp(maxInt64) <= 0
}

func (i interval) isSingle() bool { return i.lo.Cmp(i.hi) == 0 }

func (i interval) contains(v *big.Int) bool { return i.lo.Cmp(v) <= 0 && v.Cmp(i.hi) <= 0 }

// within says whether a lies inside b.
func (i interval) within(b interval) bool { return b.lo.Cmp(i.lo) <= 0 && i.hi.Cmp(b.hi) <= 0 }

func (i interval) union(b interval) interval { return interval{minBig(i.lo, b.lo), maxBig(i.hi, b.hi)} }

// intersect gives what a and b share; false when that is nothing.
func (i interval) intersect(b interval) (interval, bool) {
	r := interval{maxBig(i.lo, b.lo), minBig(i.hi, b.hi)}
	return r, r.lo.Cmp(r.hi) <= 0
}

// String is how a message shows it: "5" or "0..255".
func (i interval) String() string {
	if i.isSingle() {
		return i.lo.String()
	}
	return i.lo.String() + ".." + i.hi.String()
}

func minBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) <= 0 {
		return a
	}
	return b
}

func maxBig(a, b *big.Int) *big.Int {
	if a.Cmp(b) >= 0 {
		return a
	}
	return b
}

// hull is the smallest interval that holds all the given values.
func hull(vs ...*big.Int) interval {
	r := single(vs[0])
	for _, v := range vs[1:] {
		r = interval{minBig(r.lo, v), maxBig(r.hi, v)}
	}
	return r
}

func (i interval) neg() interval {
	return interval{new(big.Int).Neg(i.hi), new(big.Int).Neg(i.lo)}
}

func (i interval) add(b interval) interval {
	return interval{new(big.Int).Add(i.lo, b.lo), new(big.Int).Add(i.hi, b.hi)}
}

func (i interval) sub(b interval) interval {
	return interval{new(big.Int).Sub(i.lo, b.hi), new(big.Int).Sub(i.hi, b.lo)}
}

// corners applies op to the four corners; right for any op that is monotone in each argument on its own.
func (i interval) corners(b interval, op func(x, y *big.Int) *big.Int) interval {
	return hull(op(i.lo, b.lo), op(i.lo, b.hi), op(i.hi, b.lo), op(i.hi, b.hi))
}

func (i interval) mul(b interval) interval {
	return i.corners(b, func(x, y *big.Int) *big.Int { return new(big.Int).Mul(x, y) })
}

// div is truncated division; b must not hold 0. With a divisor of one sign the quotient is monotone in each argument.
func (i interval) div(b interval) interval {
	return i.corners(b, func(x, y *big.Int) *big.Int { return new(big.Int).Quo(x, y) })
}

// mod is the remainder of div: the sign of a, smaller than |b| and no larger than |a|; b must not hold 0.
func (i interval) mod(b interval) interval {
	least, most := new(big.Int).Abs(b.lo), new(big.Int).Abs(b.hi)
	least, most = minBig(least, most), maxBig(least, most)
	if i.lo.Sign() >= 0 && i.hi.Cmp(least) < 0 {
		return i
	}
	top := new(big.Int).Sub(most, bigOne)
	r := single(bigZero)
	if i.hi.Sign() > 0 {
		r.hi = minBig(i.hi, top)
	}
	if i.lo.Sign() < 0 {
		r.lo = new(big.Int).Neg(minBig(new(big.Int).Abs(i.lo), top))
	}
	return r
}

// bitsOf is the least k with both intervals inside -2^k .. 2^k-1.
func bitsOf(vs ...*big.Int) uint {
	k := 0
	for _, v := range vs {
		if v.Sign() < 0 {
			v = new(big.Int).Not(v)
		}
		k = max(k, v.BitLen())
	}
	return uint(k)
}

func (i interval) and(b interval) interval {
	switch {
	case i.lo.Sign() >= 0 && b.lo.Sign() >= 0:
		return interval{bigZero, minBig(i.hi, b.hi)}
	case i.lo.Sign() >= 0:
		return interval{bigZero, i.hi}
	case b.lo.Sign() >= 0:
		return interval{bigZero, b.hi}
	}
	// Where one side is not negative the result is at most that side; where both are, at most the smaller.
	return interval{new(big.Int).Neg(pow2(bitsOf(i.lo, b.lo))), maxBig(i.hi, b.hi)}
}

func (i interval) or(b interval) interval {
	k := bitsOf(i.lo, i.hi, b.lo, b.hi)
	switch {
	case i.lo.Sign() >= 0 && b.lo.Sign() >= 0:
		return interval{maxBig(i.lo, b.lo), minBig(mask(k), new(big.Int).Add(i.hi, b.hi))}
	case i.hi.Sign() < 0 || b.hi.Sign() < 0: // one side always negative: so is the result
		return interval{minBig(i.lo, b.lo), big.NewInt(-1)}
	}
	return interval{minBig(i.lo, b.lo), mask(k)}
}

func (i interval) xor(b interval) interval {
	k := bitsOf(i.lo, i.hi, b.lo, b.hi)
	if i.lo.Sign() >= 0 && b.lo.Sign() >= 0 {
		return interval{bigZero, mask(k)}
	}
	return interval{new(big.Int).Neg(pow2(k)), mask(k)}
}

// shl needs b within 0..63.
func (i interval) shl(b interval) interval {
	return i.corners(b, func(x, y *big.Int) *big.Int { return new(big.Int).Lsh(x, uint(y.Uint64())) })
}

// shr needs b within 0..63; it rounds down, as Go's does.
func (i interval) shr(b interval) interval {
	return i.corners(b, func(x, y *big.Int) *big.Int { return new(big.Int).Rsh(x, uint(y.Uint64())) })
}

// normalize sorts ranges and merges what overlaps or touches.
func normalize(set []Range) []Range {
	sortRanges(set)
	var out []Range
	for _, r := range set {
		if n := len(out); n > 0 && new(big.Int).Add(out[n-1].Hi, bigOne).Cmp(r.Lo) >= 0 {
			out[n-1].Hi = maxBig(out[n-1].Hi, r.Hi)
			continue
		}
		out = append(out, r)
	}
	return out
}

// inSet says whether v is in a normalized set.
func inSet(set []Range, v *big.Int) bool {
	lo, hi := 0, len(set)
	for lo < hi {
		if m := (lo + hi) / 2; set[m].Hi.Cmp(v) < 0 {
			lo = m + 1
		} else {
			hi = m
		}
	}
	return lo < len(set) && set[lo].Lo.Cmp(v) <= 0
}

// Sizes on the wire are counted with saturation: what no datagram can hold needs no exact number.

const sizeMax = ^uint64(0)

// size is the least and the most bits something takes.
type size struct{ min, max uint64 }

func satAdd(a, b uint64) uint64 {
	if a+b < a {
		return sizeMax
	}
	return a + b
}

func satMul(a, b uint64) uint64 {
	if a != 0 && b > sizeMax/a {
		return sizeMax
	}
	return a * b
}

func fixedSize(n uint64) size { return size{n, n} }

// then is s followed by t.
func (s size) then(t size) size { return size{satAdd(s.min, t.min), satAdd(s.max, t.max)} }

// or is s or t.
func (s size) or(t size) size { return size{min(s.min, t.min), max(s.max, t.max)} }

// times is lo..hi of s.
func (s size) times(lo, hi uint64) size { return size{satMul(s.min, lo), satMul(s.max, hi)} }

// interval is where the value of e lies at its place.
func (t *TypedExpr) interval() interval { return interval{t.Lo, t.Hi} }
