package anyschema

import (
	"fmt"
	"math/big"
	"math/bits"
)

// kind is what a type is to rules, annotations and expressions.
type kind uint8

const (
	opaque kind = iota // arrays, optionals, subsets, switches, checksums, quaternions of three
	integer
	truth
	listed // an enum or flags
	float
	quantized
	text
	blob
	vector
	group // a struct
)

// counts reports whether expressions see an integer.
func (k kind) counts() bool { return k == integer || k == listed }

// value is a type with what is before and after it.
type value struct {
	text   string
	kind   kind
	inner  kind // of the innermost element, for annotations
	in     span
	unsure bool // the checker may know in better
	bool   bool
	enum   *enum
	fields []*variable // of a struct
	ends   []*edge     // of a struct
	lasts  []*variable // of a list of structs: what its last element has
	width  int64       // bits where `le` and `be` may be after it, else 0

	size size
	end  place // after it, from where it was begun
	ate  bool

	array bool // [k]T
	moves bool // it, or something in it, can have another size

	onByte bool // it begins on a byte: an `align` is before it where it would not

	// Of texts: the kind and its n. Of blobs: the least and the most bytes.
	word    string
	n       int64
	low     int64
	vague   bool // low may be higher
	element *value
}

// need is what is asked of a value by what is around it.
type need struct {
	bits  int64 // it takes at least so many
	bytes bool  // whole ones, when it begins on one
	plain bool  // no prefix: its name or its fields are read by `until`
	shape *variable
	first bool // directly a field: an `align` before it is possible
}

// value makes one for a field called name, beginning at f.at. What is declared inside is gone after it.
func (g *generator) value(f *frame, name string, want need) value {
	mark := len(f.facts)
	defer f.forget(mark)
	for range 3 {
		v := g.prefixed(f, name, want)
		if v.size.least >= want.bits && (!want.bytes || v.end == onByte) {
			return v
		}
	}
	v := g.simple(f, pick(g, 8, 16, 32, 64), false)
	v.text = "u" + v.text
	return v
}

func (g *generator) prefixed(f *frame, name string, want need) value {
	if !want.plain && want.shape == nil && f.depth < 5 && g.once(4) {
		if v, ok := g.list(f, name, want); ok {
			return v
		}
	}
	v := g.leaf(f, name, want)
	if v.width > 0 && g.once(4) {
		v.text += " " + pick(g, "le", "be")
	}
	g.rule(f, &v)
	return v
}

// simple is uintN or intN; the caller writes the u.
func (g *generator) simple(f *frame, width int, signed bool) value {
	in := span{zero, mask(width)}
	if signed {
		in = span{new(big.Int).Neg(pow2(width - 1)), mask(width - 1)}
	}
	return value{text: fmt.Sprint("int", width), kind: integer, inner: integer, in: in, width: int64(width), size: fixed(int64(width)), end: f.at.plus(int64(width))}
}

// leaf is a type without prefixes, byte order and rule.
func (g *generator) leaf(f *frame, name string, want need) value {
	k := g.draw(24)
	if want.shape != nil {
		switch {
		case want.shape.bool:
			k = 2
		case want.shape.enum != nil && g.draw(3) > 0:
			return g.named(f, want.shape.enum)
		default:
			k = pick(g, 0, 1, 3, 4, 5, 6, 12)
		}
	}
	switch k {
	case 2:
		if g.once(3) {
			return value{text: "bool8", kind: truth, inner: truth, bool: true, in: between(0, 1), width: 8, size: fixed(8), end: f.at.plus(8)}
		}
		return value{text: "bool", kind: truth, inner: truth, bool: true, in: between(0, 1), size: fixed(1), end: f.at.plus(1)}
	case 1, 3, 4, 5:
		return g.integer(f)
	case 6, 7, 8:
		if len(g.enums) > 0 {
			return g.named(f, g.enums[g.draw(len(g.enums))])
		}
	case 9, 10:
		return g.float(f)
	case 11:
		if !want.plain {
			return g.vector(f)
		}
	case 12:
		if g.once(2) {
			return g.below(f)
		}
		return g.ladder(f)
	case 13, 14:
		if !want.plain {
			return g.string(f)
		}
	case 15, 16:
		if !want.plain {
			return g.bytes(f)
		}
	case 17, 18, 19, 20:
		if f.depth < 5 && g.budget > 0 {
			return g.body(f, want)
		}
	case 21, 22, 23:
		if v, ok := g.structOf(f, want); ok {
			return v
		}
	}
	v := g.simple(f, 8<<g.draw(4), false)
	v.text = "u" + v.text
	return v
}

func (g *generator) integer(f *frame) value {
	switch g.draw(8) {
	case 0, 1:
		w := int64(1 + g.draw(16))
		if g.once(4) {
			w = int64(1 + g.draw(64))
		}
		v := g.simple(f, int(w), g.once(3))
		v.text = fmt.Sprintf("bits(%s)", g.small(w).text)
		if v.in.lo.Sign() < 0 {
			v.text = "s" + v.text
		}
		if v.width%8 != 0 {
			v.width = 0
		}
		return v
	case 2:
		return g.simple(f, 8<<g.draw(4), true)
	case 3, 4:
		return g.ranged(f)
	case 5:
		return g.sized(f)
	case 6:
		n := int64(1 + g.draw(64))
		v := value{text: fmt.Sprintf("varint(%d)", n), kind: integer, inner: integer, in: span{zero, mask(int(n))}}
		if g.once(2) {
			v.text, v.in = fmt.Sprintf("zigzag(%d)", n), span{new(big.Int).Neg(pow2(int(n - 1))), mask(int(n - 1))}
		}
		v.size, v.end = size{8, 8, (n + 6) / 7 * 8}, f.at
		return v
	}
	v := g.simple(f, 8<<g.draw(4), false)
	v.text = "u" + v.text
	return v
}

// ranged is int(a..e).
func (g *generator) ranged(f *frame) value {
	lo := int64(0)
	if g.once(3) {
		lo = int64(g.draw(256)) - 128
	}
	v := value{kind: integer, inner: integer}
	if vars := f.ints(); len(vars) > 0 && g.once(3) {
		e := g.number(f, 1)
		bottom := e.in.hi // the least that its upper end is sure to reach
		if e.loose {
			bottom = e.in.lo
		}
		if bottom.IsInt64() && bottom.Int64() < lo {
			lo = bottom.Int64()
		}
		in := span{big.NewInt(lo), e.in.hi}
		if in.fits() && in.lo.Cmp(in.hi) <= 0 {
			v.text = fmt.Sprintf("int(%s..%s)", g.literal(in.lo).text, e.text)
			v.in, v.unsure = in, e.loose
			high := int64(in.width().BitLen())
			low := int64(span{in.lo, most(e.in.lo, in.lo)}.width().BitLen())
			v.size = size{low, high, high}
			if !e.loose {
				v.size.atMostLeast = low
			}
			if e.konst {
				v.size = fixed(high)
				if high%8 == 0 {
					v.width = high
				}
			}
			v.end = place{how: anywhere}
			if v.size.isFixed() {
				v.end = f.at.plus(high)
			}
			return v
		}
	}
	hi := big.NewInt(lo + int64(g.draw(200)))
	switch g.draw(8) {
	case 7:
		hi = new(big.Int).Add(big.NewInt(lo), new(big.Int).SetUint64(g.wide(1+g.draw(7))))
	case 6:
		hi = new(big.Int).Add(big.NewInt(lo), mask(8*(1+g.draw(4))))
	}
	v.in = span{big.NewInt(lo), hi}
	v.text = fmt.Sprintf("int(%s..%s)", g.literal(v.in.lo).text, g.literal(hi).text)
	w := int64(v.in.width().BitLen())
	v.size, v.end = fixed(w), f.at.plus(w)
	if w > 0 && w%8 == 0 {
		v.width = w
	}
	return v
}

// sized is bits(e) and sbits(e) with a width from the packet.
func (g *generator) sized(f *frame) value {
	e := g.countUpTo(f, int64(pick(g, 8, 16, 40, 64)))
	if e.konst && e.in.lo.Sign() == 0 {
		e = g.small(1)
	}
	hi := e.in.hi.Int64()
	v := value{text: "bits(" + e.text + ")", kind: integer, inner: integer, in: span{zero, mask(int(hi))}, unsure: e.loose,
		size: size{e.lowest(), e.atMostLowest(), hi}, end: place{how: anywhere}}
	if g.once(3) {
		v.text = "s" + v.text
		if hi > 0 {
			v.in = span{new(big.Int).Neg(pow2(int(hi - 1))), mask(int(hi - 1))}
		}
	}
	if e.konst {
		v.size, v.end = fixed(hi), f.at.plus(hi)
	} else if v.size.isFixed() {
		v.end = f.at.plus(hi)
	}
	return v
}

// ladder is relative(e).
func (g *generator) ladder(f *frame) value {
	var from []*variable
	for _, v := range f.ints() {
		if v.in.lo.Sign() >= 0 && (v.in.lo.Cmp(mask(31)) < 0) && (!v.loose || v.in.hi.Cmp(mask(31)) < 0) {
			from = append(from, v)
		}
	}
	if len(from) == 0 {
		return g.ranged(f)
	}
	e := g.read(recent(g, from))
	if sum := g.number(f, 1); sum.in.lo.Sign() >= 0 && sum.in.hi.Cmp(mask(31)) < 0 && g.draw(2) == 0 {
		e = sum
	}
	return value{text: "relative(" + e.text + ")", kind: integer, inner: integer, unsure: e.loose,
		in: span{new(big.Int).Add(e.in.lo, one), mask(31)}, size: size{1, 1, 38}, end: place{how: anywhere}}
}

// below is below(e).
func (g *generator) below(f *frame) value {
	v := value{kind: integer, inner: integer, end: place{how: anywhere}}
	least, most := uint64(1+g.draw(300)), uint64(0)
	if e := g.number(f, 1); e.in.lo.Sign() >= 0 && e.in.hi.Cmp(mask(32)) < 0 && g.once(2) {
		v.text, v.unsure = "below("+e.paren(4)+" + 1)", e.loose
		least, most = e.in.lo.Uint64()+1, e.in.hi.Uint64()+1
	} else {
		if g.once(4) {
			least = uint64(1) << g.draw(33)
		}
		v.text, most = fmt.Sprintf("below(%d)", least), least
	}
	v.in = span{zero, new(big.Int).SetUint64(most - 1)}
	v.size = size{int64(bits.Len64(least) - 1), int64(bits.Len64(least) - 1), int64(bits.Len64(most - 1))}
	if v.unsure {
		v.size.atMostLeast = v.size.most
	}
	if v.size.isFixed() {
		v.end = f.at.plus(v.size.most)
	}
	return v
}

// named is a field of an enum's type.
func (g *generator) named(f *frame, e *enum) value {
	e.used = true
	v := value{text: e.name, kind: listed, inner: listed, in: e.in, enum: e, width: e.width, size: e.size, end: place{how: anywhere}}
	switch {
	case e.varint:
		v.end = f.at
	case e.size.isFixed():
		v.end = f.at.plus(e.size.least)
	}
	return v
}
