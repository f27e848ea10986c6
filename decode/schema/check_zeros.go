package schema

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// `within(e zeros)`: what lies behind the window's end is read as zeros. So what is inside has one size on each way
// through it, and a reader can fill the missing bits without a look at the packet.

// maxFill is how many bits the content of such a window takes at most: a reader copies it.
const maxFill = 8 * 2048

// zeros checks the content of a window that is filled, and gives its most bits; 0 where it is wrong.
func (c *checker) zeros(f *frame, n *syntax.WithinItem, e *TypedExpr, items []Item) int {
	fix := "give it the field that is its length, or write `within(e)`"
	switch {
	case e.IsConst():
		c.errorf(n.Size.Place(), fix, "a constant window cuts nothing")
		return 0
	case f.s.Order == Bytewise:
		c.errorf(n.Size.Place(), "", "`zeros` needs a window that begins on a byte: in order bousk it may not")
		return 0
	}
	before := c.trouble
	z := &filled{checker: c, structs: map[*Struct]content{}}
	all := z.items(items)
	if c.trouble > before {
		return 0
	}
	switch bits := (all.bits + 7) &^ 7; {
	case bits > maxFill:
		c.errorf(n.Size.Place(), "", "the content of `within(… zeros)` takes %d bytes: at most %d are filled", bits/8, maxFill/8)
	case bits == 0:
		c.errorf(n.Size.Place(), "write `within(e)`", "nothing in this window has a constant size: there is nothing to fill")
	default:
		return int(bits)
	}
	return 0
}

// filled is one walk over the content of such a window.
type filled struct {
	*checker
	structs map[*Struct]content // those that were walked: nested ones double
}

// content is what a way through the content takes: bits of a constant size, and behind those all that is left.
type content struct {
	bits uint64
	rest string // the name of what takes the rest, or ""
}

// wrong says what has no constant size.
func (f *filled) wrong(at Pos, format string, args ...any) content {
	f.errorf(Span{Pos: at, End: at}, "", "`within(… zeros)` needs content of a constant size, but %s", listing(fmt.Sprintf(format, args...)))
	return content{}
}

func (f *filled) items(items []Item) content {
	var all content
	for _, it := range items {
		next := f.item(it)
		if all.rest != "" && (next.bits > 0 || next.rest != "") {
			return f.wrong(it.ItemPos(), "`%s` in front of this takes the rest: it can only be last", cut(all.rest, 40))
		}
		all.bits = satAdd(all.bits, next.bits)
		if next.rest != "" {
			all.rest = next.rest
		}
	}
	return all
}

func (f *filled) item(it Item) content {
	for _, e := range it.Exprs() {
		if e.looks() {
			return f.wrong(it.ItemPos(), "`%s` asks how much is left", cut(e.Text, 40))
		}
	}
	own := it.Extent()
	switch {
	case own.Window:
		return f.wrong(it.ItemPos(), "a window inside it cuts itself")
	case own.Align > 8:
		return f.wrong(it.ItemPos(), "`align(%d)` counts from the start of the datagram", own.Align)
	}
	if any, ok := it.(interface{ keeps() bool }); ok && any.keeps() {
		return f.wrong(it.ItemPos(), "what `any` keeps of bits that are not there is not said")
	}
	var most content
	for _, way := range it.Ways() {
		one := f.items(way.Items)
		if way.Value != nil {
			one = f.value(way.Value, it.(*Field).Name) // nothing else holds a value
		}
		if most.bits = max(most.bits, one.bits); one.rest != "" {
			most.rest = one.rest
		}
	}
	if own.Align > 0 {
		most.bits = satAdd(most.bits, uint64(own.Align)-1)
	}
	most.bits = satAdd(most.bits, own.Most)
	return most
}

func (f *filled) value(v *Value, name string) content {
	if ref, ok := v.Type.(*StructRef); ok {
		for _, arg := range ref.Args {
			if arg.looks() {
				return f.wrong(v.Pos, "`%s` asks how much is left", cut(arg.Text, 40))
			}
		}
		known, walked := f.structs[ref.Struct]
		if !walked {
			known = f.items(ref.Struct.Items)
			f.structs[ref.Struct] = known
		}
		return known
	}
	if b, ok := v.Type.(*BlobType); ok && b.Size == nil {
		return content{7, name} // the padding in front of it
	}
	l := v.Type.Layout()
	elem := v.Type.Inner()
	if l.Lo != l.Hi || l.Head+l.Each+l.Tail > 0 || l.Slots || l.Steps || l.OnByte || elem == nil && v.MaxBits-v.MinBits > 7 {
		return f.wrong(v.Pos, "`%s` can have another", cut(name, 40))
	}
	if elem == nil {
		return content{v.MaxBits, ""}
	}
	each := f.value(elem, name)
	if each.rest != "" {
		return f.wrong(v.Pos, "every element of `%s` would take the rest", cut(name, 40))
	}
	return content{satMul(l.Hi, each.bits), ""}
}

// keeps: set bits are kept.
func (a *Align) keeps() bool    { return a.Any }
func (r *Reserved) keeps() bool { return r.Any }

// looks reports whether an expression asks how much of the window is left.
func (t *TypedExpr) looks() bool {
	if t == nil {
		return false
	}
	return t.Looks() || t.X.looks() || t.Y.looks()
}
