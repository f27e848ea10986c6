package schema

import (
	"math/big"

	"github.com/pktscope/pktscope/decode/wire"
)

// The checked schema: names resolved, constants folded, every interval known. What the checker passes on is safe to
// compile without a further question: each count has a range, each switch a default or a reject, each expression an
// interval that fits int64 or uint64. Nodes are shared: a named struct is checked once, however often it is used.

// Schema is a checked protocol.
type Schema struct {
	Name        string       // protocol name
	Warnings    []Diagnostic // in source order; set by decode.Load
	Doc         string
	File        *File
	Order       Order
	Ports       []uint16
	MaxDatagram int // bytes, 1..65507
	MaxFields   int // the schema's own limit, or DefaultMaxFields
	MaxSteps    int
	Params      []*Const // the settable constants, in source order
	Enums       []*Enum
	Structs     []*Struct // named ones, in source order
	Packet      *Struct
	Timeout     int64 // `expect timeout`, ns; 0 when absent
}

// The limits that a schema may lower with `max` but not raise (language.md, "The checker and the bound").
const (
	MaxSource        = 1 << 20 // bytes
	MaxNesting       = 64
	DefaultMaxFields = 1 << 20
	DefaultMaxSteps  = 1 << 20
	MaxUDPPayload    = 65507
)

// Const is a named constant or, with Param set, one that the command line may set within Lo..Hi.
type Const struct {
	Name  string
	Doc   string
	Pos   Pos
	Value *big.Int // nil for a string constant and for a float one
	Text  string   // a string constant's bytes
	Float *float64 // a float constant's value
	Param bool
	Lo    *big.Int
	Hi    *big.Int
}

// Enum is a checked enum or flags declaration.
type Enum struct {
	Name  string
	Doc   string
	Pos   Pos
	Open  bool
	Flags bool
	Base  *Value // innermost integer type, no rule
	Cases []Case // in source order; values distinct
	Mask  uint64 // flags: all declared bits
}

// Case is one enum case or flag.
type Case struct {
	Name  string
	Doc   string
	Pos   Pos
	Value *big.Int
}

// Struct is a checked struct: named, inline (Name ""), or the packet (IsPacket).
type Struct struct {
	Name     string
	Doc      string
	Pos      Pos
	IsPacket bool
	Inline   bool
	Params   []*Var
	Order    Order // effective: its own or its surroundings'
	OwnOrder bool  // said at the struct itself: it begins and ends on a byte (proved)
	Items    []Item
	MinBits  uint64 // least and most bits on the wire, saturated at MaxUint64; alignment counted as 0 and as its most
	MaxBits  uint64
}

// Item is one item of a struct: *Field, *If, *Within, *Let, *Require, *Align, *Reserved or *Check.
type Item interface{ ItemPos() Pos }

// Field is a named value or a switch: exactly one of Value and Switch is set.
type Field struct {
	Name   string
	Doc    string
	Pos    Pos
	Value  *Value
	Switch *Switch
	Notes  Annotations
	Var    *Var // what expressions and dotted paths refer to; shared by fields of one name in exclusive branches; never nil
}

// Switch chooses a value by a tag.
type Switch struct {
	Pos  Pos
	Tag  *TypedExpr
	Enum *Enum // of the tag, when it is an enum field; else nil
	Arms []*Arm
	// HasDefault: some arm is Default, so no tag is refused.
	HasDefault bool
}

// Arm is one arm of a switch. Value is nil for `empty`.
type Arm struct {
	Pos     Pos
	Doc     string
	Default bool
	Spans   []Range // disjoint over all arms
	Label   string  // stable name of the arm in rule names: its first label as written, or "default"
	Value   *Value
	Notes   Annotations
}

// If is a conditional; its items' names splice into the struct around it.
type If struct {
	Pos  Pos
	Cond *TypedExpr
	Then []Item
	Else []Item // nil without else; `else if` is an Else of one *If
}

// Within is a window: Size bytes (aligned first), or with Bits exactly that many bits.
type Within struct {
	Pos   Pos
	Size  *TypedExpr
	Bits  bool
	Items []Item
	Index int // number among the windows of its struct, from 1

	inside uint64 // the most bits that its items take
}

// Let is a computed value.
type Let struct {
	Pos   Pos
	Doc   string
	Var   *Var
	Value *TypedExpr
}

// Require is a relation that must hold.
type Require struct {
	Pos  Pos
	Doc  string
	Cond *TypedExpr
	Text string // the relation as written, on one line
}

// Align is zero padding to the next multiple of Bits (a power of two, ≥ 8), from the start of the datagram.
type Align struct {
	Pos   Pos
	Doc   string
	Bits  int
	Any   bool
	Index int // number among the aligns of its struct, from 1 (`align#1`)
}

// Reserved is Bits bits that must be zero, or any.
type Reserved struct {
	Pos   Pos
	Doc   string
	Bits  int // 1..; may be above 64
	Any   bool
	Index int
}

// Check is a serialize check: a 32-bit value at this bit, or with HasLabel the hash of the label behind an align.
type Check struct {
	Pos      Pos
	Doc      string
	Value    uint32
	Label    string
	HasLabel bool
	Index    int
}

// ItemPos is where the item stands in the source.
func (f *Field) ItemPos() Pos    { return f.Pos }
func (f *If) ItemPos() Pos       { return f.Pos }
func (f *Within) ItemPos() Pos   { return f.Pos }
func (f *Let) ItemPos() Pos      { return f.Pos }
func (f *Require) ItemPos() Pos  { return f.Pos }
func (f *Align) ItemPos() Pos    { return f.Pos }
func (f *Reserved) ItemPos() Pos { return f.Pos }
func (f *Check) ItemPos() Pos    { return f.Pos }

// Annotations are the checked notes behind a field or an arm. Zero values mean "not said".
type Annotations struct {
	Unit   string
	Scale  float64 // 0 when absent
	Time   int64   // ns per unit of the field: 1e3, 1e6 or 1e9; 0 when absent
	Text   bool
	Seq    bool
	Ack    *AckRef
	From   Side
	Every  int64 // ns
	Secret bool
	Budget int // bits
}

// AckRef is @ack(Struct.field).
type AckRef struct {
	Struct *Struct
	Field  *Field
}

// Range is a closed interval of integers.
type Range struct{ Lo, Hi *big.Int }

// FloatRange is a closed interval of floats.
type FloatRange struct{ Lo, Hi float64 }

// Rule is a constraint on a value. Which fields are set follows from the kind and the type it stands behind:
// Set for `in` over integers and enums, Floats for `in` over float32 and float64, Want for ==/!= over integers, enums,
// flags and bools (0 and 1), WantFloat over floats, Bytes over bytes and text.
type Rule struct {
	Pos       Pos
	Kind      RuleKind
	Set       []Range // sorted, disjoint, not adjacent
	Floats    []FloatRange
	Want      *big.Int
	WantFloat *float64
	Bytes     []byte
	Text      string // the rule as written, on one line
}

// Value is a type with what stands behind it. For arrays, optionals, subsets and vectors, rule and byte order are on the
// innermost element.
type Value struct {
	Pos     Pos
	Type    Type
	Swap    bool // its bytes run the other way than the bit order's own
	Rule    *Rule
	MinBits uint64 // as in Struct
	MaxBits uint64
}

// Type is a checked type: one of the pointer types below.
type Type interface{ checkedType() }

// BoolType is bool (Wide false, 1 bit) or bool8 (8 bits, 0 or 1).
type BoolType struct{ Wide bool }

// IntType is an integer that fills its width: bits(n), sbits(n), uint8 … int64. Width is constant, or SizeExpr is set
// and Width is its largest.
type IntType struct {
	Width  int // 0..64; 0 only where SizeExpr is set
	Size   *TypedExpr
	Signed bool
	Word   string // as written: "uint16", "bits(3)"
}

// RangedType is int(a..e): value - Lo in BitsRequired(Hi - Lo) bits. HiExpr is set where the upper end is no constant;
// Hi is then its largest.
type RangedType struct {
	Lo, Hi *big.Int
	HiExpr *TypedExpr
	Width  int // BitsRequired(Hi - Lo)
}

// FloatType is float32 or float64.
type FloatType struct{ Width int }

// QuantizedType is float(a..b, step); all values are exact float32 (wire.md, "Floats").
type QuantizedType struct {
	wire.Quantized
	Max, Step float32
	Width     int
}

// VarintType is varint(n) or zigzag(n).
type VarintType struct {
	Bits   int // 1..64
	ZigZag bool
}

// VectorType is vec2..vec4(T), or quat(T) with Quat set and N 4.
type VectorType struct {
	N    int
	Quat bool
	Elem *Value
}

// SmallestType is `quat smallest3(n)`.
type SmallestType struct{ Bits int }

// TextKind is one of the four strings.
type TextKind uint8

// The strings.
const (
	TextString TextKind = iota + 1
	TextWString
	TextCString
	TextChar
)

// TextType is string(n), wstring(n), cstring(n) or char(n).
type TextType struct {
	Kind TextKind
	N    int
}

// BlobType is bytes(e), bytes(e, max n) or bytes(rest, max n). Size is nil for rest; Max is the most it can be, in bytes.
type BlobType struct {
	Size *TypedExpr
	Max  int
	// Explicit: `max n` was written, so a larger size is out-of-range.
	Explicit bool
}

// ChecksumType is a checksum over the packet.
type ChecksumType struct {
	Algorithm   *wire.Algorithm
	HasPrefix   bool
	Prefix      uint64
	PrefixWidth int // 32 or 64
	PrefixBE    bool
	OverRest    bool
}

// EnumRef is an enum or flags type used as a field's type. Enum.Base has the bytes' order for the file's own bit order;
// the Swap of a Value of this type says that its bytes run the other way than those of Enum.Base.
type EnumRef struct{ Enum *Enum }

// StructRef is a struct used as a type, named (with arguments) or inline.
type StructRef struct {
	Struct *Struct
	Args   []*TypedExpr
}

// OptionalType is a bool, then Elem if it was set.
type OptionalType struct{ Elem *Value }

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
	Kind   ArrayKind
	Count  *TypedExpr // ArrayCount
	Lo, Hi uint64
	Cond   *TypedExpr // sees the element just read (until): Elem's fields, or for a scalar element the array's own name
	Max    uint64     // most elements, for every kind (the count's upper bound, Hi, or `max n`)
	// Explicit: `max n` was written behind the count, so a larger one is out-of-range.
	Explicit bool
	// ElemVar is what Cond calls the element just read, where the element is scalar; nil otherwise.
	ElemVar *Var
	Elem    *Value
}

// SubsetType is subset(kind) [n]T.
type SubsetType struct {
	Kind SubsetKind
	N    uint64
	Elem *Value
}

// LadderType is relative(field).
type LadderType struct{ Prev *TypedExpr }

func (*BoolType) checkedType()      {}
func (*IntType) checkedType()       {}
func (*RangedType) checkedType()    {}
func (*FloatType) checkedType()     {}
func (*QuantizedType) checkedType() {}
func (*VarintType) checkedType()    {}
func (*VectorType) checkedType()    {}
func (*SmallestType) checkedType()  {}
func (*TextType) checkedType()      {}
func (*BlobType) checkedType()      {}
func (*ChecksumType) checkedType()  {}
func (*EnumRef) checkedType()       {}
func (*StructRef) checkedType()     {}
func (*OptionalType) checkedType()  {}
func (*ArrayType) checkedType()     {}
func (*SubsetType) checkedType()    {}
func (*LadderType) checkedType()    {}
