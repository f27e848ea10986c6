package infer

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/pktscope/pktscope/decode/wire"
)

// model is what a field's values are taken for: the shortest way to write them down, of those that are tried.
type model uint8

const (
	modelConst   model = iota // one value
	modelUniform              // any value
	modelRange                // any value between the least and the greatest
	modelEnum                 // few values
	modelSize                 // small numbers are frequent
	modelSigned               // numbers around zero are frequent
	modelStep                 // mostly the value of the packet before
	modelWalk                 // near to the value of the packet before
	modelSmooth               // changes as it changed before
	modelRate                 // rises by as much in each packet
	modelHistory              // the value before, shifted: bits that say which packets came
	modelFloat                // IEEE floats of like size
	models
)

// modelWords are what the evidence says of each.
var modelWords = [models]string{"never changes", "any value", "a range", "few values", "mostly small", "mostly near zero",
	"seldom changes", "moves in small steps", "moves smoothly", "counts up", "the value before, shifted", "floats of like size"}

func (m model) String() string { return modelWords[m] }

// What a field costs beside its values, in bits.
const (
	fieldCost   = 16.0 // that there is one: its beginning, its model
	boolCost    = 6.0
	wholeGain   = 4.0   // for 8, 16, 32 and 64 bits
	alignedGain = 2.0   // for these on a byte
	wideCost    = 6.0   // above 32 bits
	brokenCost  = 6.0   // for an end inside a byte
	swapCost    = 3.0   // le or be against the order
	maxEnum     = 48    // values of a modelEnum
	noiseCost   = 0.06  // of each bit of a few that look random: they are the low ones of a number rather than a field
	noisy       = 12    // bits: wider ones are noise where they are no bytes
	anyGain     = 0.995 // of a modelUniform: of many models one always fits random bits a little
)

// choice is the cheapest model of some bits.
type choice struct {
	bits  float64 // what the values of all rows cost, and the field
	model model
	swap  bool // its bytes run against the order
}

// coster knows what bits cost. Its work is counted: see budget.
type coster struct {
	order  wire.Order
	work   int64 // rows looked at, for all models at once
	budget int64 // of work; above it windows are made smaller

	sorting bool // orders are compared: in a wrong one numbers fall into parts that look random
	starved bool // windows were so small that what they cost says nothing

	memo memo

	words, values, deltas []uint64
}

// maxWork is how many rows are looked at in all: each is one evaluation of some ten models.
const maxWork = 100_000_000

// spent reports whether the work is done that a capture may cause.
func (c *coster) spent() bool { return c.work > c.budget }

// Tables of log2(n) and of n·log2(n), filled by the first inference: each other command would pay for them when it
// starts.
var log2s, plogp []float64

var fillTables = sync.OnceFunc(func() {
	logs, products := make([]float64, 4096), make([]float64, 4096)
	for n := 1; n < len(logs); n++ {
		logs[n] = math.Log2(float64(n))
		products[n] = float64(n) * logs[n]
	}
	log2s, plogp = logs, products
})

func log2(n int) float64 {
	if n < len(log2s) {
		return log2s[n]
	}
	return math.Log2(float64(n))
}

func nlogn(n int) float64 {
	if n < len(plogp) {
		return plogp[n]
	}
	return float64(n) * math.Log2(float64(n))
}

// lengths is a histogram of numbers: those below exact one by one, others by how many bits they have and by the bit
// after the first.
type lengths [exact + 2*65]int32

const exact = 16

// class is the class of a number.
func class(x uint64) int {
	if x < exact {
		return int(x)
	}
	l := bits.Len64(x)
	return exact + 2*l + int(x>>(l-2))&1
}

// share is what it costs to say one share of n rows that stand for scale times as many: its value, and that it is known
// of these rows alone.
func share(n int, scale float64) float64 { return log2(n+1)/2 + 0.72*(scale-1) }

// cost is that of n numbers of w bits, each as its class and then the bits that this leaves open, and how many shares of
// classes are said. Small numbers are in classes of their own, or all are in those of their lengths: as is cheaper.
func (h *lengths) cost(n, w int, scale float64) (data, once float64) {
	fine, kinds := 0.0, 0
	var long [65]int32
	for x, k := range h[:exact] {
		if k > 0 {
			kinds++
			fine -= nlogn(int(k))
			long[bits.Len(uint(x))] += k
		}
	}
	for l := 5; l <= w; l++ {
		for _, k := range h[exact+2*l : exact+2*l+2] {
			if k > 0 {
				kinds++
				fine += float64(int(k)*(l-2)) - nlogn(int(k))
				long[l] += k
			}
		}
	}
	coarse, groups := 0.0, 0
	for l, k := range long[:w+1] {
		if k > 0 {
			groups++
			coarse += float64(int(k)*max(0, l-1)) - nlogn(int(k))
		}
	}
	each := share(n, scale)
	if scale*fine+each*float64(kinds) < scale*coarse+each*float64(groups) {
		return nlogn(n) + fine, each * float64(kinds-1)
	}
	return nlogn(n) + coarse, each * float64(groups-1)
}

// normal is numbers around their mean: what it costs to write them as a normal distribution does, without a histogram.
type normal struct{ n, sum, squares float64 }

func (d *normal) add(v int64) {
	x := float64(v)
	d.n++
	d.sum += x
	d.squares += x * x
}

func (d *normal) cost() float64 {
	mean := d.sum / d.n
	variance := max(0, d.squares/d.n-mean*mean) + 1./12 // that of a number's being whole
	return d.n * max(0, math.Log2(2*math.Pi*math.E*variance)/2)
}

// extend is v's low w bits as two's complement.
func extend(v uint64, w int) int64 { return int64(v<<(64-w)) >> (64 - w) }

// column finds the cheapest model of the w bits at bit i of each row, for each w up to most. The rows of the window have
// these bits; k is what is known of the window.
func (c *coster) column(v *window, k *pricedWindow, i, most int, out *[maxWidth + 1]choice) {
	phase := after(v.phase(), i)
	col := k.bits[v.rows[0].pos+i]
	if col == nil {
		col = &column{}
		k.bits[v.rows[0].pos+i] = col
		c.memo.size++
	}
	if col.most < most {
		c.widen(v, col, i, most, phase)
	}
	n := int64(len(v.rows))
	constant := min(col.constant, most)
	c.work += int64(min(constant+1, most)) * (n / 8)
	for w := 1; w <= constant; w++ {
		out[w] = choice{bits: fieldPrice(w, phase) + float64(w), model: modelConst}
	}
	for w := constant + 1; w <= most; w++ {
		out[w] = col.cells[w]
		if w > nearWidth && (w%8 != 0 || phase != 0) {
			continue
		}
		c.work += n
		if swaps(w, phase) {
			c.work += n
		}
		if (w < noisy || !c.sorting && w < 32 && w&7 != 0) && out[w].bits > 0.93*float64(v.all*w) {
			out[w].bits += noiseCost * float64(v.all*min(max(w, 4), noisy))
		}
		out[w].bits += fieldPrice(w, phase)
	}
}

// swaps reports whether a field's bytes may run against the order.
func swaps(w, phase int) bool { return phase == 0 && (w == 16 || w == 32 || w == 64) }

// widen prices the values of a column up to a width, without what a field costs by itself.
func (c *coster) widen(v *window, col *column, i, most, phase int) {
	n := len(v.rows)
	c.words = slices.Grow(c.words[:0], n)[:n]
	c.values = slices.Grow(c.values[:0], n)[:n]
	c.deltas = slices.Grow(c.deltas[:0], n)[:n]
	for r := range v.rows {
		c.words[r] = c.order.Load(v.rows[r].data, v.rows[r].pos+i, 64)
	}
	scale := v.scale()
	for w := col.most + 1; w <= most; w++ {
		if w > nearWidth && (w%8 != 0 || phase != 0) && col.constant < w-1 {
			col.cells[w] = choice{bits: math.Inf(1)}
			continue
		}
		c.load(v, i, w)
		if col.constant == w-1 && !slices.ContainsFunc(c.values, func(x uint64) bool { return x != c.values[0] }) {
			col.constant = w
			continue
		}
		if w > nearWidth && (w%8 != 0 || phase != 0) {
			col.cells[w] = choice{bits: math.Inf(1)}
			continue
		}
		col.cells[w] = c.price(v, w, scale)
		if swaps(w, phase) {
			for r := range c.values {
				c.values[r] = wire.SwapBytes(c.values[r], w)
			}
			if s := c.price(v, w, scale); s.bits+swapCost < col.cells[w].bits {
				s.bits, s.swap = s.bits+swapCost, true
				col.cells[w] = s
			}
		}
	}
	col.most = most
}

// load makes c.values of the w bits at bit i of each row.
func (c *coster) load(v *window, i, w int) {
	mask := wire.Mask(w)
	switch c.order {
	case wire.LSB:
		for r, word := range c.words {
			c.values[r] = word & mask
		}
	case wire.MSB:
		for r, word := range c.words {
			c.values[r] = word >> (64 - w)
		}
	case wire.Bytewise:
		for r := range v.rows {
			c.values[r] = c.order.Load(v.rows[r].data, v.rows[r].pos+i, w)
		}
	}
}

// fieldPrice is what a field costs beside its values.
func fieldPrice(w, phase int) float64 {
	price := fieldCost
	switch {
	case w == 1:
		price = boolCost
	case w == 8 || w == 16 || w == 32 || w == 64:
		price -= wholeGain
		if phase == 0 {
			price -= alignedGain
		}
	}
	if w > 32 {
		price += wideCost
	}
	if phase >= 0 && (phase+w)&7 != 0 {
		price += brokenCost
	}
	return price
}

// price is the cheapest model of c.values, w bits each.
func (c *coster) price(v *window, w int, scale float64) choice {
	values, prev := c.values, v.prev
	n := len(values)
	mask := wire.Mask(w)
	least, most := values[0], values[0]
	var sizes, signed, walk, smooth, rate lengths
	var steps, bends normal
	moved, firsts := 0, 0
	stepBits := 0.0
	usual := c.usualStep(v, w)
	for r, x := range values {
		least, most = min(least, x), max(most, x)
		sizes[class(x)]++
		signed[class(wire.ZigZag(extend(x, w)))]++
		p := prev[r]
		if p < 0 {
			firsts++
			c.deltas[r] = 0
			continue
		}
		d := (x - values[p]) & mask
		c.deltas[r] = d
		zigzag := wire.ZigZag(extend(d, w))
		z := class(zigzag)
		walk[z]++
		steps.add(extend(d, w))
		bend := extend(d, w)
		if d != 0 {
			moved++
			stepBits += 1.5 * float64(bits.Len64(zigzag))
		}
		rate[class(wire.ZigZag(extend(d-usual, w)))]++
		if prev[p] >= 0 {
			bend = extend(d-c.deltas[p], w)
			z = class(wire.ZigZag(bend))
			if before := wire.ZigZag(extend(c.deltas[p], w)); before != 0 && bits.Len64(zigzag) > bits.Len64(before)+4 {
				c.deltas[r] = 0 // a jump is no speed
			}
		}
		smooth[z]++
		bends.add(bend)
	}
	best := choice{bits: scale * float64(n*w) * anyGain, model: modelUniform}
	// What the values cost grows with the rows; what is said once does not.
	try := func(data, once float64, m model) {
		if bits := scale*data + once; bits < best.bits {
			best.bits, best.model = bits, m
		}
	}
	histogram := func(h *lengths, count int, once float64, m model) {
		data, shares := h.cost(count, w, scale)
		try(data, once+shares, m)
	}
	across := math.Log2(float64(most-least) + 1)
	try(float64(n)*across, float64(w)+across+2, modelRange)
	histogram(&sizes, n, 2, modelSize)
	histogram(&signed, n, 4, modelSigned)
	if w <= 32 {
		c.tryEnum(w, scale, try)
	}
	if after := n - firsts; after > 0 {
		first := float64(firsts) * min(across, best.bits/scale/float64(n))
		scale = (scale*float64(n) - float64(firsts)) / float64(after)
		try(nlogn(after)-nlogn(moved)-nlogn(after-moved)+stepBits, first+4, modelStep)
		histogram(&walk, after, first+4, modelWalk)
		histogram(&smooth, after, first+6, modelSmooth)
		try(steps.cost(), first+6+log2(after), modelWalk)
		try(bends.cost(), first+8+log2(after), modelSmooth)
		if usual != 0 {
			histogram(&rate, after, first+6+float64(bits.Len64(usual)), modelRate)
		}
		if w >= 8 {
			c.tryHistory(v, w, first, try)
		}
	}
	if w == 32 || w == 64 {
		c.priceFloat(v, w, &best)
	}
	return best
}

// usualStep is the median of some steps from packet to packet.
func (c *coster) usualStep(v *window, w int) uint64 {
	var some [15]int64
	n, stride := 0, max(1, len(v.rows)/len(some))
	for r := len(v.rows) - 1; r >= 0 && n < len(some); r -= stride {
		if p := v.prev[r]; p >= 0 {
			some[n] = extend(c.values[r]-c.values[p], w)
			n++
		}
	}
	if n == 0 {
		return 0
	}
	slices.Sort(some[:n])
	return uint64(some[n/2]) & wire.Mask(w)
}

// tryEnum tries few values: each costs its own bits once, and then its share.
func (c *coster) tryEnum(w int, scale float64, try func(data, once float64, m model)) {
	var keys [128]uint64
	var counts [128]int
	kinds, n := 0, len(c.values)
	for _, x := range c.values {
		at := (x * 0x9E3779B97F4A7C15) >> 57
		for counts[at] > 0 && keys[at] != x {
			at = (at + 1) & 127
		}
		if counts[at] == 0 {
			if kinds++; kinds > maxEnum {
				return
			}
			keys[at] = x
		}
		counts[at]++
	}
	sum := nlogn(n)
	for _, k := range counts {
		sum -= nlogn(k)
	}
	try(sum, float64(kinds)*(float64(w)+share(n, scale)), modelEnum)
}

// tryHistory tries a shift register: a bit for each packet that came before.
func (c *coster) tryHistory(v *window, w int, first float64, try func(data, once float64, m model)) {
	mask := wire.Mask(w)
	sum, seen := 0.0, 0
	for r, x := range c.values {
		p := v.prev[r]
		if p < 0 {
			continue
		}
		cost := float64(w) + 2
		for k := range min(5, w) {
			if x>>k == c.values[p]&(mask>>k) {
				cost = float64(k) + 2
				break
			}
		}
		if sum += cost; cost > 8 {
			if seen++; seen > len(c.values)/4 {
				return
			}
		}
	}
	try(sum, first+8, modelHistory)
}
