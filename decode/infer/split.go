package infer

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

// Limits of the search for a tag.
const (
	maxArms     = 20
	minArm      = 12 // packets that an arm has, on average
	armCost     = 30.0
	choiceGain  = 0.96  // a tag saves more than a part of the time that happens to be alike
	maxTagBit   = 112   // a tag begins before
	flipBits    = 256   // that say whether packets of one value are alike
	tagTries    = 5     // whose full cost is computed
	tagDeep     = 2     // of these, whose parts are looked into
	leastTold   = 0.25  // bits that a row costs less at least where kinds have layouts of their own
	toldArm     = 0.05  // of these each kind tells by chance
	toldLate    = 0.006 // and a tag tells less for each bit before it: it is one of the first fields, more often than not
	furtherCost = 0.75  // of the cheapest tag that tells enough, where another is looked at once more
	manySizes   = 4     // lengths: where a count says so many, that is no coincidence
)

// tried is a tag with what it costs by a few rows.
type tried struct {
	*split
	cost float64
}

// choices are the tags that may tell kinds of rows apart, by a few rows, the likeliest first. The fits are the counts that say
// how long rows are.
func (s *shaper) choices(r rows, known fixed, c counts, depth int) []tried {
	var all, others []tried
	_, limit := s.leaf(r, known, fewRows)
	if len(c.fits) > 0 {
		limit = min(limit, c.best.cost)
	}
	// The bits of a count say the lengths, but not as a tag does; and where it says all of many, a tag has none to say.
	many := len(r.lengths()) >= manySizes
	isCount := func(t tag) bool {
		return slices.ContainsFunc(c.fits, func(f fit) bool { return t.at < f.at+f.width && f.at < t.at+t.width })
	}
	counts := func(t tag) bool {
		return many && (isCount(t) || slices.ContainsFunc(c.fits, func(f fit) bool { return f.bad == 0 }))
	}
	add := func(sp *split, cost float64) bool {
		if !counts(sp.tag) {
			sp.tells += sp.sizes
		}
		if sp.tells -= toldArm*float64(len(sp.values)) + toldLate*float64(max(0, sp.at-known.end())); sp.tells < leastTold {
			return false
		}
		cost += 20 * float64(sp.at/8)
		most := limit * math.Pow(choiceGain, float64(1+depth))
		for k := 0; k < len(sp.lists) && cost >= most; k++ {
			cost -= sp.lists[k]()
		}
		if cost < most {
			all = append(all, tried{sp, cost})
		}
		return true
	}
	for k, t := range s.tags(r) {
		if k >= tagTries && depth > 0 || k >= tagDeep && depth > 1 {
			break
		}
		if !known.allows(t.at, t.width) {
			continue
		}
		if sp, cost := s.split(r, known, t, fewRows); sp != nil && !add(sp, cost) {
			others = append(others, tried{sp, cost})
		}
	}
	// Where what all kinds have tells nothing, or something else is far cheaper than what it tells, what only longer kinds have
	// may tell more. Of two fields that tell as much, the one that says how long packets are is no tag.
	cheapest := math.Inf(1)
	for _, one := range all {
		cheapest = min(cheapest, one.cost)
	}
	if depth == 0 {
		for _, one := range others {
			if one.cost < furtherCost*cheapest {
				if one.tells = one.further(); many && isCount(one.tag) {
					one.tells -= leastTold
				}
				add(one.split, one.cost)
			}
		}
	}
	// A tag of many values makes rows alike in what they have, which costs less, too. So it is what it tells of layouts that
	// decides; what all costs only between those that tell as much.
	slices.SortStableFunc(all, func(a, b tried) int { return cmp.Compare(b.tells, a.tells) })
	return all
}

// choice is the cheapest layout that begins with fields all rows have, of which one, the tag, says what is after: the one that
// tells most, or the cheapest of those that tell nearly as much.
func (s *shaper) choice(r rows, known fixed, all []tried, depth int) (best *block, cost float64) {
	cost = math.Inf(1)
	if len(all) == 0 {
		return nil, cost
	}
	deep := all[:1:1]
	for _, one := range all[1:] {
		if one.tells >= all[0].tells-leastTold && len(one.values) != len(all[0].values) && (len(deep) < tagDeep || one.cost < deep[1].cost) {
			deep = append(deep[:1], one)
		}
	}
	for _, one := range deep {
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

	further func() float64 // tells of all that a kind has, not only of what all kinds have

	tells float64          // how many bits a row costs less by the layouts of the kinds alone
	sizes float64          // and by their lengths
	lists []func() float64 // what lists in the kinds save
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
	total, said := 0.0, 0.0
	apart := make([]float64, n+1)
	var tables, whole []*table
	for _, part := range sp.parts {
		m := min(part.least(), max(fewBits, n))
		w := s.long(part, m).window(max(most/2, most/len(sp.parts)))
		w.all = len(part)
		own := s.tabulate(w, m, s.byByte)
		down, _ := own.backward(known)
		tables, whole = append(tables, own.first(n)), append(whole, own)
		sizes := part.lengths()
		rest := 0
		for _, l := range sizes {
			rest += l.n * max(0, l.bits-m)
		}
		behind := part.moved(func(*row) int { return t.at + t.width })
		var fits []fit
		if rest > 0 && len(part) >= minArm {
			fits = s.fits(behind, maxCountBit)
		}
		if len(fits) == 0 || len(sizes) < manySizes { // else a count says the lengths
			said += lengthCost(sizes)
		}
		beyond := s.beyond(part, m, rest, most/2)
		total += lengthCost(sizes) + beyond + armCost
		for j := range apart {
			apart[j] += down[j]
		}
		if len(fits) > 0 {
			sp.lists = append(sp.lists, func() float64 {
				c := s.tryFits(behind, nil, most/2, fits)
				return max(0, down[t.at+t.width]+beyond-c.cost)
			})
		}
	}
	total += float64(sp.odd.bits())
	best := math.Inf(1)
	for h := sp.head; h <= n; h++ {
		if c := common[h] + apart[h]; c < best-1 {
			best, sp.head = c, h
		}
	}
	sp.tells = apartGain(tables, known, sp.head) / float64(len(r))
	sp.further = func() float64 { return apartGain(whole, known, sp.head) / float64(len(r)) }
	sp.sizes = (lengthCost(r.lengths()) - said) / float64(len(r))
	return sp, best + total
}

// first is the table of the first n bits.
func (t *table) first(n int) *table {
	part := *t
	part.cells = t.cells[:n]
	return &part
}

// apartGain is how much less rows cost that each kind has its own layout than where one layout is all kinds', with models of
// their own: what is saved by layouts alone. Where the rows of a kind end, a field ends, or their last byte is filled up.
func apartGain(tables []*table, known fixed, head int) float64 {
	n := 0
	for _, t := range tables {
		n = max(n, len(t.cells))
	}
	joint := &table{cells: make([][maxWidth + 1]choice, n), phase: tables[0].phase, odd: tables[0].odd}
	gain := 0.0
	for _, t := range tables {
		down, _ := t.backward(known)
		gain -= down[head]
		end := len(t.cells)
		for i := range end {
			for w := 1; w <= min(maxWidth, n-i); w++ {
				bits := math.Inf(1)
				if i+w <= end {
					bits = t.cells[i][w].bits - fieldPrice(w, after(joint.phase, i))
				} else if t.odd == 0 && end-i < 8 {
					bits = down[i]
				}
				joint.cells[i][w].bits += bits
			}
		}
	}
	for i := range joint.cells {
		for w := 1; w <= min(maxWidth, n-i); w++ {
			joint.cells[i][w].bits += fieldPrice(w, after(joint.phase, i))
		}
	}
	down, _ := joint.backward(known)
	return gain + down[head]
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
		low := s.above(sp.at, wide-sp.width)
		if wide <= sp.width || low < 0 || low+wide > sp.head || (r[0].pos+low)&7 != 0 || !known.allows(low, wide) || !s.sameValue(r, fit{at: sp.at, width: sp.width}, low, wide) {
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
	// The smallest first: each may do its share of the work that is left, and the largest has what the others leave.
	order := make([]int, len(sp.parts))
	for k := range order {
		order[k] = k
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(sp.parts[a].bits(), sp.parts[b].bits()) })
	it.arms = make([]*arm, len(order))
	budget := s.budget
	for n, k := range order {
		part := sp.parts[k].moved(func(*row) int { return sp.head })
		s.budget = s.work + (budget-s.work)/int64(len(order)-n)
		body, c := s.inside(part, known.behind(sp.head), depth+1)
		cost += c + armCost
		it.arms[k] = &arm{values: []uint64{sp.values[k]}, body: body, seen: len(part)}
	}
	s.budget = budget
	cost += float64(sp.odd.bits())
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
