package schema

import "math/big"

// Layout is how the bits of a value lie: Head, the padding up to a byte where the type is aligned, then Lo..Hi units of
// Unit bits. Where the type has an element, there are Lo..Hi of it instead, each after Each bits, and then Tail.
type Layout struct {
	Head    uint64 // bits
	Aligned bool   // but in bousk, in which nothing aligns by itself
	OnByte  bool   // the value has to begin on a byte
	Unit    uint64 // bits
	Lo, Hi  uint64
	Each    uint64 // bits
	Tail    uint64 // bits
	Slots   bool   // an element may be left out after its Each bits
	Steps   bool   // the part before an element has no fixed width: a relative subset
}

// solid is the layout of so many bits.
func solid(bits int) Layout { return Layout{Unit: uint64(bits), Lo: 1, Hi: 1} }

func (b *BoolType) Layout() Layout      { return solid(max(1, b.SwapWidth())) }
func (f *FloatType) Layout() Layout     { return solid(f.Width) }
func (q *QuantizedType) Layout() Layout { return solid(q.Width) }
func (s *SmallestType) Layout() Layout  { return solid(2 + 3*s.Bits) }
func (e *EnumRef) Layout() Layout       { return e.Enum.Base.Type.Layout() }
func (*LadderType) Layout() Layout      { return Layout{Unit: 1, Lo: 1, Hi: 6 + 32} }
func (b *BelowType) Layout() Layout {
	least, most := b.Bits()
	return Layout{Unit: 1, Lo: least, Hi: most}
}
func (o *OptionalType) Layout() Layout { return Layout{Head: 1, Hi: 1} }

func (c *ChecksumType) Layout() Layout {
	l := solid(c.Algorithm.Width)
	l.OnByte = true
	return l
}

func (v *VarintType) Layout() Layout {
	return Layout{Unit: 8, Lo: 1, Hi: uint64(v.Bits+6) / 7}
}

func (v *VectorType) Layout() Layout {
	return Layout{Lo: uint64(v.N), Hi: uint64(v.N)}
}

func (s *StructRef) Layout() Layout {
	return Layout{Unit: 1, Lo: s.Struct.MinBits, Hi: s.Struct.MaxBits}
}

func (i *IntType) Layout() Layout {
	if i.Size == nil {
		return solid(i.Width)
	}
	return Layout{Unit: 1, Lo: clamp(i.Size.Lo), Hi: uint64(i.Width)}
}

func (r *RangedType) Layout() Layout {
	if r.HiExpr == nil {
		return solid(r.Width)
	}
	least := clamp(new(big.Int).Sub(r.HiExpr.Lo, r.Lo))
	return Layout{Unit: 1, Lo: bitsFor(least), Hi: uint64(r.Width)}
}

func (t *TextType) Layout() Layout {
	most := uint64(t.N - 1) // without its terminator
	switch t.Kind {
	case TextString:
		return Layout{Head: bitsFor(most), Aligned: true, Unit: 8, Hi: most}
	case TextWString:
		return Layout{Head: bitsFor(most), Unit: 32, Hi: most}
	case TextCString, TextName:
		return Layout{Aligned: true, Unit: 8, Lo: 1, Hi: most + 1}
	}
	return Layout{Aligned: true, Unit: 8, Lo: most + 1, Hi: most + 1}
}

func (b *BlobType) Layout() Layout {
	l := Layout{Aligned: true, Unit: 8, Hi: b.fits}
	if b.Size != nil {
		l.Lo = clamp(b.Size.Lo)
	}
	return l
}

func (a *ArrayType) Layout() Layout {
	l := Layout{Hi: a.Max}
	switch a.Kind {
	case ArrayCount:
		l.Lo = clamp(a.Count.Lo)
	case ArrayCounted:
		l.Head, l.Lo = bitsFor(a.Hi-a.Lo), a.Lo
	case ArrayUntil:
		l.Lo = 1
	}
	return l
}

// Layout follows wire.md, "Array subsets".
func (s *SubsetType) Layout() Layout {
	switch s.Kind {
	case SubsetBitmap:
		return Layout{Lo: s.N, Hi: s.N, Each: 1, Slots: true}
	case SubsetIndex:
		return Layout{Head: bitsFor(s.N), Hi: s.N, Each: bitsFor(s.N - 1)}
	case SubsetSentinel:
		return Layout{Hi: s.N, Each: bitsFor(s.N), Tail: bitsFor(s.N)}
	}
	return Layout{Hi: s.N, Steps: true}
}

// sizeOf is the bits of a value of type t in the order o.
func sizeOf(t Type, o Order) size {
	l := t.Layout()
	unit := fixedSize(l.Unit)
	if elem := t.Inner(); elem != nil {
		unit = size{elem.MinBits, elem.MaxBits}
		if l.Slots {
			unit.min = 0
		}
		unit = fixedSize(l.Each).then(unit)
	}
	s := fixedSize(l.Head)
	if l.Aligned {
		s = s.then(padding(o))
	}
	s = s.then(unit.times(l.Lo, l.Hi)).then(fixedSize(l.Tail))
	if l.Steps {
		return s.then(steps(l.Hi, t.Inner()))
	}
	return s
}

// padding is what the alignment of a type takes.
func padding(o Order) size {
	if o == Bytewise {
		return size{}
	}
	return size{0, 7}
}

// steps is what the ladders of a relative subset take: at most 2 bits per slot passed (4 bits for a step of 2 is the
// worst). The single step over all slots is the least: two steps cost more, with the bit that an element takes, but for
// two steps of 1 instead of one of 2.
func steps(slots uint64, elem *Value) size {
	least := ladderBits(slots + 1)
	if slots == 1 {
		least = min(least, 2+elem.MinBits)
	}
	return size{least, satMul(slots+1, 2)}
}

// ladderBits is what a step of d takes on the subset ladder whose far end is d itself.
func ladderBits(d uint64) uint64 {
	tier := uint64(4)
	for _, last := range []uint64{5, 13, 29, 61, 125} {
		if d == 1 {
			return 1
		}
		if d <= last {
			return tier
		}
		tier += 2
	}
	return 6 + bitsFor(d-126)
}
