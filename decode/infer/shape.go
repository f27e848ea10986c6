package infer

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// Limits of the search for what is not one row of fields.
const (
	maxDepth   = 4   // of tags
	maxChain   = 8   // of lists and options, one after the other
	maxElement = 512 // bits of a list's element
	wideRows   = 400 // that a cut is made from
	fewRows    = 160 // that a hypothesis is judged by, and of these so many bits
	fewBits    = 320
)

// shaper finds the layout of rows.
type shaper struct {
	*coster
	byByte bool
}

// shape is the cheapest layout that was found, and what it costs. What a few rows say of lists and tags decides which of the
// two is looked into first: the other has the work that is left.
func (s *shaper) shape(r rows, known fixed, depth int) (*block, float64) {
	if depth == 1 || depth == 0 && len(r.lengths()) == 1 { // else kinds are like senders
		r = s.keyed(r, known)
	}
	best, cost := s.leaf(r, known, wideRows)
	if len(r) < 8 || depth >= maxChain || s.spent() {
		return best, cost
	}
	plain := cost
	take := func(search func() (*block, float64)) {
		if b, c := s.fed(search); c < cost {
			best, cost = b, c
		}
	}
	var c counts
	counted := func() (*block, float64) { return s.counted(r, known, c.best, depth) }
	if !s.enough(func() { c = s.counts(r, known) }) {
		return best, cost
	}
	if c.sure {
		if take(counted); cost < listSure*plain {
			return best, cost
		}
	}
	var tags []tried
	chosen := func() (*block, float64) { return s.choice(r, known, tags, depth) }
	if depth >= maxDepth || !s.enough(func() { tags = s.choices(r, known, c, depth) }) {
		tags = nil
	}
	switch {
	case c.sure:
		take(chosen)
	case len(tags) > 0 && tags[0].cost < c.best.cost:
		take(chosen)
		take(counted)
	default:
		take(counted)
		take(chosen)
	}
	return best, cost
}

// listSure is the share of a plain layout's cost that a list has at most where no tag is looked for beside it.
const listSure = 0.8

// enough reports whether there was the work for a search. Where it ran out, what was found counts for nothing: a few rows,
// which are all that is looked at then, fit anything.
func (s *shaper) enough(search func()) bool {
	before := s.starved
	s.starved = false
	search()
	enough := !s.starved
	s.starved = before
	return enough
}

// fed is what a search finds, and nothing where the work ran out.
func (s *shaper) fed(search func() (*block, float64)) (b *block, cost float64) {
	if !s.enough(func() { b, cost = search() }) {
		return nil, math.Inf(1)
	}
	return b, cost
}

// inside is the layout of a part of rows, and bytes where the work does not suffice for one.
func (s *shaper) inside(r rows, known fixed, depth int) (b *block, cost float64) {
	if b, cost = s.fed(func() (*block, float64) { return s.shape(r, known, depth) }); b != nil {
		return b, cost
	}
	return &block{items: []*item{{kind: kindRest}}}, lengthCost(r.lengths()) + s.opaque(r, 0, r.bits()) + fieldCost
}

// size is a length and how many rows have it.
type size struct{ bits, n int }

// lengths are the lengths of rows, the shortest first.
func (r rows) lengths() (out []size) {
	counts := map[int]int{}
	for i := range r {
		counts[r[i].end-r[i].pos]++
	}
	for bits, n := range counts {
		out = append(out, size{bits, n})
	}
	slices.SortFunc(out, func(a, b size) int { return cmp.Compare(a.bits, b.bits) })
	return out
}

// bits is how many bits rows have in all.
func (r rows) bits() (n int) {
	for i := range r {
		n += r[i].end - r[i].pos
	}
	return n
}

// lengthCost is what it costs to say the rows' lengths.
func lengthCost(sizes []size) float64 {
	n, sum := 0, 0.0
	for _, l := range sizes {
		n += l.n
		sum -= nlogn(l.n)
	}
	return sum + nlogn(n) + 6*float64(len(sizes)-1)
}

// leaf cuts what all rows have; what is left of longer ones is opaque.
func (s *shaper) leaf(r rows, known fixed, most int) (*block, float64) {
	n := min(r.least(), maxCut)
	if most <= fewRows {
		n = min(n, fewBits, 2*most)
		known = known.before(n)
	}
	sizes := r.lengths()
	cost := lengthCost(sizes)
	rest := 0
	for _, l := range sizes {
		rest += l.n * max(0, l.bits-n)
	}
	cost += s.opaque(r, n, rest)
	pad := 0
	if rest == 0 {
		pad = s.zeros(r, n)
	}
	b := &block{}
	pad = min(pad, max(0, n-known.end()))
	if n-pad > 0 {
		long := slices.DeleteFunc(slices.Clone(r), func(x row) bool { return x.end-x.pos < n })
		w := long.window(most)
		w.all = len(r)
		fields, c := s.tabulate(w, n, s.byByte).cut(n-pad, known)
		cost += c
		b = numbers(fields)
		if rest > 0 {
			b.trim(known)
		}
	}
	if rest > 0 {
		b.items = append(b.items, &item{kind: kindRest})
		cost += fieldCost
	}
	return b, cost
}

// opaque is what so many bits cost that are after bit n: their bytes, by how often each is met.
func (s *shaper) opaque(r rows, n, total int) float64 {
	if total == 0 {
		return 0
	}
	var counts [256]int
	met := 0
	for i := 0; i < len(r); i += max(1, len(r)/200) {
		for at := (r[i].pos + n + 7) / 8; at < r[i].end/8 && met < 20_000; at++ {
			counts[r[i].data[at]]++
			met++
		}
	}
	if met == 0 {
		return float64(total)
	}
	h, kinds := nlogn(met), 0
	for _, k := range counts {
		if h -= nlogn(k); k > 0 {
			kinds++
		}
	}
	shares := float64(kinds) * log2(met/kinds+1) / 2
	return min(float64(total), float64(total)*(h/float64(met)/8+0.02)+shares)
}

// beyond is what so many bits cost that are after bit n: as bytes that are all alike, or each as what is at its place in
// other rows, whichever is less.
func (s *shaper) beyond(r rows, n, total, most int) float64 {
	cost := s.opaque(r, n, total)
	if total == 0 {
		return 0
	}
	var out [maxWidth + 1]choice
	placed := 0.0
	all := len(r)
	r = r.window(4 * most).rows
	for at := n; at+8 <= maxCut && placed < cost; at += 8 {
		long := s.long(r, at+8)
		s.work += int64(len(r)) / 4
		if len(long) < leastPlaced {
			placed += float64((long.bits() - at*len(long)) * all / len(r))
			break
		}
		w := long.window(most)
		w.all = len(long) * all / len(r)
		s.column(&w, s.memo.of(&w, s.order), at, 8, &out)
		placed += out[8].bits
	}
	return min(cost, placed)
}

// leastPlaced is how many rows say what is usual at a place.
const leastPlaced = 4

// zeros is how many bits, fewer than 8, at the end of n are always zero: a writer of bits fills its last byte up.
func (s *shaper) zeros(r rows, n int) int {
	if s.byByte || n < 8 {
		return 0
	}
	pad := 7
	for i := range r {
		if at := r[i].pos + n; at&7 != 0 || r[i].end != at {
			return 0
		}
		last := r[i].data[(r[i].end-1)/8]
		if s.order == wire.LSB {
			pad = min(pad, bits.LeadingZeros8(last))
		} else {
			pad = min(pad, bits.TrailingZeros8(last))
		}
	}
	return pad
}

// long are the rows that have n bits.
func (s *shaper) long(r rows, n int) rows {
	short := 0
	for i := range r {
		if r[i].end-r[i].pos < n {
			short++
		}
	}
	if short == 0 {
		return r
	}
	out := make(rows, 0, len(r)-short)
	for i := range r {
		if r[i].end-r[i].pos >= n {
			out = append(out, r[i])
		}
	}
	return out
}

// behind are the known cuts after a bit, from that bit on.
func (f fixed) behind(bit int) (out fixed) {
	for _, k := range f {
		if k.at >= bit {
			out = append(out, struct{ at, width int }{k.at - bit, k.width})
		}
	}
	return out
}

// trim takes the fields off a block's end that can have any value: they are as what is after.
func (b *block) trim(known fixed) {
	for n := len(b.items); n > 0; n-- {
		it := b.items[n-1]
		if it.model != modelUniform || it.width < 8 || len(known) > 0 && !known.allows(it.at, it.width+1) {
			return
		}
		b.items = b.items[:n-1]
	}
}
