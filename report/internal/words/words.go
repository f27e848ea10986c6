// Package words has what the text of all reports has in common: numbers, plurals, and what is too long for its place.
package words

import (
	"strconv"
	"unicode/utf8"
)

// Grouped is a number with commas between thousands; "?" of a negative one, which only saved results of others have.
func Grouped[T int | int64 | uint64](n T) string {
	if n < 0 {
		return "?"
	}
	digits := strconv.FormatUint(uint64(n), 10)
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return digits
}

// Count is "1 packet", "1,234 packets".
func Count[T int | int64 | uint64](n T, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return Grouped(n) + " " + what + "s"
}

// Fit cuts the end off a text that takes more cells than there are. Text from outside is escaped before, so that a character is
// a cell, but for those of East Asia; a schema that is written in them has wider lines.
func Fit(s string, cells int) string {
	if utf8.RuneCountInString(s) <= cells {
		return s
	}
	return string([]rune(s)[:cells-1]) + "…"
}

// FitPath cuts the beginning off, because paths differ at their ends.
func FitPath(s string, cells int) string {
	over := utf8.RuneCountInString(s) - cells
	if over <= 0 {
		return s
	}
	return "…" + string([]rune(s)[over+1:])
}
