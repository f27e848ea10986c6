package page

import (
	"fmt"
	"html/template"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/pktscope/pktscope/report/stats"
)

// Plots are SVG made here: only the shapes are in it, stretched to the width there is. Words are around it, so that
// they keep their size on a telephone. Colours are classes of the style sheet. All plots of a protocol have one axis of
// time, which is plotWidth wide: the script shows a part of it in all of them at once, by their viewBox.

// The sizes of a plot's own coordinates.
const (
	plotWidth  = 10000
	plotHeight = 200
	lineEdge   = 2 // a line at the top or the bottom is whole
)

// stretch is the time that the plots of a protocol have in common.
type stretch struct {
	from    time.Time
	seconds float64
}

// newStretch is zero where there is no time to draw over.
func newStretch(s *stats.Summary) stretch {
	if len(s.Series.Buckets) == 0 {
		return stretch{}
	}
	st := stretch{s.Series.Start, s.Series.Width * float64(len(s.Series.Buckets))}
	if l := s.Timeline; l != nil {
		st.from = l.Start // it is finer, and of the same packets
		st.seconds = l.Width * float64(len(l.Moments))
	}
	return st
}

// x is where a time is.
func (st stretch) x(t time.Time) float64 {
	return math.Max(-plotWidth, math.Min(t.Sub(st.from).Seconds()/st.seconds*plotWidth, 2*plotWidth))
}

// row is what all marks of a plot are about: n stretches of time that follow each other.
type row struct {
	stretch
	start time.Time
	width float64 // seconds
	n     int
}

// end is when the last of them ends.
func (r row) end() time.Time { return r.start.Add(time.Duration(float64(r.n) * r.width * 1e9)) }

// at is where a number of them begins.
func (r row) at(i int) float64 { return r.x(r.start) + float64(i)*r.width/r.seconds*plotWidth }

// data are the columns as the script finds them.
func (r row) data() string {
	return fmt.Sprintf(` data-start="%d" data-width="%.0f" data-n="%d"`, r.start.UnixNano(), 1e9*r.width, r.n)
}

// mark is one thing that a plot shows: areas on top of each other, or a line.
type mark struct {
	Name, Class string
	Sum         string // of all the time, in words
	line        bool
	values      []float64 // NaN where there is none
	over        *row      // of its values, nil where it is that of the plot: only of lines
}

// band is a stretch of time that a plot points at.
type band struct {
	from, to time.Time
	what     string
}

// plot is a picture over time.
type plot struct {
	ID, Title string
	Marks     []mark
	Top, Half string
	Picture   template.HTML
	Table     *chart // the numbers, nil where another table has them
}

// newPlot draws marks. say is a value in words; least is what the scale has at least.
func newPlot(id, title string, r row, marks []mark, bands []band, least float64, say func(float64) string) *plot {
	most := least
	sums := make([]float64, r.n)
	for _, m := range marks {
		for i, v := range m.values {
			switch {
			case math.IsNaN(v):
			case m.line:
				most = max(most, v)
			default:
				sums[i] += v
				most = max(most, sums[i])
			}
		}
	}
	top := roundUp(most)
	p := &plot{ID: id, Title: title, Top: say(top), Half: say(top / 2)}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s"%s>`, plotWidth, plotHeight,
		template.HTMLEscapeString(title+": "+describe(r, marks)), r.data())
	for _, one := range bands {
		from, to := r.x(one.from), r.x(one.to)
		fmt.Fprintf(&b, `<g><title>%s</title><rect class="hush" x="%s" y="0" width="%s" height="%d"/></g>`, template.HTMLEscapeString(one.what), short(from), short(max(to-from, 1)), plotHeight)
	}
	base := make([]float64, r.n)
	for _, m := range marks {
		class, path, over := m.Class, "", ""
		switch {
		case m.over != nil:
			class, path, over = "line "+class, linePath(*m.over, m.values, top), m.over.data()
		case m.line:
			class, path = "line "+class, linePath(r, m.values, top)
		default:
			path = areaPath(r, m.values, base, top)
		}
		fmt.Fprintf(&b, `<path class="%s" d="%s"%s data-name="%s" data-values="%s"/>`, class, path, over, template.HTMLEscapeString(m.Name), template.HTMLEscapeString(said(m.values, say)))
		m.values, m.over = nil, nil // they are drawn
		p.Marks = append(p.Marks, m)
	}
	b.WriteString("</svg>")
	p.Picture = template.HTML(b.String()) // numbers, classes of ours and escaped text
	return p
}

// areaPath is a column for each value, on top of base, to which the values are added.
func areaPath(r row, values, base []float64, top float64) string {
	var b strings.Builder
	gap := (r.at(1) - r.at(0)) * 0.12
	for i, v := range values {
		if math.IsNaN(v) || v <= 0 {
			continue
		}
		h := v / top * plotHeight
		y := plotHeight - base[i]/top*plotHeight
		fmt.Fprintf(&b, "M%s %sV%sH%sV%sz", short(r.at(i)+gap/2), short(y), short(y-h), short(r.at(i+1)-gap/2), short(y))
		base[i] += v
	}
	return b.String()
}

// linePath is a level piece for each value, joined where they follow each other.
func linePath(r row, values []float64, top float64) string {
	var b strings.Builder
	command := "M"
	for i, v := range values {
		if math.IsNaN(v) {
			command = "M"
			continue
		}
		y := min(max(plotHeight-v/top*plotHeight, lineEdge), plotHeight-lineEdge)
		fmt.Fprintf(&b, "%s%s %sH%s", command, short(r.at(i)), short(y), short(r.at(i+1)))
		command = "L"
	}
	return b.String()
}

// said is values in words, as the script shows them under the pointer.
func said(values []float64, say func(float64) string) string {
	list := make([]string, len(values))
	for i, v := range values {
		if !math.IsNaN(v) {
			list[i] = say(v)
		}
	}
	return strings.Join(list, "|")
}

// describe is a plot in words.
func describe(r row, marks []mark) string {
	var parts []string
	for _, m := range marks {
		parts = append(parts, strings.TrimSpace(m.Name+" "+m.Sum))
	}
	return fmt.Sprintf("%s to %s. In all: %s", clock(r.start, r.width), clock(r.end(), r.width), strings.Join(parts, ", "))
}

// roundUp is the least of 1, 2, 4, 5 or 10 times a power of ten that is not below v: its half is as round.
func roundUp(v float64) float64 {
	if !(v > 0) || math.IsInf(v, 0) {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 4, 5} {
		if v <= f*power*(1+1e-9) {
			return f * power
		}
	}
	return 10 * power
}

// short is a number of a plot: a hundredth of its coordinates is enough.
func short(f float64) string { return strconv.FormatFloat(math.Round(100*f)/100, 'f', -1, 64) }

// clock is a time as an axis has it: the day where columns are hours wide, parts of a second where they are narrow.
func clock(t time.Time, width float64) string {
	if width >= 3600 {
		return t.UTC().Format("2006-01-02 15:04")
	}
	if width < 1 {
		return t.UTC().Format("15:04:05.000")
	}
	return t.UTC().Format("15:04:05")
}

// spark is a small plot of the rates of one row of a table, which says its numbers beside it.
func spark(class string, values []float64) template.HTML {
	n := len(values)
	if n == 0 {
		return ""
	}
	each := (n + maxColumns - 1) / maxColumns
	var cols []float64
	most := 0.0
	for i := 0; i < n; i += each {
		group, all := values[i:min(i+each, n)], 0.0
		for _, v := range group {
			all += v
		}
		cols = append(cols, all/float64(len(group)))
		most = max(most, cols[len(cols)-1])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d 20" preserveAspectRatio="none" aria-hidden="true"><path class="%s" d="`, 4*len(cols), class)
	for i, v := range cols {
		if v > 0 {
			h := max(v/most*20, 1)
			fmt.Fprintf(&b, "M%d 20h3v-%sh-3z", 4*i, short(h))
		}
	}
	b.WriteString(`"/></svg>`)
	return template.HTML(b.String()) // numbers and a class of ours
}

// shareBar is a bar of a part of something, with an inner part marked.
func shareBar(outer, inner float64) template.HTML {
	return template.HTML(fmt.Sprintf(`<svg class="share" viewBox="0 0 1000 10" preserveAspectRatio="none" aria-hidden="true"><rect class="room" width="%d" height="10"/><rect class="used" width="%d" height="10"/></svg>`,
		int(1000*min(outer, 1)), int(1000*min(inner, outer, 1)))) // numbers
}
