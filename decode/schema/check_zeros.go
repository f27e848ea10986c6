package schema

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// `within(e zeros)`: what lies after the window's end is read as zeros. So what is inside has one size on each way
// through it, and a reader can fill the missing bits without a look at the packet.

// maxFill is how many bits the content of such a window takes at most: a reader copies it.
const maxFill = 8 * 2048

// zeros checks the content of a window that is filled, and gives its most bits, 0 where it is wrong, and whether a writer
// may trim it to any length: no rule of its length stands against that, and nothing takes the rest.
func (c *checker) zeros(f *frame, n *syntax.WithinItem, e *TypedExpr, items []Item) (fill int, trimmed bool) {
	fix := "give it the field that is its length, or write `within(e)`"
	switch {
	case e.IsConst():
		c.errorf(n.Size.Place(), fix, "a constant window cuts nothing")
		return 0, false
	case f.s.Order == Bytewise:
		c.errorf(n.Size.Place(), "", "`zeros` needs a window that begins on a byte: in order bousk it may not")
		return 0, false
	}
	before := c.trouble
	z := &filled{checker: c, structs: map[*Struct]content{}}
	all := z.items(items)
	if c.trouble > before {
		return 0, false
	}
	most := int64(0)
	for _, bits := range all.moves[0] {
		most = max(most, bits)
	}
	switch bits := (most + 7) &^ 7; {
	case bits > maxFill:
		c.errorf(n.Size.Place(), "", "the content of `within(… zeros)` takes %d bytes: at most %d are filled", bits/8, maxFill/8)
	case bits == 0 && !all.padded:
		c.errorf(n.Size.Place(), "write `within(e)`", "nothing in this window has a constant size: there is nothing to fill")
	default:
		last := e.Path
		free := e.Op == OpVar && last[len(last)-1].Kind == VarField && e.Lo.IsUint64() && e.Lo.Uint64() <= 1 && e.Hi.IsUint64() && e.Hi.Uint64()&(e.Hi.Uint64()+1) == 0
		return int(max(bits, 8)), free && all.rest == ""
	}
	return 0, false
}

// filled is one walk over the content of such a window.
type filled struct {
	*checker
	structs map[*Struct]content // those that were walked: nested ones double
}

// content is what the ways through some content take: bits of a constant size, and after those all that is left.
type content struct {
	moves  moves
	rest   string // the name of what takes the rest, or ""
	padded bool   // it may have padding, or takes the rest
}

// moves is what content takes at most that begins in bit i of a byte and ends after bit j-1 of one: noWay where it does
// not, and nowhere above tooMuch.
type moves [8][8]int64

const (
	noWay   = -1
	tooMuch = 1 << 50
)

// none are those of nothing at all.
func none() (m moves) { return forward(0) }

// forward are those of so many bits.
func forward(bits uint64) (m moves) {
	bits = min(bits, tooMuch)
	return m.of(func(i int) (int, int64) { return (i + int(bits%8)) % 8, int64(bits) })
}

// toByte are those of the padding up to a byte.
func toByte() (m moves) {
	return m.of(func(i int) (int, int64) { return 0, int64(-i & 7) })
}

func (m moves) of(end func(i int) (j int, bits int64)) moves {
	for i := range m {
		for j := range m[i] {
			m[i][j] = noWay
		}
		j, bits := end(i)
		m[i][j] = bits
	}
	return m
}

// then is m with next after it.
func (m moves) then(next *moves) (out moves) {
	for i := range m {
		for j := range out[i] {
			out[i][j] = noWay
			for k := range m {
				if m[i][k] != noWay && next[k][j] != noWay {
					out[i][j] = max(out[i][j], min(m[i][k]+next[k][j], tooMuch))
				}
			}
		}
	}
	return out
}

// or is m, or other in its place.
func (m moves) or(other *moves) moves {
	for i := range m {
		for j := range m[i] {
			m[i][j] = max(m[i][j], other[i][j])
		}
	}
	return m
}

// times is m n times.
func (m moves) times(n uint64) moves {
	out := none()
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			out = out.then(&m)
		}
		m = m.then(&m)
	}
	return out
}

// wrong says what has no constant size.
func (f *filled) wrong(at Pos, format string, args ...any) content {
	f.errorf(Span{Pos: at, End: at}, "", "`within(… zeros)` needs content of a constant size, but %s", listing(fmt.Sprintf(format, args...)))
	return content{moves: none()}
}

func (f *filled) items(items []Item) content {
	all := content{moves: none()}
	for _, it := range items {
		next := f.item(it)
		if all.rest != "" && (next.moves != none() || next.rest != "") {
			return f.wrong(it.ItemPos(), "`%s` before this takes the rest: it can only be last", cut(all.rest, 40))
		}
		all.moves, all.padded = all.moves.then(&next.moves), all.padded || next.padded
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
	inside := content{moves: forward(own.Most)} // of an item that has bits of its own and no ways, but for padding
	if own.Align > 0 {
		inside.moves, inside.padded = toByte().then(&inside.moves), true
	}
	for i, way := range it.Ways() {
		one := f.items(way.Items)
		if way.Value != nil {
			one = f.value(way.Value, it.(*Field).Name) // nothing else holds a value
		}
		if i == 0 {
			inside.moves = one.moves
		}
		inside.moves, inside.padded = inside.moves.or(&one.moves), inside.padded || one.padded
		if one.rest != "" {
			inside.rest = one.rest
		}
	}
	return inside
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
		return content{toByte(), name, true}
	}
	l := v.Type.Layout()
	elem := v.Type.Inner()
	if l.Lo != l.Hi || l.Head+l.Each+l.Tail > 0 || l.Slots || l.Steps || l.OnByte || elem == nil && v.MaxBits-v.MinBits > 7 {
		return f.wrong(v.Pos, "`%s` can have another", cut(name, 40))
	}
	switch {
	case elem == nil && l.Aligned:
		own := forward(v.MinBits)
		return content{toByte().then(&own), "", true}
	case elem == nil:
		return content{forward(v.MaxBits), "", false}
	}
	each := f.value(elem, name)
	if each.rest != "" {
		return f.wrong(v.Pos, "every element of `%s` would take the rest", cut(name, 40))
	}
	return content{each.moves.times(l.Hi), "", each.padded}
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
