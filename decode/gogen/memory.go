package gogen

// What a hostile datagram costs: about how many bytes it can make a Packet hold. Both the schema and the datagram are
// bounds: a text is no longer than its type allows, and all of them together hold no more than there is to read.

// memory is what is in a place of type t, and after it.
func (g *gen) memory(t *goType) int64 {
	if g.fixed {
		return t.size
	}
	return min(maxSize, t.size+g.heap(t, 1))
}

// heap is what lies after so many places of a type, all filled from one datagram. It saturates at maxSize.
func (g *gen) heap(t *goType, places int64) int64 {
	datagram := int64(g.p.Schema.MaxDatagram)
	switch t.shape {
	case shapeBytes:
		// Memory comes in pieces of 8 bytes at least, and append takes up to twice what it needs.
		longest := max(8, (2*min(int64(t.n), datagram)+7)&^7)
		return min(times(places, longest), 2*datagram+8*min(places, datagram))
	case shapeList:
		n := times(places, int64(g.sized[t.list].Most()))
		if least := int64(g.elemBits(t.list)); least > 0 {
			n = min(n, 8*datagram/least+places) // of each list one element more is begun than fits
		}
		n = max(n, 1)
		return min(maxSize, times(2*n, t.elem.size)+g.heap(t.elem, n))
	case shapeArray:
		return g.heap(t.elem, times(places, int64(t.n)))
	case shapeStruct:
		sum := int64(0)
		for i := range t.fields {
			sum = min(maxSize, sum+g.heap(t.fields[i].typ, places))
		}
		return sum
	}
	return 0
}
