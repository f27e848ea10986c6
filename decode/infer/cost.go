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

	varies uint8 // how many of its bits change in a flow
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
	lens                  []uint8 // bits of the deltas, as they are written
	tally                 tally
	few                   few // of the column
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
	constant := min(col.constant, most)
	c.work += int64(most) / 4
	for w := 1; w <= constant; w++ {
		out[w] = choice{bits: fieldPrice(w, phase) + float64(w), model: modelConst}
	}
	for w := constant + 1; w <= most; w++ {
		out[w] = col.cells[w]
		if w > nearWidth && (w%8 != 0 || phase != 0) {
			continue
		}
		// Bits that never change in a flow, beside some that look random, do not make a number of these.
		if some := int(out[w].varies); some > 0 && (some < noisy || !c.sorting && w < 32 && w&7 != 0) && out[w].bits > 0.93*float64(v.all*some) {
			out[w].bits += noiseCost * float64(v.all*min(max(some, 4), noisy))
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
	c.lens = slices.Grow(c.lens[:0], n)[:n]
	for r := range v.rows {
		c.words[r] = c.order.Load(v.rows[r].data, v.rows[r].pos+i, 64)
	}
	c.few = few{}
	scale := v.scale()
	for w := col.most + 1; w <= most; w++ {
		if w > nearWidth && (w%8 != 0 || phase != 0) && col.constant < w-1 {
			col.cells[w] = choice{bits: math.Inf(1)}
			continue
		}
		c.load(v, i, w)
		c.work += int64(n) / 8
		if col.constant == w-1 && !slices.ContainsFunc(c.values, func(x uint64) bool { return x != c.values[0] }) {
			col.constant = w
			continue
		}
		if w > nearWidth && (w%8 != 0 || phase != 0) {
			col.cells[w] = choice{bits: math.Inf(1)}
			continue
		}
		c.work += int64(n)
		col.cells[w] = c.price(v, w, scale)
		if swaps(w, phase) {
			for r := range c.values {
				c.values[r] = wire.SwapBytes(c.values[r], w)
			}
			c.work += int64(n)
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
	n := len(c.values)
	usual := c.usualStep(v, w)
	c.count(v, w, usual)
	t := &c.tally
	best := choice{bits: scale * float64(n*w) * anyGain, model: modelUniform}
	// What the values cost grows with the rows; what is said once does not.
	try := func(data, once float64, m model) {
		if bits := scale*data + once; bits < best.bits {
			best.bits, best.model = bits, m
		}
	}
	histogram := func(h *lengths, any uint64, count int, once float64, m model) {
		data, shares := h.cost(count, bits.Len64(any), scale)
		try(data, once+shares, m)
	}
	same := 0.0 // bits above that never change and are not zeros: their value is said once
	if d := bits.Len64(t.most ^ t.least); t.least>>d != 0 {
		same = float64(w - d)
	}
	across := 0.0
	if d := t.most - t.least; d < 1<<12 {
		across = log2(int(d) + 1)
	} else {
		across = math.Log2(float64(d) + 1)
	}
	try(float64(n)*across, float64(w)+across+2, modelRange)
	histogram(&t.sizes, t.anySize, n, 2+same, modelSize)
	histogram(&t.signed, t.anySigned, n, 4+same, modelSigned)
	if w <= 32 {
		c.tryEnum(w, scale, &best)
	}
	if after := n - t.firsts; after > 0 {
		// What a flow begins with costs what it costs by itself. A run of rows in the middle of a flow only seems to begin one.
		first := float64(v.flows)*min(across, best.bits/scale/float64(n)) + same
		scale = (scale*float64(n) - float64(v.flows)) / float64(after)
		moved := after - int(t.walk[0])
		try(nlogn(after)-nlogn(moved)-nlogn(after-moved)+1.5*float64(t.stepLengths), first+4, modelStep)
		histogram(&t.walk, t.anyWalk, after, first+4, modelWalk)
		try(t.steps.cost(after), first+6+log2(after), modelWalk)
		if usual != 0 {
			histogram(&t.rate, t.anyRate, after, first+6+float64(bits.Len64(usual)), modelRate)
		}
		if w >= 8 {
			c.tryHistory(v, w, scale, first, &best)
		}
		if thirds := after - t.seconds; thirds > 0 { // the second of a flow has no speed before: it costs what those do that walk
			seconds := float64(min(v.flows, t.seconds))
			first += seconds * min(across, best.bits/scale/float64(after))
			scale = (scale*float64(after) - seconds) / float64(thirds)
			histogram(&t.smooth, t.anySmooth, thirds, first+6, modelSmooth)
			try(t.bends.cost(thirds), first+8+log2(thirds), modelSmooth)
		}
	}
	best.varies = uint8(bits.OnesCount64(t.changes))
	if w == 32 || w == 64 {
		c.priceFloat(v, w, &best)
	}
	return best
}

// few says of the values of narrower fields of a column how many there are, and what their shares cost in all rows. Wider
// ones have as many at least, and their shares cost as much.
type few struct {
	kinds int
	sum   float64
}

// nearly is more than what sums of costs, in bits, are rounded by.
const nearly = 1e-6

// tryEnum tries few values: each costs its own bits once, and then its share. It leaves out what costs at least as much as
// the best model, by what is known of narrower fields.
func (c *coster) tryEnum(w int, scale float64, best *choice) {
	n := len(c.values)
	once := float64(w) + share(n, scale)
	if c.few.kinds > maxEnum || scale*c.few.sum+float64(c.few.kinds)*once >= best.bits+nearly {
		return
	}
	var keys [128]uint64
	var counts [128]int
	kinds := 0
	for _, x := range c.values {
		at := (x * 0x9E3779B97F4A7C15) >> 57
		for counts[at] > 0 && keys[at] != x {
			at = (at + 1) & 127
		}
		if counts[at] == 0 {
			if kinds++; kinds > maxEnum {
				c.few.kinds = kinds
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
	c.few = few{kinds, sum}
	if bits := scale*sum + float64(kinds)*once; bits < best.bits {
		best.bits, best.model = bits, modelEnum
	}
}

// tryHistory tries a shift register: a bit for each packet that came before. It ends where that costs as much as the best.
func (c *coster) tryHistory(v *window, w int, scale, first float64, best *choice) {
	mask := wire.Mask(w)
	sum, seen := 0, 0
	for r, x := range c.values {
		p := v.prev[r]
		if p < 0 {
			continue
		}
		cost := w + 2
		for k := range min(5, w) {
			if x>>k == c.values[p]&(mask>>k) {
				cost = k + 2
				break
			}
		}
		if sum += cost; cost > 8 {
			if seen++; seen > len(c.values)/4 || scale*float64(sum)+(first+8) >= best.bits {
				return
			}
		}
	}
	if bits := scale*float64(sum) + (first + 8); bits < best.bits {
		best.bits, best.model = bits, modelHistory
	}
}
