package diff

import (
	"cmp"
	"fmt"
	"maps"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// MaxRecords is how many datagrams of one capture are matched: a Record takes about 64 bytes.
const MaxRecords = 1 << 21

// Flow is who sent to whom, and in which of the caller's protocols.
type Flow struct {
	Src, Dst netip.AddrPort
	From     decode.Direction
	Protocol int
}

// Record is what matching knows of a datagram.
type Record struct {
	N       int64  // number in its capture
	Hash    uint64 // of the payload; a cut one has none that counts
	Size    int    // bytes, as far as kept
	Cut     bool
	HasSeq  bool
	Seq     uint64 // the @seq field
	Modulus uint64 // what it counts to before it begins anew; 0 is 2^64
	order   int    // in the capture
}

// Capture is the records of a capture, by flow.
type Capture struct {
	flows map[Flow]*track
	list  []Flow // in the order of their first datagram
	n     int

	messages int
	tooMany  bool // more than MaxMessages
	unread   int
}

// track is one flow: what it sent, in the order of the capture.
type track struct {
	records  []Record
	seqs     []int64 // of each record, without its wraps
	last     int64
	begun    bool
	messages []Message
}

// NewCapture makes an empty Capture.
func NewCapture() *Capture { return &Capture{flows: map[Flow]*track{}} }

// Add adds the capture's next datagram. The error says that there are too many.
func (c *Capture) Add(f Flow, r Record) error {
	if c.n == MaxRecords {
		return fmt.Errorf("more than %d datagrams: compare a part of the capture", MaxRecords)
	}
	t := c.flows[f]
	if t == nil {
		t = &track{}
		c.flows[f] = t
		c.list = append(c.list, f)
	}
	r.order = c.n
	c.n++
	t.records = append(t.records, r)
	t.seqs = append(t.seqs, t.unwrap(&r))
	return nil
}

// unwrap counts on where a sequence number begins anew: it is taken to be the one that is nearest to the number before.
func (t *track) unwrap(r *Record) int64 {
	if !r.HasSeq {
		return 0
	}
	seq, m := int64(r.Seq), r.Modulus
	if t.begun && m > 1 && m < 1<<62 {
		step := (r.Seq%m + m - uint64(mod(t.last, int64(m)))) % m
		seq = t.last + int64(step)
		if step > m/2 {
			seq -= int64(m)
		}
	}
	t.last, t.begun = seq, true
	return seq
}

func mod(a, m int64) int64 { return (a%m + m) % m }

// Pair is the same datagram in both captures, as far as flow and sequence tell.
type Pair struct{ A, B Record }

// Matching is what Match found. All lists are in the order of their capture, pairs in that of the first.
type Matching struct {
	Pairs        []Pair // whose payloads differ, or of which one was cut
	Same         int    // pairs that are alike
	OnlyA, OnlyB []Record
	Reordered    int           // packets of flows that would have to move for the order of B to be that of A
	Paired       []Pairing     // flows with other addresses that were taken for one another
	Unpaired     [2][]Unpaired // of each capture
	Messages     Messages
}

// Match matches two captures. In flows that both have it matches by sequence number, counting repeated ones, and what
// has none by payload, and what is left in between by order. Flows whose addresses only one capture has are paired by
// what they carry (pairing.go), or by the messages that they bring (messages.go); of the others, one that is alone in its direction is matched to the one such flow of
// the other capture.
func Match(a, b *Capture) *Matching {
	m := &Matching{Messages: Messages{Of: [2]int{a.messages, b.messages}, TooMany: a.tooMany || b.tooMany, Unread: a.unread + b.unread}}
	taken := map[Flow]bool{} // of b, and of a where b has the same
	for _, f := range a.list {
		if other := b.flows[f]; other != nil {
			m.track(a.flows[f], other)
			m.messages(f, f, a.flows[f], other)
			taken[f] = true
		}
	}
	both := func(f Flow) bool { return taken[f] }
	as, bs := a.conversations(both), b.conversations(both)
	done := [2]map[Flow]bool{{}, {}}
	pair := func(p Pairing) {
		m.track(a.flows[p.A], b.flows[p.B])
		m.messages(p.A, p.B, a.flows[p.A], b.flows[p.B])
		m.Paired = append(m.Paired, p)
		done[0][p.A], done[1][p.B] = true, true
	}
	byPayloads := couples([2][]conversation{as, bs}, b.payloads(a.payloads(nil, 0, as), 1, bs))
	for i, found := range []map[couple]evidence{byPayloads, byMessages(a, b, as, bs)} {
		for _, key := range slices.SortedFunc(maps.Keys(found), func(x, y couple) int { return cmp.Compare(x.a, y.a) }) {
			for _, way := range found[key].ways(as[key.a].flows(a), bs[key.b].flows(b)) {
				pair(Pairing{A: way[0], B: way[1], Alike: found[key].all(), ByMessages: i == 1})
			}
		}
	}
	// The last of a direction: nothing speaks for it, and nothing against.
	type direction struct {
		from     decode.Direction
		protocol int
	}
	var last [2]map[direction][]Flow
	for side, list := range [2][]conversation{as, bs} {
		last[side] = map[direction][]Flow{}
		for i := range list {
			if list[i].known() {
				continue
			}
			for _, f := range list[i].flows([2]*Capture{a, b}[side]) {
				d := direction{f.From, f.Protocol}
				last[side][d] = append(last[side][d], f)
			}
		}
	}
	for d, flows := range last[0] {
		if others := last[1][d]; len(flows) == 1 && len(others) == 1 {
			pair(Pairing{A: flows[0], B: others[0]})
		}
	}
	slices.SortFunc(m.Paired, func(x, y Pairing) int {
		return cmp.Compare(a.flows[x.A].records[0].order, a.flows[y.A].records[0].order)
	})
	m.unpaired(0, a, as, done[0], &m.OnlyA)
	m.unpaired(1, b, bs, done[1], &m.OnlyB)
	byOrder := func(x, y Record) int { return cmp.Compare(x.order, y.order) }
	slices.SortFunc(m.Pairs, func(x, y Pair) int { return byOrder(x.A, y.A) })
	slices.SortFunc(m.OnlyA, byOrder)
	slices.SortFunc(m.OnlyB, byOrder)
	for _, only := range m.Messages.Only {
		slices.SortFunc(only, func(x, y OnlyMessage) int { return cmp.Compare(x.order, y.order) })
	}
	return m
}

// unpaired adds what has no partner.
func (m *Matching) unpaired(side int, c *Capture, list []conversation, done map[Flow]bool, only *[]Record) {
	for i := range list {
		flows, left := list[i].flows(c), 0
		for _, f := range flows {
			if !done[f] {
				left++
				*only = append(*only, c.flows[f].records...)
				m.alone(side, f, c.flows[f])
			}
		}
		if left == len(flows) {
			m.Unpaired[side] = append(m.Unpaired[side], Unpaired{flows[0], list[i].known()})
		}
	}
}

// key is what two records of one flow have in common.
type key struct {
	v    uint64 // the number without its wraps, or the hash
	size int32
	at   int32 // which record
}

func (k key) compare(o key) int { return cmp.Or(cmp.Compare(k.v, o.v), cmp.Compare(k.size, o.size)) }

// track matches one flow.
func (m *Matching) track(a, b *track) {
	shift := bestShift(a, b)
	partner := make([]int, len(a.records)) // in b, -1 without one
	for i := range partner {
		partner[i] = -1
	}
	found := make([]bool, len(b.records))
	for _, bySeq := range []bool{true, false} {
		x, y := keysOf(a, bySeq, 0), keysOf(b, bySeq, shift)
		for len(x) > 0 && len(y) > 0 {
			n := x[0].compare(y[0])
			if n == 0 { // the first of each with this key, then the second
				partner[x[0].at], found[y[0].at] = int(y[0].at), true
			}
			if n <= 0 {
				x = x[1:]
			}
			if n >= 0 {
				y = y[1:]
			}
		}
	}
	m.between(a, b, partner, found)
	m.Reordered += moved(partner)
	for i, j := range partner {
		if j < 0 {
			m.OnlyA = append(m.OnlyA, a.records[i])
			continue
		}
		x, y := &a.records[i], &b.records[j]
		if x.Hash == y.Hash && x.Size == y.Size && !x.Cut && !y.Cut {
			m.Same++
		} else {
			m.Pairs = append(m.Pairs, Pair{*x, *y})
		}
	}
	for j, ok := range found {
		if !ok {
			m.OnlyB = append(m.OnlyB, b.records[j])
		}
	}
}

// moved is how many partners are not in the longest run that rises, as in a flow (between flows the order is chance).
func moved(partner []int) int {
	n := 0
	var ends []int // of the best run of each length
	for _, j := range partner {
		if j < 0 {
			continue
		}
		n++
		if i, _ := slices.BinarySearch(ends, j); i < len(ends) {
			ends[i] = j
		} else {
			ends = append(ends, j)
		}
	}
	return n - len(ends)
}

// keysOf is what a flow's records are matched by, sorted: their numbers, or of those without one their payloads.
func keysOf(t *track, bySeq bool, shift int64) []key {
	var keys []key
	for i := range t.records {
		switch r := &t.records[i]; {
		case r.HasSeq != bySeq || !bySeq && r.Cut:
		case bySeq:
			keys = append(keys, key{v: uint64(t.seqs[i] + shift), at: int32(i)})
		default:
			keys = append(keys, key{v: r.Hash, size: int32(r.Size), at: int32(i)})
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Or(x.compare(y), cmp.Compare(x.at, y.at)) })
	return keys
}

// between pairs what has no number and no equal in the other capture: in the gaps between those that have, by order.
func (m *Matching) between(a, b *track, partner []int, found []bool) {
	j := 0
	for i := range partner {
		if partner[i] >= 0 {
			j = max(j, partner[i]+1)
			continue
		}
		if a.records[i].HasSeq {
			continue
		}
		end := len(b.records)
		for next := i + 1; next < len(partner) && end == len(b.records); next++ {
			if partner[next] >= j {
				end = partner[next]
			} else if next-i > maxGap {
				break
			}
		}
		for k := j; k < end && k < j+maxGap; k++ {
			if !found[k] && !b.records[k].HasSeq {
				partner[i], found[k], j = k, true, k+1
				break
			}
		}
	}
}

// maxGap bounds how far a packet without a number is looked for: an attacker's flow may have nothing else.
const maxGap = 64

// bestShift is how many numbers later the second capture begins to count: one may have begun before a wrap and the
// other after it. It is the shift that matches most of what is looked at.
func bestShift(a, b *track) int64 {
	const looks = 4096
	x := keysOf(a, true, 0)
	m := int64(0)
	if len(x) > 0 {
		if n := a.records[x[0].at].Modulus; n > 1 && n < 1<<62 {
			m = int64(n)
		}
	}
	best, most := int64(0), -1
	for _, shift := range []int64{0, m, -m} {
		n := 0
		for i := 0; i < len(b.records); i += 1 + len(b.records)/looks {
			if !b.records[i].HasSeq {
				continue
			}
			_, ok := slices.BinarySearchFunc(x, uint64(b.seqs[i]+shift), func(k key, v uint64) int { return cmp.Compare(k.v, v) })
			if ok {
				n++
			}
		}
		if n > most {
			best, most = shift, n
		}
	}
	return best
}

// Sequence is what the packet's first @seq field outside lists holds; false where none was read, or it is a secret.
// modulus is what it counts to before it begins anew, 0 for 2^64.
func Sequence(t *decode.Trace) (seq, modulus uint64, ok bool) {
	p := t.Plan
	for ev := range t.Walk() {
		n := &p.Nodes[ev.Node]
		if ev.Kind != decode.Leaf || n.Annotations == nil || !n.Annotations.Seq || n.Secret {
			continue
		}
		if _, _, in := t.Element(ev); !in {
			return ev.Raw, p.Info[ev.Leaf].TypeSpan + 1, true // codes count up by one as values do
		}
	}
	return 0, 0, false
}
