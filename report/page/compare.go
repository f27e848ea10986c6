package page

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// Two runs beside each other: the figures of one, those of the other, and what changed.

// The most rows of cases and of fields: those that changed most.
const maxChanges = 20

// A change of this part of a figure is told as better or worse.
const changeTold = 0.05

// figure is a number of a run.
type figure struct {
	name  string
	value float64
	text  string
	worse int // +1 where more is worse, -1 where less is, 0 where neither is
}

// changeRow is a figure of two runs.
type changeRow struct {
	Name, Before, Now, Change, Tone string
	by                              float64 // of the larger one
}

// compareView is two runs of one protocol.
type compareView struct {
	Before string
	Tables []changeTable
	Notes  []string
}

// changeTable is some of their figures.
type changeTable struct {
	Title string
	Rows  []changeRow
}

// newCompare compares now with before, which name says where it is from.
func newCompare(name string, before, now *protocol) *compareView {
	v := &compareView{Before: plain(name)}
	for _, t := range []struct {
		title, what string
		figures     func(*protocol) []figure
		choose      func([]changeRow) []changeRow
	}{
		{"Figures", "figures", healthFigures, slices.Clone[[]changeRow]},
		{"Cases that changed most", "cases", caseFigures, most},
		{"Fields that changed most, in bits of an average packet", "budget of fields", fieldFigures, most},
	} {
		was, is := t.figures(before), t.figures(now)
		switch rows := t.choose(changes(was, is)); {
		case len(is) > 0 && len(was) == 0: // results of stats have no budget, and none of their fields is new
			v.Notes = append(v.Notes, fmt.Sprintf("%s has no %s to compare with.", v.Before, t.what))
		case len(was) > 0 && len(is) == 0:
			v.Notes = append(v.Notes, fmt.Sprintf("This run has no %s to compare with those of %s.", t.what, v.Before))
		case len(rows) > 0:
			v.Tables = append(v.Tables, changeTable{t.title, rows})
		}
	}
	return v
}

// like is the protocol of a list that p is compared with: of its schema, else of its name; nil without.
func like(p *protocol, list []*protocol) (found *protocol) {
	for _, one := range list {
		if one.of == p.of && (found == nil || one.hash == p.hash) {
			found = one
		}
	}
	return found
}

// changes pairs figures by name, in the order of now; those that only before has come last.
func changes(before, now []figure) (list []changeRow) {
	was := map[string]figure{}
	for _, f := range before {
		was[f.name] = f
	}
	for _, f := range now {
		old, ok := was[f.name]
		delete(was, f.name)
		if !ok {
			list = append(list, changeRow{Name: f.name, Before: "–", Now: f.text, Change: "new", by: 1})
			continue
		}
		list = append(list, changed(old, f))
	}
	for _, f := range before {
		if _, left := was[f.name]; left {
			list = append(list, changeRow{Name: f.name, Before: f.text, Now: "–", Change: "gone", by: 1})
		}
	}
	return list
}

func changed(old, f figure) changeRow {
	r := changeRow{Name: f.name, Before: old.text, Now: f.text}
	d := f.value - old.value
	r.by = math.Abs(d) / max(math.Abs(f.value), math.Abs(old.value), math.SmallestNonzeroFloat64)
	switch {
	case d == 0 || old.text == f.text:
		r.Change, r.by = "same", 0
	case old.value == 0:
		r.Change = "from nothing"
	case math.Abs(f.value) >= 10*math.Abs(old.value):
		r.Change = fmt.Sprintf("%.3g times", f.value/old.value)
	default:
		r.Change = fmt.Sprintf("%+.1f %%", 100*d/old.value)
	}
	if f.worse != 0 && r.by >= changeTold {
		r.Tone = "better"
		if (d > 0) == (f.worse > 0) {
			r.Tone = "worse"
		}
	}
	return r
}

// most are the rows that changed most; what is the same is left out.
func most(list []changeRow) []changeRow {
	list = slices.DeleteFunc(list, func(r changeRow) bool { return r.by == 0 })
	slices.SortStableFunc(list, func(a, b changeRow) int { return cmp.Compare(b.by, a.by) })
	return list[:min(len(list), maxChanges)]
}

func healthFigures(p *protocol) (list []figure) {
	s := p.stats
	if s == nil {
		return nil
	}
	add := func(name string, value float64, text string, worse int) {
		list = append(list, figure{name, value, text, worse})
	}
	n := s.Total.Packets()
	if s.Seconds > 0 {
		rate := float64(n) / s.Seconds
		add("packets a second", rate, perSecond(rate), 0)
		bits := float64(s.Total.PayloadBits()) / s.Seconds
		add("payload a second", bits, bitRate(bits), +1)
	}
	if n > 0 {
		size := float64(s.Total.PayloadBits()) / 8 / float64(n)
		add("bytes a packet", size, fmt.Sprintf("%.1f", size), +1)
		refused := saved.Share(s.Total.Rejected.Packets, n)
		add("refused", refused, percent(refused), +1)
	}
	for _, side := range lossSides {
		if lost, received, _ := lossOf(s.Sequences, side); received > 0 {
			share := saved.Share(lost, lost+received)
			add("lost from "+side.String(), share, percent(share), +1)
		}
	}
	spread := func(name string, s stats.Spread) {
		if s.N > 0 {
			add(name+", p50", s.P50, about(s.P50), +1)
			add(name+", p99", s.P99, about(s.P99), +1)
		}
	}
	for _, a := range s.Acks {
		spread("RTT from "+plain(a.Of), a.Spread)
	}
	for _, c := range s.Cases {
		if c.Every != nil {
			spread("jitter of "+plain(c.Case)+" from the "+c.Direction, c.Every.Jitter)
		}
	}
	if s.Silences != nil {
		longest := 0.0
		if len(s.Silences.Longest) > 0 {
			longest = s.Silences.Longest[0].Length
		}
		add("silences", float64(s.Silences.N), fmt.Sprint(s.Silences.N), +1)
		add("longest silence", longest, milliseconds(longest), +1)
	}
	return list
}

func caseFigures(p *protocol) (list []figure) {
	if p.stats == nil {
		return nil
	}
	for i := range p.stats.Cases {
		c := &p.stats.Cases[i]
		name := caseName(c) + " from the " + c.Direction
		if n := c.Accepted.Packets; n > 0 {
			size := float64(c.Accepted.PayloadBits) / 8 / float64(n)
			list = append(list, figure{name + ", bytes each", size, fmt.Sprintf("%.1f", size), +1}, figure{name + ", a second", c.PerSecond, perSecond(c.PerSecond), 0})
		}
	}
	return list
}

func fieldFigures(p *protocol) (list []figure) {
	if p.budget == nil || p.budget.Total().Packets == 0 {
		return nil
	}
	for _, f := range p.budget.Fields() {
		bits := float64(f.Bits) / float64(p.budget.Total().Packets)
		list = append(list, figure{plain(f.Path), bits, fmt.Sprintf("%.1f bits", bits), +1})
	}
	return list
}
