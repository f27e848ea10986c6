package syntax

import "strconv"

// Numbers of things in messages.

// AppendCount appends "1 step" or "4 steps".
func AppendCount[T int | int64 | uint64](b []byte, n T, what string) []byte {
	if n < 0 {
		b = strconv.AppendInt(b, int64(n), 10)
	} else {
		b = strconv.AppendUint(b, uint64(n), 10)
	}
	b = append(append(b, ' '), what...)
	if n != 1 {
		b = append(b, 's')
	}
	return b
}

// Count is "1 step" or "4 steps".
func Count[T int | int64 | uint64](n T, what string) string { return string(AppendCount(nil, n, what)) }

// Plural is "step" for 1, and "steps" for all other numbers.
func Plural[T int | int64 | uint64](n T, what string) string {
	if n == 1 {
		return what
	}
	return what + "s"
}
