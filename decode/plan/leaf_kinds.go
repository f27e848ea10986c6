package plan

import (
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Form is how a value reads: what a program gets of it, and its shape in text and JSON.
type Form uint8

// The forms.
const (
	FormUint  Form = iota + 1 // an unsigned integer
	FormInt                   // a signed one
	FormFloat                 // a float, sent as such or as a step of a range
	FormBool
	FormCase  // a case of an enum, or a number that is not listed
	FormFlags // bits with names
	FormHex   // bits that are no number: a checksum, a check, reserved bits
	FormText
	FormBytes
)

var formNames = [...]string{FormUint: "an unsigned integer", FormInt: "a signed integer", FormFloat: "a float", FormBool: "a bool",
	FormCase: "a case of an enum", FormFlags: "flags", FormHex: "bits", FormText: "text", FormBytes: "bytes"}

// String names a form as messages do: "a float".
func (f Form) String() string { return formNames[f] }

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
	leafKinds
)

// LeafKinds is how many kinds there are: a table of them has a row for each.
const LeafKinds = int(leafKinds)

// LeafRow is what holds for all leaves of a kind.
type LeafRow struct {
	Word string // what it is, as messages name it
	Form Form   // FormUint is FormInt for a leaf whose values can be negative
}

var leafRows = [leafKinds]LeafRow{
	LeafUint:     {"integer", FormUint},
	LeafInt:      {"integer", FormInt},
	LeafBool:     {"bool", FormBool},
	LeafRanged:   {"integer", FormUint},
	LeafFloat:    {"float", FormFloat},
	LeafQuant:    {"quantized float", FormFloat},
	LeafEnum:     {"enum", FormCase},
	LeafFlags:    {"flags", FormFlags},
	LeafCRC:      {"checksum", FormHex},
	LeafCheck:    {"check", FormHex},
	LeafReserved: {"reserved bits", FormHex},
}

// infoOf is what a code of a type means, with the bits of the largest. fixed: each code has that many. It is false for
// what is no leaf, too; an enum is a leaf of its base.
func infoOf(t schema.Type) (info LeafInfo, width int, fixed bool) {
	switch t := t.(type) {
	case *schema.BoolType:
		return LeafInfo{Kind: LeafBool, TypeSpan: 1}, max(1, t.SwapWidth()), true
	case *schema.IntType:
		info = LeafInfo{Kind: LeafUint, TypeSpan: wire.Mask(t.Width), Signed: t.Signed}
		if t.Signed {
			info.Kind = LeafInt
		}
		return info, t.Width, t.Size == nil
	case *schema.RangedType:
		info = LeafInfo{Kind: LeafRanged, Base: low64(t.Lo), Negative: t.Lo.Sign() < 0}
		info.TypeSpan = low64(t.Hi) - info.Base
		return info, t.Width, t.HiExpr == nil
	case *schema.VarintType:
		return LeafInfo{TypeSpan: wire.Mask(t.Bits), ZigZag: t.ZigZag, Negative: t.ZigZag}, t.Bits, false
	case *schema.LadderType:
		return LeafInfo{TypeSpan: 1<<31 - 1}, 6 + 32, false
	case *schema.FloatType:
		return LeafInfo{Kind: LeafFloat, TypeSpan: wire.Mask(t.Width)}, t.Width, true
	case *schema.QuantizedType:
		return LeafInfo{Kind: LeafQuant, TypeSpan: uint64(t.Steps), Quant: t}, t.Width, true
	}
	return LeafInfo{}, 0, false
}

// Row is the row of a kind.
func (k LeafKind) Row() *LeafRow { return &leafRows[k] }

// Form is how the leaf's value reads.
func (l *LeafInfo) Form() Form { return l.form }

// settle fills in what follows from the rest of a leaf and is asked for every value.
func (l *LeafInfo) settle() {
	l.form = leafRows[l.Kind].Form
	if l.form == FormUint && l.IsSigned() {
		l.form = FormInt
	}
	l.wide = l.isWide()
}
