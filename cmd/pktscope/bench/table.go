package main

import (
	"strconv"
	"strings"
)

// table is rows of cells, the first of them the head.
type table [][]string

// String is the table in Markdown, as it stands in the README.
func (t table) String() string {
	var b strings.Builder
	for i, row := range t {
		for _, cell := range row {
			b.WriteString("|")
			if cell != "" {
				b.WriteString(" " + cell)
			}
			b.WriteString(" ")
		}
		b.WriteString("|\n")
		if i == 0 {
			b.WriteString(strings.Repeat("|---", len(row)) + "|\n")
		}
	}
	return b.String()
}

// grouped writes 12345 as "12 345".
func grouped(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + " " + s[i:]
	}
	return s
}

// rate writes a number of packets a second.
func rate(perSecond float64) string {
	switch {
	case perSecond >= 999_500:
		return strconv.FormatFloat(perSecond/1e6, 'f', 2, 64) + " M"
	case perSecond >= 99_950:
		return strconv.FormatFloat(perSecond/1e3, 'f', 0, 64) + " k"
	case perSecond >= 9_950:
		return strconv.FormatFloat(perSecond/1e3, 'f', 1, 64) + " k"
	}
	return grouped(int(perSecond + 0.5))
}

// times writes how many times as fast as another something is.
func times(factor float64) string {
	if factor >= 9.95 {
		return grouped(int(factor+0.5)) + " ×"
	}
	return strconv.FormatFloat(factor, 'f', 1, 64) + " ×"
}
