package report

import (
	"strconv"

	"github.com/pktscope/pktscope/report/stats"
)

// tallyTitles are the columns of a Tally.
var tallyTitles = []string{"packets", "accepted", "rejected", "cut", "needs_context", "payload_bits", "overhead_bits", "share"}

// tallied are the cells of a Tally, and of its share of payload.
func tallied(t *stats.Tally, share float64) (texts []string) {
	for _, n := range []uint64{t.Packets(), t.Accepted.Packets, t.Rejected.Packets, t.Cut.Packets, t.NeedsContext.Packets, t.PayloadBits(), t.Bits() - t.PayloadBits()} {
		texts = append(texts, strconv.FormatUint(n, 10))
	}
	return append(texts, plainFloat(share))
}

func plainFloat(v float64) string { return strconv.FormatFloat(v, 'g', 6, 64) }

// A statisticsTable is a table of statistics as CSV has it: a row of statisticsTables.
type statisticsTable struct {
	by     string
	titles []string
	rows   func(s *stats.Summary, row func(texts ...string))
}

var statisticsTables = []statisticsTable{
	{"case", append(append([]string{"case", "direction"}, tallyTitles...), "accepted_per_second"), func(s *stats.Summary, row func(texts ...string)) {
		for i := range s.Cases {
			c := &s.Cases[i]
			name := c.Case
			if c.Others {
				name = "(others)"
			}
			row(append(append([]string{name, c.Direction}, tallied(&c.Tally, c.Share)...), plainFloat(c.PerSecond))...)
		}
	}},
	{"direction", append([]string{"direction"}, tallyTitles...), func(s *stats.Summary, row func(texts ...string)) {
		for i := range s.Directions {
			d := &s.Directions[i]
			row(append([]string{d.Direction}, tallied(&d.Tally, d.Share)...)...)
		}
	}},
	{"peer", []string{"peer", "with", "sent", "sent_rejected", "sent_bits", "got", "got_rejected", "got_bits", "share", "sent_lost", "got_lost", "silences", "longest_silence_ms"}, func(s *stats.Summary, row func(texts ...string)) {
		for i := range s.Peers.Listed {
			p := &s.Peers.Listed[i]
			sent, got := p.Lost()
			texts := []string{p.Peer.String(), p.With.String()}
			for _, n := range []uint64{p.Sent.Packets(), p.Sent.Rejected.Packets, p.Sent.Bits(), p.Got.Packets(), p.Got.Rejected.Packets, p.Got.Bits()} {
				texts = append(texts, strconv.FormatUint(n, 10))
			}
			row(append(texts, plainFloat(p.Share), strconv.FormatUint(sent, 10), strconv.FormatUint(got, 10), strconv.FormatUint(p.Silent, 10), plainFloat(p.Longest))...)
		}
	}},
}

// StatisticsCSV reports whether AppendStatisticsCSV has a table of a word of --by, and which.
func StatisticsCSV(by string) bool { return csvTable(by) != nil }

func csvTable(by string) *statisticsTable {
	for i := range statisticsTables {
		if statisticsTables[i].by == by || by == "all" && i == 0 {
			return &statisticsTables[i]
		}
	}
	return nil
}

// AppendStatisticsCSV appends one table of the statistics of several protocols as CSV with a header. by is one for which
// StatisticsCSV is true.
func AppendStatisticsCSV(b []byte, all []*stats.Summary, by string) []byte {
	t := csvTable(by)
	return appendCSV(b, append([]string{"protocol"}, t.titles...), func(row func(texts ...string)) {
		for _, s := range all {
			t.rows(s, func(texts ...string) { row(append([]string{s.Protocol}, texts...)...) })
		}
	})
}
