package page

import (
	"time"

	"github.com/pktscope/pktscope/report/internal/table"
	"github.com/pktscope/pktscope/report/stats"
)

// The numbers of stacked columns, as a table beside their plot.

// maxColumns is how many rows such a table has; more buckets of a series are one row.
const maxColumns = 96

// chart is counts over time.
type chart struct {
	Title   string
	Layers  []layer // from the bottom
	Columns []column
	Width   string // of a column
}

// layer is what is stacked.
type layer struct {
	Name, Class string
	Total       uint64
	values      []uint64
}

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
		list = append(list, blankZero(n))
	}
	return list
}

// Sum is its total, in words.
func (c column) Sum() string { return table.Grouped(c.Total) }

// newChart counts layers over the buckets of a series. nil where there is no time.
func newChart(title string, s *stats.Series, layers []layer) *chart {
	n := len(s.Buckets)
	if n == 0 || len(layers) == 0 {
		return nil
	}
	each := (n + maxColumns - 1) / maxColumns
	width := s.Width * float64(each)
	c := &chart{Title: title, Layers: layers, Width: seconds(width)}
	for i := 0; i < n; i += each {
		at := s.Start.Add(time.Duration(float64(i) * s.Width * 1e9))
		col := column{Time: clock(at, width), Counts: make([]uint64, len(layers))}
		for l := range layers {
			col.Counts[l] = sum(layers[l].values, i, i+each)
			col.Total += col.Counts[l]
		}
		c.Columns = append(c.Columns, col)
	}
	for l := range c.Layers {
		c.Layers[l].Total = sum(c.Layers[l].values, 0, n)
	}
	return c
}

func sum(list []uint64, from, to int) (n uint64) {
	for i := from; i < min(to, len(list)); i++ {
		n += list[i]
	}
	return n
}

// ratesOf are counts of the buckets of a series, a second.
func ratesOf(s *stats.Summary, counts []uint64) []float64 {
	list := make([]float64, len(counts))
	for i, n := range counts {
		list[i] = float64(n)
	}
	return s.Rates(s.Series.Start, s.Series.Width, list)
}

// plot draws it, in packets a second, with lines of another run.
func (c *chart) plot(id string, s *stats.Summary, st stretch, beside []mark, bands []band) *plot {
	if c == nil {
		return nil
	}
	var marks []mark
	for _, l := range c.Layers {
		marks = append(marks, mark{Name: l.Name, Class: l.Class, Sum: table.Grouped(l.Total), values: ratesOf(s, l.values)})
	}
	p := newPlot(id, c.Title, row{st, s.Series.Start, s.Series.Width, len(s.Series.Buckets)}, append(marks, beside...), bands, 1, perSecond)
	p.Table = c
	return p
}
