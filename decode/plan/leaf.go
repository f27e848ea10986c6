package plan

import (
	"iter"
	"math"
	"sort"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// LeafKind is how a leaf's code becomes a value.
type LeafKind uint8

// The kinds of leaves.
const (
	LeafUint     LeafKind = iota // the code itself
	LeafInt                      // two's complement
	LeafBool                     // 0 or 1
	LeafRanged                   // code + Base
	LeafFloat                    // IEEE bits
	LeafQuant                    // a step of a quantised float
	LeafEnum                     // a case of Enum
	LeafFlags                    // bits of Enum
	LeafCRC                      // a checksum
	LeafCheck                    // a serialize check
	LeafReserved                 // bits that must be zero, or any
)

// LeafInfo is what the hot loop does not need of a leaf: how to judge a code for sure, and how to show it.
type LeafInfo struct {
	Node   NodeID
	Op     uint32 // the op that reads it
	Kind   LeafKind
	Signed bool // two's complement: the value is sign-extended from Width
	// Negative: Base is below zero, or ZigZag, so the value is an int64.
	Negative bool
	ZigZag   bool // the sign is in bit 0 of the code
	Swap     bool // its bytes run the other way
	Any      bool // reserved bits that may be set
	Base     uint64
	// TypeSpan is the highest code that the type allows.
	TypeSpan uint64
	Enum     *schema.Enum
	Quant    *schema.QuantizedType
	Check    *schema.Check
	Want     uint64 // a check's value
	Rule     *schema.Rule
	cases    []uint64 // enum codes, sorted
	caseKeys []uint64 // their keys, sorted
	rule     keySet   // an integer rule's set
	pos      schema.Pos
}

const signBit = 1 << 63

// Value is the mathematical value of an accepted code, as an int64's bits where it can be negative (see IsSigned).
func (l *LeafInfo) Value(code uint64, width int) uint64 {
	if l.Signed && width > 0 {
		return uint64(wire.SignExtend(code, width))
	}
	if l.ZigZag {
		return uint64(wire.UnZigZag(code))
	}
	return code + l.Base
}

// IsSigned reports whether Value is to be read as an int64.
func (l *LeafInfo) IsSigned() bool { return l.Signed || l.Negative }

// key orders values as unsigned numbers.
func (l *LeafInfo) key(code uint64, width int) uint64 {
	v := l.Value(code, width)
	if l.IsSigned() {
		v ^= signBit
	}
	return v
}

// Judge decides a code for sure: the reject kind, or None; and the note that an accepted code deserves. The type counts
// before the rule.
func (l *LeafInfo) Judge(code uint64, width int) (reject.Kind, reject.NoteKind) {
	note := reject.NoteNone
	switch l.Kind {
	case LeafReserved:
		if code != 0 && l.Any {
			return reject.None, reject.IgnoredBits
		}
		if code != 0 {
			return reject.ReservedNonzero, note
		}
		return reject.None, note
	case LeafCheck:
		if code != l.Want {
			return reject.CheckMismatch, note
		}
		return reject.None, note
	case LeafCRC:
		return reject.None, note
	case LeafEnum:
		if i := sort.Search(len(l.cases), func(i int) bool { return l.cases[i] >= code }); i == len(l.cases) || l.cases[i] != code {
			if !l.Enum.Open {
				return reject.UnknownCase, note
			}
			note = reject.UnlistedValue
		}
	case LeafFlags:
		if code&^l.Enum.Mask != 0 {
			if !l.Enum.Open {
				return reject.ReservedNonzero, note
			}
			note = reject.UnlistedValue
		}
	}
	if code > l.TypeSpan {
		return reject.OutOfRange, note
	}
	if l.Rule == nil {
		return reject.None, note
	}
	if l.Kind == LeafFloat || l.Kind == LeafQuant {
		return l.judgeFloat(code, width), note
	}
	in := l.rule.has(l.key(code, width))
	switch l.Rule.Kind {
	case schema.RuleIn:
		if !in {
			return reject.OutOfRange, note
		}
	case schema.RuleEq:
		if !in {
			return reject.ConstMismatch, note
		}
	case schema.RuleNe:
		if in {
			return reject.ConstMismatch, note
		}
	}
	return reject.None, note
}

func (l *LeafInfo) judgeFloat(code uint64, width int) reject.Kind {
	f := l.Float(code, width)
	switch l.Rule.Kind {
	case schema.RuleFinite:
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return reject.NotFinite
		}
	case schema.RuleIn:
		// A NaN or an infinity is out of every range, but says more by its own name.
		if math.IsNaN(f) || math.IsInf(f, 0) {
			return reject.NotFinite
		}
		for _, r := range l.Rule.Floats {
			if r.Lo <= f && f <= r.Hi {
				return reject.None
			}
		}
		return reject.OutOfRange
	case schema.RuleEq:
		if f != *l.Rule.WantFloat {
			return reject.ConstMismatch
		}
	case schema.RuleNe:
		if f == *l.Rule.WantFloat {
			return reject.ConstMismatch
		}
	}
	return reject.None
}

// Float is the value of a LeafFloat or LeafQuant code.
func (l *LeafInfo) Float(code uint64, width int) float64 {
	if l.Kind == LeafQuant {
		return float64(l.Quant.Value(uint32(code)))
	}
	if width == 32 {
		return float64(math.Float32frombits(uint32(code)))
	}
	return math.Float64frombits(code)
}

// CaseName is the enum case that a code stands for, "" when it is unlisted or the leaf is no enum.
func (l *LeafInfo) CaseName(code uint64, width int) string {
	if l.Enum == nil || l.Enum.Flags {
		return ""
	}
	m := wire.Mask(width)
	for i := range l.Enum.Cases {
		if c := &l.Enum.Cases[i]; (low64(c.Value)-l.Base)&m == code {
			return c.Name
		}
	}
	return ""
}

// CaseSet is the enum's values as intervals of keys in ascending order (see Operand.Key).
func (l *LeafInfo) CaseSet() iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		for _, k := range l.caseKeys {
			if !yield(k, k) {
				return
			}
		}
	}
}

// RuleSet is an integer rule's values as intervals of keys in ascending order.
func (l *LeafInfo) RuleSet() iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		for _, r := range l.rule {
			if !yield(r.lo, r.hi) {
				return
			}
		}
	}
}

// CodeOf is the code of a value, as an int64's bits where it can be negative: the inverse of Value. A value outside the
// type gives a code that Judge refuses, or one that does not fit width bits.
func (l *LeafInfo) CodeOf(v uint64, width int) uint64 {
	switch {
	case l.ZigZag:
		return wire.ZigZag(int64(v))
	case l.Signed:
		if width > 0 && width < 64 && wire.SignExtend(v, width) == int64(v) {
			return v & wire.Mask(width)
		}
	}
	return v - l.Base
}

// Constant is the code of the one value that a rule `== value` allows; false without such a rule. Of a float it is the
// code that a writer sends: 0.0 is also what -0.0 equals.
func (l *LeafInfo) Constant(width int) (uint64, bool) {
	r := l.Rule
	switch {
	case r == nil || r.Kind != schema.RuleEq:
		return 0, false
	case r.Want != nil:
		return l.CodeOf(low64(r.Want), width), true
	case l.Kind == LeafQuant:
		return uint64(l.Quant.Code(float32(*r.WantFloat))), true
	case width == 32:
		return uint64(math.Float32bits(float32(*r.WantFloat))), true
	}
	return math.Float64bits(*r.WantFloat), true
}
