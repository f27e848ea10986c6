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

// SimpleType is a type word without arguments: bool, bool8, the fixed integers, float32, float64.
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

// QuantType is float(a..b, step).
type QuantType struct {
	Span
	Lo, Hi, Step Expr
}

// VecType is vec2(T), vec3(T), vec4(T) (N 2..4), or quat(T) (N 4, Quat set).
type VecType struct {
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

// BytesType is bytes(e) or bytes(e, max n).
type BytesType struct {
	Span
	Size Expr // a *RestExpr for bytes(rest, …)
	Max  Expr // nil when absent
}

// RelativeType is relative(path).
type RelativeType struct {
	Span
	Path []Ident
}

// CrcType is a checksum with options.
type CrcType struct {
	Span
	Algorithm    *wire.Algorithm
	Prefix       Expr // nil when absent
	PrefixWidth  int  // 32 or 64
	PrefixEndian Endian
	OverRest     bool
}

// BadType stands where a type could not be read.
type BadType struct{ Span }

func (BodyType) typeNode()       {}
func (*NamedType) typeNode()     {}
func (*SimpleType) typeNode()    {}
func (*SizedType) typeNode()     {}
func (*IntRangeType) typeNode()  {}
func (*QuantType) typeNode()     {}
func (*VecType) typeNode()       {}
func (*Smallest3Type) typeNode() {}
func (*BytesType) typeNode()     {}
func (*RelativeType) typeNode()  {}
func (*CrcType) typeNode()       {}
func (*BadType) typeNode()       {}
