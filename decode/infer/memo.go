package infer

import "github.com/pktscope/pktscope/decode/wire"

// A search asks again and again what the same bits of the same rows cost: for each tag that is tried the whole packets are
// priced, and what is after a list once for each of its beginnings. The memo keeps the answers, which are those that
// would be computed. Work is counted where they are: what is known leaves it for more.

// maxMemo is how many KiB the memo takes, or so, before it forgets all.
const maxMemo = 24 << 10

// memo has what was priced, by the hash of its window.
type memo struct {
	windows map[uint64][]*pricedWindow
	size    int // KiB
	hits    int // windows that were known
}

// pricedWindow is a window by what its prices depend on.
type pricedWindow struct {
	order wire.Order
	all   int
	rows  []whence // of each row
	bits  map[int]*column
}

// whence is where the bits of a row come from: its packet's id, how many bits its beginning is after that of the first row,
// and the row before of its flow.
type whence struct{ id, pos, prev int32 }

// column is what fields cost that begin at one bit: valid are the widths 1..most.
type column struct {
	most     int
	constant int // the widths of which all rows have the same bits are 1..constant
	cells    [maxWidth + 1]choice
}

// of is what is known of a window.
func (m *memo) of(v *window, order wire.Order) *pricedWindow {
	hash := uint64(v.all)<<2 ^ uint64(order)
	first := v.rows[0].pos
	for r := range v.rows {
		hash = (hash ^ uint64(v.rows[r].id)<<32 ^ uint64(uint32(v.rows[r].pos-first))) * 0x9E3779B97F4A7C15
		hash = (hash>>29 ^ hash ^ uint64(uint32(v.prev[r]))) * 0xBF58476D1CE4E5B9
	}
	if m.size > maxMemo || m.windows == nil {
		m.windows, m.size = map[uint64][]*pricedWindow{}, 0
	}
	for _, p := range m.windows[hash] {
		if p.order == order && p.all == v.all && p.is(v) {
			m.hits++
			return p
		}
	}
	p := &pricedWindow{order: order, all: v.all, rows: make([]whence, len(v.rows)), bits: map[int]*column{}}
	for r := range v.rows {
		p.rows[r] = whenceOf(v, r)
	}
	m.windows[hash] = append(m.windows[hash], p)
	m.size += 1 + len(p.rows)*12/1024
	return p
}

// whenceOf is where row r of a window comes from.
func whenceOf(v *window, r int) whence {
	return whence{v.rows[r].id, int32(v.rows[r].pos - v.rows[0].pos), v.prev[r]}
}

// is reports whether a window's rows are those.
func (p *pricedWindow) is(v *window) bool {
	if len(p.rows) != len(v.rows) {
		return false
	}
	for r := range p.rows {
		if p.rows[r] != whenceOf(v, r) {
			return false
		}
	}
	return true
}
