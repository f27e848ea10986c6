package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/stats"
)

// What there was over time: plots with one axis, which one brush moves, and a lane for each peer.

// timeView is them.
type timeView struct {
	Start    string // of the axis: ns since the Unix epoch
	Seconds  string // its length
	From, To string // in words
	Plots    []*plot
	Lanes    []lane
	Moments  []momentRow // the numbers of the plots that have no table of their own
	Each     string      // of a row of them
	Notes    []string
}

// lane is the packets between two ends.
type lane struct {
	Peer, With, Sum string
	plot            *plot
}

// Picture is its plot.
func (l lane) Picture() any { return l.plot.Picture }

// momentRow is a stretch of time.
type momentRow struct{ Time, Packets, Refused, Rate, Lost, Latency, Jitter, Largest string }

// newTime is nil where no packet had a time. The lines of old, which is of another run and may be nil, are beside
// those of s, as if both had begun at one time.
func newTime(id string, s, old *stats.Summary, oldName string) *timeView {
	st := newStretch(s)
	if st.seconds <= 0 {
		return nil
	}
	var was *stats.Timeline
	if old != nil {
		was = old.Timeline
	}
	if was != nil {
		st.seconds = max(st.seconds, was.Width*float64(len(was.Moments)))
	}
	v := &timeView{
		Start: strconv.FormatInt(st.from.UnixNano(), 10), Seconds: strconv.FormatFloat(st.seconds, 'f', -1, 64),
		From: clock(st.from, st.seconds/512), To: clock(row{start: st.from, width: st.seconds, n: 1}.end(), st.seconds/512),
	}
	name := func(what string) string { return "time-" + id + "-" + what }
	add := func(p *plot) {
		if p != nil {
			v.Plots = append(v.Plots, p)
		}
	}
	// beside are the marks of the old run, as lines.
	beside := func(marks func(*stats.Summary) []mark) (list []mark) {
		if was == nil {
			return nil
		}
		at := row{st, s.First.Add(was.Start.Sub(old.First)), was.Width, len(was.Moments)}
		for _, m := range marks(old) {
			if !m.line {
				m.Class = "ct"
			}
			m.Name, m.Class, m.line, m.over = m.Name+" before", m.Class+" was", true, &at
			list = append(list, m)
		}
		return list
	}
	add(newChart("Packets a second, by case", &s.Series, caseLayers(&s.Series)).plot(name("packets"), s, st, beside(packetMarks), v.silences(s)))
	if l := s.Timeline; l != nil {
		r := row{st, l.Start, l.Width, len(l.Moments)}
		for _, one := range timePlots {
			if marks := append(one.marks(s), beside(one.marks)...); marks != nil {
				add(newPlot(name(one.what), one.title, r, marks, nil, 1, one.say))
			}
		}
		for i := range l.Lanes {
			v.lane(s, &l.Lanes[i], r, fmt.Sprint(name("lane"), i))
		}
		v.rows(l)
	} else {
		v.Notes = append(v.Notes, "Losses, RTT, jitter and peers over time are unknown: all or some of these statistics were saved by a pktscope that kept no times.")
		counts := make([]uint64, len(s.Series.Buckets))
		for i, b := range s.Series.Buckets {
			counts[i] = b.PayloadBits
		}
		bits := ratesOf(s, counts)
		marks := []mark{{Name: "payload", Class: "c0", Sum: bitsText(s.Total.PayloadBits()), values: bits}}
		add(newPlot(name("bits"), "Payload a second", row{st, s.Series.Start, s.Series.Width, len(bits)}, append(marks, beside(payloadMarks)...), nil, 1, bitRate))
	}
	switch {
	case was != nil:
		v.Notes = append(v.Notes, "Broken lines are of "+plain(oldName)+", as if both runs had begun at one time.")
	case old != nil:
		v.Notes = append(v.Notes, plain(oldName)+" has no lines here: all or some of it was saved by a pktscope that kept no times.")
	}
	add(newChart("Refused packets a second, by kind", &s.Series, kindLayers(&s.Series)).plot(name("refused"), s, st, nil, nil))
	return v
}

// timePlots are the plots of what a timeline has.
var timePlots = []struct {
	what, title string
	say         func(float64) string
	marks       func(*stats.Summary) []mark // nil where there is nothing of it
}{
	{"bits", "Payload a second", bitRate, payloadMarks},
	{"loss", "Lost (@seq)", func(v float64) string { return short(v) + " %" }, lossMarks},
	{"rtt", "RTT, to the @ack", milliseconds, spreadMarks(func(m *stats.Moment) *stats.Spread { return &m.Latency }, "c3")},
	{"jitter", "Jitter, from @every", milliseconds, spreadMarks(func(m *stats.Moment) *stats.Spread { return &m.Jitter }, "c5")},
	{"sizes", "Bytes of a payload", func(v float64) string { return fmt.Sprintf("%.0f B", v) }, sizeMarks},
}

// values are those of each moment, nil without a timeline; NaN where there is none.
func values(s *stats.Summary, of func(m *stats.Moment) float64) []float64 {
	if s.Timeline == nil {
		return nil
	}
	list := make([]float64, len(s.Timeline.Moments))
	for i := range s.Timeline.Moments {
		list[i] = of(&s.Timeline.Moments[i])
	}
	return list
}

// rates are counts of each moment, a second.
func rates(s *stats.Summary, of func(m *stats.Moment) float64) []float64 {
	if s.Timeline == nil {
		return nil
	}
	return s.Rates(s.Timeline.Start, s.Timeline.Width, values(s, of))
}

func packetMarks(s *stats.Summary) []mark {
	return []mark{{Name: "all", Sum: table.Grouped(s.Total.Packets()), values: rates(s, func(m *stats.Moment) float64 { return float64(m.Packets) })}}
}

func payloadMarks(s *stats.Summary) []mark {
	return []mark{{Name: "payload", Class: "c0", Sum: bitsText(s.Total.PayloadBits()),
		values: rates(s, func(m *stats.Moment) float64 { return float64(m.PayloadBits) })}}
}

func lossMarks(s *stats.Summary) (list []mark) {
	for i, side := range lossSides {
		if lost, received, _ := lossOf(s.Sequences, side); received > 0 {
			list = append(list, mark{Name: "sent by " + side.String(), Class: []string{"cr", "c1", "co"}[i], Sum: percent(saved.Share(lost, lost+received)), line: true,
				values: values(s, func(m *stats.Moment) float64 { return lossShare(m, side) })})
		}
	}
	return list
}

// spreadMarks are the percentiles of what was spread.
func spreadMarks(of func(m *stats.Moment) *stats.Spread, class string) func(*stats.Summary) []mark {
	return func(s *stats.Summary) []mark {
		if !slices.ContainsFunc(s.Timeline.Moments, func(m stats.Moment) bool { return of(&m).N > 0 }) {
			return nil
		}
		pick := func(which func(*stats.Spread) float64) []float64 {
			return values(s, func(m *stats.Moment) float64 { return known(of(m), which(of(m))) })
		}
		return []mark{
			{Name: "p99", Class: class + " thin", line: true, values: pick(func(s *stats.Spread) float64 { return s.P99 })},
			{Name: "p50", Class: class, line: true, values: pick(func(s *stats.Spread) float64 { return s.P50 })},
		}
	}
}

func sizeMarks(s *stats.Summary) []mark {
	of := func(size func(m *stats.Moment) float64) []float64 {
		return values(s, func(m *stats.Moment) float64 {
			if m.Packets == 0 {
				return math.NaN()
			}
			return size(m)
		})
	}
	return []mark{
		{Name: "largest", Class: "c1 thin", line: true, values: of(func(m *stats.Moment) float64 { return float64(m.Largest) })},
		{Name: "mean", Class: "c1", line: true, values: of(func(m *stats.Moment) float64 { return float64(m.PayloadBits) / 8 / float64(m.Packets) })},
	}
}

func (tv *timeView) lane(s *stats.Summary, l *stats.Lane, r row, id string) {
	all, bad := make([]float64, r.n), make([]float64, r.n)
	packets, refused := uint64(0), uint64(0)
	for i := range r.n {
		bad[i] = float64(l.Refused[i])
		all[i] = float64(l.Packets[i] - min(l.Refused[i], l.Packets[i]))
		packets += l.Packets[i]
		refused += l.Refused[i]
	}
	one := lane{Peer: peerText(l.Peer), With: peerText(l.With), Sum: table.Count(packets, "packet")}
	if refused > 0 {
		one.Sum += ", " + table.Grouped(refused) + " refused"
	}
	marks := []mark{{Name: "packets a second", Class: "c0", values: s.Rates(r.start, r.width, all)}, {Name: "refused a second", Class: "cr", values: s.Rates(r.start, r.width, bad)}}
	one.plot = newPlot(id, one.Peer+" with "+one.With+", packets a second", r, marks, nil, 1, perSecond)
	tv.Lanes = append(tv.Lanes, one)
}

// rows are the numbers, with as many moments a row as make maxColumns.
func (tv *timeView) rows(l *stats.Timeline) {
	each := (len(l.Moments) + maxColumns - 1) / maxColumns
	tv.Each = seconds(l.Width * float64(each))
	for i := 0; i < len(l.Moments); i += each {
		var m stats.Moment
		for _, one := range l.Moments[i:min(i+each, len(l.Moments))] {
			m.Packets += one.Packets
			m.Refused += one.Refused
			m.PayloadBits += one.PayloadBits
			for side := range one.Lost {
				m.Lost[0] += one.Lost[side]
			}
			m.Largest = max(m.Largest, one.Largest)
			m.Latency.Max = max(m.Latency.Max, one.Latency.Max)
			m.Jitter.Max = max(m.Jitter.Max, one.Jitter.Max)
		}
		at := row{start: l.Start, width: l.Width, n: i}.end()
		r := momentRow{Time: clock(at, l.Width), Packets: blankZero(m.Packets), Refused: blankZero(m.Refused), Rate: bitRate(float64(m.PayloadBits) / l.Width / float64(each)), Lost: blankZero(uint64(max(m.Lost[0], 0)))}
		if m.Latency.Max > 0 {
			r.Latency = milliseconds(m.Latency.Max)
		}
		if m.Jitter.Max > 0 {
			r.Jitter = milliseconds(m.Jitter.Max)
		}
		if m.Packets > 0 {
			r.Largest = table.Grouped(m.Largest)
		}
		tv.Moments = append(tv.Moments, r)
	}
}

// silences are bands of the times for which a peer was silent.
func (tv *timeView) silences(s *stats.Summary) (list []band) {
	if s.Silences == nil {
		return nil
	}
	for _, one := range s.Silences.Longest[:min(len(s.Silences.Longest), maxSilences)] {
		list = append(list, band{one.From, one.Until, peerText(one.Sender) + " was silent for " + milliseconds(one.Length)})
	}
	return list
}

// lossSides are the senders in the order of the page.
var lossSides = []schema.Direction{schema.Client, schema.Server, schema.FromUnknown}

// lossOf is how many values of a side's counters were lost, and how many came.
func lossOf(list []stats.SequenceRow, side schema.Direction) (lost, received uint64, counters int) {
	for i := range list {
		if list[i].Direction == side.String() {
			lost += list[i].Lost
			received += list[i].Received
			if list[i].Received > 0 {
				counters++
			}
		}
	}
	return lost, received, counters
}

// lossShare is what was lost of a side's values in a moment, in percent; NaN without any.
func lossShare(m *stats.Moment, side schema.Direction) float64 {
	lost := uint64(max(m.Lost[side], 0))
	if lost+m.Received[side] == 0 {
		return math.NaN()
	}
	return 100 * saved.Share(lost, lost+m.Received[side])
}
