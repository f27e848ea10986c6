package mutatorgen

import (
	"fmt"
	"math"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// rules are the numbers of the mutator's rules: PM_IN, PM_EQ, PM_NE, PM_FINITE. What is not here is no rule about a
// value.
var rules = map[schema.RuleKind]int{schema.RuleIn: 1, schema.RuleEq: 2, schema.RuleNe: 3, schema.RuleFinite: 4}

// floatIn is PM_FLOAT_IN: what is no number is refused as such.
const floatIn = 5

// leafKinds are how the mutator judges a leaf of a kind before its type and its rule do; "" for not at all. Open enums
// and flags are not judged.
var leafKinds = [plan.LeafKinds]string{
	plan.LeafEnum: "PM_CASES", plan.LeafFlags: "PM_FLAGS", plan.LeafChecksum: "PM_SEALED", plan.LeafCheck: "PM_CHECK", plan.LeafReserved: "PM_RESERVED_BITS",
}

// leaf is the row of a number.
func (g *generator) leaf(i int) string {
	l, info := &g.p.Leaves[i], &g.p.Info[i]
	kind, want := leafKinds[info.Kind], info.Want
	if kind == "" || info.Enum != nil && info.Enum.Open {
		kind = "PM_PLAIN"
	}
	cases := len(g.ranges)
	if info.Enum != nil && info.Enum.Flags {
		want = info.Enum.Mask
	} else if info.Cases != nil {
		for _, c := range info.Cases.List {
			g.addRange(c.Code, c.Code)
		}
	}
	rule, float, exponent := 0, info.Kind == plan.LeafFloat || info.Kind == plan.LeafQuantized, uint64(0)
	set := len(g.ranges)
	if r := info.Rule; r != nil && r.Bounds == nil {
		rule = rules[r.Kind]
		if float {
			if r.Kind == schema.RuleIn {
				rule = floatIn
			}
			g.floats(i)
		} else {
			for lo, hi := range info.RuleSet() {
				g.addRange(lo, hi)
			}
		}
	}
	if info.Kind == plan.LeafFloat {
		exponent = math.Float64bits(math.Inf(1))
		if l.Width == 32 {
			exponent = uint64(math.Float32bits(float32(math.Inf(1))))
		}
	}
	return fmt.Sprintf("{%d, %s, %d, %d, %s, %d, %d, %d, %d, %d, %#xu, %#xu, %#xu, %#xu, %d, %d, %d, %d}", l.Off, g.path(info.Node), l.Width, boolean(l.Swap), kind, boolean(info.Any), rule,
		sign(info), boolean(info.Negative), boolean(float), info.Base, info.TypeSpan, want, exponent, cases, set-cases, set, len(g.ranges)-set)
}

// sign is 2 where the sign is in bit 0 of the code, 1 of two's complement.
func sign(l *plan.LeafInfo) int {
	if l.ZigZag {
		return 2
	}
	return boolean(l.Signed)
}

func (g *generator) addRange(lo, hi uint64) {
	g.ranges = append(g.ranges, fmt.Sprintf("{%#xu, %#xu}", lo, hi))
}

// floats adds the codes of the floats that a rule names, in ascending order: of each sign they are one interval a
// range.
func (g *generator) floats(leaf int) {
	l, info := &g.p.Leaves[leaf], &g.p.Info[leaf]
	r := info.Rule
	ranges := r.Floats
	if r.WantFloat != nil {
		ranges = []schema.FloatRange{{Lo: *r.WantFloat, Hi: *r.WantFloat}}
	}
	width, most, signed := int(l.Width), uint64(0), info.Kind == plan.LeafFloat
	switch {
	case !signed:
		most = info.TypeSpan
	case width == 32:
		most = uint64(math.Float32bits(math.MaxFloat32))
	default:
		most = math.Float64bits(math.MaxFloat64)
	}
	add := func(lo, hi float64, sign uint64) {
		first := least(most, func(code uint64) bool { return info.Float(code, width) >= lo })
		behind := least(most, func(code uint64) bool { return info.Float(code, width) > hi })
		if first < behind {
			g.addRange(first|sign, (behind-1)|sign)
		}
	}
	for _, r := range ranges {
		add(r.Lo, r.Hi, 0)
	}
	for i := len(ranges) - 1; signed && i >= 0; i-- {
		add(-ranges[i].Hi, -ranges[i].Lo, 1<<(width-1))
	}
}

// least is the first number up to most for which something holds that holds for all above it, too; most+1 where there
// is none.
func least(most uint64, holds func(uint64) bool) uint64 {
	lo, hi := uint64(0), most+1
	for lo < hi {
		mid := lo + (hi-lo)/2
		if holds(mid) {
			hi = mid
		} else {
			lo = mid + 1
		}
	}
	return lo
}
