package schema

// Alignment: where in its byte an item can begin. A phase is a set of residues: bit r of a phase says that a position
// with position % 8 == r is possible. What a type does to a phase is computed once per type and residue, so the work is
// linear in the schema however often its structs are used.
//
// Three things need a byte boundary: a checksum, the elements of `[rest]`, and a struct whose order is not the one
// around it.

// phase is a set of residues mod 8.
type phase uint8

const (
	onByte  phase = 1
	anyBits phase = 0xFF
)

// plus moves every position by n bits.
func (p phase) plus(n uint64) phase {
	n %= 8
	return p<<n | p>>(8-n)
}

// transfer is what each single residue becomes; 0 means not computed yet.
type transfer [8]phase

type phases struct {
	*checker
	structs map[*Struct]*transfer
	elems   map[*Value]*transfer
	said    map[Pos]bool
}

// alignment follows every position from the first bit of the packet. It needs a model without errors.
func (c *checker) alignment() {
	if c.schema.Packet == nil {
		return
	}
	a := &phases{checker: c, structs: map[*Struct]*transfer{}, elems: map[*Value]*transfer{}, said: map[Pos]bool{}}
	a.items(c.schema.Packet.Items, c.schema.Packet.Order, onByte)
	// Structs that the packet does not use are held to their own promises, from a byte boundary.
	for _, s := range c.schema.Structs {
		if a.structs[s] == nil {
			a.structure(s, s.Order, onByte, s.Pos)
		}
	}
}

// complain says something once per place: a struct is followed from several residues.
func (a *phases) complain(at Pos, fix, format string, args ...any) {
	if !a.said[at] {
		a.said[at] = true
		a.errorf(Span{at, at}, fix, format, args...)
	}
}

// each applies a transfer function, residue by residue, computing what is missing.
func (p phase) each(t *transfer, compute func(phase) phase) phase {
	var out phase
	for r := range 8 {
		one := phase(1) << r
		if p&one == 0 {
			continue
		}
		if t[r] == 0 {
			t[r] = compute(one)
		}
		out |= t[r]
	}
	return out
}

// structure gives the phase behind a struct that stands, in order around, at p.
func (a *phases) structure(s *Struct, around Order, p phase, at Pos) phase {
	turns := s.OwnOrder || s.Order != around
	if turns && p != onByte {
		a.complain(at, "put `align` in front of it", "a struct with an order of its own begins on a byte: `%s` does not here", nameOf(s))
	}
	var end phase
	if s.Inline {
		end = a.items(s.Items, s.Order, p)
	} else {
		t := a.structs[s]
		if t == nil {
			t = &transfer{}
			a.structs[s] = t
		}
		end = p.each(t, func(one phase) phase { return a.items(s.Items, s.Order, one) })
	}
	if turns && p == onByte && end != onByte {
		a.complain(s.Pos, "put `align` at its end", "a struct with an order of its own ends on a byte: `%s` may not", nameOf(s))
		return onByte // said once, not at everything behind it
	}
	return end
}

func nameOf(s *Struct) string {
	if s.Name == "" {
		return "{ … }"
	}
	return s.Name
}

func (a *phases) items(items []Item, o Order, p phase) phase {
	for _, it := range items {
		p = a.item(it, o, p)
	}
	return p
}

func (a *phases) item(it Item, o Order, p phase) phase {
	own := it.Extent()
	if own.aligns(o) {
		p = onByte
	}
	behind := phase(0)
	for _, way := range it.Ways() {
		end := a.items(way.Items, o, p)
		if way.Value != nil {
			end = a.value(way.Value, o, end)
		}
		behind |= end
	}
	if behind == 0 || own.Window { // what is inside a window moves nothing behind it
		return p.extent(own)
	}
	return behind
}

// aligned is the phase behind what a type does on its own; in bousk nothing aligns by itself.
func aligned(o Order, p phase) phase {
	if o == Bousk {
		return p
	}
	return onByte
}

// extent moves p by the bits of an item.
func (p phase) extent(e Extent) phase {
	switch {
	case e.Fixed:
		return p.plus(e.Most)
	case e.Unit%8 == 0:
		return p
	}
	return anyBits
}

func (a *phases) value(v *Value, o Order, p phase) phase {
	switch t := v.Type.(type) {
	case *EnumRef:
		return a.value(t.Enum.Base, o, p)
	case *VarintType:
		return p // whole bytes, wherever they begin
	case *TextType:
		if t.Kind == TextWString {
			return p.plus(v.MinBits) // units of 32 bits
		}
		if t.Kind == TextString {
			p = p.plus(bitsFor(uint64(t.N - 1)))
		}
		return aligned(o, p)
	case *BlobType:
		return aligned(o, p)
	case *ChecksumType:
		if p != onByte {
			a.complain(v.Pos, "put `align` in front of it", "a checksum stands on a byte boundary")
		}
		return p
	case *StructRef:
		return a.structure(t.Struct, o, p, v.Pos)
	case *OptionalType:
		return p.plus(1) | a.value(t.Elem, o, p.plus(1))
	case *VectorType:
		return a.repeat(t.Elem, o, p, uint64(t.N), uint64(t.N), 0)
	case *ArrayType:
		return a.array(v, t, o, p)
	case *SubsetType:
		return a.subset(t, o, p)
	}
	if v.MinBits == v.MaxBits {
		return p.plus(v.MinBits)
	}
	return anyBits
}

func (a *phases) array(v *Value, t *ArrayType, o Order, p phase) phase {
	switch t.Kind {
	case ArrayCount:
		return a.repeat(t.Elem, o, p, clamp(t.Count.Lo), t.Max, 0)
	case ArrayCounted:
		return a.repeat(t.Elem, o, p.plus(bitsFor(t.Hi-t.Lo)), t.Lo, t.Hi, 0)
	case ArrayUntil:
		return a.repeat(t.Elem, o, p, 1, t.Max, 0)
	case ArrayRest:
		if p != onByte {
			a.complain(v.Pos, "put `align` in front of it", "the elements of `[rest]` begin on a byte: this one may not")
		} else if a.elem(t.Elem, o, p) != onByte {
			a.complain(v.Pos, "put `align` at the element's end", "the elements of `[rest]` are whole bytes: this one may not be")
		}
	}
	return a.repeat(t.Elem, o, p, 0, t.Max, 0)
}

// elem gives the phase behind one element.
func (a *phases) elem(v *Value, o Order, p phase) phase {
	t := a.elems[v]
	if t == nil {
		t = &transfer{}
		a.elems[v] = t
	}
	return p.each(t, func(one phase) phase { return a.value(v, o, one) })
}

// repeat gives the phase behind lo..hi elements, each with head bits in front. There are 256 phases, so the sequence of
// phases runs into a cycle soon, whatever the count.
func (a *phases) repeat(v *Value, o Order, p phase, lo, hi, head uint64) phase {
	var out phase
	at := map[phase]uint64{}
	var seq []phase
	for i := uint64(0); ; i++ {
		if first, seen := at[p]; seen {
			period := i - first
			if hi-max(lo, i) >= period-1 { // every phase of the cycle comes
				for _, q := range seq[first:] {
					out |= q
				}
				return out
			}
			for n := max(lo, i); n <= hi; n++ {
				out |= seq[first+(n-first)%period]
			}
			return out
		}
		if i >= lo {
			out |= p
		}
		if i == hi {
			return out
		}
		at[p] = i
		seq = append(seq, p)
		p = a.elem(v, o, p.plus(head))
	}
}

// subset takes every number of elements with every header: only the bitmap has headers of one length in fixed number.
func (a *phases) subset(t *SubsetType, o Order, p phase) phase {
	var out phase
	switch t.Kind {
	case SubsetIndex:
		p = p.plus(bitsFor(t.N))
		return a.repeat(t.Elem, o, p, 0, t.N, bitsFor(t.N-1))
	case SubsetSentinel:
		return a.repeat(t.Elem, o, p, 0, t.N, bitsFor(t.N)).plus(bitsFor(t.N))
	case SubsetBitmap:
		// n slots, each 1 bit and maybe an element: the set grows until it repeats or the slots are over.
		out = p
		for i := uint64(0); i < min(t.N, 512); i++ {
			out = out.plus(1) | a.elem(t.Elem, o, out.plus(1))
		}
		if t.N > 512 {
			out = anyBits
		}
		return out
	}
	a.elem(t.Elem, o, anyBits)
	return anyBits
}
