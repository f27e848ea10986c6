package page

import (
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// peerRow is a peer with whom it talked. What is sorted by is beside its text.
type peerRow struct {
	Peer, With, Sent, Got, Rejected, LostUp, LostDown, Answered, Share, Silences, Longest, Why string
	Incomplete, Resent, Sealed                                                                 string
	SortSent, SortGot, SortRejected, SortUp, SortDown, SortSilences                            uint64
	SortIncomplete, SortResent, SortSealed                                                     uint64
	SortAnswered, SortShare, SortLongest                                                       float64
}

// peersView is who was there.
type peersView struct {
	N        string
	Messages bool // with what is known of messages only
	Rows     []peerRow
	More     string
}

func newPeers(s *stats.Summary) *peersView {
	l := &s.Peers
	v := &peersView{N: table.Count(l.N, "peer"), Messages: s.Messages}
	if l.About {
		v.N = "about " + v.N
	}
	for i := range l.Listed {
		p := &l.Listed[i]
		up, down := p.Lost()
		rejected := p.Sent.Rejected.Packets + p.Got.Rejected.Packets
		c := stats.ContextOf(p.Context)
		kinds := map[string]uint64{}
		for _, k := range p.Rejects {
			kinds[k.Kind] = k.Packets
		}
		r := peerRow{
			Peer: peerText(p.Peer), With: peerText(p.With), Sent: table.Grouped(p.Sent.Packets()), Got: table.Grouped(p.Got.Packets()), Rejected: blankZero(rejected),
			LostUp: blankZero(up), LostDown: blankZero(down), Share: percent(p.Share), Silences: blankZero(p.Silent), Why: kindsText(kinds, 4),
			SortSent: p.Sent.Packets(), SortGot: p.Got.Packets(), SortRejected: rejected, SortUp: up, SortDown: down, SortSilences: p.Silent,
			Incomplete: blankZero(c.Incomplete()), Resent: blankZero(c.Resent), Sealed: blankZero(c.Unopened()),
			SortIncomplete: c.Incomplete(), SortResent: c.Resent, SortSealed: c.Unopened(), SortShare: p.Share, SortLongest: max(p.Longest, p.QuietAtEnd),
		}
		if len(p.Acks) > 0 && p.Acks[0].N > 0 {
			r.Answered, r.SortAnswered = milliseconds(p.Acks[0].P50), p.Acks[0].P50
		}
		switch {
		case p.QuietAtEnd > p.Longest:
			r.Longest = milliseconds(p.QuietAtEnd) + " at the end"
		case p.Longest > 0:
			r.Longest = milliseconds(p.Longest)
		}
		v.Rows = append(v.Rows, r)
	}
	if l.More > 0 {
		v.More = "And " + table.Count(l.More, "more peer")
		if l.Rest != nil {
			v.More += " with " + table.Count(l.Rest.Packets(), "packet") + ", of which " + table.Grouped(l.Rest.Rejected.Packets) + " were refused"
		}
		v.More += ": strangers with a few packets make room for newer ones."
	}
	return v
}
