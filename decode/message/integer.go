package message

import (
	"math"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// integer is a number of JSON: -mag or mag. over: it is larger than any field's.
type integer struct {
	mag       uint64
	neg, over bool
}

// maxDigits bounds the digits and the exponent of a number that is to be an integer.
const maxDigits = 64

// parseInteger reads a number as JSON writes it, exactly; false when it is none or has a fraction. 1.50e2 is 150: some
// programs write large integers that way.
func parseInteger(text []byte) (integer, bool) {
	var n integer
	if len(text) < len("9223372036854775807") { // nearly all
		for _, c := range text {
			if n.mag = 10*n.mag + uint64(c-'0'); c < '0' || c > '9' {
				return parseNumber(text)
			}
		}
		return n, len(text) > 0
	}
	return parseNumber(text)
}

// parseNumber is parseInteger for any number.
func parseNumber(text []byte) (integer, bool) {
	var n integer
	if len(text) > 0 && text[0] == '-' {
		n.neg, text = true, text[1:]
	}
	if len(text) == 0 || len(text) > maxDigits {
		return n, false
	}
	digits, places, seen := make([]byte, 0, 2*maxDigits), 0, false
	for i, c := range text {
		switch {
		case '0' <= c && c <= '9':
			digits = append(digits, c)
			if seen {
				places++
			}
			continue
		case c == '.' && !seen && i > 0:
			seen = true
			continue
		case (c == 'e' || c == 'E') && i > 0:
			exp, err := strconv.Atoi(string(text[i+1:]))
			if err != nil || exp < -maxDigits || exp > maxDigits {
				return n, false
			}
			places -= exp
		default:
			return n, false
		}
		break
	}
	for ; places > 0; places-- {
		if len(digits) > 0 {
			if digits[len(digits)-1] != '0' {
				return n, false
			}
			digits = digits[:len(digits)-1]
		}
	}
	for _, c := range digits {
		n.push(uint64(c - '0'))
	}
	for ; places < 0; places++ {
		n.push(0)
	}
	n.neg = n.neg && (n.mag > 0 || n.over)
	return n, true
}

func (i *integer) push(digit uint64) {
	if i.mag > math.MaxUint64/10 || i.mag == math.MaxUint64/10 && digit > math.MaxUint64%10 {
		i.over = true
		return
	}
	i.mag = 10*i.mag + digit
}

// signed is the number as an int64.
func (i integer) signed() (int64, bool) {
	switch {
	case i.over, i.neg && i.mag > 1<<63, !i.neg && i.mag > math.MaxInt64:
		return 0, false
	case i.neg:
		return -int64(i.mag), true
	}
	return int64(i.mag), true
}

// limits are the values that a leaf's type has in width bits: as int64s, or as uint64s.
func limits(info *plan.LeafInfo, width int) (lo, hi uint64) {
	switch {
	case info.ZigZag:
		half := info.TypeSpan / 2
		return ^half, half
	case info.Signed && width == 0:
		return 0, 0
	case info.Signed:
		half := wire.Mask(width - 1)
		return ^half, half
	}
	return info.Base, info.Base + info.TypeSpan
}

// integer is the code of a number in a leaf of width bits; false when the leaf's type does not have it.
func (s *source) integer(info *plan.LeafInfo, width int, n integer) (uint64, bool) {
	lo, hi := limits(info, width)
	if info.IsSigned() {
		v, ok := n.signed()
		return info.CodeOf(uint64(v), width), ok && int64(lo) <= v && v <= int64(hi)
	}
	return info.CodeOf(n.mag, width), !n.neg && !n.over && lo <= n.mag && n.mag <= hi
}

// span is what limits are, in words.
func span(info *plan.LeafInfo, width int) (lo, hi string) {
	l, h := limits(info, width)
	if info.IsSigned() {
		return strconv.FormatInt(int64(l), 10), strconv.FormatInt(int64(h), 10)
	}
	return strconv.FormatUint(l, 10), strconv.FormatUint(h, 10)
}

// integerOf is a value; of a signed one v is an int64's bits.
func integerOf(v uint64, signed bool) integer {
	if signed && int64(v) < 0 {
		return integer{mag: -v, neg: true}
	}
	return integer{mag: v}
}
