package syntax

import (
	"math"
	"math/big"
	"strconv"
	"strings"
)

// What literals are worth. The scanner has complained about the malformed ones; those get any value of their kind.

// intValue is the value of an integer or character literal, saturated at 2^64-1 (then ok is false).
func intValue(text string) (value *big.Int, ok bool) {
	if strings.HasPrefix(text, "'") {
		if s := unquote(text); len(s) == 1 {
			return new(big.Int).SetUint64(uint64(s[0])), true
		}
		return new(big.Int), true
	}
	base := 10
	digits := strings.ReplaceAll(text, "_", "")
	switch {
	case strings.HasPrefix(digits, "0x"):
		base, digits = 16, digits[2:]
	case strings.HasPrefix(digits, "0b"):
		base, digits = 2, digits[2:]
	default: // an exponent, which was complained about
		whole, exponent, _ := strings.Cut(strings.ToLower(digits), "e")
		if zeros, err := strconv.Atoi(exponent); err == nil && zeros >= 0 && zeros < 20 {
			digits = whole + strings.Repeat("0", zeros)
		}
	}
	n, err := strconv.ParseUint(digits, base, 64) // gives the largest uint64 where the digits are too many
	return new(big.Int).SetUint64(n), err == nil || n != math.MaxUint64
}

// floatValue is the value of a literal with a point, with its text without underscores. It is not finite, and ok is
// false, where float64 cannot hold it.
func floatValue(text string) (clean string, value float64, ok bool) {
	clean = strings.ReplaceAll(text, "_", "")
	value, err := strconv.ParseFloat(clean, 64)
	return clean, value, err == nil || !math.IsInf(value, 0)
}

// durationValue is a duration in nanoseconds, saturated at the largest int64 (then ok is false).
func durationValue(text string) (nanos int64, ok bool) {
	unit := unitOf(text)
	scale := map[string]uint64{"s": 1e9, "ms": 1e6, "us": 1e3}[unit]
	if scale == 0 {
		return 0, true
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(strings.TrimSuffix(text, unit), "_", ""), 10, 64)
	if n > math.MaxInt64/scale {
		return math.MaxInt64, false
	}
	return int64(n * scale), err == nil || n == 0
}

// unquote is the value of a string or character literal; the closing quote may be missing.
func unquote(text string) string {
	quote := text[:1]
	text = text[1:]
	if !strings.ContainsRune(text, '\\') {
		return strings.TrimSuffix(text, quote)
	}
	b := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case quote[0]:
			return string(b)
		case '\\':
			n, ok := escapeLen(text[i:], quote[0])
			if ok {
				b = append(b, escapeValue(text[i:i+n]))
			}
			i += n - 1
		default:
			b = append(b, c)
		}
	}
	return string(b)
}

// escapeValue is the byte that a well-formed escape stands for.
func escapeValue(escape string) byte {
	switch escape[1] {
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	case '0':
		return 0
	case 'x':
		n, _ := strconv.ParseUint(escape[2:], 16, 8)
		return byte(n)
	}
	return escape[1]
}
