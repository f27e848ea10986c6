package table

import (
	"strings"
	"unicode/utf8"
)

// A Table is rows in columns as wide as their widest cell. Columns come in the order of their weight: where the line is
// too narrow, columns are left out from the right.
type Table struct {
	Note   string // a last line below the rows; none where it is ""
	titles []string
	flush  []bool // left
	rows   [][]cell
}

type cell struct {
	text  string
	paint Paint
}

// New makes a table of columns with these titles.
func New(titles ...string) *Table {
	return &Table{titles: titles, flush: make([]bool, len(titles))}
}

// Left aligns columns on the left; all others are numbers.
func (t *Table) Left(columns ...int) {
	for _, c := range columns {
		t.flush[c] = true
	}
}

// Row adds a row, with a text for each column.
func (t *Table) Row(texts ...string) {
	row := make([]cell, len(texts))
	for i, text := range texts {
		row[i].text = text
	}
	t.rows = append(t.rows, row)
}

// Paint colours a cell of the last row.
func (t *Table) Paint(column int, p Paint) { t.rows[len(t.rows)-1][column].paint = p }

// Append appends the table in lines of at most so many cells; nothing without rows. A column that is empty in all rows
// is left out.
func (t *Table) Append(b []byte, cells int, title, note Paint) []byte {
	if len(t.rows) == 0 {
		return b
	}
	widths := t.widths(cells)
	head := make([]cell, len(t.titles))
	for c, text := range t.titles {
		head[c] = cell{text, title}
	}
	b = t.line(b, head, widths)
	for _, row := range t.rows {
		b = t.line(b, row, widths)
	}
	if t.Note != "" {
		b = append(note.Append(b, Fit(t.Note, cells)), '\n')
	}
	return b
}

// widths are the cells of the columns, each with the two blanks before it; 0 leaves a column out. They end with the
// last column that is shown.
func (t *Table) widths(cells int) []int {
	widths := make([]int, 0, len(t.titles))
	total, shown := 0, 0
	for c, title := range t.titles {
		wide := 0
		for _, row := range t.rows {
			wide = max(wide, utf8.RuneCountInString(row[c].text))
		}
		if wide > 0 {
			wide = max(wide, utf8.RuneCountInString(title))
			if t.flush[c] {
				wide = min(wide, cells/8*5) // a long name leaves room for numbers
			}
			if total > 0 {
				wide += 2
			}
			if over := total + wide - cells; over > 0 {
				if c > 1 || wide-over < 8 {
					break
				}
				wide -= over
			}
			total, shown = total+wide, c+1
		}
		widths = append(widths, wide)
	}
	return widths[:shown]
}

func (t *Table) line(b []byte, row []cell, widths []int) []byte {
	start, last := len(b), len(widths)-1
	for c, wide := range widths {
		if wide == 0 {
			continue
		}
		gap := 2
		if len(b) == start {
			gap = 0
		}
		text := Fit(row[c].text, wide-gap)
		space := strings.Repeat(" ", wide-gap-utf8.RuneCountInString(text))
		b = append(b, "  "[:gap]...)
		if !t.flush[c] {
			b = append(b, space...)
		}
		if text != "" {
			b = row[c].paint.Append(b, text)
		}
		if t.flush[c] && c < last {
			b = append(b, space...)
		}
	}
	for b[len(b)-1] == ' ' {
		b = b[:len(b)-1]
	}
	return append(b, '\n')
}
