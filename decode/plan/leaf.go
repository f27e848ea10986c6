package plan

import (
	"iter"
	"math"
	"math/big"
	"math/bits"
	"strconv"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Leaf is one fixed-width field of a run: what the hot loop needs of it and nothing else.
//
// A code is accepted without a further look iff code-Lo < Count, without a sign; LeafInfo.Judge decides about every
// other. Count is 0 for a leaf whose codes all want judging: a set with holes, codes around the end of two's
// complement, a code that deserves a note.
type Leaf struct {
	Mask  uint64 // the low Width bits
	Lo    uint64
	Count uint64
	Off   uint32 // bits from the start of its run
	Width uint8  // 0..64
	Swap  bool   // its bytes run the other way; its code is what they say once they are turned around
}

// count is the Count of an interval of span+1 codes. That of all 64-bit codes is one too large for a word, so there the
// last code is judged.
func count(span uint64) uint64 {
	if span == ^uint64(0) {
		return span
	}
	return span + 1
}

// LeafInfo is what the hot loop does not need of a leaf: how to judge a code for sure, and how to show it.
type LeafInfo struct {
	Node   NodeID
	Point  Point // where it is read
	Kind   LeafKind
	Signed bool // two's complement: the value is sign-extended from Width
	// Negative: Base is below zero, or ZigZag, so the value is an int64.
	Negative bool
	form     Form
	wide     bool
	ZigZag   bool // the sign is in bit 0 of the code
	Swap     bool // its bytes run the other way
	Any      bool // reserved bits that may be set
	// Let gives the value, which is the code, in no bits; nil for what is read.
	Let *schema.Let
	// Tells: that the `let` is there, and not the field of its name, says which way an open branch went.
	Tells bool
	Base  uint64
	// TypeSpan is the highest code that the type allows.
	TypeSpan uint64
	Enum     *schema.Enum
	Cases    *Cases // of Enum
	Quant    *schema.QuantizedType
	Check    *schema.Check
	Want     uint64 // a check's value
	Rule     *schema.Rule
	rule     keySet // an integer rule's set
	// Beside counts the leaves from this one on that are fields of one struct and no secrets, so that between them no
	// container is opened or closed: 0 of an element, a count, a length, a flag and a secret.
	Beside int
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

// ExtendZigZag is the extension of a code whose sign is in bit 0.
const ExtendZigZag = 65

// Extension is how Extend makes the leaf's value of a code with its Base: the bits of two's complement, ExtendZigZag,
// or 0.
func (l *LeafInfo) Extension(width int) uint8 {
	switch {
	case l.ZigZag:
		return ExtendZigZag
	case l.Signed:
		return uint8(width)
	}
	return 0
}

// Extend makes the number of a code: the code plus base, of which extension says where the sign is (see Extension).
func Extend(code uint64, extension uint8, base uint64) uint64 {
	switch {
	case extension == 0:
		return code + base
	case extension == ExtendZigZag:
		return uint64(wire.UnZigZag(code))
	}
	return uint64(wire.SignExtend(code+base, int(extension)))
}

// Wide reports whether the type admits a value outside ±(2^53-1), which a reader that has only doubles would round.
func (l *LeafInfo) Wide() bool { return l.wide }

// What a reader that has only doubles tells apart.
const maxSafe = 1<<53 - 1

var leastSafe, mostSafe = big.NewInt(-maxSafe), big.NewInt(maxSafe)

func (l *LeafInfo) isWide() bool {
	switch {
	case l.Let != nil:
		in := l.Let.Interval()
		return in.Lo.Cmp(leastSafe) < 0 || in.Hi.Cmp(mostSafe) > 0
	case l.Signed || l.ZigZag:
		return l.TypeSpan > maxSafe // 54 bits reach -2^53
	case l.Negative:
		return int64(l.Base) < -maxSafe || int64(l.Base+l.TypeSpan) > maxSafe
	}
	return l.Base+l.TypeSpan > maxSafe
}

// FloatWidth is the bits of the float that a leaf of FormFloat reads as: a quantized one is a float32.
func (l *LeafInfo) FloatWidth(width int) int {
	if l.Kind == LeafQuantized {
		return 32
	}
	return width
}

// Exact reports whether the value of a LeafFloat's or LeafQuantized's code leads back to it.
func (l *LeafInfo) Exact(code uint64, width int) bool {
	if l.Kind == LeafQuantized {
		return uint64(l.Quant.Code(l.Quant.Value(uint32(code)))) == code
	}
	if !math.IsNaN(l.Float(code, width)) {
		return true
	}
	// One NaN is the one that everybody makes of the word; all others carry a payload or a sign.
	return width == 32 && code == 0x7fc00000 || width == 64 && code == 0x7ff8000000000000
}

// IsSigned reports whether Value is to be read as an int64.
func (l *LeafInfo) IsSigned() bool { return l.Signed || l.Negative }

// ValueBits is how many bits the largest value of the type has, where none is negative.
func (l *LeafInfo) ValueBits() int { return bits.Len64(l.Base + l.TypeSpan) }

// IsPlainNumber reports whether what is shown of a leaf is its code in decimal, whatever the code is; of a Wide one in
// quotes.
func (p *Plan) IsPlainNumber(leaf int) bool {
	l := &p.Info[leaf]
	n := &p.Nodes[l.Node]
	code := l.Form() == FormUint && l.Extension(int(p.Leaves[leaf].Width)) == 0 && l.Base == 0
	return code && !l.Tells && !n.Secret && n.Display == nil && n.Kind != NodeItem
}

// AppendInt appends Value in decimal.
func (l *LeafInfo) AppendInt(b []byte, code uint64, width int) []byte {
	v := l.Value(code, width)
	if l.IsSigned() {
		return strconv.AppendInt(b, int64(v), 10)
	}
	return AppendUint(b, v)
}

// AppendUint appends a number in decimal, of those that packets are full of in less time than strconv.
func AppendUint(b []byte, v uint64) []byte {
	switch {
	case v < 10:
		return append(b, byte('0'+v))
	case v < 100:
		two := pairs[v]
		return append(b, two[0], two[1])
	case v < 1000:
		two := pairs[v%100]
		return append(b, byte('0'+v/100), two[0], two[1])
	case v < 10000:
		one, two := pairs[v/100], pairs[v%100]
		return append(b, one[0], one[1], two[0], two[1])
	case v < 100000:
		one, two := pairs[v/100%100], pairs[v%100]
		return append(b, byte('0'+v/10000), one[0], one[1], two[0], two[1])
	}
	return strconv.AppendUint(b, v, 10)
}

// pairs are the digits of the numbers below 100.
var pairs = func() (digits [100][2]byte) {
	for i := range digits {
		digits[i] = [2]byte{byte('0' + i/10), byte('0' + i%10)}
	}
	return digits
}()

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
	row := &leafRows[l.Kind]
	kind, note := row.judge(l, code)
	if kind != reject.None || row.Writes != Given {
		return kind, note
	}
	if code > l.TypeSpan {
		return reject.OutOfRange, note
	}
	if l.Rule == nil {
		return reject.None, note
	}
	if l.Kind == LeafFloat || l.Kind == LeafQuantized {
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

// Float is the value of a LeafFloat or LeafQuantized code.
func (l *LeafInfo) Float(code uint64, width int) float64 {
	if l.Kind == LeafQuantized {
		return float64(l.Quant.Value(uint32(code)))
	}
	if width == 32 {
		return float64(math.Float32frombits(uint32(code)))
	}
	return math.Float64frombits(code)
}

// CaseName is the enum case that a code stands for, "" when it is unlisted or the leaf is no enum.
func (l *LeafInfo) CaseName(code uint64) string {
	if l.Kind != LeafEnum {
		return ""
	}
	return l.Cases.Name(code)
}

// CaseSet is the enum's values as intervals of keys in ascending order (see Operand.Key), none where the leaf is no
// enum.
func (l *LeafInfo) CaseSet() iter.Seq2[uint64, uint64] {
	return func(yield func(lo, hi uint64) bool) {
		if l.Kind != LeafEnum {
			return
		}
		for _, k := range l.Cases.keys {
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
		return l.CodeOf(Low64(r.Want), width), true
	case l.Kind == LeafQuantized:
		return uint64(l.Quant.Code(float32(*r.WantFloat))), true
	case width == 32:
		return uint64(math.Float32bits(float32(*r.WantFloat))), true
	}
	return math.Float64bits(*r.WantFloat), true
}
