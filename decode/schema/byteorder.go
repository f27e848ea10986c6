package schema

import (
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Byte orders after a type. `le` and `be` name the order of a value's bytes; the model only keeps whether they run the
// other way than the bit order's own, so that a reader has one question to ask.

// swap checks `le` or `be` after the type of v and sets v.Swap.
func (c *checker) swap(f *frame, ve *syntax.ValueExpr, v *Value) bool {
	if vec, ok := v.Type.(*VectorType); ok {
		return c.swap(f, ve, vec.Elem)
	}
	if isBlob(v.Type) && ve.Rule != nil && ve.Rule.Encoding.Unit() == 2 {
		v.Swap = runsOther(f.s.Order, ve.Endian)
		return true
	}
	width := v.Type.SwapWidth()
	if width == 0 || width%8 != 0 {
		fix := "leave it out"
		if _, ok := v.Type.(*VarintType); ok {
			fix = "leave it out: the first byte of a varint has its lowest 7 bits"
		}
		c.errorf(ve.EndianAt, fix, "`%s` comes after values of a fixed multiple of 8 bits only, which `%s` is not", ve.Endian, c.typeText(ve))
		return false
	}
	if ref, ok := v.Type.(*EnumRef); ok {
		c.enumSwap(f, ref.Enum, v, ve.Endian)
		return true
	}
	v.Swap = width > 8 && runsOther(f.s.Order, ve.Endian)
	return true
}

// enumSwap sets v.Swap for a field of type n: whether its bytes run the other way than those of n.Base, whose Swap was
// made for the file's order. e is what is said after the field's type; without it the declaration's own holds.
func (c *checker) enumSwap(f *frame, n *Enum, v *Value, e syntax.Endian) {
	if e == syntax.EndianNone {
		e = c.enums[n].endian
	}
	v.Swap = v.MaxBits > 8 && runsOther(f.s.Order, e) != n.Base.Swap
}

// runsOther says whether e is not the order's own: msb is big-endian on whole bytes, lsb and bousk (low groups first)
// are little-endian.
func runsOther(o Order, e syntax.Endian) bool {
	switch e {
	case syntax.LittleEndian:
		return o == MSB
	case syntax.BigEndian:
		return o != MSB
	}
	return false
}

// inOrder is an encoding in the byte order that v has in the bit order o.
func (v *Value) inOrder(e wire.Encoding, o Order) wire.Encoding {
	if e.Unit() == 2 && (o == MSB) != v.Swap {
		return wire.EncodingUTF16BE
	}
	return e
}

// typeText is the type of a value as written, without prefixes, byte order and rule.
func (c *checker) typeText(ve *syntax.ValueExpr) string {
	switch t := ve.Type.(type) {
	case syntax.BodyType:
		return "{ … }"
	case interface{ Place() Span }:
		return c.text(t.Place())
	}
	return c.text(ve.Span)
}
