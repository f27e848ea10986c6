package report

import (
	"fmt"
	"math"
	"net/netip"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/report/internal/table"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/stats"
)

// StatisticsOptions chooses what AppendStatistics shows.
type StatisticsOptions struct {
	// By is all: the essentials on one screen of 24 lines, and of messages the sums; or one table as a whole: case,
	// direction or peer; or message: all of messages, and of packets the sums.
	By      string
	Colour  bool
	Columns int // cells of a line, 0 without a limit; at least 40 are used
}

// The rows of the first screen. With three lines of sums, a line for each of acknowledgements (two at most), silences
// and rejects, the titles and two lines of the series these are 22 or 23 lines: with a prompt they fit 24.
const (
	screenCases    = 4
	screenCounters = 3
	screenPeers    = 4
	screenAcks     = 2
)

// AppendStatistics appends what was counted of one protocol, for eyes. All text in it is escaped.
func AppendStatistics(b []byte, s *stats.Summary, o StatisticsOptions) []byte {
	x := statistics{Summary: s, style: newStyle(o.Colour), columns: columnsOf(o.Columns)}
	x.sums = o.By == "all"
	x.cut = x.sums && x.columns >= 80
	b = x.head(b)
	switch o.By {
	case "message":
		if s.Messages {
			b = x.messages(b)
		}
	case "case":
		b = x.cases(b, len(s.Cases))
		b = x.counters(b, len(s.Sequences))
		b = x.cadences(b)
	case "direction":
		b = x.directions(b)
		b = x.counters(b, len(s.Sequences))
	case "peer":
		b = x.peers(b, len(s.Peers.Listed))
		b = x.trouble(b)
	default:
		if s.Messages {
			break
		}
		b = x.cases(b, screenCases)
		b = x.counters(b, screenCounters)
		b = x.acks(b)
		b = x.silences(b)
		b = x.rejects(b)
		b = x.peers(b, screenPeers)
		b = x.series(b)
	}
	return b
}

// unlimited is the columns of what is no terminal: nothing is cut there.
const unlimited = math.MaxInt32

func columnsOf(n int) int {
	if n == 0 {
		return unlimited
	}
	return max(n, 40)
}

type statistics struct {
	*stats.Summary
	style   style
	columns int
	cut     bool // lines that are too wide
	sums    bool // the essentials: of messages the sums alone
}

// messages is all that was counted of messages.
func (x *statistics) messages(b []byte) []byte {
	b = x.cases(b, len(x.Cases))
	b = x.counters(b, len(x.Sequences))
	b = x.cadences(b)
	b = x.acks(b)
	b = x.silences(b)
	b = x.rejects(b)
	b = x.peers(b, len(x.Peers.Listed))
	return x.series(b)
}

// things is what was counted.
func (x *statistics) things() string {
	if x.Messages {
		return "message"
	}
	return "packet"
}

// line appends a line. Where it is wider than the terminal it goes on below, indented; on the first screen, which in
// 80 columns has no line to spare, it is cut.
func (x *statistics) line(b []byte, format string, args ...any) []byte {
	const indent = "    "
	width, text := x.columns, fmt.Sprintf(format, args...)
	if x.cut {
		text = table.Fit(text, width)
	}
	for {
		r := []rune(text)
		if len(r) <= width {
			return append(append(b, text...), '\n')
		}
		end := width
		for end > width/2 && r[end] != ' ' {
			end--
		}
		b = append(append(append(b, strings.TrimRight(string(r[:end]), " ")...), '\n'), indent...)
		width, text = x.columns-len(indent), strings.TrimLeft(string(r[end:]), " ")
	}
}

// listing appends a line of so many items as fit it, one at least, and how many of what are left out.
func (x *statistics) listing(b []byte, title string, items []string, what string) []byte {
	for n := len(items); ; n-- {
		text := title + ": " + strings.Join(items[:n], ", ")
		if left := len(items) - n; left > 0 {
			text += fmt.Sprintf(", %d more%s", left, what)
		}
		if n == 1 || utf8.RuneCountInString(text) <= x.columns {
			return x.line(b, "%s", text)
		}
	}
}

// head is three lines of sums, of messages two to four.
func (x *statistics) head(b []byte) []byte {
	t := &x.Total
	notes := ""
	for _, n := range x.Notes {
		notes += fmt.Sprintf("  %d %s", n.Packets, n.Kind)
	}
	when := ""
	if !x.First.IsZero() {
		when = fmt.Sprintf(" in %s from %s UTC", span(x.Seconds*1e3), x.First.Format("2006-01-02 15:04:05"))
	}
	c := stats.ContextOf(x.Context)
	n := t.Packets() + c.Unread + c.UnreadRejected + c.Incomplete()
	b = x.line(b, "%s: %s%s%s", syntax.EscapeText(x.Protocol), syntax.Count(n, x.things()), when, x.rate(float64(n), x.things()+"s/s"))
	cut := ""
	if t.Cut.Packets > 0 {
		cut = fmt.Sprintf("  %d cut by the capture", t.Cut.Packets)
	}
	if t.NeedsContext.Packets > 0 {
		cut += fmt.Sprintf("  %d need context", t.NeedsContext.Packets)
	}
	b = x.line(b, "%d accepted  %d rejected%s%s%s", t.Accepted.Packets+c.Unread, t.Rejected.Packets+c.UnreadRejected, cut, x.incomplete(&c), notes)
	b = x.pieces(b, &c)
	if x.Messages && x.sums {
		return x.gaps(b)
	}
	payload := float64(t.PayloadBits())
	over := ""
	if n := float64(t.Bits()) - payload; n > 0 || !x.Messages { // a message by itself has no header of IP and UDP
		over = fmt.Sprintf("; IP and UDP %sbit%s", unit(n), x.rate(n, "bit/s"))
	}
	b = x.line(b, "payload %sbit%s%s", unit(payload), x.rate(payload, "bit/s"), over)
	return x.gaps(b)
}

// gaps is a line for all pieces of the captures that are missing, and one for each thing that was not counted.
func (x *statistics) gaps(b []byte) []byte {
	if x.MissingPieces > 0 {
		b = x.style.refused.Append(b, fmt.Sprintf("incomplete: %d of %s missing: %s", x.MissingPieces, syntax.Count(x.Pieces, "piece"), strings.Join(x.Missing, ", ")))
		b = append(b, '\n')
	}
	for _, line := range x.Incomplete {
		b = x.style.refused.Append(b, "incomplete: "+syntax.EscapeText(line))
		b = append(b, '\n')
	}
	return b
}

// incomplete is "  1 incomplete (1 at the end)", or nothing.
func (x *statistics) incomplete(c *stats.Context) string {
	if c.Incomplete() == 0 {
		return ""
	}
	return fmt.Sprintf("  %d incomplete (%s)", c.Incomplete(), counted(c.Missing, "missing pieces", c.Evicted, "evicted", c.End, "at the end"))
}

// pieces is a line on the pieces of messages, those that were not looked at, and what stayed sealed; none without any.
func (x *statistics) pieces(b []byte, c *stats.Context) []byte {
	var items []string
	if c.Pieces > 0 {
		items = append(items, syntax.Count(c.Pieces, "piece"))
	}
	if c.Resent+c.Conflicting > 0 {
		items = append(items, counted(c.Resent, "resent", c.Conflicting, "conflicting"))
	}
	if c.Unread+c.UnreadRejected > 0 {
		items = append(items, fmt.Sprintf("%d not looked at", c.Unread+c.UnreadRejected))
	}
	if c.Unopened() > 0 {
		items = append(items, fmt.Sprintf("%d not opened (%s)", c.Unopened(), counted(c.NoKey, decode.NoKey, c.WrongKey, decode.WrongKey, c.AuthFailed, decode.AuthFailed)))
	}
	if len(items) == 0 {
		return b
	}
	return x.line(b, "%s", strings.Join(items, ", "))
}

// counted is "3 resent, 1 conflicting" of pairs of a number and what it is of, without those that are 0.
func counted(pairs ...any) string {
	var items []string
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i].(uint64) > 0 {
			items = append(items, fmt.Sprint(pairs[i], " ", pairs[i+1]))
		}
	}
	return strings.Join(items, ", ")
}

// rate is ", 12.3 kbit/s", or nothing where no time passed.
func (x *statistics) rate(n float64, what string) string {
	if x.Seconds == 0 {
		return ""
	}
	return ", " + unit(n/x.Seconds) + what
}

// shownCase is a case's name in a table.
func shownCase(c *stats.CaseRow) string {
	switch {
	case c.Others:
		return "(others)"
	case c.Case == "":
		return "-"
	}
	return syntax.EscapeText(c.Case)
}

// cases is the table of the first rows cases.
func (x *statistics) cases(b []byte, rows int) []byte {
	title := "case"
	if len(x.Cases) > rows {
		title = fmt.Sprintf("%d cases (--by case)", len(x.Cases))
	}
	t := table.New("", title, x.things()+"s", "rejected", "of payload", "per second", "jitter p50", "p99", "cut", "bytes")
	t.Left(0, 1)
	for _, c := range x.Cases[:min(rows, len(x.Cases))] {
		rate, p50, p99 := perSecond(c.PerSecond), "", ""
		if e := c.Every; e != nil && e.Interval.N > 0 {
			rate = fmt.Sprintf("%.1f Hz of %.4g", e.Rate, 1e3/e.Nominal)
			p50, p99 = span(e.Jitter.P50), span(e.Jitter.P99)
		}
		size := ""
		if n := c.Accepted.Packets; n > 0 {
			size = fmt.Sprintf("%.0f", float64(c.Accepted.PayloadBits)/8/float64(n))
		}
		t.Row(arrow(c.Direction), shownCase(&c), count(c.Accepted.Packets), count(c.Rejected.Packets), percent(c.Share), rate, p50, p99, count(c.Cut.Packets), size)
		t.Paint(0, x.direction(c.Direction))
		t.Paint(3, x.style.refused)
	}
	return t.Append(b, x.columns, x.style.kind, x.style.dim)
}

// cadences is the intervals of cases with @every, one line each.
func (x *statistics) cadences(b []byte) []byte {
	for _, c := range x.Cases {
		if e := c.Every; e != nil && e.Interval.N > 0 {
			b = x.line(b, "%s %s every %s: mean %s, p50 %s, p90 %s, p99 %s, max %s of %s", arrow(c.Direction), syntax.EscapeText(c.Case), span(e.Nominal),
				span(e.Interval.Mean), span(e.Interval.P50), span(e.Interval.P90), span(e.Interval.P99), span(e.Interval.Max), syntax.Count(e.Interval.N, "interval"))
		}
	}
	return b
}

// lost is what the packets are called that no counter saw. What the capture cut may be among them: that its counter was
// not read does not say that the network lost it.
func (x *statistics) lost() string {
	if x.Total.Cut.Packets > 0 {
		return "lost or cut"
	}
	return "lost"
}

func (x *statistics) counters(b []byte, rows int) []byte {
	title := "counter"
	if len(x.Sequences) > rows {
		title = fmt.Sprintf("%d counters (--by case)", len(x.Sequences))
	}
	t := table.New("", title, "received", x.lost(), "", "duplicated", "reordered", "stray", "restarts", "unsettled")
	t.Left(0, 1)
	for _, s := range x.Sequences[:min(rows, len(x.Sequences))] {
		lost := ""
		if s.Lost > 0 {
			lost = percent(float64(s.Lost) / float64(s.Lost+s.Received))
		}
		t.Row(arrow(s.Direction), syntax.EscapeText(s.Field), count(s.Received), fmt.Sprint(s.Lost), lost, fmt.Sprint(s.Duplicated), fmt.Sprint(s.Reordered),
			count(s.Strays), count(s.Restarts), count(s.Unsettled))
		t.Paint(0, x.direction(s.Direction))
		if s.Lost > 0 {
			t.Paint(3, x.style.note)
		}
	}
	return t.Append(b, x.columns, x.style.kind, x.style.dim)
}

func (x *statistics) acks(b []byte) []byte {
	for i, a := range x.Acks {
		if i == screenAcks {
			break
		}
		of, unsettled := syntax.EscapeText(a.Of), ""
		if a.Unsettled > 0 {
			unsettled = fmt.Sprintf("; %d unsettled", a.Unsettled)
		}
		if a.N == 0 {
			b = x.line(b, "%s: what is acknowledged was never sent%s", of, unsettled)
			continue
		}
		b = x.line(b, "%s answered in: p50 %s, p99 %s, max %s%s", of, span(a.P50), span(a.P99), span(a.Max), unsettled)
	}
	return b
}

func (x *statistics) silences(b []byte) []byte {
	if x.Silences == nil {
		return b
	}
	s := x.Silences
	if s.N == 0 {
		return x.line(b, "silent over %s: nobody", span(s.Timeout))
	}
	var senders []netip.AddrPort
	lengths := map[netip.AddrPort][]float64{}
	for _, one := range s.Longest {
		if lengths[one.Sender] == nil {
			senders = append(senders, one.Sender)
		}
		lengths[one.Sender] = append(lengths[one.Sender], one.Length)
	}
	var items []string
	for _, sender := range senders {
		text := sender.String()
		if all := lengths[sender]; len(all) > 3 {
			text += fmt.Sprintf(" %d× up to %s", len(all), span(all[0]))
		} else {
			for _, one := range all {
				text += " " + span(one)
			}
		}
		items = append(items, text)
	}
	if s.More > 0 {
		return x.listing(b, fmt.Sprintf("%d× silent over %s", s.N, span(s.Timeout)), items, " (--by peer)")
	}
	return x.listing(b, "silent over "+span(s.Timeout), items, " (--by peer)")
}

// rejects is the kinds of rejects that fit a line.
func (x *statistics) rejects(b []byte) []byte {
	if len(x.Rejects) == 0 {
		return b
	}
	return x.listing(b, "rejected", kindList(x.Rejects), " kinds")
}

func kindList(list []stats.KindRow) []string {
	var words []string
	for _, k := range list {
		words = append(words, fmt.Sprintf("%d %s", k.Packets, k.Kind))
	}
	return words
}

func (x *statistics) directions(b []byte) []byte {
	t := table.New("", "from", x.things()+"s", "of payload", "payload", "IP and UDP", "rejected")
	t.Left(0, 1)
	for _, d := range x.Directions {
		payload := d.PayloadBits()
		t.Row(arrow(d.Direction), d.Direction, count(d.Accepted.Packets), percent(d.Share), unit(float64(payload))+"bit",
			unit(float64(d.Bits()-payload))+"bit", count(d.Rejected.Packets))
		t.Paint(0, x.direction(d.Direction))
		t.Paint(6, x.style.refused)
	}
	return t.Append(b, x.columns, x.style.kind, x.style.dim)
}

func (x *statistics) direction(d string) table.Paint {
	switch d {
	case "client":
		return x.style.client
	case "server":
		return x.style.server
	}
	return table.Paint{}
}

func arrow(direction string) string {
	switch direction {
	case "client":
		return "C→S"
	case "server":
		return "S→C"
	}
	return "→"
}
