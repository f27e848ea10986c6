package diff

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// Flows whose addresses only one capture has went through a NAT or a relay. They are paired by what they carry: a
// payload that one conversation of each capture has, and no other of either, says that they are one. Payloads that
// several have, such as heartbeats or the same input of two players, say nothing. Where that leaves a choice nothing is
// paired, and it is told.

// Pairing is two flows that were taken for one, by the numbers that Matching.Flow knows.
type Pairing struct {
	A, B uint32
	// Alike is how many payloads the two and the answers to them have that no other flow has; 0 where each was the last
	// of its direction. ByMessages says that these are messages, where no datagram told.
	Alike      int32
	ByMessages bool
}

// Unpaired is a conversation of one capture that has no partner.
type Unpaired struct {
	Flow uint32 // the first of the two that was seen, for Matching.Flow
	// Shared says that what it carries is in the other capture, in several conversations or in one that has another
	// partner.
	Shared bool
}

// conversation is the flows between two ends that only one capture has.
type conversation struct {
	first     uint32 // the flow that was seen first
	answered  bool   // the other one was seen too
	done      uint8  // which of them have a partner, by bit
	taken     bool   // it has a partner
	contested bool   // it, or one that is part of the choice, has a partner, or several may be
	shared    int32  // of what has neither: how many of its payloads others carry too

	best, second int32 // of the payloads that it and one other have alone, the most, and the most but these
}

// flows is how many it has, one or two, and flow is one of them.
func (c *conversation) flows() int {
	if c.answered {
		return 2
	}
	return 1
}

func (c *conversation) flow(way int) uint32 { return c.first ^ uint32(way) }

// known reports whether something of it is known to be in the other capture.
func (c *conversation) known() bool { return c.taken || c.contested || c.shared > 0 }

// conversations are those of the flows that the other capture does not have.
func (c *Capture) conversations(other *Capture) (list []conversation) {
	for i := range uint32(c.records.n) {
		begins := func(f uint32) (at uint32, ok bool) {
			own := c.sent.of(f)
			if len(own) == 0 || len(other.sent.of(f)) > 0 {
				return 0, false
			}
			return own[0], true
		}
		f := c.records.at(i).flow
		at, ok := begins(f)
		answer, answered := begins(f ^ 1)
		if ok && at == i && !(answered && answer < i) {
			list = append(list, conversation{first: f, answered: answered})
		}
	}
	return list
}

// carried is a payload in a conversation.
type carried struct {
	hash     uint64
	size     int32
	protocol int32
	at       int32 // of its conversation, twice; odd in the second flow
	side     int8
}

func (c *carried) payload(y *carried) int {
	return cmp.Or(cmp.Compare(c.hash, y.hash), cmp.Compare(c.size, y.size), cmp.Compare(c.protocol, y.protocol))
}

func (c carried) compare(y carried) int {
	return cmp.Or(c.payload(&y), cmp.Compare(c.side, y.side), cmp.Compare(c.at, y.at))
}

// couple is a conversation of each capture, by number, and how many payloads the two have that no other has: with the
// flows in the order in which they were seen, and crosswise.
type couple struct{ a, b, straight, crossed int32 }

func (c *couple) all() int32 { return max(c.straight, c.crossed) }

func (c couple) compare(o couple) int { return cmp.Or(cmp.Compare(c.a, o.a), cmp.Compare(c.b, o.b)) }

// maxRounds is how often what is left is looked at without what was paired: the input of the last player is nobody
// else's then. maxPart is how much of what is carried is looked at in one part.
const (
	maxRounds = 8
	maxPart   = 1 << 17
)

// byDatagrams finds the conversations that are one by their datagrams.
func byDatagrams(a, b *Capture, sides [2][]conversation) []couple {
	return couples(a, b, sides, (*Capture).carries)
}

// carries gives what a flow carries. What was cut has no hash that counts.
func (c *Capture) carries(flow uint32, take func(carried)) {
	for _, i := range c.sent.of(flow) {
		if r := c.records.at(i); !r.Cut {
			take(carried{hash: r.Hash, size: int32(r.Size)})
		}
	}
}

// couples finds the conversations that are one, by all that each of their flows carries. Of the others it says whether
// what they carry is in the other capture. Equal payloads are looked at together, and of all but a part at a time.
func couples(a, b *Capture, sides [2][]conversation, each func(c *Capture, flow uint32, take func(carried))) []couple {
	parts := uint64(1 + (a.records.n+b.records.n)/maxPart)
	var all []carried
	found, done := make([]couple, 0, min(len(sides[0]), len(sides[1]))), 0
	if cap(found) == 0 {
		return nil
	}
	for range maxRounds {
		for _, side := range sides {
			for i := range side {
				side[i].shared, side[i].best, side[i].second = 0, 0, 0
			}
		}
		found = found[:done]
		for part := range parts {
			all = all[:0]
			for side, capture := range [2]*Capture{a, b} {
				for i := range 2 * len(sides[side]) {
					c := &sides[side][i/2]
					if c.taken || c.contested || i%2 == c.flows() {
						continue
					}
					each(capture, c.flow(i%2), func(x carried) {
						if x.hash%parts == part {
							x.protocol, x.at, x.side = x.protocol|int32(a.ends.flow(c.first).Protocol), int32(i), int8(side)
							all = append(all, x)
						}
					})
				}
			}
			slices.SortFunc(all, carried.compare)
			found = weigh(slices.Compact(all), sides, found)
		}
		n := decide(sum(found[done:]), sides)
		if done += n; n == 0 {
			break
		}
	}
	found = found[:done]
	slices.SortFunc(found, couple.compare)
	return found
}

// sum adds up what speaks for each couple.
func sum(found []couple) []couple {
	slices.SortFunc(found, couple.compare)
	n := 0
	for i, one := range found {
		if i > 0 && one.compare(found[n-1]) == 0 {
			found[n-1].straight += one.straight
			found[n-1].crossed += one.crossed
			continue
		}
		found[n] = one
		n++
	}
	return found[:n]
}

// weigh adds the payloads that one conversation of each side has alone, and marks the conversations that share one.
func weigh(all []carried, sides [2][]conversation, found []couple) []couple {
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].payload(&all[0]) == 0 {
			n++
		}
		run := all[:n]
		all = all[n:]
		split := slices.IndexFunc(run, func(x carried) bool { return x.side == 1 })
		if split <= 0 {
			continue // one capture has it alone
		}
		x, y := run[:split], run[split:]
		if x[0].at/2 != x[len(x)-1].at/2 || y[0].at/2 != y[len(y)-1].at/2 {
			for i, one := range run {
				if i == 0 || one.side != run[i-1].side || one.at/2 != run[i-1].at/2 {
					sides[one.side][one.at/2].shared++
				}
			}
			continue
		}
		one := couple{a: x[0].at / 2, b: y[0].at / 2}
		for _, p := range x {
			for _, q := range y {
				if p.at&1 == q.at&1 {
					one.straight = 1
				} else {
					one.crossed = 1 // and where both are, it is an echo
				}
			}
		}
		found = append(found, one)
	}
	return found
}

// enough is how many payloads speak for a couple that shares many with others: captures miss some of two players' same
// input, each a few of its own, and what is left looks like theirs.
const enough = 8

// decide moves those couples to the front of which each is the other's best, and one has no second that is half as good:
// a conversation whose relay gave it a new port has two partners, and the larger is its. It returns how many there are.
func decide(found []couple, sides [2][]conversation) (chosen int) {
	for i := range found {
		n := found[i].all()
		for _, c := range []*conversation{&sides[0][found[i].a], &sides[1][found[i].b]} {
			if n > c.best {
				c.best, c.second = n, c.best
			} else {
				c.second = max(c.second, n)
			}
		}
	}
	for i := range found {
		x, y, n := &sides[0][found[i].a], &sides[1][found[i].b], found[i].all()
		x.contested, y.contested = true, true
		if n < enough && 4*n < max(x.shared, y.shared) {
			continue
		}
		if n == x.best && n > x.second && n == y.best && n > y.second && (n >= 2*x.second || n >= 2*y.second) {
			found[chosen] = found[i]
			chosen++
			x.taken, y.taken = true, true
		}
	}
	return chosen
}

// ways are the flows of two conversations, each with its like. What does not tell them apart leaves it to who is
// client, then to who spoke first.
func (c *couple) ways(m *Matching, a, b *conversation) (list [][2]int) {
	cross := c.crossed > c.straight
	if c.crossed == c.straight {
		f, g := m.Flow(a.first).From, m.Flow(b.first).From
		cross = f != g && f != decode.FromUnknown && g != decode.FromUnknown
	}
	for i := range a.flows() {
		for j := range b.flows() {
			if (i != j) == cross {
				list = append(list, [2]int{i, j})
			}
		}
	}
	return list
}
