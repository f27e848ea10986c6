package page

import (
	"cmp"
	"fmt"
	"html/template"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// How the game's connection was, in five numbers: what was lost, how long answers took, how regularly packets came,
// silences, bits a second.

// tile is one of them.
type tile struct {
	Name, Value, Note string
	Known             bool
	Spark             template.HTML
	To                string // the plot, "" without one
}

// Figures are those of the value, each of which stays on one line with its unit.
func (t tile) Figures() []string { return strings.Split(t.Value, " / ") }

// newHealth is nil where there are no packets.
func newHealth(id string, s *stats.Summary, v *timeView) []tile {
	if s.Total.Packets() == 0 {
		return nil
	}
	list := []tile{lossTile(s), answerTile(s), jitterTile(s), silenceTile(s), rateTile(s)}
	for i, what := range []string{"loss", "rtt", "jitter", "packets", "bits"} {
		to := "time-" + id + "-" + what
		if v != nil && slices.ContainsFunc(v.Plots, func(p *plot) bool { return p.ID == to }) {
			list[i].To = to
		}
	}
	return list
}

func lossTile(s *stats.Summary) tile {
	var sides, shares, counts []string
	var counted []schema.Direction
	unit := " counted packets"
	for _, side := range lossSides {
		if lost, received, counters := lossOf(s.Sequences, side); received > 0 {
			if counters > 1 {
				unit = ", all counters (@seq) together"
			}
			sides, shares = append(sides, side.String()), append(shares, percent(saved.Share(lost, lost+received)))
			counts = append(counts, table.Grouped(lost)+" of "+table.Grouped(lost+received))
			counted = append(counted, side)
		}
	}
	if sides == nil {
		return tile{Name: "Lost", Value: "unknown", Note: "no field that came has @seq"}
	}
	return tile{Name: "Lost from " + strings.Join(sides, " / "), Known: true, Value: strings.Join(shares, " / "), Note: strings.Join(counts, " / ") + unit,
		Spark: sparkLine(s, "cr", values(s, func(m *stats.Moment) float64 {
			worst := math.NaN()
			for _, side := range counted {
				if v := lossShare(m, side); math.IsNaN(worst) || v > worst {
					worst = v
				}
			}
			return worst
		}))}
}

func answerTile(s *stats.Summary) tile {
	t := tile{Name: "RTT p50 / p99", Value: "unknown", Note: "no field that came has @ack"}
	if len(s.Acks) == 0 {
		return t
	}
	a := slices.MaxFunc(s.Acks, func(a, b stats.AckRow) int { return cmp.Compare(a.N, b.N) })
	if a.N == 0 {
		return t
	}
	return tile{Name: t.Name, Known: true, Value: about(a.P50) + " / " + about(a.P99), Note: "from " + plain(a.Of) + " to its @ack",
		Spark: sparkLine(s, "c3", values(s, func(m *stats.Moment) float64 { return known(&m.Latency, m.Latency.P50) }))}
}

func jitterTile(s *stats.Summary) tile {
	t := tile{Name: "Jitter p50 / p99", Value: "unknown", Note: "no case that came has @every"}
	var best *stats.CaseRow
	for i := range s.Cases {
		c := &s.Cases[i]
		if c.Every != nil && c.Every.Jitter.N > 0 && (best == nil || c.Every.Jitter.N > best.Every.Jitter.N) {
			best = c
		}
	}
	if best == nil {
		return t
	}
	e := best.Every
	return tile{Name: t.Name, Known: true, Value: about(e.Jitter.P50) + " / " + about(e.Jitter.P99),
		Note:  fmt.Sprintf("%s, every %s: %.3g a second of %.3g", plain(best.Case), milliseconds(e.Nominal), e.Rate, 1e3/e.Nominal),
		Spark: sparkLine(s, "c5", values(s, func(m *stats.Moment) float64 { return known(&m.Jitter, m.Jitter.P99) }))}
}

func silenceTile(s *stats.Summary) tile {
	l := s.Silences
	if l == nil {
		return tile{Name: "Silences", Value: "unknown", Note: "the schema has no expect timeout"}
	}
	t := tile{Name: "Silences", Known: true, Value: table.Grouped(l.N), Note: "nobody for longer than " + milliseconds(l.Timeout)}
	if len(l.Longest) > 0 {
		one := &l.Longest[0]
		t.Note = fmt.Sprintf("longest %s: %s, from %s", milliseconds(one.Length), peerText(one.Sender), clock(one.From, 0))
	}
	st := newStretch(s)
	if st.seconds > 0 {
		var b strings.Builder
		for _, one := range l.Longest[:min(len(l.Longest), maxSilences)] {
			from, to := st.x(one.From), st.x(one.Until)
			fmt.Fprintf(&b, `<rect class="cr" x="%s" y="0" width="%s" height="%d"/>`, short(from), short(max(to-from, 20)), plotHeight)
		}
		t.Spark = sparkOf(b.String())
	}
	return t
}

func rateTile(s *stats.Summary) tile {
	if s.Seconds <= 0 {
		return tile{Name: "Payload a second", Value: "unknown", Note: "the packets have one time or none"}
	}
	t := tile{Name: "Payload a second", Known: true, Value: bitRate(float64(s.Total.PayloadBits()) / s.Seconds),
		Note: bitRate(float64(s.Total.Bits())/s.Seconds) + " with IP and UDP"}
	t.Spark = sparkLine(s, "c0", rates(s, func(m *stats.Moment) float64 { return float64(m.PayloadBits) }))
	return t
}

func known(s *stats.Spread, v float64) float64 {
	if s.N == 0 {
		return math.NaN()
	}
	return v
}

// sparkLine is a small plot of a timeline, "" without one.
func sparkLine(s *stats.Summary, class string, values []float64) template.HTML {
	l := s.Timeline
	if l == nil {
		return ""
	}
	most := 0.0
	for _, v := range values {
		if v > most { // so it is none that is NaN
			most = v
		}
	}
	r := row{newStretch(s), l.Start, l.Width, len(values)}
	return sparkOf(fmt.Sprintf(`<path class="line %s" d="%s"/>`, class, linePath(r, values, roundUp(most)*1.05)))
}

// sparkOf is a small plot of shapes of ours.
func sparkOf(shapes string) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="trend" viewBox="0 0 %d %d" preserveAspectRatio="none" aria-hidden="true">%s</svg>`, plotWidth, plotHeight+10, shapes))
}
