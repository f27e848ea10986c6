package page

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/scan"
)

// The bounds of what a Collector keeps.
const (
	MaxPackets  = 10000    // by default
	maxBytes    = 64 << 20 // of payload
	maxGroups   = 600      // kinds of packets that are thinned out by themselves
	shareOfGood = 5        // accepted packets get the 1/5th part at least, though there be ever so many refused ones
)

// Collector picks packets of one protocol for the list. It takes them in the order of the capture; not for two
// goroutines at once.
//
// While there are too many, accepted ones go first: of the case, the sender's side and the note that has the most,
// every second one, so that what is left is spread evenly over the capture. Refused ones go in the same way, by kind,
// only when accepted ones are down to a fifth of the room. The first packet of every group stays.
type Collector struct {
	plan    *plan.Plan
	most    int
	groups  []*group // in the order of their first packets
	find    map[groupKey]*group
	sizes   [2]int // packets kept: accepted (or cut), refused
	payload int    // bytes kept
	seen    uint64
}

// NewCollector makes a Collector that keeps so many packets at most, and the first of every group (maxGroups) even
// beyond that; 0 is MaxPackets.
func NewCollector(p *plan.Plan, most int) *Collector {
	if most <= 0 {
		most = MaxPackets
	}
	return &Collector{plan: p, most: max(most, 2), find: map[groupKey]*group{}}
}

// Look is what a Collector has to know of a packet beside the packet itself. It is taken where the packet was decoded,
// on any goroutine.
type Look struct {
	holding
	key groupKey
}

type groupKey struct {
	refused bool
	kind    reject.Kind
	note    reject.NoteKind // the first
	tag     uint64
	hasTag  bool
	from    decode.Direction
}

// holding is what a packet is read by: see decode.Decoder.ReadHeld.
type holding struct {
	held   *decode.Held
	sender decode.Direction
}

// group is packets that are alike.
type group struct {
	key    groupKey
	seen   uint64
	stride uint64 // every so many are kept
	list   []kept
}

type kept struct {
	at      uint64 // number in the group, from 0
	order   uint64 // number among all
	packet  scan.Packet
	payload []byte
	size    int // of the datagram as it was sent
	holding
}

// NewLook looks at a packet. It keeps nothing of it.
func NewLook(p *scan.Packet) Look {
	t := p.Trace
	l := Look{key: groupKey{from: t.From}}
	l.held, l.sender = t.Held()
	if p.Verdict() == decode.Refused {
		l.key = groupKey{refused: true, kind: t.Reject().Kind}
		return l
	}
	if l.key.hasTag = t.HasTag; !t.Plan.CaseSecret() { // else groups would tell how many there are of each
		l.key.tag = t.Plan.CaseTag(t.Tag)
	}
	for n := range p.ShownNotes() {
		l.key.note = n.Kind
		break
	}
	return l
}

// Take takes a packet; its trace is not looked at, payload and size are the datagram's as decode.Packet has them. It
// keeps no memory of the caller's.
func (c *Collector) Take(l *Look, p *scan.Packet, payload []byte, size int) {
	c.seen++
	g := c.group(l.key)
	at := g.seen
	g.seen++
	if at%g.stride != 0 {
		return
	}
	k := kept{at: at, order: c.seen, packet: *p, payload: bytes.Clone(payload), size: size, holding: l.holding}
	k.packet.Trace = nil
	g.list = append(g.list, k)
	c.sizes[refusedIndex(g)]++
	c.payload += len(payload)
	for c.sizes[0]+c.sizes[1] > c.most || c.payload > maxBytes {
		if !c.thin() {
			return
		}
	}
}

func refusedIndex(g *group) int {
	if g.key.refused {
		return 1
	}
	return 0
}

// group is where a packet belongs. Groups beyond the bound are one: tags are the sender's.
func (c *Collector) group(key groupKey) *group {
	g := c.find[key]
	if g == nil && len(c.groups) >= maxGroups {
		key = groupKey{refused: key.refused}
		g = c.find[key]
	}
	if g == nil {
		g = &group{key: key, stride: 1}
		c.find[key] = g
		c.groups = append(c.groups, g)
	}
	return g
}

// thin keeps every second packet of the largest group that may be thinned out; false when there is none.
func (c *Collector) thin() bool {
	largest := func(refused bool) (best *group) {
		for _, g := range c.groups {
			if g.key.refused == refused && len(g.list) > 1 && (best == nil || len(g.list) > len(best.list)) {
				best = g
			}
		}
		return best
	}
	g := largest(c.sizes[0] <= c.most/shareOfGood)
	if g == nil {
		g = largest(c.sizes[0] > c.most/shareOfGood)
	}
	if g == nil {
		return false
	}
	g.stride *= 2
	left := g.list[:0]
	for _, k := range g.list {
		if k.at%g.stride == 0 {
			left = append(left, k)
			continue
		}
		c.payload -= len(k.payload)
		c.sizes[refusedIndex(g)]--
	}
	clear(g.list[len(left):])
	g.list = left
	return true
}

// packets lists what was kept, in the order of the capture.
func (c *Collector) packets() []*kept {
	var list []*kept
	for _, g := range c.groups {
		for i := range g.list {
			list = append(list, &g.list[i])
		}
	}
	slices.SortFunc(list, func(a, b *kept) int { return cmp.Compare(a.order, b.order) })
	return list
}
