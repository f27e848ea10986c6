package schema

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Arrays, optionals and subsets: the prefixes of a value. Every loop gets its bound here.

func (c *checker) prefixed(f *frame, ve *syntax.ValueExpr, i int, name string) *Value {
	if i < len(ve.Prefixes) {
		return c.prefix(f, ve, i, name)
	}
	v := c.leaf(f, ve, name)
	if v == nil {
		return nil
	}
	if _, ok := v.Type.(*ChecksumType); ok && f.loop != nil && f.loop.f == f {
		c.errorf(ve.Span, "make the element `{ … }`, with the checksum in it", "a checksum is no element of an array by itself: it covers nothing there")
		return nil
	}
	if ve.Rule != nil && !c.rule(f, ve, v) {
		return nil
	}
	return v
}

func (c *checker) prefix(f *frame, ve *syntax.ValueExpr, i int, name string) *Value {
	p := ve.Prefixes[i]
	v := &Value{Pos: p.Pos}
	switch p.Kind {
	case syntax.PrefixOptional:
		if elem := c.prefixed(f, ve, i+1, name); elem != nil {
			v.Type = &OptionalType{Elem: elem}
		}
	case syntax.PrefixSubset:
		v.Type = c.subset(f, ve, i, name)
	default:
		v.Type = c.array(f, ve, i, name)
	}
	if v.Type == nil {
		return nil
	}
	v.measure(f.s.Order)
	return v
}

// array checks one of the array prefixes. The type is a nil interface when something was wrong.
func (c *checker) array(f *frame, ve *syntax.ValueExpr, i int, name string) Type {
	p := ve.Prefixes[i]
	at := &ArrayType{}
	ok := c.extent(f, p, at)
	since := c.settable
	elem := c.element(f, ve, i, name)
	if elem != nil && p.Kind == syntax.PrefixUntil {
		ok = c.untilCond(f, p, at, elem, name, c.settable != since) && ok
	}
	if elem == nil || !ok {
		return nil
	}
	at.Elem = elem
	at.inBits, at.Bits = f.bits, f.bits && at.Kind == ArrayRest && elem.MinBits < 8
	constant := at.Kind == ArrayCount && at.Count.IsConst() || at.Kind == ArrayCounted && at.Lo == at.Hi
	switch {
	case c.broken: // an item that could not be read may be what takes the bits
	case at.Kind == ArrayRest && elem.MinBits < 8 && !f.bits:
		c.errorf(p.Span, "write an element of whole bytes, or use `within(e bits)`", "an element of `[rest]` takes at least 8 bits, but this one can take %d", elem.MinBits)
		return nil
	case elem.MinBits == 0 && !constant:
		c.errorf(p.Span, emptyAt(elem), "an element may take no bits: without a constant count an element takes at least one")
		return nil
	}
	if elem.MinBits > 0 {
		what := fmt.Sprintf("a count of %d can never be reached: an element takes at least %d bits,", at.Max, elem.MinBits)
		c.crowd(at, p.Span, at.Max, elem.MinBits, what)
	}
	return at
}

// element checks what prefix i of an array is of.
func (c *checker) element(f *frame, ve *syntax.ValueExpr, i int, name string) *Value {
	around := f.loop
	f.loop = &loop{f, c.facts.mark()}
	elem := c.prefixed(f, ve, i+1, name)
	f.loop = around
	return elem
}

// extent checks how many elements there can be.
func (c *checker) extent(f *frame, p *syntax.Prefix, at *ArrayType) bool {
	most := func(e syntax.Expr, least int64) bool {
		n, ok := c.constIn(e, "the most elements of an array", least, maxCount)
		at.Max = uint64(n)
		return ok
	}
	switch p.Kind {
	case syntax.PrefixCount:
		at.Kind = ArrayCount
		if _, rest := p.A.(*syntax.RestExpr); rest {
			c.errorf(p.Span, "write `[rest, max 64]`", "`[rest]` needs a limit")
			return false
		}
		e := c.integer(f, p.A, "a count")
		if e == nil || !c.countable(p.A, e, "a count", false) {
			return false
		}
		at.Count, at.Max = e, clamp(e.Hi)
		return true
	case syntax.PrefixRange:
		at.Kind = ArrayCounted
		if p.A != nil {
			lo, ok := c.constIn(p.A, "the least elements of an array", 0, maxCount)
			if !ok {
				return false
			}
			at.Lo = uint64(lo)
		}
		if !most(p.B, 0) {
			return false
		}
		at.Hi = at.Max
		if at.Lo > at.Hi {
			c.errorf(p.Span, "write the smaller number first", "the range %d..%d is empty", at.Lo, at.Hi)
			return false
		}
		return true
	case syntax.PrefixMax:
		if _, rest := p.A.(*syntax.RestExpr); rest {
			at.Kind = ArrayRest
			return most(p.B, 1)
		}
		at.Kind, at.Explicit = ArrayCount, true
		at.Count = c.integer(f, p.A, "a count")
		if !most(p.B, 1) || at.Count == nil || !c.countable(p.A, at.Count, "a count", true) || !c.reaches(p.B, at.Count, at.Max) {
			return false
		}
		at.Max = min(at.Max, clamp(at.Count.Hi))
		return true
	case syntax.PrefixWhile:
		at.Kind = ArrayWhile
		x := &exprs{checker: c, f: f}
		e := x.condition(p.A, "the condition of `while`")
		if e != nil && !x.rest {
			c.errorf(p.A.Place(), "as in `while rest > 4`", "`while` must ask about `rest`, `peek` or `tail`: nothing else changes between elements")
			return false
		}
		at.Cond = e
		return most(p.B, 1) && e != nil
	case syntax.PrefixUntil:
		at.Kind = ArrayUntil
		return most(p.B, 1)
	}
	return false
}

// untilCond checks the condition of `until`, which sees the element just read: the fields of a struct, or under the
// array's own name a plain value. An element's names hide those around: a named struct knows nothing of them.
func (c *checker) untilCond(f *frame, p *syntax.Prefix, at *ArrayType, elem *Value, name string, settable bool) bool {
	inner := &frame{s: f.s, outer: f, bits: f.bits, names: map[string]*binding{}}
	if ref, ok := elem.Type.(*StructRef); ok {
		inner.names = c.structs[ref.Struct].members
	} else {
		b := c.bindingOf(syntax.Ident{Text: name, Span: p.Span}, elem, VarField)
		if !b.number() {
			c.errorf(p.Span, "", "`until` tests the element just read, but %s has nothing to test", b.shape)
			return false
		}
		b.always, b.settable = true, settable
		b.at = p.Span
		at.ElemVar = b.v
		inner.names[name] = b
	}
	if n, ok := p.A.(*syntax.IntLit); ok && at.ElemVar != nil {
		c.errorf(n.Span, fmt.Sprintf("write `until %s == %s`: the element just read is called as the field", name, c.text(n.Span)), "`until` has a condition, got `%s`", c.text(n.Span))
		return false
	}
	x := &exprs{checker: c, f: inner, roots: map[*binding]bool{}, element: name}
	e := x.condition(p.A, "the condition of `until`")
	if e == nil {
		return false
	}
	for b := range x.roots {
		if inner.names[b.v.Name] == b {
			at.Cond = e
			return true
		}
	}
	fix := "name a field of the element"
	if at.ElemVar != nil {
		fix = fmt.Sprintf("the element just read is called `%s`", name)
	}
	c.errorf(p.A.Place(), fix, "`until` must use a field of its element: nothing else changes between elements")
	return false
}

// emptyAt says where a value takes no bits: at an arm of a switch, or where none of its items need be there.
func emptyAt(v *Value) string {
	for v != nil {
		ref, ok := v.Type.(*StructRef)
		if !ok {
			return ""
		}
		v = nil
		for _, item := range ref.Struct.Items {
			f, ok := item.(*Field)
			switch {
			case ok && f.Switch != nil:
				for _, arm := range f.Switch.Arms {
					if arm.Value == nil {
						return fmt.Sprintf("its arm at %s takes none: take it out, and do without the list for that tag", arm.Pos)
					} else if arm.Value.MinBits == 0 {
						v = arm.Value
					}
				}
			case ok && f.Value != nil:
				v = f.Value
			}
		}
		if v == nil {
			return fmt.Sprintf("nothing in it need be there, at %s: give it a field that always is, or a count that is a constant", ref.Struct.Pos)
		}
	}
	return ""
}

// subset checks subset(kind) [n]T.
func (c *checker) subset(f *frame, ve *syntax.ValueExpr, i int, name string) Type {
	p := ve.Prefixes[i]
	n, ok := c.constIn(p.A, "the slots of a subset", 1, maxCount-1)
	elem := c.element(f, ve, i, name)
	if !ok || elem == nil || p.Subset == SubsetNone {
		return nil
	}
	slots := uint64(n)
	out := &SubsetType{Kind: p.Subset, Any: p.Any, N: slots, Elem: elem}
	if elem.MinBits == 0 && !c.broken {
		c.errorf(p.Span, emptyAt(elem), "an element may take no bits: an element of a subset takes at least one")
		return nil
	}
	if least := sizeOf(out, f.s.Order).min; least > uint64(c.room)*8 {
		c.errorf(p.Span, "", "even an empty subset of %d slots takes %d bits, more than a datagram has", slots, least)
		return nil
	}
	return out
}
