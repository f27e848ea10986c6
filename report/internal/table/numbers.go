package table

import (
	"fmt"
	"slices"
)

// A Number is a column of numbers, as wide as its user says.
type Number struct {
	Head  string
	Wide  int // cells, without the blank before it
	Loses int // when a narrow line loses it: 1 is first, 0 never
}

// Numbers are columns of numbers side by side, a blank before each. A column that was left out has no cells.
type Numbers []Number

// Fit leaves out columns until the rest takes at most so many cells.
func (n Numbers) Fit(most int) Numbers {
	for next := 1; n.Cells() > most; next++ {
		at := slices.IndexFunc(n, func(c Number) bool { return c.Loses == next })
		if at < 0 {
			break
		}
		n[at].Wide = 0
	}
	return n
}

// Cells is the width of all columns.
func (n Numbers) Cells() (cells int) {
	for _, c := range n {
		if c.Wide > 0 {
			cells += 1 + c.Wide
		}
	}
	return cells
}

// Heads is the line of the heads.
func (n Numbers) Heads() string {
	heads := make([]string, len(n))
	for i := range n {
		heads[i] = n[i].Head
	}
	return n.Row(heads...)
}

// Row is a line of cells. It needs a text for each column, also for those that were left out.
func (n Numbers) Row(texts ...string) string {
	var b []byte
	for i, c := range n {
		if c.Wide > 0 {
			b = fmt.Appendf(b, " %*s", c.Wide, texts[i])
		}
	}
	return string(b)
}
