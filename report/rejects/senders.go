package rejects

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
)

// Sender is the packets of one endpoint that broke one rule in one way.
type Sender struct {
	Sender  netip.AddrPort `json:"sender"`
	Packets uint64         `json:"packets"`
	// File and N are the first packet, of the capture that is first by name: the same in whatever order parts are
	// merged.
	File string `json:"file,omitempty"`
	N    int64  `json:"n"`
}

// add adds packets of the same sender.
func (s *Sender) add(o *Sender) {
	s.Packets = saved.Sum(s.Packets, o.Packets)
	if cmp.Or(cmp.Compare(s.File, o.File), cmp.Compare(s.N, o.N)) > 0 {
		s.File, s.N = o.File, o.N
	}
}

// HasSenders reports whether it is known who sent what: rejects that were saved before did not say.
func (r *Result) HasSenders() bool { return r.Senders() > 0 }

// Senders is how many rows of senders there are.
func (r *Result) Senders() (n int) {
	for i := range r.Rows {
		n += len(r.Rows[i].Senders)
	}
	return n
}

// addSenders adds senders of the same rule and kind, of new ones at most left; it gives how many more there may be.
func (r *Row) addSenders(list []Sender, left int) int {
	if len(list) == 0 {
		return left
	}
	at := make(map[netip.AddrPort]int, len(r.Senders))
	for i := range r.Senders {
		at[r.Senders[i].Sender] = i
	}
	for _, s := range list {
		i, ok := at[s.Sender]
		switch {
		case ok:
			r.Senders[i].add(&s)
		case left > 0:
			left--
			at[s.Sender] = len(r.Senders)
			r.Senders = append(r.Senders, s)
		}
	}
	sortSenders(r.Senders)
	return left
}

func sortSenders(list []Sender) {
	slices.SortStableFunc(list, func(a, b Sender) int { return cmp.Or(cmp.Compare(b.Packets, a.Packets), a.Sender.Compare(b.Sender)) })
}
