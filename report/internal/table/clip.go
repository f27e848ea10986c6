package table

import (
	"strings"
	"unicode/utf8"
)

// Fit cuts the end off a text that has more characters than there are cells; at least one cell.
func Fit(s string, cells int) string {
	if utf8.RuneCountInString(s) <= cells {
		return s
	}
	return string([]rune(s)[:cells-1]) + "…"
}

// FitPath cuts the beginning off instead, because paths differ at their ends.
func FitPath(s string, cells int) string {
	over := utf8.RuneCountInString(s) - cells
	if over <= 0 {
		return s
	}
	return "…" + string([]rune(s)[over+1:])
}

// Clip cuts a text after at most so many bytes, between two characters, and appends "…".
func Clip(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return strings.ToValidUTF8(text[:most], "") + "…"
}
