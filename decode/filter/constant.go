package filter

import (
	"encoding/hex"
	"math"
	"math/big"
	"strconv"
	"strings"
)

// constKind tells constants apart.
type constKind uint8

const (
	constNumber constKind = iota + 1
	constText
	constBytes
	constNil
)

// constant is a literal. Numbers are exact: 18446744073709551615 is not 1.8446744073709552e19.
type constant struct {
	kind constKind
	num  *big.Rat
	// whole: the number was written as an integer. A float literal stands for the float of the field's width that is
	// nearest to it, as in Go: `x == 0.1` holds for the float32 that prints as 0.1.
	whole bool
	text  string
}

// parseNumber reads a number token. The second result says what is wrong with it, "" for nothing. Its length is bounded
// first: a literal of a megabyte, or 1e999999999, must not become an exact number.
func parseNumber(text string) (constant, string) {
	if len(text) > maxNumber {
		return constant{}, "the number is too long: want " + strconv.Itoa(maxNumber) + " characters at most"
	}
	s := strings.ToLower(strings.ReplaceAll(text, "_", ""))
	if strings.HasPrefix(s, "0x") || strings.HasPrefix(s, "0b") || strings.HasPrefix(s, "0o") {
		if n, ok := new(big.Int).SetString(s, 0); ok {
			return constant{kind: constNumber, num: new(big.Rat).SetInt(n), whole: true}, ""
		}
		return constant{}, "this is no number"
	}
	if !strings.ContainsAny(s, ".e") {
		if n, ok := new(big.Int).SetString(s, 10); ok {
			return constant{kind: constNumber, num: new(big.Rat).SetInt(n), whole: true}, ""
		}
		return constant{}, "this is no number"
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || f == 0 && strings.ContainsAny(strings.SplitN(s, "e", 2)[0], "123456789") {
		return constant{}, "the number is no float64: it is too large or too small"
	}
	r, ok := new(big.Rat).SetString(s)
	if !ok {
		return constant{}, "this is no number"
	}
	return constant{kind: constNumber, num: r}, ""
}

// keyRange is a closed interval of keys; empty when lo > hi. A key is an integer as unsigned comparison wants it: the
// value, or for an int64 the value with its sign bit turned.
type keyRange struct {
	lo, hi uint64
	not    bool // all keys but these
}

const signBit = 1 << 63

// intRange is the integers of a 64-bit type that `x op c` holds for.
func intRange(op string, c *big.Rat, signed bool) keyRange {
	low, high := new(big.Int), new(big.Int).SetUint64(math.MaxUint64)
	if signed {
		low, high = big.NewInt(math.MinInt64), big.NewInt(math.MaxInt64)
	}
	floor := new(big.Int).Div(c.Num(), c.Denom()) // Euclidean with a positive divisor: rounds down
	ceil := floor
	if !c.IsInt() {
		ceil = new(big.Int).Add(floor, big.NewInt(1))
	}
	lo, hi := low, high
	switch op {
	case "==", "!=":
		lo, hi = ceil, floor // nothing where c is no integer
	case "<":
		hi = new(big.Int).Sub(ceil, big.NewInt(1))
	case "<=":
		hi = floor
	case ">":
		lo = new(big.Int).Add(floor, big.NewInt(1))
	case ">=":
		lo = ceil
	}
	r := keyRange{lo: 1, not: op == "!="}
	if lo.Cmp(low) < 0 {
		lo = low
	}
	if hi.Cmp(high) > 0 {
		hi = high
	}
	if lo.Cmp(hi) <= 0 {
		r.lo, r.hi = keyOf(lo, signed), keyOf(hi, signed)
	}
	return r
}

func keyOf(v *big.Int, signed bool) uint64 {
	if signed {
		return uint64(v.Int64()) ^ signBit
	}
	return v.Uint64()
}

// floatRange is the floats that `x op c` holds for, NaN apart: none of them is in a range, so only != holds for it. lo
// > hi where there are none.
func floatRange(op string, c constant, width int) (lo, hi float64, not bool) {
	near, exact := c.num.Float64()
	if !c.whole {
		exact = true
		if f, _ := c.num.Float32(); width == 32 && !math.IsInf(float64(f), 0) {
			near = float64(f)
		} else if width == 32 {
			exact = false // beyond every float32 there is nothing to round to
		}
	}
	// below and above are the nearest floats on either side of c, near itself where it is c.
	below, above := near, near
	if !exact {
		if new(big.Rat).SetFloat64(near).Cmp(c.num) < 0 {
			above = math.Nextafter(near, math.Inf(1))
		} else {
			below = math.Nextafter(near, math.Inf(-1))
		}
	}
	lo, hi = math.Inf(-1), math.Inf(1)
	switch op {
	case "==", "!=":
		return above, below, op == "!="
	case "<":
		if hi = below; exact {
			hi = math.Nextafter(near, math.Inf(-1))
		}
	case "<=":
		hi = below
	case ">":
		if lo = above; exact {
			lo = math.Nextafter(near, math.Inf(1))
		}
	case ">=":
		lo = above
	}
	return lo, hi, false
}

// unhex reads the hexadecimal form in which bytes are shown.
func unhex(s string) ([]byte, bool) {
	b, err := hex.DecodeString(s)
	return b, err == nil
}
