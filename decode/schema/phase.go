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
		a.errorf(Span{Pos: at, End: at}, fix, format, args...)
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
	if ref, ok := v.Type.(*StructRef); ok {
		return a.structure(ref.Struct, o, p, v.Pos)
	}
	l := v.Type.Layout()
	if l.OnByte && p != onByte {
		a.complain(v.Pos, "put `align` in front of it", "a checksum stands on a byte boundary")
	}
	p = p.plus(l.Head)
	if l.Aligned {
		p = aligned(o, p)
	}
	switch elem := v.Type.Inner(); {
	case elem != nil:
		return a.elements(v, elem, l, o, p)
	case l.Unit%8 == 0: // wherever it begins
		return p
	case l.Lo == l.Hi:
		return p.plus(l.Lo * l.Unit)
	}
	return anyBits
}

// elements gives the phase behind the elements of v of which the first begins at p.
func (a *phases) elements(v, elem *Value, l Layout, o Order, p phase) phase {
	if t, ok := v.Type.(*ArrayType); ok && t.Kind == ArrayRest {
		if p != onByte {
			a.complain(v.Pos, "put `align` in front of it", "the elements of `[rest]` begin on a byte: this one may not")
		} else if a.elem(elem, o, p) != onByte {
			a.complain(v.Pos, "put `align` at the element's end", "the elements of `[rest]` are whole bytes: this one may not be")
		}
	}
	switch {
	case l.Steps:
		a.elem(elem, o, anyBits)
		return anyBits
	case l.Slots: // each slot adds phases, until all that can come are there
		for range min(l.Hi, 512) {
			p = p.plus(l.Each) | a.elem(elem, o, p.plus(l.Each))
		}
		if l.Hi > 512 {
			return anyBits
		}
		return p
	}
	return a.repeat(elem, o, p, l.Lo, l.Hi, l.Each).plus(l.Tail)
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
