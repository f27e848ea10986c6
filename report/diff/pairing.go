package diff

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode"
)

// Flows whose addresses only one capture has went through a NAT or a relay. They are paired by what they carry: a
// payload that one conversation of each capture has, and no other of either, says that they are one. Payloads that
// several have, such as heartbeats or the same input of two players, say nothing. Where that leaves a choice nothing is
// paired, and it is told.

// Pairing is two flows that were taken for one.
type Pairing struct {
	A, B Flow
	// Alike is how many payloads the two and the answers to them have that no other flow has; 0 where each was the last
	// of its direction. ByMessages says that these are messages, where no datagram told.
	Alike      int
	ByMessages bool
}

// Unpaired is a conversation of one capture that has no partner.
type Unpaired struct {
	Flow Flow // the first of the two that was seen
	// Shared says that what it carries is in the other capture, in several conversations or in one that has another
	// partner.
	Shared bool
}

// conversation is the two flows between two endpoints; the first is the one that was seen first.
type conversation struct {
	first     int32 // flow in the capture's list
	second    int32 // the same; -1 where nobody answered
	taken     bool  // it has a partner
	contested bool  // it, or one that is part of the choice, has a partner, or several may be
	shared    int   // of what has neither: how many of its payloads others carry too
}

// flows are the one or two that it has.
func (c *conversation) flows(of *Capture) []Flow {
	if c.second < 0 {
		return of.list[c.first : c.first+1]
	}
	return []Flow{of.list[c.first], of.list[c.second]}
}

// known reports whether something of it is known to be in the other capture.
func (c *conversation) known() bool { return c.taken || c.contested || c.shared > 0 }

// conversations are those of the flows that are not taken.
func (c *Capture) conversations(taken func(Flow) bool) (list []conversation) {
	type ends struct {
		a, b     netip.AddrPort
		protocol int
	}
	at := map[ends]int32{}
	for i, f := range c.list {
		if taken(f) {
			continue
		}
		key := ends{f.Src, f.Dst, f.Protocol}
		if f.Src.Compare(f.Dst) > 0 {
			key.a, key.b = key.b, key.a
		}
		if n, ok := at[key]; ok && list[n].second < 0 {
			list[n].second = int32(i)
			continue
		}
		at[key] = int32(len(list))
		list = append(list, conversation{first: int32(i), second: -1})
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

// payloads appends what a capture's conversations carry. What was cut has no hash that counts.
func (c *Capture) payloads(to []carried, side int8, list []conversation) []carried {
	for i := range list {
		for j, f := range list[i].flows(c) {
			for k := range c.flows[f].records {
				if r := &c.flows[f].records[k]; !r.Cut {
					to = append(to, carried{r.Hash, int32(r.Size), int32(f.Protocol), int32(2*i + j), side})
				}
			}
		}
	}
	return to
}

// evidence is how many payloads two conversations have that no other has: with the flows in the order in which they
// were seen, and crosswise.
type evidence struct{ straight, crossed int }

func (e evidence) all() int { return max(e.straight, e.crossed) }

// couple is a conversation of each capture, by number.
type couple struct{ a, b int }

// maxRounds is how often what is left is looked at without what was paired: the input of the last player is nobody
// else's then.
const maxRounds = 8

// couples finds the conversations that are one, by all that they carry. Of the others it says whether what they carry is
// in the other capture.
func couples(sides [2][]conversation, all []carried) map[couple]evidence {
	out := map[couple]evidence{}
	if len(sides[0]) == 0 || len(sides[1]) == 0 {
		return out
	}
	slices.SortFunc(all, carried.compare)
	all = slices.Compact(all)
	for range maxRounds {
		all = slices.DeleteFunc(all, func(x carried) bool { c := &sides[x.side][x.at/2]; return c.taken || c.contested })
		found := weigh(all, sides)
		if !decide(found, sides, out) {
			break
		}
	}
	return out
}

// weigh counts the payloads that one conversation of each side has alone, and marks the conversations that share one.
func weigh(all []carried, sides [2][]conversation) map[couple]evidence {
	for _, side := range sides {
		for i := range side {
			side[i].shared = 0
		}
	}
	found := map[couple]evidence{}
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
		straight, crossed := 0, 0
		for _, p := range x {
			for _, q := range y {
				if p.at&1 == q.at&1 {
					straight = 1
				} else {
					crossed = 1 // and where both are, it is an echo
				}
			}
		}
		key := couple{int(x[0].at / 2), int(y[0].at / 2)}
		count := found[key]
		count.straight += straight
		count.crossed += crossed
		found[key] = count
	}
	return found
}

// enough is how many payloads speak for a couple that shares many with others: captures miss some of two players' same
// input, each a few of its own, and what is left looks like theirs.
const enough = 8

// decide adds the couples of which each is the other's best, and one has no second that is half as good: a conversation
// whose relay gave it a new port has two partners, and the larger is its. It reports whether there were any.
func decide(found map[couple]evidence, sides [2][]conversation, out map[couple]evidence) (any bool) {
	type best struct{ first, second int }
	of := [2]map[int]best{{}, {}}
	for key, n := range found {
		for side, i := range [2]int{key.a, key.b} {
			have := of[side][i]
			if n := n.all(); n > have.first {
				have = best{n, have.first}
			} else {
				have.second = max(have.second, n)
			}
			of[side][i] = have
		}
	}
	for key, count := range found {
		x, y := of[0][key.a], of[1][key.b]
		n := count.all()
		if n < enough && 4*n < max(sides[0][key.a].shared, sides[1][key.b].shared) {
			continue
		}
		if n == x.first && n > x.second && n == y.first && n > y.second && (n >= 2*x.second || n >= 2*y.second) {
			out[key] = count
			sides[0][key.a].taken, sides[1][key.b].taken = true, true
			any = true
		}
	}
	for key := range found {
		sides[0][key.a].contested, sides[1][key.b].contested = true, true
	}
	return any
}

// ways are the flows of two conversations, each with its like. What does not tell them apart leaves it to who is
// client, then to who spoke first.
func (e evidence) ways(a, b []Flow) (list [][2]Flow) {
	cross := e.crossed > e.straight
	if e.crossed == e.straight {
		f, g := a[0].From, b[0].From
		cross = f != g && f != decode.FromUnknown && g != decode.FromUnknown
	}
	for i, f := range a {
		for j, g := range b {
			if (i != j) == cross {
				list = append(list, [2]Flow{f, g})
			}
		}
	}
	return list
}
