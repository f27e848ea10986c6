package coverage

import (
	"math"
	"math/big"
	"math/bits"
	"slices"
	"sort"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Which kinds a leaf's codes can be refused with.

const everyCode = "all its codes are allowed"

type valueRefusal struct {
	kind        reject.Kind
	unreachable string
}

// valueRefusals lists what is declared about a leaf's value, and whether a code can break it.
func valueRefusals(p *plan.Plan, leaf int) []valueRefusal {
	info, width := &p.Info[leaf], int(p.Leaves[leaf].Width)
	var list []valueRefusal
	for _, kind := range declared(info, width) {
		list = append(list, valueRefusal{kind, everyCode})
	}
	n, ok := p.Reader(leaf).(*plan.Number)
	below := ok && n.Kind == plan.NumberBelow // nothing stands for what its type does not have
	for _, code := range edgeCodes(p, leaf) {
		kind, _ := info.Judge(code, width)
		if kind == reject.None || below && code > info.TypeSpan {
			continue
		}
		at := slices.IndexFunc(list, func(v valueRefusal) bool { return v.kind == kind })
		if at < 0 {
			at = len(list)
			list = append(list, valueRefusal{kind: kind})
		}
		list[at].unreachable = ""
	}
	if info.Kind == plan.LeafFlags && info.Rule != nil {
		for i := range list { // which sums of flags lie in a range is not looked at
			list[i].unreachable = ""
		}
	}
	return list
}

// declared lists the kinds that a leaf's declaration names.
func declared(info *plan.LeafInfo, width int) []reject.Kind {
	var kinds []reject.Kind
	if kind := info.Declares(width); kind != reject.None {
		kinds = append(kinds, kind)
	}
	if info.Rule == nil {
		return kinds
	}
	rule := reject.OutOfRange
	switch info.Rule.Kind {
	case schema.RuleFinite:
		rule = reject.NotFinite
	case schema.RuleEq, schema.RuleNe:
		rule = reject.ConstMismatch
	}
	if !slices.Contains(kinds, rule) {
		kinds = append(kinds, rule)
	}
	return kinds
}

// edgeCodes lists codes of a leaf's width, in ascending order, of which at least one is accepted wherever a code
// between two powers of two is, and one refused with each kind that any is: what is accepted is a union of intervals,
// and both sides of all their ends are here, with the ends of all powers of two.
func edgeCodes(p *plan.Plan, leaf int) []uint64 {
	info := &p.Info[leaf]
	width := max(int(p.Leaves[leaf].Width), bits.Len64(info.TypeSpan)) // an index that a bitmap tells has no bits
	mask := wire.Mask(width)
	var codes []uint64
	add := func(code uint64) { codes = append(codes, (code-1)&mask, code&mask, (code+1)&mask) }
	for code := range min(info.TypeSpan, fewValues) {
		add(code)
	}
	add(info.TypeSpan)
	add(info.Want)
	for bit := range width {
		add(1 << bit)
		if info.Signed {
			add(-(uint64(1) << bit))
		}
	}
	info.EachEdge(width, add)
	if edges := kindEdges[info.Kind]; edges != nil {
		codes = append(codes, edges(info, width)...)
	}
	for i := range codes {
		codes[i] &= mask
	}
	slices.Sort(codes)
	return slices.Compact(codes)
}

// kindEdges are the edges that only leaves of some kinds have, by their kind.
var kindEdges = [plan.LeafKinds]func(info *plan.LeafInfo, width int) []uint64{
	plan.LeafFlags: flagEdges, plan.LeafFloat: floatCodes, plan.LeafQuantized: stepEdges,
}

func flagEdges(info *plan.LeafInfo, width int) (codes []uint64) {
	for bit := range width {
		codes = append(codes, info.Enum.Mask&wire.Mask(bit+1), 1<<bit)
	}
	return codes
}

func floatCodes(info *plan.LeafInfo, width int) (codes []uint64) {
	for _, f := range floatEdges(info.Rule) {
		codes = append(codes, info.FloatCode(f, width))
		if width == 32 {
			codes = append(codes, uint64(math.Float32bits(math.Nextafter32(float32(f), inf32))), uint64(math.Float32bits(math.Nextafter32(float32(f), -inf32))))
		} else {
			codes = append(codes, math.Float64bits(math.Nextafter(f, math.Inf(1))), math.Float64bits(math.Nextafter(f, math.Inf(-1))))
		}
	}
	// The ends of what shares its sign and the high bits of its exponent.
	for high := uint64(0); high < 1<<floatHigh; high++ {
		codes = append(codes, high<<(width-floatHigh), (high+1)<<(width-floatHigh)-1)
	}
	return codes
}

func stepEdges(info *plan.LeafInfo, width int) (codes []uint64) {
	if info.Rule == nil {
		return nil
	}
	for _, f := range floatEdges(info.Rule) { // values do not fall from step to step
		least := uint64(sort.Search(int(info.TypeSpan), func(i int) bool { return info.Float(uint64(i), width) >= f }))
		above := uint64(sort.Search(int(info.TypeSpan), func(i int) bool { return info.Float(uint64(i), width) > f }))
		codes = append(codes, least-1, least, least+1, above-1, above, above+1)
	}
	return codes
}

var inf32 = float32(math.Inf(1))

// floatEdges lists the floats where a rule's answer may change.
func floatEdges(r *schema.Rule) []float64 {
	edges := []float64{0, math.Copysign(0, -1), math.NaN(), math.Inf(1), math.Inf(-1), 1, -1}
	if r == nil {
		return edges
	}
	for _, span := range r.Floats {
		edges = append(edges, span.Lo, span.Hi)
	}
	if r.WantFloat != nil {
		edges = append(edges, *r.WantFloat)
	}
	return edges
}

// tags proves that every value that a switch's tag can have has an arm.
func (ri *RejectIndex) tags(s *plan.Switch, at room) string {
	p, operand := ri.p, &ri.p.Operands[s.Tag]
	if s.Default >= 0 {
		return "every value has an arm"
	}
	what, _, _ := ri.known.operand(s.Tag, s.ID, &at)
	if why := coversAll(s, what, operand); why != "" {
		return why
	}
	var leaves []int32
	switch operand.Kind {
	case plan.OperandLeaf:
		leaves = []int32{int32(p.LeafOf(operand, s.ID))}
	case plan.OperandRegister:
		leaves = p.RegisterLeaves[operand.Register]
	case plan.OperandConst, plan.OperandCode:
	}
	if len(leaves) == 0 {
		n := ri.Terms.intervalOf(s.Tag, s.ID)
		return covered(s, operand, lowBits(n.lo), lowBits(n.hi))
	}
	for _, leaf := range leaves {
		info, width := &p.Info[leaf], int(p.Leaves[leaf].Width)
		if info.Kind == plan.LeafEnum && !info.Enum.Open {
			for i := range info.Enum.Cases {
				v := info.Enum.Cases[i].Value
				code := info.CodeOf(lowBits(v), width)
				if kind, _ := info.Judge(code, width); kind == reject.None && s.Find(operand.Key(lowBits(v))) < 0 {
					return ""
				}
			}
			continue
		}
		ruled := false
		for lo, hi := range info.RuledValues() {
			if ruled = true; covered(s, operand, lo, hi) == "" {
				return ""
			}
		}
		if n := ri.Terms.intervalOf(s.Tag, s.ID); !ruled && covered(s, operand, lowBits(n.lo), lowBits(n.hi)) == "" {
			return ""
		}
	}
	return everyArm
}

// coversAll proves that some numbers, which are few or one interval, have arms.
func coversAll(s *plan.Switch, n numbers, operand *plan.Operand) string {
	if n.lo <= -mostBound || n.hi >= mostBound {
		return ""
	}
	if n.step > 1 && (n.hi-n.lo)/n.step < FewCodes {
		for v := n.lo; v <= n.hi; v += n.step {
			if s.Find(operand.Key(uint64(v))) < 0 {
				return ""
			}
		}
		return everyArm
	}
	return covered(s, operand, uint64(n.lo), uint64(n.hi))
}

const everyArm = "every value that its tag may have has an arm"

// covered proves that the values lo..hi have arms.
func covered(s *plan.Switch, operand *plan.Operand, lo, hi uint64) string {
	at, end := operand.Key(lo), operand.Key(hi)
	for i := range s.Entries {
		e := &s.Entries[i]
		if e.Lo <= at && at <= e.Hi {
			if end <= e.Hi {
				return everyArm
			}
			at = e.Hi + 1
		}
	}
	return ""
}

// lowBits is the two's complement of a value that fits int64 or uint64.
func lowBits(v *big.Int) uint64 {
	if v.Sign() < 0 {
		return uint64(v.Int64())
	}
	return v.Uint64()
}
