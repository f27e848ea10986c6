package schema

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Types: each one checked against its bounds, with the least and most bits it takes. Arrays, optionals and subsets are
// in check_arrays.go, rules in check_rules.go.

// maxText bounds string(n) and its kin; maxCount the elements of an array and the bytes of a blob: a count must have a
// range, and that of a plain uint64 is none.
const (
	maxText  = 1 << 16
	maxCount = math.MaxUint32
)

// value checks a type with its prefixes, byte order and rule. name is the field's. What is learnt inside is forgotten
// again: the value may be absent, or come many times.
func (c *checker) value(f *frame, ve *syntax.ValueExpr, name string) *Value {
	if ve == nil {
		return nil
	}
	mark := c.facts.mark()
	defer c.facts.leave(mark)
	return c.prefixed(f, ve, 0, name)
}

// leaf checks the type after the prefixes, with its byte order but without the rule.
func (c *checker) leaf(f *frame, ve *syntax.ValueExpr, name string) *Value {
	v := &Value{Pos: ve.Pos}
	if v.Type = c.typ(f, ve, name); v.Type == nil {
		return nil
	}
	v.measure(f.s.Order)
	if ref, ok := v.Type.(*EnumRef); ok {
		c.enumSwap(f, ref.Enum, v, syntax.EndianNone)
	}
	if ve.Endian != syntax.EndianNone && !c.swap(f, ve, v) {
		return nil
	}
	return v
}

// measure sets the sizes of a value whose type is known.
func (v *Value) measure(o Order) {
	s := sizeOf(v.Type, o)
	v.MinBits, v.MaxBits = s.min, s.max
}

func (c *checker) typ(f *frame, ve *syntax.ValueExpr, name string) Type {
	switch t := ve.Type.(type) {
	case syntax.BodyType:
		return c.inline(f, t.Body)
	case *syntax.NamedType:
		return c.namedType(f, t)
	case *syntax.SimpleType:
		return c.simple(f, t)
	case *syntax.SizedType:
		return c.sized(f, t)
	case *syntax.IntRangeType:
		return c.ranged(f, t)
	case *syntax.QuantizedType:
		return c.quantized(t)
	case *syntax.VectorType:
		return c.vector(f, t, name)
	case *syntax.Smallest3Type:
		if n, ok := c.constIn(t.Bits, "the bits of a smallest3 component", 2, maxSmallest); ok {
			return &SmallestType{Bits: int(n)}
		}
	case *syntax.BlobType:
		return c.blob(f, t)
	case *syntax.SealedType:
		return c.sealed(f, t)
	case *syntax.LadderType:
		return c.ladder(f, t)
	case *syntax.ChecksumType:
		return c.checksum(f, t)
	default:
		c.trouble++ // a BadType
	}
	return nil
}

// simpleTypes make the types without arguments, by their words.
var simpleTypes = map[string]func(word string) Type{
	"bool":    func(string) Type { return &BoolType{} },
	"bool8":   func(string) Type { return &BoolType{Wide: true} },
	"float32": func(string) Type { return &FloatType{Width: 32} },
	"float64": func(string) Type { return &FloatType{Width: 64} },
	"uint8":   wholeBytes(8, false),
	"uint16":  wholeBytes(16, false),
	"uint32":  wholeBytes(32, false),
	"uint64":  wholeBytes(64, false),
	"int8":    wholeBytes(8, true),
	"int16":   wholeBytes(16, true),
	"int32":   wholeBytes(32, true),
	"int64":   wholeBytes(64, true),
	"dnsname": func(string) Type { return &TextType{Kind: TextName, N: wire.MaxNameSize} },
}

// wholeBytes is an integer of whole bytes.
func wholeBytes(bits int, signed bool) func(string) Type {
	return func(word string) Type { return &IntType{Width: bits, Signed: signed, Word: word} }
}

// sizedType is a type whose parentheses hold one constant.
type sizedType struct {
	what        string // the constant, for a message
	least, most int64
	made        func(n int) Type
}

// sizedTypes are the rows of these types, by their words. `bits` and `sbits` are not here: their size may be computed.
var sizedTypes = map[string]sizedType{
	"varint":  {"the value bits of a varint", 1, 64, func(n int) Type { return &VarintType{Bits: n} }},
	"zigzag":  {"the value bits of a zigzag", 1, 64, func(n int) Type { return &VarintType{Bits: n, ZigZag: true} }},
	"string":  {"the size of a string, its terminator counted,", 1, maxText, text(TextString)},
	"wstring": {"the size of a wstring, its terminator counted,", 1, maxText, text(TextWString)},
	"cstring": {"the size of a cstring, its terminator counted,", 1, maxText, text(TextCString)},
	"char":    {"the size of a char", 1, maxText, text(TextChar)},
}

func text(kind TextKind) func(int) Type {
	return func(n int) Type { return &TextType{Kind: kind, N: n} }
}

// simple is a type without arguments.
func (c *checker) simple(f *frame, t *syntax.SimpleType) Type {
	made, ok := simpleTypes[t.Word]
	if !ok {
		return nil // complained about
	}
	typ := made(t.Word)
	if text, ok := typ.(*TextType); ok && text.Kind == TextName && f.s.Order == Bytewise {
		c.errorf(t.Span, "give the struct it is in the order msb", "a dnsname points at bytes, and in order bousk a byte begins at any bit")
		return nil
	}
	return typ
}

// sized is a type of which the parentheses hold one size.
func (c *checker) sized(f *frame, t *syntax.SizedType) Type {
	if t.Word == "below" {
		return c.below(f, t)
	}
	row, ok := sizedTypes[t.Word]
	if !ok {
		return c.bits(f, t)
	}
	n, ok := c.constIn(t.Size, row.what, row.least, row.most)
	if !ok {
		return nil
	}
	return row.made(int(n))
}

// bitsFor is bits_required(0, n).
func bitsFor(n uint64) uint64 { return uint64(new(big.Int).SetUint64(n).BitLen()) }

// bits is bits(e) and sbits(e).
func (c *checker) bits(f *frame, t *syntax.SizedType) Type {
	e := c.integer(f, t.Size, "a width")
	if e == nil {
		return nil
	}
	it := &IntType{Signed: t.Word == "sbits", Word: c.text(t.Span)}
	in := e.interval()
	if e.IsConst() {
		if !in.within(span64(1, 64)) {
			c.errorf(t.Size.Place(), "", "a width is 1..64 bits, got %s", e.Val)
			return nil
		}
		it.Width = int(e.Val.Int64())
		return it
	}
	if in.hi.Sign() < 0 || in.hi.Cmp(big.NewInt(64)) > 0 {
		c.errorf(t.Size.Place(), constrainTo(e, "0..64"),
			"a width is at most 64 bits, but `%s` is %s", e.Text, in)
		return nil
	}
	it.Size, it.Width = e, int(in.hi.Int64())
	return it
}

// constrainTo is how e comes to lie in a range: what is linear in one field learns it from a comparison, all else has a
// name that has it.
func constrainTo(e *TypedExpr, in string) string {
	x, _ := linearPath(e, e.interval())
	switch {
	case e.IsConst():
		return ""
	case e.Op == OpVar:
		return fmt.Sprintf("constrain it to %s: `%s in %s`", in, e.Text, in)
	case x != nil:
		return fmt.Sprintf("write `require %s in %s` before it", e.Text, in)
	}
	return fmt.Sprintf("write `let size in %s = %s` before it, and `size` here", in, e.Text)
}

// below is below(e).
func (c *checker) below(f *frame, t *syntax.SizedType) Type {
	e := c.integer(f, t.Size, "what the values are below")
	if e == nil {
		return nil
	}
	in := e.interval()
	switch {
	case in.hi.Sign() <= 0:
		c.errorf(t.Size.Place(), "", "nothing is below %s", numberText(in.hi))
		return nil
	case in.lo.Sign() <= 0:
		c.errorf(t.Size.Place(), constrainTo(e, fmt.Sprint("1..", in.hi)), "nothing is below 0, and `%s` is %s", e.Text, in)
		return nil
	case in.hi.Cmp(pow2(32)) > 0:
		c.errorf(t.Size.Place(), constrainTo(e, fmt.Sprint("1..", int64(1)<<32)), "`below` goes up to 2^32, but `%s` is %s", e.Text, in)
		return nil
	}
	return &BelowType{Limit: e}
}

// clamp is v as a size: a negative one is refused when the packet is read, so 0 is the least; no interval is above 64
// bits.
func clamp(v *big.Int) uint64 {
	if v.Sign() < 0 {
		return 0
	}
	return v.Uint64()
}

// ranged is int(a..e).
func (c *checker) ranged(f *frame, t *syntax.IntRangeType) Type {
	lo := c.constInt(t.Lo, "the lower end of an int", nil)
	hi := c.integer(f, t.Hi, "the upper end of an int")
	if lo == nil || hi == nil {
		return nil
	}
	all := interval{lo, hi.Hi}
	switch {
	case lo.Cmp(hi.Hi) > 0:
		c.errorf(t.Span, "write the smaller number first", "the range %s..%s is empty", lo, hi.Hi)
		return nil
	case !all.fits():
		fix := ""
		if !hi.IsConst() {
			fix = fmt.Sprintf("constrain `%s` first", hi.Text)
		}
		c.errorf(t.Span, fix, "the values %s fit neither int64 nor uint64", all)
		return nil
	}
	rt := &RangedType{Lo: lo, Hi: hi.Hi}
	span := new(big.Int).Sub(hi.Hi, lo)
	rt.Width = span.BitLen()
	if !hi.IsConst() {
		rt.HiExpr = hi
	} else if k := span.BitLen() - 1; k >= 2 && span.Cmp(pow2(uint(k))) == 0 {
		c.warnf(t.Span, fmt.Sprintf("%s..%s fits %d bits", lo, new(big.Int).Sub(hi.Hi, bigOne), k),
			"`%s` uses a bit for one value: it has one more than %d bits hold", c.text(t.Span), k)
	}
	return rt
}

// vector is vec2, vec3, vec4 and quat of T.
func (c *checker) vector(f *frame, t *syntax.VectorType, name string) Type {
	elem := c.value(f, t.Elem, name)
	if elem == nil {
		return nil
	}
	word := fmt.Sprintf("vec%d", t.N)
	if t.Quat {
		word = "quat"
	}
	switch part := elem.Type.Row().Part; {
	case part == PartNone:
		c.errorf(t.Elem.Span, "", "the parts of a %s are plain numbers, not `%s`", word, c.text(t.Elem.Span))
		return nil
	case part == PartInt && t.Quat:
		c.errorf(t.Elem.Span, "", "the parts of a quat are floats, not `%s`", c.text(t.Elem.Span))
		return nil
	}
	return &VectorType{N: t.N, Quat: t.Quat, Elem: elem}
}

// blob is bytes(e), bytes(e, max n) and bytes(rest, max n).
func (c *checker) blob(f *frame, t *syntax.BlobType) Type {
	bt := &BlobType{}
	if t.Max != nil {
		n, ok := c.constIn(t.Max, "the most of `bytes`", 1, maxCount)
		if !ok {
			return nil
		}
		bt.Max, bt.Explicit = int(n), true
	}
	if _, all := t.Size.(*syntax.RestExpr); all {
		if t.Max == nil {
			c.errorf(t.Span, fmt.Sprintf("write `bytes(rest, max %d)`", c.room), "`bytes(rest)` needs a limit")
			return nil
		}
		c.crowdedBytes(bt, t.Max.Place(), uint64(bt.Max))
		bt.fits = uint64(min(bt.Max, c.room))
		return bt
	}
	e := c.integer(f, t.Size, "a size")
	if e == nil || !c.countable(t.Size, e, "a size in bytes", t.Max != nil) {
		return nil
	}
	bt.Size = e
	least, most := clamp(e.Lo), clamp(e.Hi)
	if bt.Explicit {
		if !c.reaches(t.Max, e, uint64(bt.Max)) {
			return nil
		}
		most = min(most, uint64(bt.Max))
	}
	bt.Max, bt.fits = int(most), most
	if least < most {
		c.crowdedBytes(bt, t.Size.Place(), most)
	}
	return bt
}

// reaches says whether e can be as low as its `max`.
func (c *checker) reaches(at syntax.Expr, e *TypedExpr, most uint64) bool {
	if clamp(e.Lo) > most {
		c.errorf(at.Place(), "", "`%s` is %s, always more than %d", e.Text, e.interval(), most)
		return false
	}
	return true
}

// countable says whether a count or a size has a range: from below it may turn out negative, which a packet is refused
// for, but it cannot always be. bounded: something else bounds it from above, so that any integer will do.
func (c *checker) countable(at syntax.Expr, e *TypedExpr, what string, bounded bool) bool {
	switch {
	case e.Hi.Sign() < 0:
		c.errorf(at.Place(), "", "%s cannot be negative, but `%s` is %s", what, e.Text, e.interval())
		return false
	case !bounded && e.Hi.Cmp(big.NewInt(maxCount)) > 0:
		if e.IsConst() {
			c.errorf(at.Place(), "", "%s is at most %d, got %s", what, int64(maxCount), e.Val)
			return false
		}
		fix := "add `, max 100`, or constrain what it is computed from"
		if e.Op == OpVar {
			fix = fmt.Sprintf("add `, max 100`, or give `%s` a range where it is declared: `in 0..100`", e.Text)
		}
		c.errorf(at.Place(), fix, "%s needs a range, but `%s` can be %s: constrain `%s` first", what, e.Text, e.interval(), e.Text)
		return false
	}
	return true
}

// ladder is relative(e).
func (c *checker) ladder(f *frame, t *syntax.LadderType) Type {
	if t.Prev == nil {
		return nil
	}
	e := c.integer(f, t.Prev, "what a `relative` counts from")
	if e == nil {
		return nil
	}
	if e.Lo.Sign() < 0 || e.Lo.Cmp(big.NewInt(math.MaxInt32)) >= 0 {
		c.errorf(t.Prev.Place(), fmt.Sprintf("give it a range within 0..%d", math.MaxInt32),
			"`relative` counts from an unsigned number below 2^31 - 1, but `%s` is %s", e.Text, e.interval())
		return nil
	}
	return &LadderType{Prev: e}
}
