package mutatorgen

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
)

// leafKinds are the names of how the mutator judges a leaf before its type and its rule do.
var leafKinds = [...]string{ops.AsAny: "PM_PLAIN", ops.AsCases: "PM_CASES", ops.AsFlags: "PM_FLAGS", ops.AsCheck: "PM_CHECK", ops.AsReserved: "PM_RESERVED_BITS", ops.AsSum: "PM_SEALED"}

// leaf is the row of a number. Its rule is in ops.JudgedBy's numbers, which are those of PM_IN and its neighbors.
func (g *generator) leaf(i int) string {
	l, info, judged := &g.p.Leaves[i], &g.p.Info[i], ops.Judge(g.p, i)
	cases := len(g.ranges)
	g.addRanges(judged.Cases)
	set := len(g.ranges)
	g.addRanges(judged.Set)
	return fmt.Sprintf("{%d, %s, %d, %d, %s, %d, %d, %d, %d, %d, %#xu, %#xu, %#xu, %#xu, %d, %d, %d, %d}", l.Off, g.path(info.Node), l.Width, boolean(l.Swap), leafKinds[judged.As], boolean(info.Any), judged.By,
		sign(info), boolean(info.Negative), boolean(judged.Codes), info.Base, info.TypeSpan, judged.Want, judged.Exponent, cases, set-cases, set, len(g.ranges)-set)
}

// sign is 2 where the sign is in bit 0 of the code, 1 of two's complement.
func sign(l *plan.LeafInfo) int {
	if l.ZigZag {
		return 2
	}
	return boolean(l.Signed)
}

func (g *generator) addRanges(ranges []ops.Range) {
	for _, r := range ranges {
		g.ranges = append(g.ranges, fmt.Sprintf("{%#xu, %#xu}", r.Lo, r.Hi))
	}
}
