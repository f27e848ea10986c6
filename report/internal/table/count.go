package table

import (
	"strconv"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Grouped formats a number with commas between thousands. A negative number, which only other people's saved results
// have, is "?".
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

// Count formats a grouped number of things: "1 packet", "1,234 packets".
func Count[T int | int64 | uint64](n T, what string) string {
	return Grouped(n) + " " + syntax.Plural(n, what)
}
