package slow

import (
	"fmt"
	"math/big"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// array reads an array: as many elements as its kind says, never more than its bound, each after the one before.
func (w *walk) array(f frame, t *schema.ArrayType) bool {
	f.place = newPlace()
	var count uint64
	switch t.Kind {
	case schema.ArrayCount:
		n := w.eval(f.scope, t.Count)
		if n.Sign() < 0 || n.Cmp(new(big.Int).SetUint64(t.Max)) > 0 {
			return w.refuse(f, reject.OutOfRange, w.bit, 0)
		}
		count = n.Uint64()
	case schema.ArrayCounted:
		n, ok := w.counted(f.named("count"), t.Lo, t.Hi)
		if !ok {
			return false
		}
		count = n
	case schema.ArrayRest, schema.ArrayWhile, schema.ArrayUntil:
		return w.open(f, t)
	default:
		panic(fmt.Sprintf("pktscope: internal error: slow: unknown array %d", t.Kind))
	}
	for i := range count {
		if _, ok := w.elem(f.element(i), t.Elem); !ok {
			return false
		}
	}
	return true
}

// open reads the arrays that find their end on the way. One that wants more elements than its bound is refused.
func (w *walk) open(f frame, t *schema.ArrayType) bool {
	for i := uint64(0); ; i++ {
		more := true
		switch t.Kind {
		case schema.ArrayRest:
			if more = w.end-w.bit >= 8; t.Bits {
				more = w.end > w.bit
			}
		case schema.ArrayWhile:
			more = w.holds(f.scope, t.Cond)
		}
		if !more {
			return true
		}
		if i == t.Max {
			return w.refuse(f, reject.OutOfRange, w.bit, 0)
		}
		b, ok := w.elem(f.element(i), t.Elem)
		if !ok {
			return false
		}
		if t.Kind == schema.ArrayUntil && !w.knows(t.Cond) {
			return false
		}
		if t.Kind == schema.ArrayUntil && w.holds(elementScope(f.scope, t, b), t.Cond) {
			return true
		}
	}
}

// elementScope is what the condition of `until` sees: the element just read, then what is around the array.
func elementScope(outer *scope, t *schema.ArrayType, b bound) *scope {
	s := newScope(outer)
	if t.ElemVar != nil {
		s.vars[t.ElemVar] = b
	} else {
		s.vars = b.inside.vars
	}
	return s
}

// subset reads some of n elements (wire.md, "Array subsets"). Its paths count the elements that are there.
func (w *walk) subset(f frame, t *schema.SubsetType) bool {
	f.place = newPlace()
	switch t.Kind {
	case schema.SubsetBitmap:
		return w.bitmap(f, t)
	case schema.SubsetIndex:
		count, ok := w.counted(f.named("count"), 0, t.N)
		if !ok {
			return false
		}
		previous := int64(-1)
		for k := range count {
			if previous, ok = w.index(f.element(k).named("index"), t.N-1, previous); !ok {
				return false
			}
			if t.Any {
				previous = -1
			}
			if !w.chosen(f, k, t) {
				return false
			}
		}
		return true
	case schema.SubsetSentinel, schema.SubsetRelative:
		read := w.index
		if t.Kind == schema.SubsetRelative {
			read = w.nextIndex
		}
		previous := int64(-1)
		for k := uint64(0); ; k++ {
			var ok bool
			at := f.element(k).named("index")
			start, fields := w.bit, len(w.out.Fields)
			if previous, ok = read(at, t.N, previous); !ok {
				return false
			}
			if previous == int64(t.N) {
				return true
			}
			if t.Any {
				if k == t.N { // in any order: nothing else says that there are n at most
					w.out.Fields = w.out.Fields[:fields]
					return w.refuse(at, reject.OutOfRange, start, w.bit-start)
				}
				previous = -1
			}
			if !w.chosen(f, k, t) {
				return false
			}
		}
	}
	panic(fmt.Sprintf("pktscope: internal error: slow: unknown subset %d", t.Kind))
}

// chosen reads the value of the k-th element that is there.
func (w *walk) chosen(f frame, k uint64, t *schema.SubsetType) bool {
	_, ok := w.elem(f.element(k).named("value"), t.Elem)
	return ok
}

// elem reads the element of an array: a checksum in it knows where it begins.
func (w *walk) elem(f frame, v *schema.Value) (bound, bool) {
	around := w.element
	w.element = w.bit
	b, ok := w.value(f, v)
	w.element = around
	return b, ok
}

// bitmap reads a bool per slot, each directly followed by its element if it is set.
func (w *walk) bitmap(f frame, t *schema.SubsetType) bool {
	k := uint64(0)
	for range t.N {
		start := w.bit
		set, ok := w.take(f, 1)
		if !ok {
			return false
		}
		w.readItem(f, start, 1, set)
		if set == 1 {
			if !w.chosen(f, k, t) {
				return false
			}
			k++
		}
	}
	return true
}

// index reads an index int(0..most), larger than the one before.
func (w *walk) index(f frame, most uint64, previous int64) (int64, bool) {
	n, ok := w.ranged(f, big.NewInt(0), new(big.Int).SetUint64(most), false)
	if !ok {
		return 0, false
	}
	if n.outside {
		return 0, w.refuse(f, reject.OutOfRange, n.bit, n.width)
	}
	if n.value.Cmp(big.NewInt(previous)) <= 0 {
		return 0, w.refuse(f, reject.NotIncreasing, n.bit, n.width)
	}
	w.read(f, n.bit, n.width, n.raw)
	return n.value.Int64(), true
}

// nextIndex reads an index as the step from the one before. Whatever the rung, none is above most: a short step from a
// high index is the attack that the articles' own reader lets through.
func (w *walk) nextIndex(f frame, most uint64, previous int64) (int64, bool) {
	step, ok := w.indexStep(f, most)
	if !ok {
		return 0, false
	}
	if step.outside {
		return 0, w.refuse(f, reject.OutOfRange, step.bit, step.width)
	}
	index := new(big.Int).Add(step.value, big.NewInt(previous))
	if index.Cmp(new(big.Int).SetUint64(most)) > 0 {
		return 0, w.refuse(f, reject.OutOfRange, step.bit, step.width)
	}
	w.read(f, step.bit, step.width, index.Uint64())
	return index.Int64(), true
}
