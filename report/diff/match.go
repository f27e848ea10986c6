package diff

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// Pair is the same datagram in both captures, as far as flow and sequence tell.
type Pair struct{ A, B uint32 }

// Matching is what Match found. All lists are in the order of their capture, pairs in that of the first. Datagrams are
// numbers: how many the capture had before it.
type Matching struct {
	Pairs        []Pair // whose payloads differ, or of which one was cut
	Same         int    // pairs that are alike
	OnlyA, OnlyB []uint32
	Reordered    int           // packets of flows that would have to move for the order of B to be that of A
	Paired       []Pairing     // flows with other addresses that were taken for one another
	Unpaired     [2][]Unpaired // of each capture
	Messages     Messages

	ends    *ends
	brought [2]*store[Message]
}

// Flow is the flow that a Pairing or an Unpaired has the number of.
func (m *Matching) Flow(number uint32) Flow { return m.ends.flow(number) }

// Match matches two captures of NewCaptures. In flows that both have it matches by sequence number, counting repeated
// ones, and what has none by payload, and what is left in between by order. Flows whose addresses only one capture has
// are paired by what they carry (pairing.go), or by the messages that they bring (messages.go); of the others, one that
// is alone in its direction is matched to the one such flow of the other capture.
func Match(a, b *Capture) *Matching {
	m := &Matching{
		Messages: Messages{Of: [2]int{a.messages.n, b.messages.n}, TooMany: a.tooMany || b.tooMany, Unread: a.unread + b.unread},
		ends:     a.ends, brought: [2]*store[Message]{&a.messages, &b.messages},
	}
	a.sort()
	b.sort()
	for f := range 2 * uint32(a.ends.where.n) {
		if x, y := a.track(f), b.track(f); len(x.list) > 0 && len(y.list) > 0 {
			m.track(x, y)
			m.messages(a, b, f, f)
		}
	}
	sides := [2][]conversation{a.conversations(b), b.conversations(a)}
	pair := func(key couple, way [2]int, byMessages bool) {
		x, y := &sides[0][key.a], &sides[1][key.b]
		p := Pairing{A: x.flow(way[0]), B: y.flow(way[1]), Alike: key.all(), ByMessages: byMessages}
		m.track(a.track(p.A), b.track(p.B))
		m.messages(a, b, p.A, p.B)
		m.Paired = append(m.Paired, p)
		x.done |= 1 << way[0]
		y.done |= 1 << way[1]
	}
	for i, find := range []func(a, b *Capture, sides [2][]conversation) []couple{byDatagrams, byMessages} {
		found := find(a, b, sides)
		m.Paired = slices.Grow(m.Paired, len(found))
		for _, key := range found {
			for _, way := range key.ways(m, &sides[0][key.a], &sides[1][key.b]) {
				pair(key, way, i == 1)
			}
		}
	}
	// The last of a direction: nothing speaks for it, and nothing against.
	type direction struct {
		from     decode.Direction
		protocol int
	}
	type alone struct{ n, conversation, way int }
	var last [2]map[direction]alone
	for side, list := range sides {
		last[side] = map[direction]alone{}
		for i := range list {
			for way := range list[i].flows() {
				if f := m.Flow(list[i].flow(way)); !list[i].known() {
					d := direction{f.From, f.Protocol}
					last[side][d] = alone{last[side][d].n + 1, i, way}
				}
			}
		}
	}
	for d, x := range last[0] {
		if y := last[1][d]; x.n == 1 && y.n == 1 {
			pair(couple{a: int32(x.conversation), b: int32(y.conversation)}, [2]int{x.way, y.way}, false)
		}
	}
	slices.SortFunc(m.Paired, func(x, y Pairing) int { return cmp.Compare(a.track(x.A).list[0], a.track(y.A).list[0]) })
	m.unpaired(0, a, sides[0], &m.OnlyA)
	m.unpaired(1, b, sides[1], &m.OnlyB)
	slices.SortFunc(m.Pairs, func(x, y Pair) int { return cmp.Compare(x.A, y.A) })
	slices.Sort(m.OnlyA)
	slices.Sort(m.OnlyB)
	for _, only := range m.Messages.Only {
		slices.Sort(only)
	}
	return m
}

// unpaired adds what has no partner.
func (m *Matching) unpaired(side int, c *Capture, list []conversation, only *[]uint32) {
	for i := range list {
		one, left := &list[i], 0
		for way := range one.flows() {
			if one.done>>way&1 > 0 {
				continue
			}
			left++
			*only = append(*only, c.sent.of(one.flow(way))...)
			if !m.Messages.TooMany {
				m.Messages.Only[side] = append(m.Messages.Only[side], c.brought.of(one.flow(way))...)
			}
		}
		if left == one.flows() {
			m.Unpaired[side] = append(m.Unpaired[side], Unpaired{one.first, one.known()})
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
func (m *Matching) track(a, b track) {
	shift := bestShift(a, b)
	partner := make([]int32, len(a.list)) // in b, -1 without one
	for i := range partner {
		partner[i] = -1
	}
	found := make([]bool, len(b.list))
	for _, bySeq := range []bool{true, false} {
		x, y := keysOf(a, bySeq, 0), keysOf(b, bySeq, shift)
		for len(x) > 0 && len(y) > 0 {
			n := x[0].compare(y[0])
			if n == 0 { // the first of each with this key, then the second
				partner[x[0].at], found[y[0].at] = y[0].at, true
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
			m.OnlyA = append(m.OnlyA, a.list[i])
			continue
		}
		x, y := a.at(i), b.at(int(j))
		if x.Hash == y.Hash && x.Size == y.Size && !x.Cut && !y.Cut {
			m.Same++
		} else {
			m.Pairs = append(m.Pairs, Pair{a.list[i], b.list[j]})
		}
	}
	for j, ok := range found {
		if !ok {
			m.OnlyB = append(m.OnlyB, b.list[j])
		}
	}
}

// moved is how many partners are not in the longest run that rises, as in a flow (between flows the order is chance).
func moved(partner []int32) int {
	n := 0
	var ends []int32 // of the best run of each length
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
func keysOf(t track, bySeq bool, shift int64) []key {
	var keys []key
	for i := range t.list {
		switch r := t.at(i); {
		case (r.counter > 0) != bySeq || !bySeq && r.Cut:
		case bySeq:
			keys = append(keys, key{v: uint64(r.Seq + shift), at: int32(i)})
		default:
			keys = append(keys, key{v: r.Hash, size: int32(r.Size), at: int32(i)})
		}
	}
	slices.SortFunc(keys, func(x, y key) int { return cmp.Or(x.compare(y), cmp.Compare(x.at, y.at)) })
	return keys
}

// between pairs what has no number and no equal in the other capture: in the gaps between those that have, by order.
func (m *Matching) between(a, b track, partner []int32, found []bool) {
	j := int32(0)
	for i := range partner {
		if partner[i] >= 0 {
			j = max(j, partner[i]+1)
			continue
		}
		if a.at(i).counter > 0 {
			continue
		}
		end := int32(len(b.list))
		for next := i + 1; next < len(partner) && int(end) == len(b.list); next++ {
			if partner[next] >= j {
				end = partner[next]
			} else if next-i > maxGap {
				break
			}
		}
		for k := j; k < end && k < j+maxGap; k++ {
			if !found[k] && b.at(int(k)).counter == 0 {
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
func bestShift(a, b track) int64 {
	const looks = 4096
	x := keysOf(a, true, 0)
	m := int64(0)
	if len(x) > 0 {
		if n := a.moduli[a.at(int(x[0].at)).counter-1]; n > 1 && n < 1<<62 {
			m = int64(n)
		}
	}
	best, most := int64(0), -1
	for _, shift := range []int64{0, m, -m} {
		n := 0
		for i := 0; i < len(b.list); i += 1 + len(b.list)/looks {
			r := b.at(i)
			if r.counter == 0 {
				continue
			}
			_, ok := slices.BinarySearchFunc(x, uint64(r.Seq+shift), func(k key, v uint64) int { return cmp.Compare(k.v, v) })
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
func Sequence(t *decode.Trace) (seq int64, modulus uint64, ok bool) {
	p := t.Plan
	for ev := range t.Walk() {
		n := &p.Nodes[ev.Node]
		if ev.Kind != decode.Leaf || n.Annotations == nil || !n.Annotations.Seq || n.Secret {
			continue
		}
		if _, _, in := t.Element(ev); !in {
			return int64(ev.Raw), p.Info[ev.Leaf].TypeSpan + 1, true // codes count up by one as values do
		}
	}
	return 0, 0, false
}
