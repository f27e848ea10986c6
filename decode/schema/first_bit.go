package schema

// What counts from the first bit of a packet means the same in another file only where the packet that it is lent as
// begins there: a checksum from the start of the packet, an alignment to more than a byte, a domain name, whose pointers
// count from there. A checksum that covers all needs the packet to end with the struct, too. A `prev` outside of arrays is
// its first value in every packet: in an array it would be that of the packet before.

// anchor is such an item.
type anchor struct {
	at   Pos
	what string
}

// anchored looks for the first of them in a struct.
type anchored struct {
	seen  map[anchoredIn]bool
	first *anchor // counts from the first bit
	all   *anchor // covers all, too
	prev  *anchor // begins anew with each packet
}

// anchoredIn is a struct where it is looked at: what an element or a window has counts from these.
type anchoredIn struct {
	s               *Struct
	element, window bool
}

func (a *anchored) structure(s *Struct, element, window bool) {
	in := anchoredIn{s, element, window}
	if a.seen[in] {
		return
	}
	a.seen[in] = true
	if len(s.Carries) > 0 && !element {
		a.note(&a.prev, s.Carries[0].Pos, "a `prev`")
	}
	a.items(s.Items, element, window)
}

func (a *anchored) items(items []Item, element, window bool) {
	for _, it := range items {
		if al, ok := it.(*Align); ok && al.Bits > 8 {
			a.note(&a.first, al.Pos, "an `align` above 8")
		}
		for _, way := range it.Ways() {
			a.items(way.Items, element, window || it.Extent().Window)
			a.value(way.Value, element, window)
		}
	}
}

func (a *anchored) value(v *Value, element, window bool) {
	for ; v != nil; v = v.Type.Inner() {
		if ref, ok := v.Type.(*StructRef); ok {
			a.structure(ref.Struct, element, window)
		}
		a.leaf(v, element, window)
		if _, optional := v.Type.(*OptionalType); !optional {
			element = true
		}
	}
}

func (a *anchored) leaf(v *Value, element, window bool) {
	if text, ok := v.Type.(*TextType); ok && text.Kind == TextName {
		a.note(&a.first, v.Pos, "a `dnsname`")
	}
	if sum, ok := v.Type.(*ChecksumType); ok {
		if sum.Lone && !window {
			a.note(&a.first, v.Pos, "the checksum of all")
			a.note(&a.all, v.Pos, "the checksum of all")
		}
		if sum.From.Kind == SumStart && !sum.Lone && !element {
			a.note(&a.first, v.Pos, "a checksum from the start of the packet")
		}
	}
}

func (a *anchored) note(into **anchor, at Pos, what string) {
	if *into == nil {
		*into = &anchor{at, what}
	}
}

// lentPlaces holds every packet of another file to the place that it needs.
type lentPlaces struct {
	*checker
	found map[*Struct]*anchored
	seen  map[lentPlace]bool
}

// lentPlace is a struct at a place: first, where nothing with bits is before it, last, where nothing is after it,
// array, in one.
type lentPlace struct {
	s                  *Struct
	first, last, array bool
}

// lentPlaces follows the packet. It needs a model without errors.
func (c *checker) lentPlaces() {
	if len(c.units) == 1 {
		return
	}
	p := &lentPlaces{checker: c, found: map[*Struct]*anchored{}, seen: map[lentPlace]bool{}}
	for _, root := range c.roots() {
		p.items(root.Items, true, true, false)
	}
}

func (p *lentPlaces) items(items []Item, first, last, array bool) {
	behind := make([]bool, len(items)) // something with bits is
	for i := len(items) - 1; i > 0; i-- {
		behind[i-1] = behind[i] || items[i].Extent().Align > 0 || hasBits(items[i])
	}
	for i, it := range items {
		for _, way := range it.Ways() {
			end := last && !behind[i] || it.Extent().Window
			p.items(way.Items, first, end, array)
			p.value(way.Value, first, end, array)
		}
		first = first && !hasBits(it) // at the first bit nothing is aligned
	}
}

func hasBits(it Item) bool {
	if it.Extent().Most > 0 {
		return true
	}
	for _, way := range it.Ways() {
		if way.Value != nil && way.Value.MaxBits > 0 {
			return true
		}
		for _, in := range way.Items {
			if hasBits(in) {
				return true
			}
		}
	}
	return false
}

func (p *lentPlaces) value(v *Value, first, last, array bool) {
	for ; v != nil; v = v.Type.Inner() {
		if ref, ok := v.Type.(*StructRef); ok {
			if ref.Struct.Lent {
				p.judge(v.Pos, ref.Struct, first, last, array)
			}
			if at := (lentPlace{ref.Struct, first, last, array}); !p.seen[at] {
				p.seen[at] = true
				p.items(ref.Struct.Items, first, last, array)
			}
		}
		_, optional := v.Type.(*OptionalType)
		first, last, array = false, false, array || !optional
	}
}

func (p *lentPlaces) judge(at Pos, s *Struct, first, last, array bool) {
	a := p.found[s]
	if a == nil {
		a = &anchored{seen: map[anchoredIn]bool{}}
		a.structure(s, false, false)
		p.found[s] = a
	}
	end := at
	end.Off, end.Col = end.Off+int32(len(s.Name)), end.Col+int32(len(s.Name))
	span := Span{Pos: at, End: end}
	switch {
	case !first && a.first != nil:
		p.errorf(span, "put nothing with bits before it", "`%s` can be at the first bit of a packet only: %s, at %s, counts from there",
			s.Name, listing(a.first.what), a.first.at)
	case array && a.prev != nil:
		p.errorf(span, "", "`%s` cannot be in an array: %s, at %s, begins anew with each packet", s.Name, listing(a.prev.what), a.prev.at)
	case !last && a.all != nil:
		p.errorf(span, "put nothing after it, or a `within` around it", "`%s` can be at the end of a packet only: %s, at %s, covers what is after it, too",
			s.Name, listing(a.all.what), a.all.at)
	}
}
