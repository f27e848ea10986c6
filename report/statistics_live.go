package report

import (
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// LiveOptions say how AppendLive shows statistics that are still being counted.
type LiveOptions struct {
	Colour  bool
	Columns int // cells of a line, 0 without a limit; at least 40 are used
	Cases   int // rows of cases, the busiest first; 0 means all
	// Passed is the time since the summary before, over which rates are.
	Passed time.Duration
}

// AppendLive appends what was counted of one protocol, and at which rates since the summary before, which is nil the
// first time: per case, losses, rejects by kind, who is silent. All text in it is escaped.
func AppendLive(b []byte, before, s *stats.Summary, o LiveOptions) []byte {
	x := statistics{Summary: s, style: newStyle(o.Colour), columns: columnsOf(o.Columns), cut: true}
	if before == nil {
		before = &stats.Summary{}
	}
	rate := func(now, then uint64) float64 {
		if o.Passed <= 0 || now < then {
			return 0
		}
		return float64(now-then) / o.Passed.Seconds()
	}
	t, was := &s.Total, &before.Total
	c := stats.ContextOf(s.Context)
	b = x.line(b, "%s: %s%ss/s, %sbit/s; since the start %s, %d rejected%s", syntax.EscapeText(s.Protocol), scaled(rate(t.Packets(), was.Packets()), 3),
		x.things(), scaled(rate(t.Bits(), was.Bits()), 3), syntax.Count(t.Packets(), x.things()), t.Rejected.Packets, x.incomplete(&c))
	b = x.pieces(b, &c)
	b = x.liveCases(b, before, rate, o.Cases)
	b = x.liveLosses(b)
	if len(s.Rejects) > 0 {
		b = x.rejects(b)
	}
	return x.silentNow(b)
}

// liveCases is the table of cases, those with the most bits first.
func (x *statistics) liveCases(b []byte, before *stats.Summary, rate func(now, then uint64) float64, rows int) []byte {
	type key struct {
		name, direction string
		others          bool
	}
	then := map[key]*stats.CaseRow{}
	for i := range before.Cases {
		c := &before.Cases[i]
		then[key{c.Case, c.Direction, c.Others}] = c
	}
	if rows <= 0 || rows > len(x.Cases) {
		rows = len(x.Cases)
	}
	t := table.New("", "case", x.things()+"s/s", "bit/s", x.things()+"s", "rejected", "rejected/s")
	t.Left(0, 1)
	for i := range x.Cases[:rows] {
		c := &x.Cases[i]
		old := then[key{c.Case, c.Direction, c.Others}]
		if old == nil {
			old = &stats.CaseRow{}
		}
		t.Row(arrow(c.Direction), shownCase(c), perSecond(rate(c.Packets(), old.Packets())), perSecond(rate(c.Bits(), old.Bits())),
			count(c.Packets()), count(c.Rejected.Packets), perSecond(rate(c.Rejected.Packets, old.Rejected.Packets)))
		t.Paint(0, x.direction(c.Direction))
		t.Paint(5, x.style.refused)
		t.Paint(6, x.style.refused)
	}
	if left := len(x.Cases) - rows; left > 0 {
		t.Note = fmt.Sprintf("%d more cases", left)
	}
	return t.Append(b, x.columns, x.style.kind, x.style.dim)
}

// liveLosses is a line of the counters that lost something; also when none did, so that it is seen that somebody looks.
func (x *statistics) liveLosses(b []byte) []byte {
	if len(x.Sequences) == 0 {
		return b
	}
	var items []string
	for _, s := range x.Sequences {
		if s.Lost > 0 {
			items = append(items, fmt.Sprintf("%s %s %d (%s)", arrow(s.Direction), syntax.EscapeText(s.Field), s.Lost, percent(float64(s.Lost)/float64(s.Lost+s.Received))))
		}
	}
	if len(items) == 0 {
		return x.line(b, "lost: nothing")
	}
	return x.listing(b, "lost", items, " counters")
}

// silentNow is who has sent nothing for longer than `expect timeout`; nothing where the schema has none.
func (x *statistics) silentNow(b []byte) []byte {
	if x.Silences == nil {
		return b
	}
	var items []string
	for _, p := range x.Peers.Listed {
		if p.QuietAtEnd > 0 {
			items = append(items, fmt.Sprintf("%s for %s", p.Peer, span(p.QuietAtEnd)))
		}
	}
	if len(items) == 0 {
		return x.line(b, "silent over %s: nobody", span(x.Silences.Timeout))
	}
	return x.listing(b, "silent over "+span(x.Silences.Timeout), items, "")
}
