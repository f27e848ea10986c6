package schema

import "math/bits"

// Positions follows where in a datagram the items of a schema can lie. The checker refuses what does not begin on a
// byte and has to; plan's compiler asks where what it makes a step of begins, ends, and has its elements. What a struct
// or an element does to a place is computed once for each place that matters to it, so the work is linear in the schema
// however often its structs are used.
//
// Four things need a byte boundary: a checksum, the elements of `[rest]`, a struct whose order is not the one around it,
// and one that is the packet of another file.
type Positions struct {
	structs map[*Struct]*transfer
	elems   map[*Value]*transfer
	grain   uint64 // what was met since the start of a transfer aligns to so many bits at most
	// complain is told of what does not lie as it has to; nil in a schema that was checked.
	complain func(at Pos, fix, format string, args ...any)
	// strides is told of each list how many bits an element takes at least where its elements lie; nil as complain is.
	strides func(t Type, least uint64)
}

// NewPositions knows nothing yet.
func NewPositions() *Positions {
	return &Positions{structs: map[*Struct]*transfer{}, elems: map[*Value]*transfer{}}
}

// transfer is what each single place becomes; 0 means not computed yet. A place that lies a multiple of grain after
// another becomes what that does, so much further on. The grain is 0 as long as nothing has been computed.
type transfer struct {
	grain uint64
	at    [64]Places
}

// alignment follows every position from the first bit of the packet. It needs a model without errors.
func (c *checker) alignment() {
	said := map[Pos]bool{} // a struct is followed from several places
	a := NewPositions()
	a.complain = func(at Pos, fix, format string, args ...any) {
		if !said[at] {
			said[at] = true
			c.errorf(Span{Pos: at, End: at}, fix, format, args...)
		}
	}
	a.strides = c.stride
	for _, root := range c.roots() {
		a.items(root.Items, root.Order, AtStart)
	}
	// Structs that the packet does not use are held to their own promises, from a byte boundary.
	for _, u := range c.units {
		for _, s := range u.schema.Structs {
			if a.structs[s] == nil {
				a.structure(s, s.Order, OnByte, s.Pos)
			}
		}
	}
}

// demand complains where p is not on bytes. What demands it is not moved bit by bit.
func (a *Positions) demand(p Places, at Pos, fix, format string, args ...any) (held bool) {
	a.grain = max(a.grain, 8)
	if held = p.OnBytes(); !held && a.complain != nil {
		a.complain(at, fix, format, args...)
	}
	return held
}

// each applies a transfer place by place, computing what is missing. Places on bytes come first.
func (a *Positions) each(t *transfer, p Places, compute func(Places) Places) (out Places) {
	for i := range uint64(64) {
		r := i/8 | i%8*8
		if p>>r&1 == 0 {
			continue
		}
		from := r
		if t.grain > 0 {
			from %= t.grain
		}
		if t.at[from] == 0 {
			around := a.grain
			a.grain = 1
			t.at[from] = compute(1 << from)
			t.grain, a.grain = a.grain, around
		}
		out |= t.at[from].Plus(r - from)
	}
	a.grain = max(a.grain, t.grain)
	return out
}

// structure gives the places after a struct that begins at p, in order around.
func (a *Positions) structure(s *Struct, around Order, p Places, at Pos) Places {
	turns := s.OwnOrder && !s.Lent || s.Order != around
	what := "a struct with an order of its own"
	if s.Lent {
		what = "the packet of another file"
	}
	held := !turns && !s.Lent || a.demand(p, at, "put `align` before it", "%s begins on a byte: `%s` does not here", listing(what), nameOf(s))
	var end Places
	if s.Inline {
		end = a.items(s.Items, s.Order, p)
	} else {
		t := a.structs[s]
		if t == nil {
			t = &transfer{}
			a.structs[s] = t
		}
		end = a.each(t, p, func(one Places) Places { return a.items(s.Items, s.Order, one) })
	}
	fix := "put `align` at its end"
	if s.Lent {
		fix = "give what is around it the order " + s.Order.String()
	}
	if turns && held && !a.demand(end, s.Pos, fix, "a struct with an order of its own ends on a byte: `%s` may not", nameOf(s)) {
		return OnByte // said once, not at everything after it
	}
	return end
}

func nameOf(s *Struct) string {
	if s.Name == "" {
		return "{ … }"
	}
	return s.Name
}

func (a *Positions) items(items []Item, o Order, p Places) Places {
	for _, it := range items {
		p = a.Item(it, o, p)
	}
	return p
}

// Item gives the places after an item that begins at p.
func (a *Positions) Item(it Item, o Order, p Places) Places {
	own := it.Extent()
	if own.aligns(o) {
		p = a.align(p, uint64(own.Align))
	}
	behind := Places(0)
	for _, way := range it.Ways() {
		end := a.items(way.Items, o, p)
		if way.Value != nil {
			end = a.Value(way.Value, o, end)
		}
		behind |= end
	}
	switch {
	case behind != 0 && !own.Window: // what is inside a window moves nothing after it
		return behind
	case own.Unit == 0:
		return p
	}
	return p.Units(own.Least/own.Unit, own.Most/own.Unit, own.Unit)
}

func (a *Positions) align(p Places, n uint64) Places {
	a.grain = max(a.grain, min(n, 64))
	return p.Align(n)
}

// Value gives the places after a value that begins at p.
func (a *Positions) Value(v *Value, o Order, p Places) Places {
	if ref, ok := v.Type.(*StructRef); ok {
		return a.structure(ref.Struct, o, p, v.Pos)
	}
	l := v.Type.Layout()
	if l.OnByte {
		a.demand(p, v.Pos, "put `align` before it", "a checksum begins on a byte boundary")
	}
	p = p.Plus(l.Head)
	if l.Aligned && o != Bytewise { // in which nothing aligns by itself
		p = a.align(p, 8)
	}
	if v.Type.Inner() == nil {
		return p.Units(l.Lo, l.Hi, l.Unit)
	}
	_, end := a.elements(v, l, o, p)
	return end
}

// Elements gives the places where the elements of v begin, or the bits before each, which itself begins at p.
func (a *Positions) Elements(v *Value, o Order, p Places) Places {
	l := v.Type.Layout()
	starts, _ := a.elements(v, l, o, p.Plus(l.Head))
	return starts
}

// elements gives the places where the elements of v begin, of which the first begins at p, and those after the last.
func (a *Positions) elements(v *Value, l Layout, o Order, p Places) (starts, end Places) {
	elem := v.Type.Inner()
	if t, ok := v.Type.(*ArrayType); ok && t.Kind == ArrayRest && !t.Bits {
		a.rest(t, v, o, p)
	}
	switch {
	case l.Steps:
		a.elem(elem, o, Anywhere)
		return Anywhere, Anywhere
	case l.Slots: // each slot adds places
		for range min(l.Hi, maxRounds) {
			starts |= p
			p = p.Plus(l.Each) | a.elem(elem, o, p.Plus(l.Each))
		}
		if l.Hi > maxRounds {
			return Anywhere, Anywhere
		}
		return starts, p
	}
	starts, end = a.repeat(elem, o, p, l.Lo, l.Hi, l.Each)
	if a.strides != nil && l.Each == 0 {
		a.strides(v.Type, a.stride(elem, o, starts))
	}
	if l.Tail > 0 {
		starts |= end // the tail is read like what is before an element
	}
	return starts, end.Plus(l.Tail)
}

// rest looks whether the elements of a list of whole bytes, of which the first begins at p, are that. In a window of
// bits a list of which they are not runs while a bit is left.
func (a *Positions) rest(t *ArrayType, v *Value, o Order, p Places) {
	switch {
	case t.inBits:
		a.grain = max(a.grain, 8)
		if a.complain != nil { // else the schema was checked, and is shared
			t.Bits = !p.OnBytes() || !a.elem(t.Elem, o, p).OnBytes()
		}
	case a.demand(p, v.Pos, "put `align` before it, or use `within(e bits)`", "the elements of `[rest]` begin on a byte: this one may not"):
		a.demand(a.elem(t.Elem, o, p), v.Pos, "put `align` at the element's end, or use `within(e bits)`", "the elements of `[rest]` are whole bytes: this one may not be")
	}
}

// elem gives the places after one element.
func (a *Positions) elem(v *Value, o Order, p Places) Places {
	t := a.elems[v]
	if t == nil {
		t = &transfer{}
		a.elems[v] = t
	}
	return a.each(t, p, func(one Places) Places { return a.Value(v, o, one) })
}

// stride is what one element takes at least that begins at one of starts: its least bits, and the padding up to a place
// where it can end.
func (a *Positions) stride(v *Value, o Order, starts Places) uint64 {
	least := sizeMax
	for r := range uint64(64) {
		if starts>>r&1 != 0 {
			ends := a.elem(v, o, 1<<r).Plus(64 - (r+v.MinBits)%64) // after its least bits
			least = min(least, satAdd(v.MinBits, uint64(bits.TrailingZeros64(uint64(ends)))))
		}
	}
	return least
}

// maxRounds is how many elements are followed one by one. The places run into a cycle long before, in what anybody
// writes.
const maxRounds = 1 << 10

// repeat gives the places where lo..hi elements begin, each with head bits in front, and those after the last. The
// sequence of places runs into a cycle soon, whatever the count.
func (a *Positions) repeat(v *Value, o Order, p Places, lo, hi, head uint64) (starts, end Places) {
	at := map[Places]uint64{}
	var seq []Places
	for i := uint64(0); ; i++ {
		first, seen := at[p]
		switch {
		case i >= maxRounds:
			return Anywhere, Anywhere
		case seen:
			period := i - first
			for n := max(lo, i); n <= min(hi, max(lo, i)+period-1); n++ { // every one of the cycle, or until hi
				end |= seq[first+(n-first)%period]
			}
			return starts, end
		}
		if i >= lo {
			end |= p
		}
		if i == hi {
			return starts, end
		}
		starts |= p
		at[p] = i
		seq = append(seq, p)
		p = a.elem(v, o, p.Plus(head))
	}
}
