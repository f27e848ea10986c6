package schema

import (
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Checksums: the algorithm, what is added to the bytes that are covered, and which these are.

// checkText is what the `check` of a checksum is computed over.
const checkText = "123456789"

// checksum is crc32 and its like, and crc(…).
func (c *checker) checksum(f *frame, t *syntax.ChecksumType) Type {
	out := &ChecksumType{Algorithm: t.Algorithm, OverRest: t.OverRest}
	if t.Parameters != nil {
		out.Algorithm = c.crc6(t.Parameters)
	}
	if out.Algorithm == nil {
		return nil
	}
	if t.Check != nil && !c.checkValue(t.Check, out.Algorithm) {
		return nil
	}
	ok := true
	if t.Xor != nil {
		out.Xor, ok = c.wide(t.Xor, "the `xor` of a checksum", out.Algorithm.Width)
	}
	if len(t.Prefix)+len(t.Suffix) > MaxSumValues {
		c.errorf(t.Span, "", "a checksum has at most %d prefixes and suffixes, got %d", MaxSumValues, len(t.Prefix)+len(t.Suffix))
		return nil
	}
	for _, v := range t.Prefix {
		out.Prefix, ok = c.sumValue(f, v, "prefix", out.Prefix, ok)
	}
	for _, v := range t.Suffix {
		out.Suffix, ok = c.sumValue(f, v, "suffix", out.Suffix, ok)
	}
	if !ok {
		return nil
	}
	return out
}

// crc6 makes the algorithm of crc(width, polynomial, initial, refin, refout, final); nil where something is wrong.
func (c *checker) crc6(t *syntax.CRCParameters) *wire.Algorithm {
	n, ok := c.constIn(t.Width, "the bits of a crc", 8, 64)
	if ok && n%8 != 0 {
		c.errorf(t.Width.Place(), "", "the bits of a crc are a multiple of 8, got %d", n)
		ok = false
	}
	if !ok {
		return nil
	}
	a := &wire.Algorithm{Width: int(n), RefIn: t.RefIn, RefOut: t.RefOut}
	for _, p := range []struct {
		value *uint64
		from  syntax.Expr
		what  string
	}{{&a.Polynomial, t.Polynomial, "the polynomial of a crc"}, {&a.Initial, t.Initial, "the initial value of a crc"}, {&a.Final, t.Final, "the final value of a crc"}} {
		if *p.value, ok = c.wide(p.from, p.what, a.Width); !ok {
			return nil
		}
	}
	if a.Polynomial == 0 {
		c.errorf(t.Polynomial.Place(), "", "the polynomial of a crc is not 0: such a crc sees no byte")
		return nil
	}
	return a
}

// wide is a constant of so many bits.
func (c *checker) wide(e syntax.Expr, what string, width int) (uint64, bool) {
	v := c.constInt(e, what, nil)
	if v == nil {
		return 0, false
	}
	if !(interval{bigZero, mask(uint(width))}).contains(v) {
		c.errorf(e.Place(), "", "%s has %d bits, got %s", what, width, shortInt(v))
		return 0, false
	}
	return v.Uint64(), true
}

// checkValue holds the algorithm to what its author says that it makes of "123456789".
func (c *checker) checkValue(e syntax.Expr, a *wire.Algorithm) bool {
	want, ok := c.wide(e, "the check value of a checksum", a.Width)
	if !ok {
		return false
	}
	s := a.Summer()
	if got := s.End(s.Bytes(s.Begin(), []byte(checkText))); got != want {
		c.errorf(e.Place(), "the parameters or the check value are wrong", "`%s` makes 0x%0*X of %q, not 0x%0*X", a, a.Width/4, got, checkText, a.Width/4, want)
		return false
	}
	return true
}

// sumValue checks a prefix or suffix and adds it to list.
func (c *checker) sumValue(f *frame, v syntax.SumValue, what string, list []SumValue, ok bool) ([]SumValue, bool) {
	x := &exprs{checker: c, f: f}
	e := x.number(v.Value, "a "+what)
	made := simpleTypes[v.Type]
	if e == nil || made == nil {
		return list, false
	}
	if x.rest {
		c.errorf(v.Value.Place(), "read it through a `let` in front", "a %s is over what was read before, not about bits that have not been read", what)
		return list, false
	}
	t := made(v.Type).(*IntType)
	in, _ := t.Interval()
	if !e.interval().within(interval{in.Lo, in.Hi}) {
		if e.IsConst() {
			c.errorf(v.Value.Place(), "", "the %s %s does not fit %s", what, e.Val, v.Type)
		} else {
			c.errorf(v.Value.Place(), "give it a range, or a wider type", "the %s `%s` is %s, which does not fit %s", what, e.Text, e.interval(), v.Type)
		}
		return list, false
	}
	return append(list, SumValue{e, t.Width, v.Endian == syntax.BigEndian}), ok
}
