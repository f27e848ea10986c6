package budget

import (
	"encoding/binary"
	"math"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// What grows with the session has a range that says how long the capture is, and nothing else. To see that, a budget
// keeps how large each number was at a few moments, over all packets and for a few senders: growth.go judges it.

// columns are the numbers of a moment: a magnitude for each declaration, and after them, for each signed one, its key,
// which is larger for a larger value: a number that rises through zero has magnitudes that fall and rise.
type columns struct{ magnitudes, orders int }

func (c columns) all() int { return c.magnitudes + c.orders }

const (
	mostMoments = 128     // of a track
	fewMoments  = 16      // of a track of a schema with very many fields
	mostFlows   = 8       // tracks beside the one of all packets
	maxCells    = 1 << 20 // numbers over all tracks
)

// track is the largest number of each column in each of at most limit moments. A moment is an aligned stretch of
// 2^level ns with a packet in it. The level is the least that makes at most limit moments, so it depends on the
// packets' times alone, and not on their order: tracks merge exactly. A pause takes no moments.
type track struct {
	limit   int
	columns int
	level   uint8
	slots   []int64    // times >> level, ascending
	rows    [][]uint64 // of each slot, then those to use again: of each column 1 + the largest number, 0 for none
	last    int        // of the slot that was looked for before
}

// at is the row of a moment.
func (t *track) at(time int64) []uint64 {
	for {
		slot := time >> t.level
		if t.last < len(t.slots) && t.slots[t.last] == slot {
			return t.rows[t.last]
		}
		i, found := slices.BinarySearch(t.slots, slot)
		t.last = i
		switch {
		case found:
			return t.rows[i]
		case len(t.slots) < t.limit:
			return t.insert(i, slot)
		}
		t.coarsen(t.level + 1)
	}
}

func (t *track) insert(i int, slot int64) []uint64 {
	n := len(t.slots)
	t.slots = slices.Insert(t.slots, i, slot)
	if n == len(t.rows) {
		t.rows = append(t.rows, make([]uint64, t.columns))
	}
	row := t.rows[n]
	clear(row)
	copy(t.rows[i+1:n+1], t.rows[i:n])
	t.rows[i] = row
	return row
}

// coarsen puts the moments together that are one at a higher level.
func (t *track) coarsen(level uint8) {
	by := level - t.level
	t.level = level
	kept := 0
	for i, slot := range t.slots {
		slot >>= by
		if kept > 0 && t.slots[kept-1] == slot {
			raise(t.rows[kept-1], t.rows[i])
			continue
		}
		t.slots[kept] = slot
		t.rows[kept], t.rows[i] = t.rows[i], t.rows[kept]
		kept++
	}
	t.slots, t.last = t.slots[:kept], 0
}

func (t *track) merge(o *track) {
	if o.level > t.level {
		t.coarsen(o.level)
	}
	for i, slot := range o.slots {
		raise(t.at(slot<<o.level), o.rows[i])
	}
}

func raise(row, by []uint64) {
	for c, n := range by {
		row[c] = max(row[c], n)
	}
}

// flow is the track of the packets from one sender to one receiver.
type flow struct {
	key uint64
	track
}

// moments is the track of all packets and those of the flows with the smallest keys. A flow that was dropped never
// comes back, because the keys that are kept only get smaller: which are kept depends on the set of flows alone.
type moments struct {
	columns
	// ordered: the keys of signed numbers are complete. Parts of before have none.
	ordered bool

	all   track
	most  int // flows
	flows []flow
	rows  [2][]uint64 // of this packet; the second is the flow's or nobody's
	spare []uint64    // nobody's
}

func newMoments(of columns) moments {
	columns := of.all()
	m := moments{columns: of, ordered: true, all: track{limit: mostMoments, columns: columns}, most: mostFlows, spare: make([]uint64, columns)}
	for m.most > 0 && columns*m.all.limit*(m.most+1) > maxCells {
		m.most /= 2
	}
	for m.all.limit > fewMoments && columns*m.all.limit > maxCells {
		m.all.limit /= 2
	}
	return m
}

// begin finds the rows of a packet.
func (m *moments) begin(p *decode.Envelope) {
	if m.all.columns == 0 {
		return
	}
	m.rows = [2][]uint64{m.all.at(p.Time), m.spare}
	if p.Src.IsValid() {
		if t := m.flow(flowKey(p.Src, p.Dst)); t != nil {
			m.rows[1] = t.at(p.Time)
		}
	}
}

// see counts a number of the packet that began.
func (m *moments) see(column int32, number uint64) {
	n := number + 1
	if n == 0 {
		n = math.MaxUint64
	}
	if row := m.rows[0]; row[column] < n {
		row[column] = n
	}
	if row := m.rows[1]; row[column] < n {
		row[column] = n
	}
}

// flow is the track of a flow, nil where it is not one of those that are kept.
func (m *moments) flow(key uint64) *track {
	i := 0
	for i < len(m.flows) && m.flows[i].key < key {
		i++
	}
	switch {
	case i < len(m.flows) && m.flows[i].key == key:
	case i == m.most:
		return nil
	default:
		fresh := flow{key, track{limit: m.all.limit, columns: m.all.columns}}
		if len(m.flows) == m.most {
			last := &m.flows[m.most-1] // its rows are used again
			fresh.slots, fresh.rows = last.slots[:0], last.rows
			m.flows = m.flows[:m.most-1]
		}
		m.flows = slices.Insert(m.flows, i, fresh)
	}
	return &m.flows[i].track
}

// flowKey has no seed: the flows of different runs merge.
func flowKey(src, dst netip.AddrPort) uint64 {
	key := uint64(src.Port())<<16 | uint64(dst.Port())
	for _, ip := range [2][16]byte{src.Addr().As16(), dst.Addr().As16()} {
		key = mix(key ^ binary.BigEndian.Uint64(ip[:8]))
		key = mix(key + binary.BigEndian.Uint64(ip[8:]))
	}
	return key
}

func (m *moments) merge(o *moments) {
	m.ordered = m.ordered && o.ordered
	m.all.merge(&o.all)
	for i := range o.flows {
		if t := m.flow(o.flows[i].key); t != nil {
			t.merge(&o.flows[i].track)
		}
	}
}

// append writes the magnitudes.
func (m *moments) append(to []byte) []byte {
	to = m.all.append(to, m.magnitudes)
	to = binary.AppendUvarint(to, uint64(len(m.flows)))
	for i := range m.flows {
		to = m.flows[i].append(binary.AppendUvarint(to, m.flows[i].key), m.magnitudes)
	}
	return to
}

func (t *track) append(to []byte, columns int) []byte {
	to = appendCounts(to, uint64(t.level), uint64(len(t.slots)))
	for i, slot := range t.slots {
		to = appendCounts(binary.AppendVarint(to, slot), t.rows[i][:columns]...)
	}
	return to
}

// appendOrders writes the keys of signed numbers, in the order of append; nothing where there are none, or not of all
// packets.
func (m *moments) appendOrders(to []byte) []byte {
	if m.orders == 0 || !m.ordered {
		return to
	}
	for _, t := range m.tracks() {
		for i := range t.slots {
			to = appendCounts(to, t.rows[i][m.magnitudes:]...)
		}
	}
	return to
}

// tracks are that of all packets and those of the flows.
func (m *moments) tracks() []*track {
	list := []*track{&m.all}
	for i := range m.flows {
		list = append(list, &m.flows[i].track)
	}
	return list
}

func (m *moments) read(r *stateReader) {
	m.all.read(r, m.magnitudes)
	m.ordered = m.orders == 0 || len(m.all.slots) == 0
	n := int(r.upTo(uint64(m.most), "more senders than are kept"))
	last := uint64(0)
	for i := range n {
		key := r.word()
		if i > 0 && key <= last {
			r.fail("senders that were not kept so")
			return
		}
		if last = key; r.wrong == "" {
			m.flow(key).read(r, m.magnitudes)
		}
	}
}

func (t *track) read(r *stateReader, columns int) {
	t.level = uint8(r.upTo(63, "a level that is too high"))
	n := int(r.upTo(uint64(t.limit), "more moments than are kept"))
	for i := range n {
		slot := r.signed()
		if i > 0 && slot <= t.slots[i-1] || slot > math.MaxInt64>>t.level || slot < math.MinInt64>>t.level {
			r.fail("moments that were not kept so")
		}
		if r.wrong != "" {
			return
		}
		row := t.insert(i, slot)
		for c := range columns {
			row[c] = r.word()
		}
	}
}

// readOrders reads what appendOrders wrote of the moments that were read.
func (m *moments) readOrders(r *stateReader) {
	for _, t := range m.tracks() {
		for i := range t.slots {
			row := t.rows[i]
			for c := m.magnitudes; c < len(row); c++ {
				row[c] = r.word()
			}
		}
	}
	m.ordered = true
}
