package page

import (
	"cmp"
	"fmt"
	"html/template"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/stats"
)

// What was refused: over time, by kind, by sender, by field.

const (
	maxReasonRows = 200 // of the table of fields
	maxSenders    = 50  // of the table of senders
)

// kindRow is a kind of reject.
type kindRow struct {
	Kind, Meaning, Packets, Share string
	Spark                         template.HTML
}

// senderRow is an address that sent what was refused. A sender with many ports is one.
type senderRow struct {
	Sender, Sent, Rejected, Share, Kinds string
	Filter                               string // what the list of packets is filtered by
	sent, rejected                       uint64
	ports                                map[uint16]bool
	kinds                                map[string]uint64
}

// reasonRow is a field at which packets of a sender were refused.
type reasonRow struct {
	Place, Kind, Sender, Packets string
	First                        string // the first packet, in words
	N                            int64  // its number where it may be in the list, else 0
	File, Protocol               string
}

// rejectsView is what was refused.
type rejectsView struct {
	Chart       *chart
	Rejected    uint64
	Kinds       []kindRow
	Senders     []senderRow
	MoreSenders string
	Reasons     []reasonRow
	MoreReasons string
}

func newRejects(id string, p *protocol) *rejectsView {
	v := &rejectsView{}
	if s := p.stats; s != nil {
		v.Rejected, v.Chart = s.Total.Rejected.Packets, newChart("Refused packets over time by kind", &s.Series, kindLayers(&s.Series))
		series := map[string][]uint64{}
		for _, k := range s.Series.Rejects {
			series[k.Kind] = k.Packets
		}
		for _, k := range s.Rejects {
			v.Kinds = append(v.Kinds, kindRow{plain(k.Kind), meaning(k.Kind), grouped(k.Packets), percent(part(k.Packets, v.Rejected)), spark("bad", series[k.Kind])})
		}
		senders := sendersOf(p)
		v.Senders = senders[:min(len(senders), maxSenders)]
		v.MoreSenders = more(len(senders)-len(v.Senders), "sender")
	}
	switch {
	case p.packets != nil:
		v.reasons(p.packets, id)
	case p.rejects != nil:
		v.Rejected = max(v.Rejected, p.rejects.Rejected)
		v.rules(p.rejects)
	}
	return v
}

// reasons are the fields by sender, as a collector has them.
func (v *rejectsView) reasons(c *Collector, id string) {
	list := c.listReasons()
	for _, r := range list[:min(len(list), maxReasonRows)] {
		v.Reasons = append(v.Reasons, reasonRow{
			Place: r.place(), Kind: r.kind.String(), Sender: peerText(r.sender), Packets: grouped(r.packets), First: fmt.Sprint("packet ", r.first.N),
			N: r.first.N, File: plain(r.first.File), Protocol: id,
		})
	}
	if n := uint64(len(list)-len(v.Reasons)) + c.beyond; n > 0 {
		v.MoreReasons = fmt.Sprintf("%s are not listed", count(n, "rarer reason"))
	}
}

// rules are the fields as they were saved, whoever sent the packets.
func (v *rejectsView) rules(r *results.Rejects) {
	for i := range r.Rows[:min(len(r.Rows), maxReasonRows)] {
		x := &r.Rows[i]
		v.Reasons = append(v.Reasons, reasonRow{
			Place: plain(x.Rule), Kind: plain(x.Kind), Sender: "first: " + peerText(x.First.Src), Packets: grouped(x.Packets),
			First: plain(strings.TrimSuffix(fmt.Sprintf("packet %d of %s", x.First.N, x.First.File), " of ") + ": " + x.First.Path + ": " + x.First.Message),
		})
	}
	v.MoreReasons = more(len(r.Rows)-len(v.Reasons), "rule")
}

func part(n, of uint64) float64 {
	if of == 0 {
		return 0
	}
	return float64(n) / float64(of)
}

// sendersOf adds up by address who sent what was refused, the most first. Whose ends of a peer's packets were refused is
// known by their direction; why is known of captures, else only where one end sent all that was.
func sendersOf(p *protocol) []senderRow {
	s := p.stats
	find := map[netip.Addr]*senderRow{}
	var order []*senderRow
	add := func(a netip.AddrPort, t *stats.Tally) *senderRow {
		r := find[a.Addr()]
		if r == nil {
			r = &senderRow{Sender: peerText(a), Filter: peerText(a), kinds: map[string]uint64{}, ports: map[uint16]bool{}}
			find[a.Addr()] = r
			order = append(order, r)
		}
		if r.ports[a.Port()] = true; len(r.ports) > 1 {
			r.Sender, r.Filter = fmt.Sprintf("%s (%d ports)", a.Addr(), len(r.ports)), a.Addr().String()
		}
		r.sent += t.Packets()
		r.rejected += t.Rejected.Packets
		return r
	}
	for i := range s.Peers.Listed {
		row := &s.Peers.Listed[i]
		ends := []*senderRow{add(row.Peer, &row.Sent), add(row.With, &row.Got)}
		if p.packets != nil {
			continue
		}
		switch {
		case row.Got.Rejected.Packets == 0:
			ends = ends[:1]
		case row.Sent.Rejected.Packets == 0:
			ends = ends[1:]
		default:
			continue
		}
		for _, k := range row.Rejects {
			ends[0].kinds[k.Kind] += k.Packets
		}
	}
	if p.packets != nil {
		for _, r := range p.packets.reasons {
			if row := find[r.sender.Addr()]; row != nil {
				row.kinds[r.kind.String()] += r.packets
			}
		}
	}
	var out []senderRow
	for _, r := range order {
		if r.rejected == 0 {
			continue
		}
		r.Sent, r.Rejected, r.Share = grouped(r.sent), grouped(r.rejected), percent(part(r.rejected, r.sent))
		r.Kinds = kindsText(r.kinds, 0)
		out = append(out, *r)
	}
	slices.SortStableFunc(out, func(a, b senderRow) int { return cmp.Compare(b.rejected, a.rejected) })
	return out
}

// kindsText lists kinds, the most packets first; most 0 is all of them.
func kindsText(kinds map[string]uint64, most int) string {
	var words []string
	for k := range kinds {
		words = append(words, k)
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b)) })
	left := 0
	if most > 0 && len(words) > most {
		left = len(words) - most
		words = words[:most]
	}
	for i, k := range words {
		words[i] = fmt.Sprintf("%s × %s", grouped(kinds[k]), plain(k))
	}
	if left > 0 {
		words = append(words, fmt.Sprintf("%d more kinds", left))
	}
	return strings.Join(words, ", ")
}
