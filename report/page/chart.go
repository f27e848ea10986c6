package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"html/template"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// Charts are SVG made here. Only the bars are in it, stretched to the width there is; words stand around it, so that
// they keep their size on a telephone. Colours are classes of the style sheet. The numbers are in a table beside each
// chart.

// maxColumns is how many columns a chart has; more buckets of a series are drawn together.
const maxColumns = 96

// chart is stacked columns over time.
type chart struct {
	Title    string
	Layers   []layer // from the bottom
	Columns  []column
	Scale    uint64 // of the axis: the largest column, rounded up so that its half is whole
	From, To string // times at the ends
	Width    string // of a column
}

// layer is what is stacked.
type layer struct {
	Name, Class string
	Total       uint64
	values      []uint64
}

// Sum is its total, in words.
func (l layer) Sum() string { return table.Grouped(l.Total) }

// column is a stretch of time.
type column struct {
	Time   string
	Counts []uint64 // of each layer
	Total  uint64
}

// Cells are the counts in words, nothing for 0.
func (c column) Cells() []string {
	var list []string
	for _, n := range c.Counts {
		text := ""
		if n > 0 {
			text = table.Grouped(n)
		}
		list = append(list, text)
	}
	return list
}

// Sum is its total, in words.
func (c column) Sum() string { return table.Grouped(c.Total) }

// newChart draws layers over the buckets of a series. nil where there is no time to draw over.
func newChart(title string, s *stats.Series, layers []layer) *chart {
	n := len(s.Buckets)
	if n == 0 || len(layers) == 0 {
		return nil
	}
	each := (n + maxColumns - 1) / maxColumns
	c := &chart{Title: title, Layers: layers}
	width := s.Width * float64(each)
	c.Width = seconds(width)
	at := func(i int) time.Time { return s.Start.Add(time.Duration(float64(i) * s.Width * 1e9)) }
	for i := 0; i < n; i += each {
		col := column{Time: clock(at(i), width), Counts: make([]uint64, len(layers))}
		for l := range layers {
			col.Counts[l] = sum(layers[l].values, i, i+each)
			col.Total += col.Counts[l]
		}
		c.Scale = max(c.Scale, col.Total+col.Total%2)
		c.Columns = append(c.Columns, col)
	}
	for l := range c.Layers {
		c.Layers[l].Total = sum(c.Layers[l].values, 0, n)
	}
	c.From, c.To = c.Columns[0].Time, clock(at(n), width)
	return c
}

// clock is a time as an axis has it: the day where columns are hours wide.
func clock(t time.Time, width float64) string {
	if width >= 3600 {
		return t.UTC().Format("2006-01-02 15:04")
	}
	return t.UTC().Format("15:04:05")
}

func sum(list []uint64, from, to int) (n uint64) {
	for i := from; i < min(to, len(list)); i++ {
		n += list[i]
	}
	return n
}

// Half and Top are the marks of the scale.
func (c *chart) Top() string  { return table.Grouped(c.Scale) }
func (c *chart) Half() string { return table.Grouped(c.Scale / 2) }

// chartHeight is the height of a chart's own coordinates; a column is columnWidth wide.
const (
	chartHeight = 200
	columnWidth = 10
)

// SVG is the bars.
func (c *chart) SVG() template.HTML {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %d %d" preserveAspectRatio="none" role="img" aria-label="%s">`, len(c.Columns)*columnWidth,
		chartHeight, template.HTMLEscapeString(c.Title+": "+c.Describe()))
	for i, col := range c.Columns {
		fmt.Fprintf(&b, `<g><title>%s</title>`, template.HTMLEscapeString(c.hover(&col)))
		fmt.Fprintf(&b, `<rect class="hit" x="%d" y="0" width="%d" height="%d"/>`, i*columnWidth, columnWidth, chartHeight)
		y := float64(chartHeight)
		for l, n := range col.Counts {
			if n == 0 {
				continue
			}
			h := float64(n) / float64(c.Scale) * chartHeight
			y -= h
			fmt.Fprintf(&b, `<rect class="%s" x="%s" y="%s" width="%d" height="%s"/>`, c.Layers[l].Class, short(float64(i*columnWidth)+1), short(y), columnWidth-2, short(h))
		}
		b.WriteString("</g>")
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) // numbers, classes of ours and escaped text
}

func short(f float64) string { return strconv.FormatFloat(f, 'f', -1, 32) }

// Describe is the chart in words.
func (c *chart) Describe() string {
	best := 0
	for i := range c.Columns {
		if c.Columns[i].Total > c.Columns[best].Total {
			best = i
		}
	}
	var parts []string
	for _, l := range c.Layers {
		parts = append(parts, l.Name+" "+l.Sum())
	}
	return fmt.Sprintf("%s to %s, most in %s from %s: %s. In all: %s", c.From, c.To, c.Width, c.Columns[best].Time, c.Columns[best].Sum(), strings.Join(parts, ", "))
}

func (c *chart) hover(col *column) string {
	var parts []string
	for l := len(col.Counts) - 1; l >= 0; l-- {
		if n := col.Counts[l]; n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", c.Layers[l].Name, table.Grouped(n)))
		}
	}
	if parts == nil {
		parts = []string{"nothing"}
	}
	return fmt.Sprintf("%s, %s: %s", col.Time, c.Width, strings.Join(parts, ", "))
}

// spark is a small chart of one row of a table, which says its numbers beside it.
func spark(class string, values []uint64) template.HTML {
	n := len(values)
	if n == 0 {
		return ""
	}
	each := (n + maxColumns - 1) / maxColumns
	var cols []uint64
	most := uint64(1)
	for i := 0; i < n; i += each {
		cols = append(cols, sum(values, i, i+each))
		most = max(most, cols[len(cols)-1])
	}
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="spark" viewBox="0 0 %d 20" preserveAspectRatio="none" aria-hidden="true"><path class="%s" d="`, 4*len(cols), class)
	for i, v := range cols {
		if v > 0 {
			h := max(float64(v)/float64(most)*20, 1)
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
