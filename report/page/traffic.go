package page

import (
	"fmt"
	"html/template"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// What went over the wire: cases, counters, silences.

// maxLayers is how many cases a chart has colours for; the others are one layer.
const maxLayers = 7

// caseRow is a case from one side.
type caseRow struct {
	Case, From, Accepted, Rejected, Cut, Share, Rate, Every, Jitter, Bytes string
	SortAccepted, SortRejected                                             uint64
	SortShare                                                              float64
	Spark                                                                  template.HTML
}

// counterRow is a counter from one side.
type counterRow struct{ Field, From, Received, Lost, Duplicated, Reordered, Strays, Restarts string }

// silenceRow is a silence.
type silenceRow struct{ Sender, Receiver, From, Length, Between string }

// trafficView is what went over the wire.
type trafficView struct {
	Cases    []caseRow
	Counters []counterRow
	Answers  []string
	Silences []silenceRow
	SilentOf string // the timeout, "" without one
	More     string // silences that are not listed
}

// maxSilences is how many silences the page lists.
const maxSilences = 20

func newTraffic(s *stats.Summary) *trafficView {
	v := &trafficView{}
	series := map[string][]uint64{}
	for _, c := range s.Series.Cases {
		series[c.Case] = c.Packets
	}
	for i := range s.Cases {
		c := &s.Cases[i]
		r := caseRow{
			Case: caseName(c), From: c.Direction, Accepted: table.Grouped(c.Accepted.Packets), Rejected: blankZero(c.Rejected.Packets),
			Cut: blankZero(c.Cut.Packets), Share: percent(c.Share), SortAccepted: c.Accepted.Packets, SortRejected: c.Rejected.Packets, SortShare: c.Share,
		}
		if n := c.Accepted.Packets; n > 0 {
			r.Bytes = fmt.Sprintf("%.0f", float64(c.Accepted.PayloadBits)/8/float64(n))
			r.Rate = perSecond(c.PerSecond) + " /s"
			if !c.Others { // the series does not tell sides apart: it is with the first
				r.Spark = spark("ok", ratesOf(s, series[c.Case]))
				delete(series, c.Case)
			}
		}
		if e := c.Every; e != nil && e.Interval.N > 0 {
			r.Every = fmt.Sprintf("%.3g Hz of %.3g", e.Rate, 1e3/e.Nominal)
			r.Jitter = milliseconds(e.Jitter.P50) + " / " + milliseconds(e.Jitter.P99)
		}
		v.Cases = append(v.Cases, r)
	}
	for i := range s.Sequences {
		q := &s.Sequences[i]
		lost := blankZero(q.Lost)
		if q.Lost > 0 {
			lost += " (" + percent(float64(q.Lost)/float64(q.Lost+q.Received)) + ")"
		}
		v.Counters = append(v.Counters, counterRow{
			plain(q.Field), q.Direction, table.Grouped(q.Received), lost, blankZero(q.Duplicated), blankZero(q.Reordered), blankZero(q.Strays), blankZero(q.Restarts),
		})
	}
	for i := range s.Acks {
		a := &s.Acks[i]
		if a.N > 0 {
			v.Answers = append(v.Answers, fmt.Sprintf("%s was answered in %s (half of all), %s (99 of 100), %s at most.", plain(a.Of),
				milliseconds(a.P50), milliseconds(a.P99), milliseconds(a.Max)))
		}
	}
	if l := s.Silences; l != nil {
		v.SilentOf = milliseconds(l.Timeout)
		for _, one := range l.Longest[:min(len(l.Longest), maxSilences)] {
			after, before := one.Packets()
			v.Silences = append(v.Silences, silenceRow{
				peerText(one.Sender), peerText(one.Receiver), instant(one.From), milliseconds(one.Length), plain(after) + " and " + plain(before),
			})
		}
		if left := l.N - uint64(len(v.Silences)); left > 0 {
			v.More = "and " + table.Count(left, "more")
			v.More = strings.TrimSuffix(v.More, "s")
		}
	}
	return v
}

func caseName(c *stats.CaseRow) string {
	switch {
	case c.Others:
		return "(others)"
	case c.Case == "":
		return "(before its case, or without one)"
	}
	return plain(c.Case)
}

func blankZero(n uint64) string {
	if n == 0 {
		return ""
	}
	return table.Grouped(n)
}

// caseLayers are the cases with the most packets, what is left of the accepted and the cut ones, and what was refused.
func caseLayers(s *stats.Series) []layer {
	n := len(s.Buckets)
	rest, rejected := make([]uint64, n), make([]uint64, n)
	for i := range s.Buckets {
		b := &s.Buckets[i]
		rejected[i] = b.Rejected
		rest[i] = b.Packets - min(b.Rejected, b.Packets)
	}
	var list []layer
	for i, c := range s.Cases {
		if i == maxLayers {
			break
		}
		list = append(list, layer{Name: plain(c.Case), Class: fmt.Sprint("c", i), values: c.Packets})
		for j, k := range c.Packets {
			rest[j] -= min(k, rest[j])
		}
	}
	if sum(rest, 0, n) > 0 {
		l := layer{Name: "other accepted", Class: "co", values: rest}
		if len(list) == 0 {
			l.Name, l.Class = "accepted", "c0"
		}
		list = append(list, l)
	}
	if sum(rejected, 0, n) > 0 {
		list = append(list, layer{Name: "refused", Class: "cr", values: rejected})
	}
	return list
}

// kindLayers are the kinds of rejects over time.
func kindLayers(s *stats.Series) []layer {
	n := len(s.Buckets)
	rest := make([]uint64, n)
	for i := range s.Buckets {
		rest[i] = s.Buckets[i].Rejected
	}
	var list []layer
	for i, k := range s.Rejects {
		if i == maxLayers {
			break
		}
		list = append(list, layer{Name: k.Kind, Class: fmt.Sprint("c", i), values: k.Packets})
		for j, m := range k.Packets {
			rest[j] -= min(m, rest[j])
		}
	}
	if sum(rest, 0, n) > 0 {
		list = append(list, layer{Name: "other kinds", Class: "co", values: rest})
	}
	return slices.Clip(list)
}
