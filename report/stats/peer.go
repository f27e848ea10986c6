package stats

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/chain"
	"github.com/pktscope/pktscope/decode/schema"
)

// The bound on peers. A sender's address is whatever the sender writes there, so a stranger can be any number of peers.
// New peers wait among the young, and make room for newer ones in the order in which they came, until they have had a
// few packets accepted. So a flood of invented peers drives out other young ones and never a peer that was there before
// it, and a real one that comes during the flood stays if it gets those packets through before so many strangers come.
const (
	MaxPeers    = 1024 // that have had grownPackets accepted; more stay among the young
	maxYoung    = 512
	grownPeer   = 4                   // packets accepted
	mostOfPeers = MaxPeers + maxYoung // at once
)

// peers are who was seen.
type peers struct {
	table map[peerKey]*peer
	near  [256]*peer              // a cache by hash
	young chain.List[peer, *peer] // in the order of entering
	grown int
	seen  distinct
	gone  uint64 // how often a peer was left out; it may have come again
	left  filter // which
	rest  rest   // what the peers that were left out had done

	timeline *timeline // nil unless KeepTime was asked for
}

// peer is what two ends sent each other in one flow: most schemas know one flow of two ends.
type peer struct {
	chain.Links[peer] // among the young

	key      peerKey
	known    bool // which end is the client's
	grown    bool
	returned bool // it may have been left out before: nobody knows what came before its first packet
	odd      oddities
	halves   [2]half // of what the peer sent, and of what it got
	lane     spans[laneSpan]
}

// half is one direction between two ends.
type half struct {
	tally    Tally
	context  Context
	seen     sighting // accepted packets
	silent   uint64   // silences
	longest  uint64   // ns
	seqs     []sequence
	cadences []stretch // of each case with @every
	sent     []sent
	acks     [][]*answers // of each ack field, its values in a packet
}

// rest is what of a peer is kept when it is left out.
type rest struct {
	tally [3]Tally // by sender: schema.Direction
	odd   oddities
	seqs  [3][]SequenceCounts
	acks  []answers
}

// side is who the sender of a half is.
func (p *peer) side(h int) schema.Direction {
	switch {
	case !p.known:
		return schema.FromUnknown
	case h == 0:
		return schema.Client
	}
	return schema.Server
}

// find gives a peer, made where it is new.
func (s *peers) find(key *peerKey, hash uint64, known bool, sh *shape) *peer {
	near := &s.near[hash%uint64(len(s.near))]
	if p := *near; p != nil && p.key == *key {
		return p
	}
	p := s.table[*key]
	if p == nil {
		if s.young.Len() == maxYoung {
			s.leaveOut(s.young.First(), sh)
		}
		p = &peer{key: *key, known: known, returned: s.left.has(hash)}
		s.enter(p)
		s.young.Push(p)
		s.seen.add(hashOf(key.ends()))
	}
	*near = p
	return p
}

func (s *peers) enter(p *peer) {
	if s.table == nil {
		s.table = map[peerKey]*peer{}
	}
	s.table[p.key] = p
}

// grow moves a peer that has shown itself out of the young.
func (s *peers) grow(p *peer) {
	if !p.grown && s.grown < MaxPeers && p.accepted() >= grownPeer {
		p.grown = true
		s.grown++
		s.young.Remove(p)
	}
}

// packets is how many packets of the peer there were, both ways.
func (p *peer) packets() uint64 { return p.halves[0].tally.Packets() + p.halves[1].tally.Packets() }

// accepted is how many packets of the peer were accepted, both ways.
func (p *peer) accepted() uint64 {
	return p.halves[0].tally.Accepted.Packets + p.halves[1].tally.Accepted.Packets
}

// leaveOut forgets a peer, but for what it adds to the sums.
func (s *peers) leaveOut(p *peer, sh *shape) {
	if p.grown {
		s.grown--
	} else {
		s.young.Remove(p)
	}
	delete(s.table, p.key)
	hash := hashOf(p.key)
	if near := &s.near[hash%uint64(len(s.near))]; *near == p {
		*near = nil
	}
	s.gone++
	s.left.add(hash)
	s.restOf(p, sh)
	s.fewAnswers()
}

// restOf adds what a peer had done to the rest.
func (s *peers) restOf(p *peer, sh *shape) {
	s.timeline.settle(p, sh)
	r := &s.rest
	r.odd.merge(&p.odd)
	for h := range p.halves {
		half, side := &p.halves[h], p.side(h)
		r.tally[side].Merge(&half.tally)
		addSeqs(&r.seqs[side], half.counts())
		for i := range half.acks {
			s.restAcks(i, best(half.acks[i]), sh)
			for _, a := range half.acks[i] {
				a.when.drop()
			}
		}
	}
}

// restAcks adds the answers to one peer, or to several, to the rest.
func (s *peers) restAcks(i int, a *answers, sh *shape) {
	if a != nil && s.rest.acks == nil {
		s.rest.acks = make([]answers, len(sh.acks))
		for j := range s.rest.acks {
			s.rest.acks[j].when = s.newCells()
		}
	}
	s.rest.ack(i, a, sh)
}

// ack adds the answers to one peer.
func (r *rest) ack(i int, a *answers, sh *shape) {
	if a == nil {
		return
	}
	if r.acks == nil {
		r.acks = make([]answers, len(sh.acks))
	}
	r.acks[i].sum(a)
}

func (r *rest) merge(o *rest, sh *shape) {
	r.odd.merge(&o.odd)
	for side := range o.tally {
		r.tally[side].Merge(&o.tally[side])
		addSeqs(&r.seqs[side], o.seqs[side])
	}
}

// take counts one packet of a peer; values are those that it carries.
func (s *Stats) takePeer(p *peer, r *record, values []value) {
	h := &p.halves[r.half]
	h.tally.add(r)
	p.odd.add(r)
	at := tickOf(r.time)
	m := s.peers.timeline.moment(at)
	if m != nil {
		m.add(r, &p.lane)
	}
	if r.verdict != decode.Accepted {
		return
	}
	s.peers.grow(p)
	sh := &s.shape
	if r.time != 0 {
		if h.seen.last != 0 {
			s.judgeSilence(p, int(r.half), h.seen.last, r.time, h.seen.until, r.at)
		}
		h.seen.see(r.time, r.at)
		if r.every > 0 {
			if h.cadences == nil {
				h.cadences = make([]stretch, len(sh.everys))
			}
			came := &h.cadences[r.every-1]
			if came.last != 0 {
				s.interval(r.side, int(r.every-1), came.last, r.time)
			}
			came.see(r.time)
		}
	}
	var nth [maxAcks]int
	for _, v := range values {
		switch v.what {
		case isSeq:
			if h.seqs == nil {
				h.seqs = make([]sequence, len(sh.seqs))
			}
			s.peers.timeline.lose(r.side, at, h.seqs[v.index].add(v.v, sh.seqs[v.index].modulus, at))
			if m != nil {
				m.received[r.side]++
			}
		case isSent:
			if r.time == 0 {
				continue
			}
			if h.sent == nil {
				h.sent = make([]sent, sh.targets)
			}
			h.sent[v.index].add(v.v, r.time)
		case isAck:
			i := nth[v.index]
			nth[v.index]++
			if i >= maxAnswers || r.time == 0 {
				continue
			}
			if h.acks == nil {
				h.acks = make([][]*answers, len(sh.acks))
			}
			for len(h.acks[v.index]) <= i {
				h.acks[v.index] = append(h.acks[v.index], s.peers.newAnswers())
			}
			h.acks[v.index][i].add(v.v, r.time, p.halves[1-r.half].sentOf(sh.acks[v.index].target))
		}
	}
	s.peers.fewAnswers()
}

// interval counts the time between two packets of a case with @every, of one sender to one receiver.
func (s *Stats) interval(side schema.Direction, every int, from, to int64) {
	nominal := s.shape.everys[every].every
	s.cadence(side, every).add(from, to, nominal)
	if m := s.peers.timeline.moment(tickOf(to)); m != nil {
		m.interval(from, to, nominal)
	}
}

var nothingSent sent

// sentOf is what was sent of what an ack refers to.
func (h *half) sentOf(target int) *sent {
	if h.sent == nil {
		return &nothingSent
	}
	return &h.sent[target]
}

// judgeSilence counts a silence between two packets of the sender of a half, if it is one.
func (s *Stats) judgeSilence(p *peer, h int, from, until int64, after, before place) {
	if s.shape.timeout == 0 || until < from || uint64(until)-uint64(from) <= uint64(s.shape.timeout) || p.known && h == 1 {
		return
	}
	one := silence{sender: p.key.peer, receiver: p.key.other, from: from, until: until, after: after, before: before}
	if h == 1 {
		one.sender, one.receiver = one.receiver, one.sender
	}
	p.halves[h].silent++
	p.halves[h].longest = max(p.halves[h].longest, one.length())
	s.silences.add(one)
}
