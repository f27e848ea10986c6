package stats

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// What two parts say of one peer, the second behind the first.

// mergePeers continues s with the peers of o.
func (s *Stats) mergePeers(o *peers) {
	s.peers.seen.merge(&o.seen)
	s.peers.gone += o.gone
	s.peers.rest.merge(&o.rest, &s.shape)
	for _, from := range o.inOrder() {
		p := s.peers.find(&from.key, hashOf(from.key.peer, from.key.other), from.known, &s.shape)
		s.mergePeer(p, from)
		s.peers.grow(p)
	}
}

func (s *Stats) mergePeer(p, o *peer) {
	p.odd.merge(&o.odd)
	for h := range p.halves {
		to, from := &p.halves[h], &o.halves[h]
		to.tally.merge(&from.tally)
		if to.seen.last != 0 && from.seen.first != 0 {
			s.judgeSilence(p, h, to.seen.last, from.seen.first, to.seen.lastN, from.seen.firstN)
		}
		to.seen.merge(&from.seen)
		to.silent += from.silent
		to.longest = max(to.longest, from.longest)
		s.mergeHalf(to, from, p.side(h))
	}
	// Answers of o to what was sent before it: what was sent is merged behind them.
	for h := range p.halves {
		s.mergeAcks(&p.halves[h], &o.halves[h], &p.halves[1-h])
	}
	for h := range p.halves {
		to, from := &p.halves[h], &o.halves[h]
		if to.sent == nil && from.sent != nil {
			to.sent = make([]sent, s.shape.targets)
		}
		for i := range from.sent {
			to.sent[i].merge(&from.sent[i])
		}
	}
}

func (s *Stats) mergeHalf(to, from *half, side schema.Direction) {
	sh := &s.shape
	if to.cadences == nil && from.cadences != nil {
		to.cadences = make([]stretch, len(sh.everys))
	}
	for i := range from.cadences {
		a, b := &to.cadences[i], &from.cadences[i]
		if a.last != 0 && b.first != 0 {
			s.cadence(side, i).add(a.last, b.first, sh.everys[i].every)
		}
		a.merge(b)
	}
	if to.seqs == nil && from.seqs != nil {
		to.seqs = make([]sequence, len(sh.seqs))
	}
	for i := range from.seqs {
		to.seqs[i].merge(&from.seqs[i], sh.seqs[i].modulus)
	}
}

// mergeAcks continues the answers of a half; opposite is the half of what they answer.
func (s *Stats) mergeAcks(to, from, opposite *half) {
	if to.acks == nil && from.acks != nil {
		to.acks = make([][]*answers, len(s.shape.acks))
	}
	for i, list := range from.acks {
		for len(to.acks[i]) < len(list) {
			to.acks[i] = append(to.acks[i], &answers{})
		}
		for j, a := range list {
			to.acks[i][j].merge(a, opposite.sentOf(s.shape.acks[i].target))
		}
	}
}

// inOrder lists the peers: those that have shown themselves, by key, then the young as they came.
func (s *peers) inOrder() []*peer {
	list := make([]*peer, 0, len(s.table))
	for _, p := range s.table {
		if p.grown {
			list = append(list, p)
		}
	}
	sortPeers(list)
	for p := s.young.first; p != nil; p = p.next {
		list = append(list, p)
	}
	return list
}

// fit leaves out peers until the saved part has over bytes less, those with the fewest packets first.
func (s *Stats) fit(over int) {
	type sized struct {
		*peer
		packets uint64
		bytes   int
	}
	var list []sized
	for _, p := range s.peers.inOrder() {
		c := coder{writing: true, version: partVersion}
		p.code(&c, &s.shape)
		list = append(list, sized{p, p.halves[0].tally.Packets() + p.halves[1].tally.Packets(), len(c.b)})
	}
	slices.SortStableFunc(list, func(a, b sized) int { return cmp.Compare(a.packets, b.packets) })
	over += restGrows
	for _, p := range list {
		if over <= 0 {
			return
		}
		over -= p.bytes
		s.peers.leaveOut(p.peer, &s.shape)
	}
}

// restGrows is more than the sums of peers that are left out take.
const restGrows = 256 << 10

func (s *peers) code(c *coder, sh *shape) {
	s.seen.code(c)
	c.uint(&s.gone, saved.MaxCount)
	s.rest.code(c, sh)
	var list []*peer
	if c.writing {
		list = s.inOrder()
	}
	n := c.length(len(list), mostOfPeers, 8)
	for i := range n {
		if c.writing {
			list[i].code(c, sh)
			continue
		}
		p := &peer{}
		p.code(c, sh)
		c.check(s.table[p.key] == nil, "the saved part has a peer twice")
		c.check(p.grown && s.grown < MaxPeers || !p.grown && s.young.n < maxYoung, "the saved part has too many peers")
		if c.err != nil {
			return
		}
		if s.table == nil {
			s.table = map[peerKey]*peer{}
		}
		s.table[p.key] = p
		if p.grown {
			s.grown++
		} else {
			s.young.push(p)
		}
	}
}

func (p *peer) code(c *coder, sh *shape) {
	c.addr(&p.key.peer)
	c.addr(&p.key.other)
	c.bool(&p.known)
	c.bool(&p.grown)
	p.odd.code(c)
	for h := range p.halves {
		p.halves[h].code(c, sh)
	}
}

func (h *half) code(c *coder, sh *shape) {
	h.tally.code(c)
	h.seen.code(c)
	c.uint(&h.silent, saved.MaxCount)
	c.uint(&h.longest, ^uint64(0))
	if some(c, &h.seqs, len(sh.seqs)) {
		for i := range h.seqs {
			h.seqs[i].code(c, sh.seqs[i].modulus)
		}
	}
	if some(c, &h.cadences, len(sh.everys)) {
		for i := range h.cadences {
			h.cadences[i].code(c)
		}
	}
	if some(c, &h.sent, sh.targets) {
		for i := range h.sent {
			h.sent[i].code(c)
		}
	}
	if some(c, &h.acks, len(sh.acks)) {
		for i := range h.acks {
			n := c.length(len(h.acks[i]), maxAnswers, 1)
			if !c.writing {
				h.acks[i] = make([]*answers, n)
			}
			for j := range h.acks[i] {
				if !c.writing {
					h.acks[i][j] = &answers{}
				}
				h.acks[i][j].code(c)
			}
		}
	}
}

// some says whether a list follows, which has as many elements as the shape says or is not there.
func some[T any](c *coder, list *[]T, n int) bool {
	there := *list != nil
	c.bool(&there)
	if there && !c.writing {
		*list = make([]T, n)
	}
	return there
}

func (r *rest) code(c *coder, sh *shape) {
	r.odd.code(c)
	for side := range schema.Server + 1 {
		r.tally[side].code(c)
		if some(c, &r.seqs[side], len(sh.seqs)) {
			for i := range r.seqs[side] {
				r.seqs[side][i].code(c)
			}
		}
	}
	if some(c, &r.acks, len(sh.acks)) {
		for i := range r.acks {
			a := &r.acks[i]
			a.latency.code(c)
			c.uint(&a.unsent, saved.MaxCount)
			c.uint(&a.backward, saved.MaxCount)
			c.uint(&a.crowded, saved.MaxCount)
		}
	}
}
