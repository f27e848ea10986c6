package stats

import (
	"cmp"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
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
	for _, p := range s.peers.inOrder() {
		list.Listed = append(list.Listed, s.peerRow(p, all))
		for h := range p.halves {
			side := p.side(h)
			if p.halves[h].seqs != nil && all3[side] == nil {
				all3[side] = make([]SequenceCounts, len(s.shape.seqs))
			}
			for i := range p.halves[h].seqs {
				all3[side][i].Merge(p.halves[h].seqs[i].counts)
			}
			for i := range p.halves[h].acks {
				acks.ack(i, best(p.halves[h].acks[i]), &s.shape)
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

func (s *Stats) peerRow(p *peer, all uint64) PeerRow {
	row := PeerRow{Peer: p.key.peer, With: p.key.other, Sent: p.halves[0].tally, Got: p.halves[1].tally,
		Rejects: p.odd.kinds(), Notes: p.odd.noteKinds()}
	row.Context = contextRows(p.contextOf)
	row.Share = part(row.Sent.Bits()+row.Got.Bits(), all)
	for h := range p.halves {
		half := &p.halves[h]
		row.Silent += half.silent
		row.Longest = max(row.Longest, ms(half.longest))
		counts := make([]SequenceCounts, len(half.seqs))
		for i := range half.seqs {
			counts[i] = half.seqs[i].counts
		}
		row.Sequences = append(row.Sequences, s.sequenceRows(p.side(h), counts)...)
		for i := range half.acks {
			if a := best(half.acks[i]); a != nil && a.answered() {
				row.Acks = append(row.Acks, s.ackRow(i, a))
			}
		}
	}
	last := p.halves[0].seen.last
	if s.shape.timeout > 0 && last != 0 && s.timed && uint64(s.last)-uint64(last) > uint64(s.shape.timeout) && s.last > last {
		row.QuietAtEnd = ms(uint64(s.last) - uint64(last))
	}
	return row
}

// contextOf is the context of what one side of the peer sent; where nobody knows which it is, of both.
func (p *peer) contextOf(side schema.Direction) *Context {
	both := Context{}
	for h := range p.halves {
		if p.side(h) == side {
			both.Merge(&p.halves[h].context)
		}
	}
	return &both
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
