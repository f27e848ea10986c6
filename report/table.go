package report

import (
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/report/internal/words"
)

// table is rows in columns as wide as what is in them. What does not fit the line's width is left out from the right: the
// columns come in the order of their weight.
type table struct {
	titles []string
	flush  []bool // left
	rows   [][]tableCell
	note   string // below the rows
}

type tableCell struct {
	text  string
	paint paint
}

func newTable(titles ...string) *table {
	return &table{titles: titles, flush: make([]bool, len(titles))}
}

// left aligns columns on the left; all others are numbers.
func (t *table) left(columns ...int) {
	for _, c := range columns {
		t.flush[c] = true
	}
}

func (t *table) row(cells ...string) {
	row := make([]tableCell, len(cells))
	for i, c := range cells {
		row[i].text = c
	}
	t.rows = append(t.rows, row)
}

// paint colours a cell of the last row.
func (t *table) paint(column int, p paint) { t.rows[len(t.rows)-1][column].paint = p }

// append appends the table; nothing without rows. A column in which no row has anything is left out.
func (t *table) append(b []byte, x *statistics) []byte {
	if len(t.rows) == 0 {
		return b
	}
	widths := make([]int, len(t.titles))
	total, last := 0, -1
	for c := range t.titles {
		wide := 0
		for _, r := range t.rows {
			wide = max(wide, utf8.RuneCountInString(r[c].text))
		}
		if wide == 0 {
			continue
		}
		wide = max(wide, utf8.RuneCountInString(t.titles[c]))
		if t.flush[c] {
			wide = min(wide, x.columns/8*5) // a long name leaves room for numbers
		}
		if total > 0 {
			wide += 2
		}
		if over := total + wide - x.columns; over > 0 {
			if c > 1 || wide-over < 8 {
				break
			}
			wide -= over
		}
		widths[c], last = wide, c
		total += wide
	}
	cells := func(cell func(c int) tableCell) {
		start := len(b)
		for c := 0; c <= last; c++ {
			if widths[c] == 0 {
				continue
			}
			gap := 2
			if len(b) == start {
				gap = 0
			}
			one := cell(c)
			text := words.Fit(one.text, widths[c]-gap)
			space := strings.Repeat(" ", widths[c]-gap-utf8.RuneCountInString(text))
			b = append(b, "  "[:gap]...)
			if !t.flush[c] {
				b = append(b, space...)
			}
			if text != "" {
				b = one.paint.append(b, text)
			}
			if t.flush[c] && c < last {
				b = append(b, space...)
			}
		}
		for b[len(b)-1] == ' ' {
			b = b[:len(b)-1]
		}
		b = append(b, '\n')
	}
	cells(func(c int) tableCell { return tableCell{t.titles[c], x.style.kind} })
	for _, r := range t.rows {
		cells(func(c int) tableCell { return r[c] })
	}
	if t.note != "" {
		b = append(x.style.dim.append(b, words.Fit(t.note, x.columns)), '\n')
	}
	return b
}
