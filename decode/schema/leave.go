package schema

import "fmt"

// How much to leave: the help of an item behind something that takes the rest says how many bytes follow. It is said
// only where that is one number, whatever the packet.

// advice is how to leave room for what follows t.
func (t *taker) advice() string {
	r := room{fuel: 10_000, known: true}
	for _, b := range t.behind {
		if b.unknown {
			r.known = false
		}
		r.items(b.items, b.order)
	}
	if !r.known || r.fuel == 0 || r.bits == 0 {
		return fmt.Sprintf("give `%s` a size that leaves what follows, or move it to the end", cut(t.name, 40))
	}
	return t.fix((r.bits + 7) / 8)
}

// room adds up items that begin on a byte.
type room struct {
	bits  uint64
	known bool // it is one number
	fuel  int  // items that may still be looked at: named structs double
}

func (r *room) add(s size) {
	r.bits = satAdd(r.bits, s.min)
	r.known = r.known && s.min == s.max
}

// align is the alignment that a type does by itself.
func (r *room) align(n uint64, o Order) {
	if o != Bousk && r.bits%n != 0 {
		r.bits = satAdd(r.bits, n-r.bits%n)
	}
}

func (r *room) items(items []Item, o Order) {
	for _, it := range items {
		if r.fuel == 0 || !r.known {
			return
		}
		r.fuel--
		switch it := it.(type) {
		case *Field:
			if it.Switch != nil {
				r.oneOf(len(it.Switch.Arms), func(r *room, i int) {
					if v := it.Switch.Arms[i].Value; v != nil {
						r.value(v, o)
					}
				})
				continue
			}
			r.value(it.Value, o)
		case *If:
			r.oneOf(2, func(r *room, i int) { r.items([2][]Item{it.Then, it.Else}[i], o) })
		case *Within:
			unit := uint64(1)
			if !it.Bits {
				unit = 8
				r.align(8, o)
			}
			r.add(size{clamp(it.Size.Lo), clamp(it.Size.Hi)}.times(unit, unit))
		case *Align:
			r.align(uint64(it.Bits), LSB) // from the start of the datagram, so above 8 it is not known
			r.known = r.known && it.Bits == 8
		case *Reserved:
			r.add(fixedSize(uint64(it.Bits)))
		case *Check:
			if it.HasLabel {
				r.align(8, o)
			}
			r.add(fixedSize(32))
		}
	}
}

// oneOf adds ways of which a packet takes one.
func (r *room) oneOf(n int, way func(r *room, i int)) {
	start := *r
	for i := range n {
		one := start
		one.fuel = r.fuel
		way(&one, i)
		if i > 0 && one.bits != r.bits {
			one.known = false
		}
		one.known = one.known && (i == 0 || r.known)
		*r = one
	}
}

func (r *room) value(v *Value, o Order) {
	switch t := v.Type.(type) {
	case *BlobType:
		r.align(8, o)
		if t.Size == nil || !t.Size.IsConst() {
			r.known = false
			return
		}
		r.bits = satAdd(r.bits, satMul(8, clamp(t.Size.Val)))
		return
	case *TextType:
		if t.Kind == TextChar {
			r.align(8, o)
			r.bits = satAdd(r.bits, 8*uint64(t.N))
			return
		}
	case *StructRef:
		r.items(t.Struct.Items, t.Struct.Order)
		return
	case *ArrayType:
		n, ok := t.Hi, t.Kind == ArrayCounted && t.Lo == t.Hi
		if t.Kind == ArrayCount && t.Count.IsConst() {
			n, ok = clamp(t.Count.Val), true
		}
		if ok && t.Elem.MinBits == t.Elem.MaxBits {
			r.add(fixedSize(t.Elem.MinBits).times(n, n))
			return
		}
	}
	r.add(size{v.MinBits, v.MaxBits})
}
