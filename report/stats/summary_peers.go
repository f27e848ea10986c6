package stats

import (
	"cmp"
	"iter"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// sumPeers adds the peers to a summary, and what is summed up over them: counters and acknowledgements.
func (s *Stats) sumPeers(sum *Summary, all uint64) {
	all3 := s.peers.rest.seqs
	for side := range all3 {
		all3[side] = slices.Clone(all3[side])
	}
	acks := rest{}
	for i := range s.peers.rest.acks {
		acks.ack(i, &s.peers.rest.acks[i], &s.shape)
	}
	list := PeerList{Listed: []PeerRow{}}
	for flows := range byEnds(s.peers.inOrder()) {
		list.Listed = append(list.Listed, s.peerRow(flows, all))
		for _, p := range flows {
			for h := range p.halves {
				addSeqs(&all3[p.side(h)], p.halves[h].counts())
				p.halves[h].best(&acks, &s.shape)
			}
		}
	}
	for _, side := range sides {
		sum.Sequences = append(sum.Sequences, s.sequenceRows(side, all3[side])...)
	}
	for i := range acks.acks {
		if a := &acks.acks[i]; a.answered() {
			sum.Acks = append(sum.Acks, s.ackRow(i, a))
		}
	}
	slices.SortStableFunc(list.Listed, func(a, b PeerRow) int { return cmp.Compare(b.Packets(), a.Packets()) })
	list.N = uint64(len(list.Listed))
	if s.peers.gone > 0 {
		// Of those that were left out some may have come again, so they are not the difference.
		list.About = true
		list.N = max(s.peers.seen.estimate(), list.N+1)
		list.More = list.N - uint64(len(list.Listed))
		list.Rest = &Tally{}
		for side := range s.peers.rest.tally {
			list.Rest.Merge(&s.peers.rest.tally[side])
		}
	}
	sum.Peers = list
}

// byEnds yields peers in their order: together those that are flows of the same two ends.
func byEnds(list []*peer) iter.Seq[[]*peer] {
	return func(yield func([]*peer) bool) {
		for len(list) > 0 {
			n := 1
			for n < len(list) && list[n].key.ends() == list[0].key.ends() {
				n++
			}
			if !yield(list[:n]) {
				return
			}
			list = list[n:]
		}
	}
}

// packetsOf is how many packets of flows there were, both ways.
func packetsOf(flows []*peer) (n uint64) {
	for _, p := range flows {
		n += p.packets()
	}
	return n
}

// peerRow is the row of two ends, of all of their flows.
func (s *Stats) peerRow(flows []*peer, all uint64) PeerRow {
	row := PeerRow{Peer: flows[0].key.peer, With: flows[0].key.other}
	var context [3]Context // by sender; where nobody knows which it is, of both
	odd := oddities{}
	for _, p := range flows {
		odd.merge(&p.odd)
		row.Sent.Merge(&p.halves[0].tally)
		row.Got.Merge(&p.halves[1].tally)
		last := p.halves[0].seen.last
		if s.shape.timeout > 0 && last != 0 && s.timed && uint64(s.last)-uint64(last) > uint64(s.shape.timeout) && s.last > last {
			row.QuietAtEnd = max(row.QuietAtEnd, ms(uint64(s.last)-uint64(last)))
		}
	}
	row.Rejects, row.Notes = odd.kinds(), odd.noteKinds()
	row.Share = saved.Share(row.Sent.PayloadBits()+row.Got.PayloadBits(), all)
	for h := range flows[0].halves {
		var seqs []SequenceCounts
		acks := rest{}
		for _, p := range flows {
			half := &p.halves[h]
			context[p.side(h)].Merge(&half.context)
			row.Silent += half.silent
			row.Longest = max(row.Longest, ms(half.longest))
			addSeqs(&seqs, half.counts())
			half.best(&acks, &s.shape)
		}
		row.Sequences = append(row.Sequences, s.sequenceRows(flows[0].side(h), seqs)...)
		for i := range acks.acks {
			if a := &acks.acks[i]; a.answered() {
				row.Acks = append(row.Acks, s.ackRow(i, a))
			}
		}
	}
	row.Context = contextRows(func(side schema.Direction) *Context { return &context[side] })
	return row
}

// counts are those of the counters of a half.
func (h *half) counts() []SequenceCounts {
	counts := make([]SequenceCounts, len(h.seqs))
	for i := range h.seqs {
		counts[i] = h.seqs[i].counts
	}
	return counts
}

// best adds the answers of a half that are the receiver's.
func (h *half) best(to *rest, sh *shape) {
	for i := range h.acks {
		to.ack(i, best(h.acks[i]), sh)
	}
}

// addSeqs adds counts to a sum, which is nil until the first.
func addSeqs(to *[]SequenceCounts, counts []SequenceCounts) {
	if *to == nil && len(counts) > 0 {
		*to = make([]SequenceCounts, len(counts))
	}
	for i := range counts {
		(*to)[i].Merge(counts[i])
	}
}

func (s *Stats) sequenceRows(side schema.Direction, counts []SequenceCounts) (rows []SequenceRow) {
	for i, c := range counts {
		if c.Received > 0 {
			rows = append(rows, SequenceRow{s.shape.seqs[i].path, side.String(), c})
		}
	}
	return rows
}

func (s *Stats) ackRow(i int, a *answers) AckRow {
	f := &s.shape.acks[i]
	return AckRow{f.path, f.of, Latency{a.latency.spread(), a.latency.Error(), a.unsent, a.backward, a.unsettled}}
}
