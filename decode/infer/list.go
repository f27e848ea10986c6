package infer

import (
	"cmp"
	"iter"
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// Limits of the search for lists.
const (
	maxCountBit = 160 // a count begins before, where a hypothesis is judged
	farCountBit = 800 // and where it is looked for
	maxFits     = 4
	maxStacked  = 400 // elements that a cut is made from
)

// fit is a field that says how long rows are: count·each bits, and what all have.
type fit struct {
	at, width, each int
	least, most     int // bits that are no elements' lie in least-7..least; most of the field's values
	bad             int // rows that it does not fit
}

// candidate is a field whose values may count something.
type candidate struct {
	at, width     int
	values        []int // of all rows, until the next candidate
	low, high     int
	lowAt, highAt int // rows that have these
}

// candidates are the fields of the first span bits that may be counts, of so many bits at most: the lowest bit changes, and
// the highest is used. The rows of the window have least bits.
func (s *shaper) candidates(w *window, span, least, widest int) iter.Seq[*candidate] {
	return func(yield func(*candidate) bool) {
		c := candidate{values: make([]int, len(w.rows))}
		for c.at = range span {
			for c.width = 1; c.width <= min(widest, least-c.at); c.width++ {
				if s.byByte && (c.at%4 != 0 || (c.at+c.width)%8 != 0 && c.width > 4) {
					continue
				}
				if s.spent() {
					return
				}
				s.work += int64(len(w.rows)) / 4
				c.low, c.high = math.MaxInt, -1
				changing := 0
				for i := range w.rows {
					x := int(s.value(&w.rows[i], c.at, c.width))
					c.values[i] = x
					changing |= x ^ c.values[0]
					if x < c.low {
						c.low, c.lowAt = x, i
					}
					if x > c.high {
						c.high, c.highAt = x, i
					}
				}
				if changing&1 != 0 && (s.byByte || c.high >= 1<<(c.width-1)) && !yield(&c) {
					return
				}
			}
		}
	}
}

// fits are the fields before some bit that a row's length is linear in, as far as it is known: the last byte of a packet may
// be partly filled.
func (s *shaper) fits(r rows, before int) []fit {
	w := r.window(wideRows)
	n := len(w.rows)
	least := r.least()
	long := make([]int, n)
	changes := 0
	for i := range w.rows {
		long[i] = w.rows[i].end - w.rows[i].pos
		if i > 0 && long[i] != long[i-1] {
			changes++
		}
	}
	if changes < 4 {
		return nil
	}
	var out []fit
	rest := make([]int, n)
	for c := range s.candidates(&w, min(before, least), least, 16) {
		if c.high > 1500 {
			continue
		}
		d, rise := c.high-c.low, long[c.highAt]-long[c.lowAt]
		for each := max(1, (rise-7+d-1)/d); each <= (rise+7)/d && each <= maxElement; each++ {
			if s.byByte && each%8 != 0 {
				continue
			}
			for i := range rest {
				rest[i] = long[i] - each*c.values[i]
			}
			if !crowded(rest) {
				continue
			}
			slices.Sort(rest)
			f := fit{at: c.at, width: c.width, each: each, most: c.high, bad: n + 1}
			for i, j := 0, 0; i < n; i++ {
				for j < n && rest[j] <= rest[i]+7 {
					j++
				}
				if bad := n - (j - i); bad < f.bad {
					f.bad, f.least = bad, rest[i]
				}
			}
			if f.bad*50 <= n && f.least >= 0 {
				out = append(out, f)
			}
		}
	}
	slices.SortStableFunc(out, func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.bad, b.bad), cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at))
	})
	return out[:min(len(out), maxFits)]
}

// crowded reports whether all numbers but one in 50 may lie within 7 of each other: these are within 7 of any one of them,
// and one is among the first that would be too many to lie elsewhere.
func crowded(numbers []int) bool {
	most := len(numbers) / 50
	for _, one := range numbers[:most+1] {
		others := 0
		for _, x := range numbers {
			if uint(x-one+7) > 14 {
				if others++; others > most {
					break
				}
			}
		}
		if others <= most {
			return true
		}
	}
	return false
}

// Limits of partial: pairs of rows that a step of a count explains, and by how much their share is greater where it steps.
const (
	leastSteps = 8
	stepShare  = 0.15
	maxSteps   = 4
)

// partial are the fields that a row's length grows with where other counts rest: of a row and the one before of its flow,
// the lengths differ by a multiple of the field's step. So the first of several lists in a row is found.
func (s *shaper) partial(r rows) []fit {
	w := r.window(wideRows)
	least := r.least()
	type pair struct{ row, before, rise int }
	var pairs []pair
	changes := 0
	for i, p := range w.prev {
		if p >= 0 {
			rise := w.rows[i].end - w.rows[i].pos - w.rows[p].end + w.rows[p].pos
			pairs = append(pairs, pair{i, int(p), rise})
			if rise != 0 {
				changes++
			}
		}
	}
	if changes < leastSteps {
		return nil
	}
	type scored struct {
		fit
		score float64
	}
	var out []scored
	for c := range s.candidates(&w, min(maxCountBit, least), least, 8) {
		var votes, chance [maxElement + 1]int
		steps := 0
		for _, p := range pairs {
			d, rise := c.values[p.row]-c.values[p.before], p.rise
			if d < 0 {
				d, rise = -d, -rise
			}
			into := &votes
			if d == 0 { // what a field that rests meets by chance
				into, d, rise = &chance, 1, max(rise, -rise)
			} else {
				steps++
			}
			for each := max(8, (rise-7+d-1)/d); each*d <= rise+7 && each <= maxElement; each++ {
				if !s.byByte || each&7 == 0 {
					into[each]++
				}
			}
		}
		most := slices.Max(votes[:])
		if most < leastSteps {
			continue
		}
		for each, n := range votes {
			more := float64(n)/float64(steps) - float64(chance[each])/float64(max(1, len(pairs)-steps))
			if n == most && more > stepShare {
				f := fit{at: c.at, width: c.width, each: each, most: c.high, least: least}
				out = append(out, scored{f, float64(n) * more})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b scored) int { return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.at, b.at)) })
	var best []fit
	for _, o := range out[:min(len(out), maxSteps)] {
		best = append(best, o.fit)
	}
	return best
}

// counting is a fit with the bit where the first element begins.
type counting struct {
	fit
	from int
	cost float64
}

// uncounted is no counting.
var uncounted = counting{cost: math.Inf(1)}

// tryFits is the best way to see a count and what it counts, by a few rows.
func (s *shaper) tryFits(r rows, known fixed, most int, fits []fit) counting {
	best := uncounted
	if len(fits) == 0 {
		return best
	}
	least := min(r.least(), fewBits)
	w := s.long(r, least).window(most)
	w.all = len(r)
	head := s.tabulate(w, least, s.byByte)
	for _, f := range fits {
		if !known.allows(f.at, f.width) {
			continue
		}
		up, _ := head.forward(append(slices.Clone(known), struct{ at, width int }{f.at, f.width}))
		for _, from := range s.gaps(r, head, f) {
			if from > least || from < known.end() || s.spent() {
				continue
			}
			stack := s.elements(r, f, from, most/2)
			if len(stack.rows) == 0 {
				continue
			}
			_, cost := s.tabulate(stack, f.each, s.byByte).cut(f.each, nil)
			_, tail := s.leaf(s.tail(r, f, from), nil, most/4)
			if cost += up[from] + tail; cost < best.cost {
				best = counting{f, from, cost}
			}
		}
	}
	return best
}

// counts are the counts that rows may have.
type counts struct {
	fits []fit // that say how long all rows are
	best counting
	sure bool // it is one of the fits, and more than 1: one or none is what two kinds have, too
}

// counts looks for a count: without one that says how long all rows are, for one that says so in part.
func (s *shaper) counts(r rows, known fixed) (c counts) {
	c.fits = s.fits(r, farCountBit)
	if len(c.fits) == 0 {
		c.best = s.tryFits(r, known, fewRows, s.partial(r))
		return c
	}
	c.best = s.tryFits(r, known, fewRows, c.fits)
	c.sure = c.best.most > 1
	return c
}

// gaps are the bits where the first element may begin.
func (s *shaper) gaps(r rows, head *table, f fit) (out []int) {
	end := f.at + f.width
	constant := end
	for constant < len(head.cells) && constant-end < maxWidth && head.cells[end][constant-end+1].model == modelConst {
		constant++
	}
	places := []int{end, (end + 7) &^ 7, end + 8, end + 16, end + 32, constant}
	for at := end + 1; at < min(constant, end+8); at++ { // zeros that belong to the count, or to the first element
		places = append(places, at)
	}
	for _, at := range places {
		if at <= f.least && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	// A list that is last ends with zeros up to a byte: where some beginnings make it so, it is one of these.
	var last []int
	for at := f.least; at > f.least-8 && at >= end && s.filled(r, f, at); at-- {
		last = append(last, at)
	}
	if last == nil {
		return out
	}
	if !slices.Contains(last, end) { // or what is between is after the list
		last = append(last, end)
	}
	return last
}

// filled reports whether the bits after a list, fewer than 8, are zeros.
func (s *shaper) filled(r rows, f fit, from int) bool {
	bad := 0
	for i := range r {
		at := r[i].pos + from + f.each*int(s.value(&r[i], f.at, f.width))
		if n := r[i].end - at; n < 0 || n >= 8 || s.order.Load(r[i].data, at, n) != 0 {
			bad++
		}
	}
	return bad*50 <= len(r)
}

// elements are the elements of a list of all rows, one row each, of which the one before is that of the packet before.
func (s *shaper) elements(r rows, f fit, from, most int) window {
	w := r.window(most)
	var out rows
	total := 0
	for i := range w.rows {
		x := &w.rows[i]
		for k := range int(s.value(x, f.at, f.width)) {
			at := x.pos + from + k*f.each
			if at+f.each > x.end {
				break
			}
			total++
			if len(out) < 4*most {
				out = append(out, row{data: x.data, size: x.size, pos: at, end: at + f.each, flow: x.flow<<10 | int32(k&1023), id: x.id, n: x.n, run: x.run})
			}
		}
	}
	v := out.window(most)
	v.all = int(float64(total) * w.scale())
	return v
}

// tail is what is after the elements; rows without it are left out.
func (s *shaper) tail(r rows, f fit, from int) rows {
	return r.moved(func(x *row) int { return from + f.each*int(s.value(x, f.at, f.width)) })
}

// counted is the layout with a list, a run of bytes or an option.
func (s *shaper) counted(r rows, known fixed, one counting, depth int) (*block, float64) {
	f, from := one.fit, one.from
	if f.each == 0 {
		return nil, math.Inf(1)
	}
	w := s.long(r, from).window(wideRows)
	w.all = len(r)
	head := s.tabulate(w, from, s.byByte)
	var fields []field
	cost, width, others := math.Inf(1), f.width, math.Inf(1)
	at := f.at
	for more := 0; more <= 8; more++ { // a count is as wide as the zeros above it allow
		low := s.above(f.at, more)
		if low < 0 || f.at+f.width+more > from && s.order == wire.LSB {
			break
		}
		if wide := f.width + more; wide >= 8 && more > 0 && (wide&7 != 0 || after(w.phase(), low) != 0) {
			continue
		}
		inside := append(slices.Clone(known), struct{ at, width int }{low, f.width + more})
		if !known.allows(low, f.width+more) || !s.sameValue(r, f, low, f.width+more) {
			break
		}
		// The values are the same in each width, so that what the others cost decides.
		cut, c := head.cut(from, inside)
		if i := slices.IndexFunc(cut, func(one field) bool { return one.at == low && one.width == f.width+more }); i >= 0 && c-cut[i].bits < others {
			fields, cost, at, width, others = cut, c, low, f.width+more, c-cut[i].bits
		}
	}
	b := numbers(fields)
	decides := b.at(at, width)
	if decides == nil {
		return nil, math.Inf(1)
	}
	stack := s.elements(r, f, from, maxStacked)
	if len(stack.rows) == 0 {
		return nil, math.Inf(1)
	}
	each, c := s.tabulate(stack, f.each, s.byByte).cut(f.each, nil)
	cost += c
	it := &item{kind: kindList, of: decides, body: numbers(each), most: f.most}
	switch {
	case f.width == 1 && width == 1:
		it.kind = kindOption
	case f.each == 8 && stack.phase() == 0: // bytes, however they look
		it.kind, it.body = kindBlob, nil
	}
	b.items = append(b.items, it)
	tail := s.tail(r, f, from)
	if sizes := tail.lengths(); len(sizes) > 0 && sizes[len(sizes)-1].bits >= 8 {
		rest, c := s.inside(tail, nil, depth+1)
		b.items = append(b.items, rest.items...)
		cost += c
	}
	cost += float64(len(r)-len(tail)) * 100
	return b, cost
}

// sameValue reports whether a wider field has the value of the fit in all rows.
func (s *shaper) sameValue(r rows, f fit, at, width int) bool {
	for i := range r {
		if r[i].pos+at+width <= r[i].end && s.value(&r[i], at, width) != s.value(&r[i], f.at, f.width) {
			return false
		}
	}
	return true
}
