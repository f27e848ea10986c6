package results

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/report"
)

// SenderRow is the packets of one endpoint that broke one rule in one way.
type SenderRow struct {
	Sender  netip.AddrPort `json:"sender"`
	Packets uint64         `json:"packets"`
	// File and N are the first packet, of the capture that is first by name: the same in whatever order parts are merged.
	File string `json:"file,omitempty"`
	N    int64  `json:"n"`
}

// maxSenders is how many rows of senders there are over all rules; anyone sends from as many addresses as he likes. Packets of others are in
// their rule's row alone.
const maxSenders = 4096

// Sender counts who sent a packet that Add gave a rule to. It is for one counter that sees all packets in order, so that which senders are
// kept does not depend on how the work was cut.
func (c *RejectCounter) Sender(rule int, p *report.Packet) {
	if rule < 0 {
		return
	}
	key := senderKey{rule, p.Src}
	s := c.senders[key]
	if s == nil {
		if len(c.senders) == maxSenders {
			return
		}
		s = &SenderRow{Sender: p.Src, File: p.File, N: p.N}
		c.senders[key] = s
	}
	s.add(&SenderRow{Packets: 1, File: p.File, N: p.N})
}

// add adds packets of the same sender.
func (s *SenderRow) add(o *SenderRow) {
	s.Packets = plus(s.Packets, o.Packets)
	if cmp.Or(cmp.Compare(s.File, o.File), cmp.Compare(s.N, o.N)) > 0 {
		s.File, s.N = o.File, o.N
	}
}

type senderKey struct {
	rule   int
	sender netip.AddrPort
}

// senderRows are rows of rules that have senders alone.
func (c *RejectCounter) senderRows() []RejectRow {
	by := map[int]*RejectRow{}
	for key, s := range c.senders {
		row := by[key.rule]
		if row == nil {
			row = &RejectRow{Rule: c.list[key.rule].Rule, Kind: c.list[key.rule].Kind.String()}
			by[key.rule] = row
		}
		row.Senders = append(row.Senders, *s)
	}
	var rows []RejectRow
	for _, row := range by {
		sortSenders(row.Senders)
		rows = append(rows, *row)
	}
	slices.SortFunc(rows, func(a, b RejectRow) int { return cmp.Or(cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Kind, b.Kind)) })
	return rows
}

// HasSenders reports whether it is known who sent what: rejects that were saved before did not say.
func (r *Rejects) HasSenders() bool { return r.senders() > 0 }

func (r *Rejects) senders() (n int) {
	for i := range r.Rows {
		n += len(r.Rows[i].Senders)
	}
	return n
}

// addSenders adds senders of the same rule and kind, of new ones at most left; it gives how many more there may be.
func (row *RejectRow) addSenders(list []SenderRow, left int) int {
	if len(list) == 0 {
		return left
	}
	at := make(map[netip.AddrPort]int, len(row.Senders))
	for i := range row.Senders {
		at[row.Senders[i].Sender] = i
	}
	for _, s := range list {
		i, ok := at[s.Sender]
		switch {
		case ok:
			row.Senders[i].add(&s)
		case left > 0:
			left--
			at[s.Sender] = len(row.Senders)
			row.Senders = append(row.Senders, s)
		}
	}
	sortSenders(row.Senders)
	return left
}

func sortSenders(list []SenderRow) {
	slices.SortStableFunc(list, func(a, b SenderRow) int { return cmp.Or(cmp.Compare(b.Packets, a.Packets), a.Sender.Compare(b.Sender)) })
}
