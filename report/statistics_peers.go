package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// peers is the table of the first rows peers. The screen's last row is who was refused most, who may be far down.
func (x *statistics) peers(b []byte, rows int) []byte {
	list := x.Peers.Listed
	shown := list[:min(rows, len(list))]
	if worst := mostRejected(list); worst >= rows && rows > 0 {
		shown = append(append([]stats.PeerRow{}, list[:rows-1]...), list[worst])
	}
	title := "peer"
	if x.Peers.N > uint64(len(shown)) {
		title = fmt.Sprintf("%d peers", x.Peers.N)
		if x.Peers.About {
			title = fmt.Sprintf("about %d peers", x.Peers.N)
		}
		if rows < len(list) {
			title += " (--by peer)"
		}
	}
	t := table.New(title, "sent", x.lost(), "got", x.lost(), "rejected", "incomplete", "resent", "sealed", "silent", "of payload", "answered", "silent at the end")
	t.Left(0)
	for i := range shown {
		p := &shown[i]
		lostSent, lostGot := p.Lost()
		c := stats.ContextOf(p.Context)
		silent, acked, end := "", "", ""
		if p.Silent > 0 {
			silent = span(p.Longest)
			if p.Silent > 1 {
				silent = fmt.Sprintf("%d× %s", p.Silent, silent)
			}
		}
		if len(p.Acks) > 0 && p.Acks[0].N > 0 {
			acked = span(p.Acks[0].P50)
		}
		if p.QuietAtEnd > 0 {
			end = span(p.QuietAtEnd)
		}
		t.Row(p.Peer.String(), count(p.Sent.Packets()), count(lostSent), count(p.Got.Packets()), count(lostGot),
			count(p.Sent.Rejected.Packets+p.Got.Rejected.Packets), count(c.Incomplete()), count(c.Resent), count(c.Unopened()), silent, percent(p.Share), acked, end)
		t.Paint(2, x.style.note)
		t.Paint(4, x.style.note)
		t.Paint(5, x.style.refused)
		t.Paint(6, x.style.note)
		t.Paint(9, x.style.note)
	}
	if x.Peers.Rest != nil && rows >= len(list) {
		t.Note = fmt.Sprintf("and about %d more with %d packets", x.Peers.More, x.Peers.Rest.Packets())
	}
	return t.Append(b, x.columns, x.style.kind, x.style.dim)
}

func mostRejected(list []stats.PeerRow) int {
	at, most := -1, uint64(0)
	for i := range list {
		if n := list[i].Sent.Rejected.Packets + list[i].Got.Rejected.Packets; n > most {
			at, most = i, n
		}
	}
	return at
}

// trouble is every silence, and why peers' packets were refused or odd.
func (x *statistics) trouble(b []byte) []byte {
	if s := x.Silences; s != nil {
		for _, one := range s.Longest {
			after, before := one.Packets()
			b = x.line(b, "%s sent nothing for %s: after packet %s at %s, until packet %s", one.Sender, exactly(one.Length),
				syntax.EscapeText(after), one.From.Format("15:04:05.000"), syntax.EscapeText(before))
		}
		if s.More > 0 {
			b = x.line(b, "and %d more silences, none longer", s.More)
		}
	}
	for i := range x.Peers.Listed {
		p := &x.Peers.Listed[i]
		if len(p.Rejects) > 0 {
			b = x.line(b, "%s rejected: %s", p.Peer, strings.Join(kindList(p.Rejects), ", "))
		}
		if len(p.Notes) > 0 {
			b = x.line(b, "%s notes: %s", p.Peer, strings.Join(kindList(p.Notes), ", "))
		}
	}
	return b
}

// series is the packets over time, and those refused.
func (x *statistics) series(b []byte) []byte {
	n := len(x.Series.Buckets)
	if n < 2 {
		return b
	}
	const label, tail, usual = 9, 24, 80
	columns := x.columns
	if columns == unlimited {
		columns = usual
	}
	each := (n + columns - label - tail - 1) / (columns - label - tail)
	row := func(name string, value func(stats.Bucket) uint64) {
		var cells []float64
		for i, bucket := range x.Series.Buckets {
			if i%each == 0 {
				cells = append(cells, 0)
			}
			cells[len(cells)-1] += float64(value(bucket))
		}
		width := x.Series.Width * float64(each)
		cells = x.Rates(x.Series.Start, width, cells)
		most := slices.Max(cells)
		if most == 0 {
			return
		}
		b = x.line(b, "%-*s%s  max %s/s in %s", label, name, spark(cells, most), strings.TrimRight(unit(most), " "), span(width*1e3))
	}
	row("packets", func(c stats.Bucket) uint64 { return c.Packets })
	if x.Total.Rejected.Packets > 0 {
		row("rejected", func(c stats.Bucket) uint64 { return c.Rejected })
	} else {
		row("bits", func(c stats.Bucket) uint64 { return c.PayloadBits + c.OverheadBits })
	}
	return b
}

// spark draws numbers as bars of one cell; none is a dot, so that a little is told from nothing.
func spark(cells []float64, most float64) string {
	bars := []rune("▁▂▃▄▅▆▇█")
	var out []rune
	for _, c := range cells {
		if c == 0 {
			out = append(out, '·')
			continue
		}
		out = append(out, bars[min(int(c/most*float64(len(bars))), len(bars)-1)])
	}
	return string(out)
}

// count is a number, empty for 0: what is not there is not looked at.
func count(n uint64) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func percent(part float64) string { return fmt.Sprintf("%.1f%%", 100*part) }

func perSecond(n float64) string {
	if n == 0 {
		return ""
	}
	return strings.TrimRight(scaled(n, 3), " ")
}

// unit is a number with four digits and a decimal prefix: "12.34 k".
func unit(n float64) string { return scaled(n, 4) }

func scaled(n float64, digits int) string {
	for _, u := range []struct {
		from   float64
		prefix string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= u.from*(1-0.5*math.Pow10(-digits)) { // what would be rounded up to it
			return fmt.Sprintf("%.*g %s", digits, n/u.from, u.prefix)
		}
	}
	return fmt.Sprintf("%.*g ", digits, n)
}

// span is a duration given in ms, in the unit that reads best.
func span(ms float64) string {
	switch {
	case ms >= 3600e3:
		return fmt.Sprintf("%.4g h", ms/3600e3)
	case ms >= 999.5:
		return fmt.Sprintf("%.4g s", ms/1e3)
	case ms >= 0.9995 || ms == 0:
		return fmt.Sprintf("%.3g ms", ms)
	}
	return fmt.Sprintf("%.3g µs", ms*1e3)
}

// exactly is a duration given in ms, in s to the µs.
func exactly(ms float64) string { return fmt.Sprintf("%.6f s", ms/1e3) }
