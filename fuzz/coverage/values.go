package coverage

import (
	"math/bits"
	"slices"
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// valueMode is how the codes of a leaf are told apart.
type valueMode uint8

const (
	valueLog   valueMode = iota // by their highest bit; and the least and the greatest by themselves
	valueFew                    // each by itself
	valueOnce                   // not at all: checks, checksums, reserved bits
	valueSign                   // as valueLog, by their distance from zero and their sign
	valueCases                  // the cases of an enum, and everything else
	valueFlags                  // by each flag
	valueFloat                  // by sign and the high bits of the exponent; zeros, infinities and NaNs by themselves
)

const (
	fewValues   = 16
	manyCases   = 512 // an enum of more cases is told apart like a number
	floatHigh   = 5   // bits of sign and exponent
	floatGroups = 1 << floatHigh
)

// leafPoints is what the hot loop needs of a leaf.
type leafPoints struct {
	first    uint32
	mode     valueMode
	width    uint8
	buckets  uint8  // valueLog, valueSign: how many
	open     bool   // an accepted code can deserve a note
	min, max uint64 // the ends of what is accepted, where they have points of their own
	cases    []uint64
}

// arrange chooses how a leaf's codes, which are span at most, are told apart. end: the leaf's one code ends a list.
func (l *leafPoints) arrange(p *plan.Plan, leaf int, span uint64, end bool) {
	info := &p.Info[leaf]
	l.width = p.Leaves[leaf].Width
	l.open = info.Any || info.Enum != nil && info.Enum.Open
	switch {
	case end, info.Writes() != plan.Given:
		l.mode = valueOnce
		return
	case info.Form() == plan.FormFlags:
		l.mode = valueFlags
		return
	case info.Kind == plan.LeafFloat:
		l.mode = valueFloat
		return
	case info.Form() == plan.FormCase && len(info.Enum.Cases) <= manyCases:
		l.mode = valueCases
		for i := range info.Enum.Cases {
			l.cases = append(l.cases, info.CodeOf(lowBits(info.Enum.Cases[i].Value), int(l.width)))
		}
		slices.Sort(l.cases)
		l.cases = slices.Compact(l.cases)
		return
	case span < fewValues:
		l.mode, l.max = valueFew, span
		return
	case info.Signed:
		l.mode = valueSign
		l.buckets = 2 * (l.width + 1)
	default:
		l.buckets = uint8(bits.Len64(span)) + 1
	}
	first := true
	less := func(a, b uint64) bool { return a < b }
	if info.Signed {
		less = func(a, b uint64) bool { return int64(info.Value(a, int(l.width))) < int64(info.Value(b, int(l.width))) }
	}
	for _, code := range edgeCodes(p, leaf) {
		if kind, _ := info.Judge(code, int(l.width)); kind != reject.None || code > span {
			continue
		}
		if first || less(code, l.min) {
			l.min = code
		}
		if first || less(l.max, code) {
			l.max = code
		}
		first = false
	}
}

// points is how many points the leaf has.
func (l *leafPoints) points() uint32 {
	n := uint32(1)
	switch l.mode {
	case valueLog, valueSign:
		n = uint32(l.buckets) + 2
	case valueFew:
		n = uint32(l.max) + 1
	case valueCases:
		n = uint32(len(l.cases)) + 1
	case valueFlags:
		n = uint32(l.width) + 1
	case valueFloat:
		n = floatGroups + 5
	}
	if l.noted() {
		n++
	}
	return n
}

// noted: the last point is for a note. An enum's unlisted values have a point already.
func (l *leafPoints) noted() bool { return l.open && l.mode != valueCases }

// bucket is the point, from the leaf's first, of an accepted code in the modes that have one for each code.
func (l *leafPoints) bucket(code uint64) uint32 {
	switch l.mode {
	case valueLog:
		return min(uint32(bits.Len64(code)), uint32(l.buckets)-1)
	case valueFew:
		return uint32(min(code, l.max))
	case valueSign:
		return l.sign(code)
	case valueCases:
		if i, ok := slices.BinarySearch(l.cases, code); ok {
			return uint32(i)
		}
		return uint32(len(l.cases))
	case valueFloat:
		return l.float(code)
	}
	return 0
}

// sign tells numbers in two's complement apart: the lengths of those from zero up, then those of the negative ones.
func (l *leafPoints) sign(code uint64) uint32 {
	negative := uint64(int64(code<<(64-l.width&63)) >> 63) // all ones or none
	return uint32(bits.Len64((code^negative)<<(64-l.width&63)>>(64-l.width&63))) + uint32(negative)&(uint32(l.width)+1)
}

// float tells floats apart.
func (l *leafPoints) float(code uint64) uint32 {
	fraction := uint(52)
	if l.width == 32 {
		fraction = 23
	}
	exponents := uint64(1)<<(uint(l.width)-1-fraction) - 1
	sign := uint32(code >> (l.width - 1) & 1)
	switch exponent, low := code>>fraction&exponents, code&(1<<fraction-1); {
	case exponent == 0 && low == 0:
		return floatGroups + sign
	case exponent == exponents && low == 0:
		return floatGroups + 2 + sign
	case exponent == exponents:
		return floatGroups + 4
	}
	return uint32(code >> (l.width - floatHigh))
}

// each calls hit with the points of an accepted code.
func (l *leafPoints) each(code uint64, hit func(at uint32)) {
	if l.mode == valueFlags {
		if code == 0 {
			hit(l.first + uint32(l.width))
		}
		for ; code != 0; code &= code - 1 {
			hit(l.first + min(uint32(bits.TrailingZeros64(code)), uint32(l.width)))
		}
		return
	}
	hit(l.first + l.bucket(code))
	if l.mode != valueLog && l.mode != valueSign {
		return
	}
	if code == l.min {
		hit(l.first + uint32(l.buckets))
	}
	if code == l.max {
		hit(l.first + uint32(l.buckets) + 1)
	}
}

// name is the name of a leaf's point n.
func (l *leafPoints) name(p *plan.Plan, leaf int, n uint32) string {
	if l.noted() && n == l.points()-1 {
		return "noted"
	}
	info := &p.Info[leaf]
	value := func(code uint64) string {
		if v := info.Value(code, int(l.width)); info.IsSigned() {
			return strconv.FormatInt(int64(v), 10)
		} else {
			return strconv.FormatUint(v, 10)
		}
	}
	switch l.mode {
	case valueFew:
		return value(uint64(n))
	case valueOnce:
		return "there"
	case valueFlags:
		if n == uint32(l.width) {
			return "no flag"
		}
		for i := range info.Enum.Cases {
			if c := &info.Enum.Cases[i]; lowBits(c.Value) == 1<<n {
				return "flag " + c.Name
			}
		}
		return "bit " + strconv.Itoa(int(n))
	case valueCases:
		if int(n) < len(l.cases) {
			return "case " + info.CaseName(l.cases[n])
		}
		return "an unlisted value"
	case valueFloat:
		if n >= floatGroups {
			return [...]string{"0", "-0", "+Inf", "-Inf", "NaN"}[n-floatGroups]
		}
		return "floats that begin with bits " + strconv.FormatUint(uint64(n)|floatGroups, 2)[1:]
	}
	switch n {
	case uint32(l.buckets):
		return "min"
	case uint32(l.buckets) + 1:
		return "max"
	}
	if l.mode == valueSign && n > uint32(l.width) {
		return "negative numbers of " + strconv.Itoa(int(n)-int(l.width)-1) + " bits"
	}
	return "codes of " + strconv.Itoa(int(n)) + " bits"
}
