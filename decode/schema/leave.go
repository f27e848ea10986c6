package schema

import "fmt"

// How much to leave: the help of an item after something that takes the rest says how many bytes follow. It is said
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

// align pads to a multiple of n bits. That is one from the start of the datagram, so above 8 the padding is not known.
func (r *room) align(n uint64) {
	if r.bits%n != 0 {
		r.bits = satAdd(r.bits, n-r.bits%n)
	}
	r.known = r.known && n == 8
}

// aligned is the alignment that a type does by itself.
func (r *room) aligned(o Order) {
	if o != Bytewise {
		r.align(8)
	}
}

func (r *room) items(items []Item, o Order) {
	for _, it := range items {
		if r.fuel == 0 || !r.known {
			return
		}
		r.fuel--
		own := it.Extent()
		if own.aligns(o) {
			r.align(uint64(own.Align))
		}
		r.add(size{own.Least, own.Most})
		if !own.Window {
			r.oneOf(it.Ways(), o)
		}
	}
}

// oneOf adds ways of which a packet takes one.
func (r *room) oneOf(ways []Way, o Order) {
	start := *r
	for i, way := range ways {
		one := start
		one.fuel = r.fuel
		if one.items(way.Items, o); way.Value != nil {
			one.value(way.Value, o)
		}
		if i > 0 && one.bits != r.bits {
			one.known = false
		}
		one.known = one.known && (i == 0 || r.known)
		*r = one
	}
}

func (r *room) value(v *Value, o Order) {
	if ref, ok := v.Type.(*StructRef); ok {
		r.items(ref.Struct.Items, ref.Struct.Order)
		return
	}
	l, own := v.Type.Layout(), size{v.MinBits, v.MaxBits}
	if l.Aligned && l.Head == 0 { // after a head nothing is known
		r.aligned(o)
		own.max -= padding(o).max
	}
	r.add(own)
}
