package plan

import (
	"iter"
	"math"

	"github.com/pktscope/pktscope/decode/schema"
)

// MostOf is how many elements a list, or units bytes, have at most.
func MostOf(s Step) uint64 { return s.(interface{ Most() uint64 }).Most() }

// EachEdge yields the codes of an enum's cases, and those at the ends of a rule's ranges.
func (l *LeafInfo) EachEdge(width int, yield func(code uint64)) {
	value := func(key uint64) {
		if l.IsSigned() {
			key ^= 1 << 63
		}
		yield(l.CodeOf(key, width))
	}
	for key := range l.CaseSet() {
		value(key)
	}
	for lo, hi := range l.RuleSet() {
		value(lo)
		value(hi)
	}
}

// FloatCode is the code of a float nearest to a number.
func (l *LeafInfo) FloatCode(f float64, width int) uint64 {
	switch {
	case l.Kind == LeafQuantized:
		return uint64(l.Quant.Code(float32(f)))
	case width == 32:
		return uint64(math.Float32bits(float32(f)))
	}
	return math.Float64bits(f)
}

// RuledValues yields the intervals of the values that a leaf's rule names as allowed; none where it names none, as
// `!=`.
func (l *LeafInfo) RuledValues() iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		if l.Rule == nil || l.Rule.Kind == schema.RuleNe {
			return
		}
		for lo, hi := range l.RuleSet() {
			if l.IsSigned() {
				lo, hi = lo^1<<63, hi^1<<63
			}
			if !yield(lo, hi) {
				return
			}
		}
	}
}

// ElementBits is the fewest bits of an element of an array, 0 where it is not known.
func (p *Plan) ElementBits(array NodeID) uint64 {
	if v := p.Nodes[array].Value; v != nil {
		if t, ok := v.Type.(*schema.ArrayType); ok {
			return t.Elem.MinBits
		}
	}
	return 0
}
