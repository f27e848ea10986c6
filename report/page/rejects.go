package page

import (
	"cmp"
	"fmt"
	"html/template"
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
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

// senderRow is an endpoint that sent what was refused.
type senderRow struct {
	Sender, Sent, Rejected, Share, Kinds string
	at                                   netip.AddrPort
	sent, rejected                       uint64
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
		v.Rejected = s.Total.Rejected.Packets
		series := map[string][]uint64{}
		for _, k := range s.Series.Rejects {
			series[k.Kind] = k.Packets
		}
		for _, k := range s.Rejects {
			v.Kinds = append(v.Kinds, kindRow{plain(k.Kind), meaning(k.Kind), table.Grouped(k.Packets), percent(saved.Share(k.Packets, v.Rejected)), spark("bad", ratesOf(p.stats, series[k.Kind]))})
		}
		senders := sendersOf(p)
		v.Senders = senders[:min(len(senders), maxSenders)]
		v.MoreSenders = more(len(senders)-len(v.Senders), "sender")
	}
	if r := p.rejects; r != nil {
		v.Rejected = max(v.Rejected, r.Rejected)
		v.reasons(r, id, p.packets != nil)
	}
	return v
}

// reasons are the fields by sender, the most packets first. Where the list has the packets, the first of each is a
// link.
func (rv *rejectsView) reasons(r *rejects.Result, id string, linked bool) {
	files := ""
	if len(r.Files) > 1 || r.MoreFiles {
		files = " of "
	}
	first := func(n int64, file string) string {
		if files == "" || file == "" {
			return fmt.Sprint("packet ", n)
		}
		return fmt.Sprint("packet ", n, files, plain(file))
	}
	type counted struct {
		reasonRow
		packets uint64
	}
	var list []counted
	for i := range r.Rows {
		x := &r.Rows[i]
		left := x.Packets
		for _, s := range x.Senders {
			left -= min(left, s.Packets)
			one := reasonRow{Place: placeOf(x), Kind: plain(x.Kind), Sender: peerText(s.Sender), First: first(s.N, s.File)}
			if linked {
				one.N, one.File, one.Protocol = s.N, plain(s.File), id
			}
			list = append(list, counted{one, s.Packets})
		}
		if left > 0 {
			one := reasonRow{Place: placeOf(x), Kind: plain(x.Kind), Sender: "first: " + peerText(x.First.Src), First: first(x.First.N, x.First.File)}
			if x.Senders != nil {
				one.Sender, one.First = "others", ""
			}
			list = append(list, counted{one, left})
		}
	}
	slices.SortStableFunc(list, func(a, b counted) int { return cmp.Compare(b.packets, a.packets) })
	for _, one := range list[:min(len(list), maxReasonRows)] {
		one.Packets = table.Grouped(one.packets)
		rv.Reasons = append(rv.Reasons, one.reasonRow)
	}
	if n := uint64(len(list) - len(rv.Reasons)); n > 0 {
		rv.MoreReasons = fmt.Sprintf("%s are not listed", table.Count(n, "rarer reason"))
	}
}

// placeOf is the field of a rule, as every list has it: "packet" for the packet itself, * for an index.
func placeOf(x *rejects.Row) string {
	return plain(anyIndex(results.PlaceName(x.First.Path, x.Rule)))
}

// anyIndex is a path with its indexes as *.
func anyIndex(path string) string {
	b := make([]byte, 0, len(path))
	for i := 0; i < len(path); i++ {
		b = append(b, path[i])
		if path[i] == '[' {
			for i+1 < len(path) && path[i+1] != ']' {
				i++
			}
			b = append(b, '*')
		}
	}
	return string(b)
}

// sendersOf adds up by endpoint who sent what was refused, the most first: a server that answers on the address of its
// clients is not one of them. Whose ends of a peer's packets were refused is known by their direction. Why is known
// from the rejects by rule, where they have senders, else only where one end sent all that was.
func sendersOf(p *protocol) []senderRow {
	find := map[netip.AddrPort]*senderRow{}
	var order []*senderRow
	add := func(a netip.AddrPort, t *stats.Tally) *senderRow {
		r := find[a]
		if r == nil {
			r = &senderRow{Sender: peerText(a), at: a, kinds: map[string]uint64{}}
			find[a] = r
			order = append(order, r)
		}
		r.sent += t.Packets()
		r.rejected += t.Rejected.Packets
		return r
	}
	known := p.rejects != nil && p.rejects.HasSenders()
	for i := range p.stats.Peers.Listed {
		row := &p.stats.Peers.Listed[i]
		ends := []*senderRow{add(row.Peer, &row.Sent), add(row.With, &row.Got)}
		switch {
		case known:
			continue
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
	if known {
		for i := range p.rejects.Rows {
			x := &p.rejects.Rows[i]
			for _, s := range x.Senders {
				if row := find[s.Sender]; row != nil {
					row.kinds[x.Kind] += s.Packets
				}
			}
		}
	}
	var out []senderRow
	for _, r := range order {
		if r.rejected == 0 {
			continue
		}
		r.Sent, r.Rejected, r.Share = table.Grouped(r.sent), table.Grouped(r.rejected), percent(saved.Share(r.rejected, r.sent))
		r.Kinds = kindsText(r.kinds, 0)
		out = append(out, *r)
	}
	slices.SortStableFunc(out, func(a, b senderRow) int {
		return cmp.Or(cmp.Compare(b.rejected, a.rejected), cmp.Compare(b.sent, a.sent), a.at.Compare(b.at))
	})
	return out
}

// kindsText lists kinds, the most packets first; most 0 is all of them.
func kindsText(kinds map[string]uint64, most int) string {
	var all []string
	for k := range kinds {
		all = append(all, k)
	}
	slices.SortFunc(all, func(a, b string) int { return cmp.Or(cmp.Compare(kinds[b], kinds[a]), cmp.Compare(a, b)) })
	left := 0
	if most > 0 && len(all) > most {
		left = len(all) - most
		all = all[:most]
	}
	for i, k := range all {
		all[i] = fmt.Sprintf("%s × %s", table.Grouped(kinds[k]), plain(k))
	}
	if left > 0 {
		all = append(all, fmt.Sprintf("%d more kinds", left))
	}
	return strings.Join(all, ", ")
}
