package stats

import (
	"cmp"
	"maps"
	"slices"

	"github.com/pktscope/pktscope/decode/chain"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// What two parts say of one peer, the second after the first.

// mergePeers continues s with the peers of o. What lies across the border is judged of peers of which both parts know
// all: of one that may have been left out of a part, what was before that goes to the rest.
func (s *Stats) mergePeers(o *peers, judge bool) {
	all := &s.peers
	if o.gone > 0 {
		for _, p := range all.inOrder() {
			if o.table[p.key] == nil && o.left.has(hashOf(p.key)) {
				all.leaveOut(p, &s.shape)
			}
		}
	}
	for _, from := range o.inOrder() {
		p := all.table[from.key]
		if p != nil && from.returned {
			all.leaveOut(p, &s.shape)
			p = nil
		}
		if p == nil {
			p = &peer{key: from.key, known: from.known, returned: from.returned || all.left.has(hashOf(from.key))}
			all.enter(p)
			all.young.Push(p)
		}
		s.mergePeer(p, from, judge)
	}
	all.seen.merge(&o.seen)
	all.gone += o.gone
	all.left.merge(&o.left)
	all.rest.merge(&o.rest, &s.shape)
	for i := range o.rest.acks {
		all.restAcks(i, &o.rest.acks[i], &s.shape)
	}
	all.settle(&s.shape)
	all.fewAnswers()
}

// settle finds who has grown, of those with the most packets accepted, and leaves out the young that are too many.
func (s *peers) settle(sh *shape) {
	list := s.inOrder()
	slices.SortStableFunc(list, func(a, b *peer) int { return cmp.Compare(b.accepted(), a.accepted()) })
	s.grown, s.young = 0, chain.List[peer, *peer]{}
	for _, p := range list {
		p.grown = s.grown < MaxPeers && p.accepted() >= grownPeer
		if p.grown {
			s.grown++
		}
	}
	for _, p := range slices.Backward(list) { // the next to go first
		if !p.grown {
			s.young.Push(p)
		}
	}
	for s.young.Len() > maxYoung {
		s.leaveOut(s.young.First(), sh)
	}
}

func (s *Stats) mergePeer(p, o *peer, judge bool) {
	p.odd.merge(&o.odd)
	p.lane.add(&o.lane, addLane)
	for h := range p.halves {
		to, from := &p.halves[h], &o.halves[h]
		to.tally.Merge(&from.tally)
		to.context.Merge(&from.context)
		if judge && to.seen.last != 0 && from.seen.first != 0 {
			s.judgeSilence(p, h, to.seen.last, from.seen.first, to.seen.until, from.seen.from)
		}
		to.seen.merge(&from.seen)
		to.silent += from.silent
		to.longest = max(to.longest, from.longest)
		s.mergeHalf(to, from, p.side(h), judge)
	}
	// Answers of o to what was sent before it: what was sent is merged after them.
	for h := range p.halves {
		s.mergeAcks(&p.halves[h], &o.halves[h], &p.halves[1-h], judge)
	}
	for h := range p.halves {
		to, from := &p.halves[h], &o.halves[h]
		if to.sent == nil && from.sent != nil {
			to.sent = make([]sent, s.shape.targets)
		}
		if !judge {
			clear(to.sent) // what came after it may have taken any slot
		}
		for i := range from.sent {
			to.sent[i].merge(&from.sent[i])
		}
	}
}

func (s *Stats) mergeHalf(to, from *half, side schema.Direction, judge bool) {
	sh := &s.shape
	if to.cadences == nil && from.cadences != nil {
		to.cadences = make([]stretch, len(sh.everys))
	}
	for i := range from.cadences {
		a, b := &to.cadences[i], &from.cadences[i]
		if judge && a.last != 0 && b.first != 0 {
			s.interval(side, i, a.last, b.first)
		}
		a.merge(b)
	}
	if to.seqs == nil && from.seqs != nil {
		to.seqs = make([]sequence, len(sh.seqs))
	}
	lose := func(at tick, lost int64) { s.peers.timeline.lose(side, at, lost) }
	for i := range from.seqs {
		if judge {
			to.seqs[i].merge(&from.seqs[i], sh.seqs[i].modulus, lose)
		} else {
			to.seqs[i].join(&from.seqs[i], sh.seqs[i].modulus, lose)
		}
	}
}

// mergeAcks continues the answers of a half; opposite is the half of what they answer.
func (s *Stats) mergeAcks(to, from, opposite *half, judge bool) {
	if to.acks == nil && from.acks != nil {
		to.acks = make([][]*answers, len(s.shape.acks))
	}
	for i, list := range from.acks {
		for len(to.acks[i]) < len(list) {
			to.acks[i] = append(to.acks[i], s.peers.newAnswers())
		}
		for j, a := range list {
			if judge {
				to.acks[i][j].merge(a, opposite.sentOf(s.shape.acks[i].target))
			} else {
				to.acks[i][j].join(a)
			}
		}
	}
}

// inOrder lists the peers by key.
func (s *peers) inOrder() []*peer {
	list := slices.Collect(maps.Values(s.table))
	sortPeers(list)
	return list
}

func (s *peers) code(c *coder, sh *shape) {
	s.seen.code(c)
	c.uint(&s.gone, saved.MaxCount)
	if c.version >= 3 {
		s.left.code(c)
	} else if s.gone > 0 { // nobody knows who
		s.left.words = slices.Repeat([]uint64{^uint64(0)}, filterWords)
	}
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
		if c.version < 3 { // which had whether it had grown
			p.returned = s.gone > 0 && !p.returned
		}
		c.check(s.table[p.key] == nil, "the saved part has a peer twice")
		if c.err != nil {
			return
		}
		s.enter(p)
		s.young.Push(p)
	}
	if !c.writing {
		young := s.young.Len()
		s.settle(sh)
		c.check(s.young.Len()+s.grown == young, "the saved part has too many peers")
	}
}

func (p *peer) code(c *coder, sh *shape) {
	c.addr(&p.key.peer)
	c.addr(&p.key.other)
	if c.version >= partFlows {
		c.uint(&p.key.by, ^uint64(0))
	}
	c.bool(&p.known)
	c.bool(&p.returned)
	if c.timed {
		codeSpans(c, &p.lane, 1, func(l *laneSpan) { l.code(c) })
	}
	p.odd.code(c)
	for h := range p.halves {
		p.halves[h].code(c, sh)
	}
}

func (h *half) code(c *coder, sh *shape) {
	h.tally.code(c)
	h.context.code(c)
	h.seen.code(c, sh)
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
			if c.version < partFiles && h.cadences[i].first != 0 {
				var first, last place // which nobody asked for
				c.place(&first)
				c.place(&last)
			}
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
					h.acks[i][j] = &answers{when: c.cells}
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
			if !c.writing {
				r.acks[i].when = c.cells
			}
			r.acks[i].codeSums(c)
		}
	}
}
