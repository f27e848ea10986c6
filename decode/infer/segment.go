package infer

import "math"

// Limits of what is cut into fields.
const (
	maxCut    = 2048 // bits of a datagram; what is after them is opaque
	maxWidth  = 64
	nearWidth = 32 // of a field that does not begin on a byte
	leastRows = 80 // that say what bits cost
)

// table has the cheapest model of every run of bits of a window: cells[i][w].
type table struct {
	cells [][maxWidth + 1]choice
	phase int     // of the first bit in its byte, where all rows agree; else -1
	odd   float64 // what a boundary inside a byte costs
}

// What a boundary inside a byte costs: where it is asked whether a protocol is one of bytes, in a layout of one that is,
// where noise in a low bit looks like a number by itself, and where there is none.
const (
	oddCost    = 40
	insideCost = 300
	never      = 1e9
)

// field is a run of bits that are one number.
type field struct {
	at, width int // bits after the beginning of its block
	choice
	saved float64 // bits that the second-best cut costs more
}

// phase is the position in its byte that all rows begin at, else -1.
func (v *window) phase() int {
	for i := range v.rows {
		if (v.rows[i].pos^v.rows[0].pos)&7 != 0 {
			return -1
		}
	}
	return v.rows[0].pos & 7
}

// tabulate prices the first n bits of a window's rows, which have them. Where the work is nearly spent, fewer rows are
// looked at.
func (c *coster) tabulate(v window, n int, byByte bool) *table {
	n = min(n, maxCut)
	t := &table{cells: make([][maxWidth + 1]choice, n), phase: v.phase()}
	if byByte {
		t.odd = insideCost
	}
	widths := int64(nearWidth)
	if most := (c.budget - c.work) / 4 / max(1, int64(n)*widths); int64(len(v.rows)) > most {
		all := v.all
		c.starved = c.starved || most < leastRows
		v = v.rows.window(max(8, int(most)))
		v.all = all
	}
	known := c.memo.of(&v, c.order)
	c.work += int64(len(v.rows)) / 4
	for i := range n {
		c.column(&v, known, i, min(maxWidth, n-i), &t.cells[i])
	}
	return t
}

// cost is that of one field of the table.
func (t *table) cost(i, w int) float64 {
	cost := t.cells[i][w].bits
	if t.odd > 0 && t.phase >= 0 && (t.phase+i+w)&7 != 0 && i+w < len(t.cells) {
		cost += t.odd
	}
	return cost
}

// fixed are the cuts that are known: fields that stand where they stand.
type fixed []struct{ at, width int }

// allows reports whether a field may lie at some bits: it is one that is known, or crosses none.
func (f fixed) allows(at, width int) bool {
	for _, k := range f {
		if at == k.at && width == k.width {
			return true
		}
		if at < k.at+k.width && k.at < at+width {
			return false
		}
	}
	return true
}

// forward is what the first j bits cost at least, for each j, and the width of the last field of these.
func (t *table) forward(known fixed) (cost []float64, last []uint8) {
	n := len(t.cells)
	cost, last = make([]float64, n+1), make([]uint8, n+1)
	for j := 1; j <= n; j++ {
		cost[j] = math.Inf(1)
		for w := 1; w <= min(maxWidth, j); w++ {
			if b := cost[j-w] + t.cost(j-w, w); b < cost[j] && (len(known) == 0 || known.allows(j-w, w)) {
				cost[j], last[j] = b, uint8(w)
			}
		}
	}
	return cost, last
}

// backward is what the bits from i on cost at least, for each i, and the width of the first field of these.
func (t *table) backward(known fixed) (cost []float64, first []uint8) {
	n := len(t.cells)
	cost, first = make([]float64, n+1), make([]uint8, n+1)
	for i := n - 1; i >= 0; i-- {
		cost[i] = math.Inf(1)
		for w := 1; w <= min(maxWidth, n-i); w++ {
			if b := cost[i+w] + t.cost(i, w); b < cost[i] && (len(known) == 0 || known.allows(i, w)) {
				cost[i], first[i] = b, uint8(w)
			}
		}
	}
	return cost, first
}

// cut is the cheapest way to cut the first n bits into fields. Each field's saved is what the cheapest way costs more
// that has no boundary where it begins.
func (t *table) cut(n int, known fixed) (fields []field, cost float64) {
	part := *t
	part.cells = t.cells[:n]
	up, last := part.forward(known)
	down, _ := part.backward(known)
	for j := n; j > 0; {
		w := int(last[j])
		if w == 0 {
			return nil, math.Inf(1) // known cuts that nothing fits
		}
		j -= w
		fields = append(fields, field{at: j, width: w, choice: part.cells[j][w], saved: part.without(j, up, down, known) - up[n]})
	}
	for i, j := 0, len(fields)-1; i < j; i, j = i+1, j-1 {
		fields[i], fields[j] = fields[j], fields[i]
	}
	return fields, up[n]
}

// without is what the cheapest cut costs that has no boundary at bit at.
func (t *table) without(at int, up, down []float64, known fixed) float64 {
	best := math.Inf(1)
	for i := max(0, at-maxWidth+1); i < at; i++ {
		for j := at + 1; j <= min(len(t.cells), i+maxWidth); j++ {
			if b := up[i] + t.cost(i, j-i) + down[j]; b < best && known.allows(i, j-i) {
				best = b
			}
		}
	}
	return best
}
