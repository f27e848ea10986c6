package infer

import (
	"cmp"
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/wire"
)

// Limits of the search for lists.
const (
	maxCountBit = 160 // a count begins before
	maxFits     = 4
	maxStacked  = 400 // elements that a cut is made from
)

// fit is a field that says how long rows are: count·each bits, and what all have.
type fit struct {
	at, width, each int
	least, most     int // bits that are no elements' lie in least-7..least; most of the field's values
	bad             int // rows that it does not fit
}

// fits are the fields that a row's length is linear in, as far as it is known: the last byte of a packet may be partly
// filled.
func (s *shaper) fits(r rows) []fit {
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
	values := make([]int, n)
	rest := make([]int, n)
	for at := range min(maxCountBit, least) {
		for width := 1; width <= min(16, least-at); width++ {
			if s.byByte && (at%4 != 0 || (at+width)%8 != 0 && width > 4) {
				continue
			}
			low, high, lowAt, highAt := math.MaxInt, -1, 0, 0
			for i := range w.rows {
				x := int(s.value(&w.rows[i], at, width))
				values[i] = x
				if x < low {
					low, lowAt = x, i
				}
				if x > high {
					high, highAt = x, i
				}
			}
			s.work += int64(n) / 4
			if high == low || high < 1<<(width-1) && !s.byByte || high > 1500 || s.spent() {
				continue
			}
			d, rise := high-low, long[highAt]-long[lowAt]
			for each := max(1, (rise-7+d-1)/d); each <= (rise+7)/d && each <= maxElement; each++ {
				if s.byByte && each%8 != 0 {
					continue
				}
				for i := range rest {
					rest[i] = long[i] - each*values[i]
				}
				slices.Sort(rest)
				f := fit{at: at, width: width, each: each, most: high, bad: n + 1}
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
	}
	slices.SortStableFunc(out, func(a, b fit) int {
		return cmp.Or(cmp.Compare(a.bad, b.bad), cmp.Compare(a.width, b.width), cmp.Compare(a.at, b.at))
	})
	return out[:min(len(out), maxFits)]
}

// counting is a fit with the bit where the first element begins.
type counting struct {
	fit
	from int
	cost float64
}

// counts is the best way to see a count and what it counts, by a few rows.
func (s *shaper) counts(r rows, known fixed, most int) (best counting, ok bool) {
	fits := s.fits(r)
	if len(fits) == 0 {
		return best, false
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
			if cost += up[from] + tail; !ok || cost < best.cost {
				best, ok = counting{f, from, cost}, true
			}
		}
	}
	return best, ok
}

// list is the cheapest layout with a count and what it counts.
func (s *shaper) list(r rows, known fixed, depth int) (*block, float64) {
	if c, ok := s.counts(r, known, fewRows); ok {
		return s.counted(r, known, c.fit, c.from, depth)
	}
	return nil, math.Inf(1)
}

// gaps are the bits where the first element may begin.
func (s *shaper) gaps(r rows, head *table, f fit) (out []int) {
	end := f.at + f.width
	constant := end
	for constant < len(head.cells) && constant-end < maxWidth && head.cells[end][constant-end+1].model == modelConst {
		constant++
	}
	for _, at := range []int{end, (end + 7) &^ 7, end + 8, end + 16, end + 32, constant} {
		if at <= f.least && !slices.Contains(out, at) {
			out = append(out, at)
		}
	}
	// A list that is last ends with zeros up to a byte: where some beginnings make it so, it is one of these.
	var last []int
	for at := f.least; at > f.least-8 && at >= end && s.filled(r, f, at); at-- {
		last = append(last, at)
	}
	if last != nil {
		return last
	}
	return out
}

// filled reports whether the bits behind a list, fewer than 8, are zeros.
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
				out = append(out, row{data: x.data, size: x.size, pos: at, end: at + f.each, flow: x.flow<<10 | int32(k&1023), n: x.n})
			}
		}
	}
	v := out.window(most)
	v.all = int(float64(total) * w.scale())
	return v
}

// tail is what is behind the elements; rows without it are left out.
func (s *shaper) tail(r rows, f fit, from int) rows {
	return r.moved(func(x *row) int { return from + f.each*int(s.value(x, f.at, f.width)) })
}

// counted is the layout with a list, a run of bytes or an option.
func (s *shaper) counted(r rows, known fixed, f fit, from, depth int) (*block, float64) {
	w := s.long(r, from).window(wideRows)
	w.all = len(r)
	head := s.tabulate(w, from, s.byByte)
	var fields []field
	cost, width := math.Inf(1), f.width
	at := f.at
	for more := 0; more <= 8; more++ { // a count is as wide as the zeros above it allow
		low := f.at
		if s.order != wire.LSB {
			low -= more
		}
		if low < 0 || f.at+f.width+more > from && s.order == wire.LSB {
			break
		}
		if wide := f.width + more; wide >= 8 && more > 0 && (wide&7 != 0 || after(w.phase(), low) != 0) {
			continue
		}
		inside := append(slices.Clone(known), struct{ at, width int }{low, f.width + more})
		if !known.allows(low, f.width+more) || !s.sameValue(&w, f, low, f.width+more) {
			break
		}
		if cut, c := head.cut(from, inside); c < cost {
			fields, cost, at, width = cut, c, low, f.width+more
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
		rest, c := s.shape(tail, nil, depth+1)
		b.items = append(b.items, rest.items...)
		cost += c
	}
	cost += float64(len(r)-len(tail)) * 100
	return b, cost
}

// sameValue reports whether a wider field has the value of the fit in all rows.
func (s *shaper) sameValue(w *window, f fit, at, width int) bool {
	for i := range w.rows {
		if s.value(&w.rows[i], at, width) != s.value(&w.rows[i], f.at, f.width) {
			return false
		}
	}
	return true
}
