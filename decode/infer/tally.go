package infer

import (
	"math"
	"math/bits"

	"github.com/pktscope/pktscope/decode/wire"
)

// lengths is a histogram of numbers: those below exact one by one, others by how many bits they have and by the bit
// after the first.
type lengths [exact + 2*65]int32

const exact = 16

// class is the class of a number. Both are computed and one is chosen, as no branch would be foreseen.
func class(x uint64) int {
	l := bits.Len64(x)
	c := exact + 2*l + int(x>>(uint(l-2)&63))&1
	if x < exact {
		c = int(x)
	}
	return c
}

// share is what it costs to say one share of n rows that stand for scale times as many: its value, and that it is known
// of these rows alone.
func share(n int, scale float64) float64 { return log2(n+1)/2 + 0.72*(scale-1) }

// cost is that of n numbers of at most top bits, each as its class and then the bits that this leaves open, and how many
// shares of classes are said. Small numbers are in classes of their own, or all are in those of their lengths: as is cheaper.
func (h *lengths) cost(n, top int, scale float64) (data, once float64) {
	fine, kinds := 0.0, int32(0)
	coarse, groups := 0.0, int32(0)
	// No class is left out: of an empty one all terms are 0, and no branch would be foreseen.
	from := 0
	for l := range min(top, 4) + 1 {
		to := 1 << l
		long := int32(0)
		for _, k := range h[from:to] {
			kinds += met(k)
			fine -= nlogn(int(k))
			long += k
		}
		groups += met(long)
		coarse += float64(int(long)*max(0, l-1)) - nlogn(int(long))
		from = to
	}
	for l := 5; l <= top; l++ {
		a, b := h[exact+2*l], h[exact+2*l+1]
		kinds += met(a) + met(b)
		groups += met(a + b)
		fine += float64(int(a)*(l-2)) - nlogn(int(a))
		fine += float64(int(b)*(l-2)) - nlogn(int(b))
		coarse += float64(int(a+b)*(l-1)) - nlogn(int(a+b))
	}
	each := share(n, scale)
	if scale*fine+each*float64(kinds) < scale*coarse+each*float64(groups) {
		return nlogn(n) + fine, each * float64(kinds-1)
	}
	return nlogn(n) + coarse, each * float64(groups-1)
}

// met is 1 of a count above 0, else 0.
func met(k int32) int32 { return int32(uint32(-k) >> 31) }

// normal is numbers around their mean: what it costs to write them as a normal distribution does, without a histogram.
type normal struct{ sum, squares float64 }

func (d *normal) add(v int64) {
	x := float64(v)
	d.sum += x
	d.squares += x * x
}

// cost is that of the n numbers that were added.
func (d *normal) cost(count int) float64 {
	n := float64(count)
	mean := d.sum / n
	variance := max(0, d.squares/n-mean*mean) + 1./12 // that of a number's being whole
	return n * max(0, math.Log2(2*math.Pi*math.E*variance)/2)
}

// extend is v's low w bits as two's complement.
func extend(v uint64, w int) int64 { return int64(v<<(64-w)) >> (64 - w) }

// tally is what the values of a column are like, in one pass over them.
type tally struct {
	sizes, signed, walk, smooth, rate lengths
	// The bits of all numbers of each histogram: none has more than their or.
	anySize, anySigned, anyWalk, anySmooth, anyRate uint64

	steps, bends normal
	least, most  uint64
	firsts       int    // rows without one before
	seconds      int    // rows whose one before has none
	changes      uint64 // bits that differ from the row before
	stepLengths  int    // bits of all steps
}

// count fills the tally with c.values, w bits each.
func (c *coster) count(v *window, w int, usual uint64) {
	t := &c.tally
	used := exact + 2*(w+1)
	clear(t.sizes[:used])
	clear(t.signed[:used])
	clear(t.walk[:used])
	clear(t.smooth[:used])
	if usual != 0 {
		clear(t.rate[:used])
	}
	values := c.values
	prev, deltas, lens := v.prev[:len(values)], c.deltas[:len(values)], c.lens[:len(values)]
	mask, free := wire.Mask(w), uint(64-w)&63
	least, most := values[0], values[0]
	var steps, bends normal
	var anySize, anySigned, anyWalk, anySmooth, anyRate uint64
	firsts, seconds, stepLengths := 0, 0, 0
	changes := uint64(0)
	for r, x := range values {
		least, most = min(least, x), max(most, x)
		anySize |= x
		t.sizes[class(x)]++
		sign := wire.ZigZag(int64(x<<free) >> free)
		anySigned |= sign
		t.signed[class(sign)]++
		p := prev[r]
		if p < 0 {
			firsts++
			deltas[r], lens[r] = 0, 0
			continue
		}
		changes |= x ^ values[p]
		d := (x - values[p]) & mask
		step := int64(d<<free) >> free
		zigzag := wire.ZigZag(step)
		long := bits.Len64(zigzag)
		anyWalk |= zigzag
		stepLengths += long
		t.walk[class(zigzag)]++
		steps.add(step)
		if usual != 0 {
			z := wire.ZigZag(int64((d-usual)<<free) >> free)
			anyRate |= z
			t.rate[class(z)]++
		}
		if prev[p] < 0 {
			deltas[r], lens[r] = d, uint8(long)
			seconds++
			continue
		}
		bend := int64((d-deltas[p])<<free) >> free
		if before := int(lens[p]); before != 0 && long > before+4 {
			d, long = 0, 0 // a jump is no speed
		}
		deltas[r], lens[r] = d, uint8(long)
		bent := wire.ZigZag(bend)
		anySmooth |= bent
		t.smooth[class(bent)]++
		bends.add(bend)
	}
	t.seconds, t.changes = seconds, changes
	t.least, t.most, t.firsts, t.stepLengths, t.steps, t.bends = least, most, firsts, stepLengths, steps, bends
	t.anySize, t.anySigned, t.anyWalk, t.anySmooth, t.anyRate = anySize, anySigned, anyWalk, anySmooth, anyRate
}

// usualStep is the median of some steps from packet to packet.
func (c *coster) usualStep(v *window, w int) uint64 {
	var some [15]int64 // in their order
	n, stride := 0, max(1, len(v.rows)/len(some))
	for r := len(v.rows) - 1; r >= 0 && n < len(some); r -= stride {
		if p := v.prev[r]; p >= 0 {
			step, at := extend(c.values[r]-c.values[p], w), n
			for ; at > 0 && some[at-1] > step; at-- {
				some[at] = some[at-1]
			}
			some[at] = step
			n++
		}
	}
	if n == 0 {
		return 0
	}
	return uint64(some[n/2]) & wire.Mask(w)
}
