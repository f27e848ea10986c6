package syntax

import "github.com/pktscope/pktscope/decode/wire"

// TypeExpr is a type as written.
type TypeExpr interface {
	typeNode()
	Place() Span
}

// BodyType is an inline struct.
type BodyType struct{ *Body }

// NamedType is `Name` or `Name(args)`.
type NamedType struct {
	Span
	Name Ident
	Args []Expr
}

// SimpleType is a type word without arguments: bool, bool8, the fixed integers, float32, float64, dnsname.
type SimpleType struct {
	Span
	Word string
}

// SizedType is a word with one size: bits(e), sbits(e), varint(n), zigzag(n), string(n), wstring(n), cstring(n),
// char(n).
type SizedType struct {
	Span
	Word string
	Size Expr
}

// IntRangeType is int(a..b).
type IntRangeType struct {
	Span
	Lo, Hi Expr
}

// QuantizedType is float(a..b, step).
type QuantizedType struct {
	Span
	Lo, Hi, Step Expr
}

// VectorType is vec2(T), vec3(T), vec4(T) (N 2..4), or quat(T) (N 4, Quat set).
type VectorType struct {
	Span
	N    int
	Quat bool
	Elem *ValueExpr
}

// Smallest3Type is `quat smallest3(n)`.
type Smallest3Type struct {
	Span
	Bits Expr
}

// BlobType is bytes(e) or bytes(e, max n).
type BlobType struct {
	Span
	Size Expr // a *RestExpr for bytes(rest, …)
	Max  Expr // nil when absent
}

// LadderType is relative(e).
type LadderType struct {
	Span
	Prev Expr
}

// ChecksumType is a checksum with options.
type ChecksumType struct {
	Span
	Algorithm      *wire.Algorithm // nil for crc(…)
	Parameters     *CRCParameters  // of crc(…); nil for a name
	Prefix, Suffix []SumValue
	Xor, Check     Expr // nil when absent
	Over           *SumOver
}

// SumOver is `over rest`, `over a..b`, `over a..`, `over ..b` or `over b`: what a checksum covers.
type SumOver struct {
	Span
	Rest     bool
	From, To []Ident // paths; nil where none is
	Dots     Pos     // of the `..` iff Ranged
	Ranged   bool
}

// CRCParameters are what crc(…) begins with.
type CRCParameters struct {
	Width, Polynomial, Initial Expr
	RefIn, RefOut              bool
	Final                      Expr
}

// SumValue is `prefix e : uint32` or `suffix e : uint32`.
type SumValue struct {
	Value  Expr
	Type   string // of the fixed integers
	Endian Endian
}

// BadType is where a type could not be read.
type BadType struct{ Span }

func (BodyType) typeNode()       {}
func (*NamedType) typeNode()     {}
func (*SimpleType) typeNode()    {}
func (*SizedType) typeNode()     {}
func (*IntRangeType) typeNode()  {}
func (*QuantizedType) typeNode() {}
func (*VectorType) typeNode()    {}
func (*Smallest3Type) typeNode() {}
func (*BlobType) typeNode()      {}
func (*LadderType) typeNode()    {}
func (*ChecksumType) typeNode()  {}
func (*BadType) typeNode()       {}
