package infer

import (
	"cmp"
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// Limits of the search for what is not one row of fields.
const (
	maxDepth   = 4
	maxArms    = 20
	minArm     = 12 // packets that an arm has, on average
	armCost    = 30.0
	choiceGain = 0.96 // a tag saves more than a part of the time that happens to be alike
	maxTagBit  = 112  // a tag begins before
	flipBits   = 256  // that say whether packets of one value are alike
	tagTries   = 5    // whose full cost is computed
	tagDeep    = 2    // of these, whose parts are looked into
	maxElement = 512  // bits of a list's element
	wideRows   = 400  // that a cut is made from
	fewRows    = 160  // that a hypothesis is judged by, and of these so many bits
	fewBits    = 320
)

// shaper finds the layout of rows.
type shaper struct {
	*coster
	byByte bool
}

// shape is the cheapest layout that was found, and what it costs.
func (s *shaper) shape(r rows, known fixed, depth int) (*block, float64) {
	best, cost := s.leaf(r, known, wideRows)
	if len(r) < 8 || depth >= maxDepth || s.spent() {
		return best, cost
	}
	plain := cost
	if b, c, sure := s.list(r, known, depth); c < cost {
		best, cost = b, c
		if sure && cost < listSure*plain {
			return best, cost
		}
	}
	if b, c := s.choice(r, known, depth); c < cost {
		best, cost = b, c
	}
	return best, cost
}

// listSure is the share of a plain layout's cost that a list has at most where no tag is looked for beside it.
const listSure = 0.8

// fed is what a search finds, and nothing where the work ran out: a few rows, which are all that is looked at then, fit
// anything.
func (s *shaper) fed(search func() (*block, float64)) (*block, float64) {
	before := s.starved
	s.starved = false
	b, c := search()
	if s.starved {
		b, c = nil, math.Inf(1)
	}
	s.starved = before
	return b, c
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
	h := nlogn(met)
	for _, k := range counts {
		h -= nlogn(k)
	}
	return float64(total) * min(1, h/float64(met)/8+0.02)
}

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

// choice is the cheapest layout that begins with fields all rows have, of which one, the tag, says what is after.
func (s *shaper) choice(r rows, known fixed, depth int) (*block, float64) {
	type tried struct {
		*split
		cost float64
	}
	var all []tried
	_, limit := s.leaf(r, known, fewRows)
	if c, ok := s.counts(r, known, fewRows, s.fits(r)); ok {
		limit = min(limit, c.cost)
	}
	for k, t := range s.tags(r) {
		if k >= tagTries && depth > 0 || k >= tagDeep && depth > 1 {
			break
		}
		if !known.allows(t.at, t.width) {
			continue
		}
		if sp, cost := s.split(r, known, t, fewRows); sp != nil {
			if cost += 20 * float64(t.at/8); cost < limit*math.Pow(choiceGain, float64(1+depth)) {
				all = append(all, tried{sp, cost})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b tried) int { return cmp.Compare(a.cost, b.cost) })
	var best *block
	cost := math.Inf(1)
	for k, one := range all[:min(len(all), tagDeep)] {
		if k > 0 && one.cost > all[0].cost*1.03 {
			break
		}
		if b, c := s.fed(func() (*block, float64) { return s.branch(r, known, one.split, depth) }); c < cost {
			best, cost = b, c
		}
	}
	return best, cost
}

// split are rows told apart by a tag.
type split struct {
	tag
	head   int // bits that all have, with the tag
	values []uint64
	parts  []rows
	odd    rows // of rare values
}

// split sorts rows by a tag, and finds where what all have ends: where it costs least to go on apart.
func (s *shaper) split(r rows, known fixed, t tag, most int) (*split, float64) {
	sp := &split{tag: t}
	parts := map[uint64]rows{}
	for i := range r {
		if r[i].pos+t.at+t.width > r[i].end {
			sp.odd = append(sp.odd, r[i])
			continue
		}
		x := s.value(&r[i], t.at, t.width)
		parts[x] = append(parts[x], r[i])
	}
	for x, part := range parts {
		if len(part) < 2 || len(parts) > 4*maxArms {
			sp.odd = append(sp.odd, part...)
			continue
		}
		sp.values = append(sp.values, x)
	}
	if len(sp.values) < 2 || len(sp.values) > 2*maxArms || len(sp.odd)*20 > len(r) || len(sp.values)*minArm > len(r) {
		return nil, 0
	}
	slices.Sort(sp.values)
	least := r.least()
	for _, x := range sp.values {
		sp.parts = append(sp.parts, parts[x])
		least = min(least, parts[x].least())
	}
	sp.head = max(t.at+t.width, known.end())
	if least < sp.head {
		return nil, 0
	}
	n := min(least, sp.head+flipBits)
	known = append(slices.Clone(known), struct{ at, width int }{t.at, t.width})
	long := s.long(r, n)
	common, _ := s.tabulate(long.window(most), n, s.byByte).forward(known)
	for j := range common {
		common[j] *= float64(len(r)) / float64(max(1, len(long)))
	}
	total := 0.0
	apart := make([]float64, n+1)
	for _, part := range sp.parts {
		m := min(part.least(), max(fewBits, n))
		w := s.long(part, m).window(max(most/2, most/len(sp.parts)))
		w.all = len(part)
		down, _ := s.tabulate(w, m, s.byByte).backward(known)
		sizes := part.lengths()
		rest := 0
		for _, l := range sizes {
			rest += l.n * max(0, l.bits-m)
		}
		total += lengthCost(sizes) + s.opaque(part, m, rest) + armCost
		for j := range apart {
			apart[j] += down[j]
		}
		if rest > 0 && len(part) >= minArm {
			behind := part.moved(func(*row) int { return t.at + t.width })
			_, plain := s.leaf(behind, nil, most/2)
			if c, ok := s.counts(behind, nil, most/2, s.fits(behind)); ok && c.cost < plain {
				total -= plain - c.cost
			}
		}
	}
	for i := range sp.odd {
		total += float64(sp.odd[i].end - sp.odd[i].pos)
	}
	best := math.Inf(1)
	for h := sp.head; h <= n; h++ {
		if c := common[h] + apart[h]; c < best-1 {
			best, sp.head = c, h
		}
	}
	return sp, best + total
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

// branch is the layout of a split, with the parts looked into.
func (s *shaper) branch(r rows, known fixed, sp *split, depth int) (*block, float64) {
	inside := append(slices.Clone(known), struct{ at, width int }{sp.at, sp.width})
	w := s.long(r, sp.head).window(wideRows)
	w.all = len(r)
	head := s.tabulate(w, sp.head, s.byByte)
	fields, cost := head.cut(sp.head, inside)
	at, width := sp.at, sp.width
	for _, wide := range [2]int{8, 16} { // with the zeros above it, it may be a whole number
		low := sp.at + sp.width - wide
		if s.order == wire.LSB {
			low = sp.at
		}
		if wide <= sp.width || low < 0 || low+wide > sp.head || (r[0].pos+low)&7 != 0 || !known.allows(low, wide) || !s.sameValue(&w, fit{at: sp.at, width: sp.width}, low, wide) {
			continue
		}
		if cut, c := head.cut(sp.head, append(slices.Clone(known), struct{ at, width int }{low, wide})); c < cost {
			fields, cost, at, width = cut, c, low, wide
		}
	}
	b := numbers(fields)
	decides := b.at(at, width)
	if decides == nil {
		return nil, math.Inf(1)
	}
	it := &item{kind: kindChoice, of: decides}
	for k, x := range sp.values {
		part := sp.parts[k].moved(func(*row) int { return sp.head })
		body, c := s.shape(part, known.behind(sp.head), depth+1)
		cost += c + armCost
		it.arms = append(it.arms, &arm{values: []uint64{x}, body: body, seen: len(part)})
	}
	for i := range sp.odd {
		cost += float64(sp.odd[i].end - sp.odd[i].pos)
	}
	it.unite()
	if len(it.arms) == 1 { // it says whose packet it is, not how it goes on
		b.items = append(b.items, it.arms[0].body.items...)
	} else {
		b.items = append(b.items, it)
	}
	return b, cost
}

// unite makes one arm of those that have one layout.
func (it *item) unite() {
	var arms []*arm
	for _, a := range it.arms {
		same := slices.IndexFunc(arms, func(b *arm) bool { return b.body.shape() == a.body.shape() })
		if same < 0 {
			arms = append(arms, a)
			continue
		}
		arms[same].values = append(arms[same].values, a.values...)
		arms[same].seen += a.seen
	}
	it.arms = arms
}

// shape is what a block's layout is: its kinds and widths, without names and models.
func (b *block) shape() string {
	text := ""
	if b != nil {
		for _, it := range b.items {
			text += fmt.Sprintf("%d+%d%t{%s", it.kind, it.width, it.swap, it.body.shape())
			for _, a := range it.arms {
				text += fmt.Sprint(a.values, a.body.shape())
			}
			text += "}"
		}
	}
	return text
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
