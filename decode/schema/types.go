package schema

import (
	"fmt"
	"math"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// The types of the checked schema.

// Type is a checked type: one of the pointer types of this file. What differs from type to type is a method or a column
// of its row, so that a new type says all of it here.
type Type interface {
	// Row is what holds for all values of the type.
	Row() *TypeRow
	// Inner is the element of arrays, optionals, subsets and vectors. It is nil for all others.
	Inner() *Value
	// Sizes are the expressions that the type is sized by, in the order of evaluation, without those of Inner.
	Sizes() []*TypedExpr
	// Layout is how the bits of a value lie.
	Layout() Layout
	// Interval is the integers that the type holds; false for what is no integer. Those of an enum are its cases'
	// business.
	Interval() (Range, bool)
	// SwapWidth is the bits that `le` and `be` may turn around, where a multiple of 8; 0 for what has no fixed width.
	SwapWidth() int
	// Integer sets v to what a code stands for, of a type whose codes have one width, and CodeOf is its inverse:
	// negative, or too wide, where no code does. Of what is no integer the code is the value.
	Integer(v *big.Int, code uint64)
	CodeOf(v *big.Int) *big.Int
	// Top is the highest code that the type, without its rule, accepts.
	Top() uint64
	// Machine is the bytes of a value in a packed struct of a program, where an element, or the struct that it is,
	// takes elem: lists have room for all elements that they may have.
	Machine(elem uint64) uint64
	// Refuses are the kinds that the type by itself, without a rule, gives to a packet.
	Refuses() []reject.Kind
}

// TypeRow is what holds for all values of a type.
type TypeRow struct {
	Seen  Seen
	What  string // what it is, where an expression that names it is refused: "a float"
	Rules RuleForm
	Part  Part
	List  bool // its elements have indexes
}

// Seen is what an expression sees of a value.
type Seen uint8

// What expressions see.
const (
	SeenNot    Seen = iota // nothing: naming it is an error
	SeenNumber             // of Interval, or of an enum's cases
	SeenBool
	SeenFields // those of a struct
)

// RuleForm is what may be after a type as its rule.
type RuleForm uint8

// The forms of rules.
const (
	RulesNone      RuleForm = iota // none: use `require`
	RulesQuantized                 // none: the type has its range
	RulesBool
	RulesInt
	RulesFloat
	RulesText
	RulesBytes
)

// Part is which vectors a type may be a part of.
type Part uint8

// The parts.
const (
	PartNone  Part = iota
	PartInt        // of vec2, vec3 and vec4
	PartFloat      // of quat, too
)

// simple is what has no elements and is sized by nothing; opaque is what is no number.
type (
	simple struct{}
	opaque struct{}
)

func (simple) Inner() *Value           { return nil }
func (simple) Sizes() []*TypedExpr     { return nil }
func (opaque) Interval() (Range, bool) { return Range{}, false }
func (opaque) SwapWidth() int          { return 0 }

// plain is what has no codes of one width, or codes that stand for themselves.
type plain struct{}

func (plain) Integer(v *big.Int, code uint64) { v.SetUint64(code) }
func (plain) CodeOf(v *big.Int) *big.Int      { return v }
func (plain) Top() uint64                     { return math.MaxUint64 }

// BoolType is bool (Wide false, 1 bit) or bool8 (8 bits, 0 or 1).
type BoolType struct {
	plain
	simple
	opaque
	Wide bool
}

// IntType is an integer that fills its width: bits(n), sbits(n), uint8 … int64. Width is constant, or Size is set
// and Width is its largest.
type IntType struct {
	simple
	Width  int // 0..64; 0 only where Size is set
	Size   *TypedExpr
	Signed bool
	Word   string // as written: "uint16", "bits(3)"
}

// RangedType is int(a..e): value - Lo in BitsRequired(Hi - Lo) bits. HiExpr is set where the upper end is no constant;
// Hi is then its largest.
type RangedType struct {
	simple
	Lo, Hi *big.Int
	HiExpr *TypedExpr
	Width  int // BitsRequired(Hi - Lo)
}

// FloatType is float32 or float64.
type FloatType struct {
	plain
	simple
	opaque
	Width int
}

// QuantizedType is float(a..b, step); all values are exact float32 (wire.md, "Floats").
type QuantizedType struct {
	plain
	simple
	opaque
	wire.Quantized
	Max, Step float32
	Width     int
}

// VarintType is varint(n) or zigzag(n).
type VarintType struct {
	plain
	simple
	Bits   int // 1..64
	ZigZag bool
}

// VectorType is vec2..vec4(T), or quat(T) with Quat set and N 4.
type VectorType struct {
	plain
	opaque
	N    int
	Quat bool
	Elem *Value
}

// SmallestType is `quat smallest3(n)`.
type SmallestType struct {
	plain
	simple
	opaque
	Bits int
}

// TextKind is one of the strings.
type TextKind uint8

// The strings.
const (
	TextString TextKind = iota + 1
	TextWString
	TextCString
	TextChar
	TextName
)

// Ends reports whether what a text holds says where it ends.
func (t TextKind) Ends() bool { return t == TextCString || t == TextName }

// TextType is string(n), wstring(n), cstring(n), char(n), or dnsname with N wire.MaxNameSize.
type TextType struct {
	plain
	simple
	opaque
	Kind TextKind
	N    int
}

// BlobType is bytes(e), bytes(e, max n) or bytes(rest, max n). Size is nil for rest; Max is the most it can be, in
// bytes.
type BlobType struct {
	plain
	simple
	opaque
	Size *TypedExpr
	Max  int
	// Explicit: `max n` was written, so a larger size is out-of-range.
	Explicit bool

	fits uint64 // Max, or less, where it takes the rest of a datagram that has not as many
}

// ChecksumType is a checksum over the bytes around it.
type ChecksumType struct {
	plain
	simple
	opaque
	Algorithm      *wire.Algorithm
	Xor            uint64     // comes last of all
	Prefix, Suffix []SumValue // at most MaxSumValues together
	From, To       SumEnd
	Lone           bool // nothing says what is covered: the innermost window, else the packet
}

// SumEnd is where what a checksum covers begins, or ends.
type SumEnd struct {
	Kind SumEndKind
	Path []*Var // SumField: as in a TypedExpr, but that the last is any field
}

// SumEndKind tells them apart.
type SumEndKind uint8

// The ends.
const (
	SumAround SumEndKind = iota // of the innermost window, or of the packet
	SumStart                    // the first bit of the packet; in an array, of the element
	SumOwn                      // the bit after the checksum; as an end, its first bit
	SumField                    // the first bit of a field; as an end, the bit after it
)

// MaxSumValues is how many prefixes and suffixes a checksum has at most.
const MaxSumValues = 8

// MaxSums is how many checksums are in one body at most, and in a packet outside of arrays.
const MaxSums = 16

// SumValue is bytes that are never sent, before or after what a checksum covers: Width bits of a value.
type SumValue struct {
	Value     *TypedExpr
	Width     int
	BigEndian bool
}

// EnumRef is an enum or flags type used as a field's type. Enum.Base has the bytes' order for the file's own bit order;
// the Swap of a Value of this type says that its bytes run the other way than those of Enum.Base.
type EnumRef struct {
	plain
	simple
	opaque
	Enum *Enum
}

// StructRef is a struct used as a type, named (with arguments) or inline.
type StructRef struct {
	plain
	simple
	opaque
	Struct *Struct
	Args   []*TypedExpr
}

// OptionalType is a bool, then Elem if it was set.
type OptionalType struct {
	plain
	opaque
	Elem *Value
}

// ArrayKind is how an array knows its end.
type ArrayKind uint8

// The arrays.
const (
	ArrayCount   ArrayKind = iota + 1 // [e]T: Count
	ArrayCounted                      // [a..b]T and [..n]T: reads int(Lo..Hi) first
	ArrayRest                         // [rest, max n]T: Max
	ArrayUntil                        // [until e, max n]T: Cond, Max
	ArrayWhile                        // [while e, max n]T: Cond, Max
)

// ArrayType is an array.
type ArrayType struct {
	plain
	opaque
	Kind   ArrayKind
	Count  *TypedExpr // ArrayCount
	Lo, Hi uint64
	Cond   *TypedExpr // sees the element just read (until): Elem's fields, or for a scalar element the array's own name
	Max    uint64     // most elements, for every kind (the count's upper bound, Hi, or `max n`)
	// Explicit: `max n` was written after the count, so a larger one is out-of-range.
	Explicit bool
	// Bits: of ArrayRest, one more element begins where a bit is left, not a byte: in a window of bits, where elements
	// are no whole bytes.
	Bits   bool
	inBits bool // the innermost window in the text is one of bits
	// ElemVar is what Cond calls the element just read, where the element is scalar; nil otherwise.
	ElemVar *Var
	Elem    *Value
}

// Left is how many bits must be left for one more element of an ArrayRest.
func (a *ArrayType) Left() int {
	if a.Bits {
		return 1
	}
	return 8
}

// SubsetType is subset(kind) [n]T.
type SubsetType struct {
	plain
	opaque
	Kind SubsetKind
	Any  bool // SubsetIndex, SubsetSentinel: indexes may fall and repeat
	N    uint64
	Elem *Value
}

// LadderType is relative(e), a number above Prev.
type LadderType struct {
	plain
	simple
	Prev *TypedExpr
}

// BelowType is below(e): a number below e, in as many bits as it takes to tell it from the others.
type BelowType struct {
	plain
	simple
	Limit *TypedExpr // 1..2^32, constant or not
}

// Bits are the fewest and the most that a number takes.
func (b *BelowType) Bits() (least, most uint64) {
	return uint64(b.Limit.Lo.BitLen() - 1), bitsFor(b.Limit.Hi.Uint64() - 1)
}

// The rows.
var (
	boolRow      = TypeRow{Seen: SeenBool, Rules: RulesBool}
	intRow       = TypeRow{Seen: SeenNumber, Rules: RulesInt, Part: PartInt}
	rangedRow    = TypeRow{Seen: SeenNumber, Rules: RulesInt, Part: PartInt}
	floatRow     = TypeRow{What: "a float", Rules: RulesFloat, Part: PartFloat}
	quantizedRow = TypeRow{What: "a float", Rules: RulesQuantized, Part: PartFloat}
	varintRow    = TypeRow{Seen: SeenNumber, Rules: RulesInt, Part: PartInt}
	vectorRow    = TypeRow{What: "a vector"}
	smallestRow  = TypeRow{What: "a vector"}
	textRow      = TypeRow{What: "a text", Rules: RulesText}
	blobRow      = TypeRow{What: "a block of bytes", Rules: RulesBytes}
	checksumRow  = TypeRow{What: "a checksum"}
	enumRow      = TypeRow{Seen: SeenNumber, Rules: RulesInt}
	structRow    = TypeRow{Seen: SeenFields}
	optionalRow  = TypeRow{What: "an optional"}
	arrayRow     = TypeRow{What: "an array", List: true}
	subsetRow    = TypeRow{What: "a subset", List: true}
	belowRow     = TypeRow{Seen: SeenNumber, Rules: RulesInt}
	ladderRow    = TypeRow{Seen: SeenNumber, Rules: RulesInt}
)

func (*BoolType) Row() *TypeRow      { return &boolRow }
func (*IntType) Row() *TypeRow       { return &intRow }
func (*RangedType) Row() *TypeRow    { return &rangedRow }
func (*FloatType) Row() *TypeRow     { return &floatRow }
func (*QuantizedType) Row() *TypeRow { return &quantizedRow }
func (*VarintType) Row() *TypeRow    { return &varintRow }
func (*VectorType) Row() *TypeRow    { return &vectorRow }
func (*SmallestType) Row() *TypeRow  { return &smallestRow }
func (*TextType) Row() *TypeRow      { return &textRow }
func (*BlobType) Row() *TypeRow      { return &blobRow }
func (*ChecksumType) Row() *TypeRow  { return &checksumRow }
func (*EnumRef) Row() *TypeRow       { return &enumRow }
func (*StructRef) Row() *TypeRow     { return &structRow }
func (*OptionalType) Row() *TypeRow  { return &optionalRow }
func (*ArrayType) Row() *TypeRow     { return &arrayRow }
func (*SubsetType) Row() *TypeRow    { return &subsetRow }
func (*LadderType) Row() *TypeRow    { return &ladderRow }
func (*BelowType) Row() *TypeRow     { return &belowRow }

func (o *OptionalType) Inner() *Value { return o.Elem }
func (a *ArrayType) Inner() *Value    { return a.Elem }
func (s *SubsetType) Inner() *Value   { return s.Elem }
func (v *VectorType) Inner() *Value   { return v.Elem }

func (i *IntType) Sizes() []*TypedExpr    { return said(i.Size) }
func (r *RangedType) Sizes() []*TypedExpr { return said(r.HiExpr) }
func (b *BlobType) Sizes() []*TypedExpr   { return said(b.Size) }
func (s *StructRef) Sizes() []*TypedExpr  { return s.Args }
func (c *ChecksumType) Sizes() (list []*TypedExpr) {
	for _, v := range c.Prefix {
		list = append(list, v.Value)
	}
	for _, v := range c.Suffix {
		list = append(list, v.Value)
	}
	return list
}

// Over is what is covered, as it is written: `rest`, `a..b`, `a..`, `..b`, `before`; "" where nothing is.
func (c *ChecksumType) Over() string {
	name := func(e SumEnd) string {
		var b strings.Builder
		for i, v := range e.Path {
			if i > 0 {
				b.WriteByte('.')
			}
			b.WriteString(v.Name)
		}
		return b.String()
	}
	from, to := name(c.From), name(c.To)
	switch {
	case c.Lone:
		return ""
	case c.To.Kind == SumAround:
		return "rest"
	case c.From.Kind == SumStart && c.To.Kind == SumOwn:
		return "before"
	case from == to:
		return from
	}
	return from + ".." + to
}

func (a *ArrayType) Sizes() []*TypedExpr    { return append(said(a.Count), said(a.Cond)...) }
func (l *LadderType) Sizes() []*TypedExpr   { return said(l.Prev) }
func (b *BelowType) Sizes() []*TypedExpr    { return said(b.Limit) }
func (o *OptionalType) Sizes() []*TypedExpr { return nil }
func (s *SubsetType) Sizes() []*TypedExpr   { return nil }
func (v *VectorType) Sizes() []*TypedExpr   { return nil }

// said is a list of e, where there is one.
func said(e *TypedExpr) []*TypedExpr {
	if e == nil {
		return nil
	}
	return []*TypedExpr{e}
}

func (i *IntType) Interval() (Range, bool)    { return integers(i.Width, i.Signed), true }
func (r *RangedType) Interval() (Range, bool) { return Range{r.Lo, r.Hi}, true }
func (v *VarintType) Interval() (Range, bool) { return integers(v.Bits, v.ZigZag), true }
func (l *LadderType) Interval() (Range, bool) {
	return Range{new(big.Int).Add(l.Prev.Lo, bigOne), big.NewInt(math.MaxInt32)}, true
}

func (b *BelowType) Interval() (Range, bool) {
	return Range{bigZero, new(big.Int).Sub(b.Limit.Hi, bigOne)}, true
}

// integers are those of so many bits.
func integers(bits int, signed bool) Range {
	switch {
	case bits == 0:
		return Range{bigZero, bigZero}
	case signed:
		return Range{new(big.Int).Neg(pow2(uint(bits - 1))), mask(uint(bits - 1))}
	}
	return Range{bigZero, mask(uint(bits))}
}

// String gives the type in the words of the language, with constants for names.
func (i *IntType) String() string    { return i.Word }
func (r *RangedType) String() string { return fmt.Sprintf("int(%s..%s)", r.Lo, r.Hi) }
func (v *VarintType) String() string {
	if v.ZigZag {
		return fmt.Sprintf("zigzag(%d)", v.Bits)
	}
	return fmt.Sprintf("varint(%d)", v.Bits)
}

func (i *IntType) Integer(v *big.Int, code uint64) {
	v.SetUint64(code)
	if i.Signed {
		v.SetInt64(wire.SignExtend(code, i.Width))
	}
}

func (i *IntType) CodeOf(v *big.Int) *big.Int {
	if in := integers(i.Width, i.Signed); v.Cmp(in.Lo) < 0 || v.Cmp(in.Hi) > 0 {
		return big.NewInt(-1)
	}
	return new(big.Int).And(v, mask(uint(i.Width))) // two's complement
}

func (r *RangedType) Integer(v *big.Int, code uint64) { v.Add(v.SetUint64(code), r.Lo) }

func (r *RangedType) CodeOf(v *big.Int) *big.Int { return new(big.Int).Sub(v, r.Lo) }

func (*BoolType) Top() uint64        { return 1 }
func (i *IntType) Top() uint64       { return wire.Mask(i.Width) }
func (r *RangedType) Top() uint64    { return new(big.Int).Sub(r.Hi, r.Lo).Uint64() }
func (q *QuantizedType) Top() uint64 { return uint64(q.Steps) }

func (b *BoolType) SwapWidth() int {
	if b.Wide {
		return 8
	}
	return 0
}

func (i *IntType) SwapWidth() int {
	if i.Size != nil {
		return 0
	}
	return i.Width
}

func (r *RangedType) SwapWidth() int {
	if r.HiExpr != nil {
		return 0
	}
	return r.Width
}

func (f *FloatType) SwapWidth() int { return f.Width }

func (c *ChecksumType) SwapWidth() int { return c.Algorithm.Width }
func (*VarintType) SwapWidth() int     { return 0 }
func (*LadderType) SwapWidth() int     { return 0 }
func (*BelowType) SwapWidth() int      { return 0 }
func (e *EnumRef) SwapWidth() int      { return e.Enum.Base.Type.SwapWidth() }

func (*IntType) Refuses() []reject.Kind       { return nil } // all codes of its width are values
func (*RangedType) Refuses() []reject.Kind    { return []reject.Kind{reject.OutOfRange} }
func (*FloatType) Refuses() []reject.Kind     { return nil }
func (*QuantizedType) Refuses() []reject.Kind { return []reject.Kind{reject.OutOfRange} }
func (*VarintType) Refuses() []reject.Kind {
	return []reject.Kind{reject.NonCanonical, reject.OutOfRange}
}
func (*VectorType) Refuses() []reject.Kind   { return nil } // its parts do
func (*SmallestType) Refuses() []reject.Kind { return []reject.Kind{reject.NonUnit} }
func (*TextType) Refuses() []reject.Kind     { return []reject.Kind{reject.BadString} }
func (*ChecksumType) Refuses() []reject.Kind { return []reject.Kind{reject.CRCMismatch} }
func (*StructRef) Refuses() []reject.Kind    { return nil } // its fields do
func (*OptionalType) Refuses() []reject.Kind { return nil }
func (s *SubsetType) Refuses() []reject.Kind {
	if s.Any {
		return []reject.Kind{reject.OutOfRange}
	}
	return []reject.Kind{reject.NotIncreasing, reject.OutOfRange}
}
func (*BelowType) Refuses() []reject.Kind { return nil } // it has no codes for what is not below
func (*LadderType) Refuses() []reject.Kind {
	return []reject.Kind{reject.NotIncreasing, reject.OutOfRange}
}

func (b *BoolType) Refuses() []reject.Kind {
	if b.Wide {
		return []reject.Kind{reject.OutOfRange}
	}
	return nil
}

func (b *BlobType) Refuses() []reject.Kind {
	if b.Size == nil || !b.Size.IsConst() {
		return []reject.Kind{reject.OutOfRange}
	}
	return nil
}

func (e *EnumRef) Refuses() []reject.Kind {
	switch {
	case e.Enum.Open:
		return nil
	case e.Enum.Flags:
		return []reject.Kind{reject.ReservedNonzero}
	}
	return []reject.Kind{reject.UnknownCase}
}

func (a *ArrayType) Refuses() []reject.Kind {
	if a.Explicit || a.Kind != ArrayCount && a.Kind != ArrayCounted {
		return []reject.Kind{reject.OutOfRange}
	}
	return nil
}
