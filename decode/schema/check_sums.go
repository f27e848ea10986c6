package schema

import (
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// Checksums: the algorithm, what is added to the bytes that are covered, and which these are.

// checkText is what the `check` of a checksum is computed over.
const checkText = "123456789"

// checksum is crc32 and its like, and crc(…).
func (c *checker) checksum(f *frame, t *syntax.ChecksumType) Type {
	out := &ChecksumType{Algorithm: t.Algorithm}
	if t.Parameters != nil {
		out.Algorithm = c.crc6(t.Parameters)
	}
	if out.Algorithm == nil {
		return nil
	}
	if t.Check != nil && !c.checkValue(t.Check, out.Algorithm) {
		return nil
	}
	ok := c.coverage(f, t, out)
	if f.sums++; f.sums > MaxSums {
		c.errorf(t.Span, "", "a body has at most %d checksums", MaxSums)
		return nil
	}
	if t.Xor != nil && ok {
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

// coverage finds what a checksum covers.
func (c *checker) coverage(f *frame, t *syntax.ChecksumType, out *ChecksumType) bool {
	if f.filled {
		c.errorf(t.Span, "move it after the window", "a window that is filled with zeros has no checksum in it: not all its bits need be there")
		return false
	}
	o := t.Over
	if o == nil || o.Rest {
		if out.Lone = o == nil; !out.Lone {
			out.From.Kind = SumOwn
		}
		return true
	}
	if !o.Ranged && len(o.From) == 1 && o.From[0].Text == "before" && f.lookup("before") == nil {
		out.From.Kind, out.To.Kind = SumStart, SumOwn
		return true
	}
	out.From, out.To = SumEnd{Kind: SumStart}, SumEnd{Kind: SumOwn}
	if o.From != nil {
		if out.From = (SumEnd{SumField, c.sumEnd(f, o.From)}); out.From.Path == nil {
			return false
		}
	}
	if !o.Ranged {
		out.To = out.From
	} else if o.To != nil {
		if out.To = (SumEnd{SumField, c.sumEnd(f, o.To)}); out.To.Path == nil {
			return false
		}
	}
	if backwards(out.From.Path, out.To.Path) {
		c.errorf(o.Span, "write the first of the two first", "`%s` is before `%s`", pathText(o.To), pathText(o.From))
		return false
	}
	mark := func(path []*Var, of func(*Var) **Var) {
		if path != nil {
			if v := path[len(path)-1]; *of(v) == nil {
				*of(v) = &Var{Name: v.Name, Pos: v.Pos, Kind: VarOpaque}
			}
		}
	}
	mark(out.From.Path, func(v *Var) **Var { return &v.First })
	mark(out.To.Path, func(v *Var) **Var { return &v.Behind })
	return true
}

// lastSum warns of a checksum that is the last thing in what it covers, with its own bytes as zeros: few protocols mean
// that.
func (c *checker) lastSum(items []Item) {
	if len(items) == 0 {
		return
	}
	f, ok := items[len(items)-1].(*Field)
	if !ok || f.Value == nil {
		return
	}
	if t, ok := f.Value.Type.(*ChecksumType); ok && t.Lone {
		c.warnf(Span{Pos: f.Value.Pos, End: f.Value.Pos}, "write `over before` where they are not covered",
			"nothing is after `%s`, so it covers its own bytes as zeros", f.Name)
	}
}

// backwards reports whether a coverage ends at a field before the one where it begins.
func backwards(from, to []*Var) bool {
	for i := range min(len(from), len(to)) {
		if from[i] != to[i] {
			return to[i].Pos.Off < from[i].Pos.Off
		}
	}
	return false
}

// sumEnd finds the field where a coverage begins or ends: one that is on every way to here, with all its bits.
func (c *checker) sumEnd(f *frame, parts []syntax.Ident) []*Var {
	x := &exprs{checker: c, f: f}
	id := parts[0]
	if id.Text == "" {
		return nil
	}
	at := Span{Pos: id.Pos, End: parts[len(parts)-1].End}
	b := f.reads(id.Text, id.Pos)
	if b == nil {
		x.unknownField(id)
		return nil
	}
	c.book.refer(id.Span, b.v.Pos)
	for in := f; in.names[id.Text] != b; in = in.outer {
		if in.element {
			c.errorf(at, "begin and end in the element", "`%s` is outside the element: a checksum in an array covers its own element", id.Text)
			return nil
		}
	}
	path, text := []*Var{b.v}, id.Text
	for i := 1; ; i++ {
		switch {
		case b.bad:
			return nil
		case !b.always:
			c.errorf(at, "begin or end at one that always is", "`%s` is not always there: it is declared in a branch, at %s", text, b.at.Pos)
			return nil
		case b.v.Kind == VarLet || b.v.Kind == VarParam || b.v.Joined:
			c.errorf(at, "begin and end at fields", "`%s` is no field on every way to here: it has no bits", text)
			return nil
		case b.filled:
			c.errorf(at, "begin before the window, or end after it", "`%s` is in a window that is filled with zeros: not all its bits need be there", text)
			return nil
		case i == len(parts):
			return path
		}
		if b = x.member(b, text, parts[i]); b == nil {
			return nil
		}
		path = append(path, b.v)
		text += "." + parts[i].Text
	}
}

func pathText(parts []syntax.Ident) string {
	names := make([]string, len(parts))
	for i, id := range parts {
		names[i] = id.Text
	}
	return strings.Join(names, ".")
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
	var e *TypedExpr
	c.without("a "+what+" of a checksum", func() { e = x.number(v.Value, "a "+what) })
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
