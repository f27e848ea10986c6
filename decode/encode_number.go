package decode

import (
	"math"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// lastRung is the bits of a relative ladder's last rung: six flags and the value itself.
const lastRung = 6 + 32

// number writes a leaf whose width is found on the way. An index of a subset can end its list.
func (w *writer) number(n *plan.Number, list *openList) (ended bool, err error) {
	leaf := int(n.Leaf)
	info := &w.p.Info[leaf]
	a := w.question(info.Node, leaf, 0)
	open := n.Kind <= plan.NumberLadder && n.Kind != plan.NumberVarint && w.unknown(n.Operand) // then it has the least width that holds its code
	switch n.Kind {
	case plan.NumberSized:
		if open {
			a.Width, a.Hi = n.Bits, wire.Mask(n.Bits)
			break
		}
		size := w.eval(n.Operand)
		if size > 64 {
			return false, w.fail(w.refuse(reject.OutOfRange, w.bit, 0, leaf, size, uint64(n.Bits)))
		}
		a.Width = int(size)
		a.Hi = wire.Mask(a.Width)
	case plan.NumberRanged:
		if open {
			a.Hi = info.TypeSpan
			break
		}
		hi := w.eval(n.Operand)
		if less := hi < n.Lo; n.Signed && int64(hi) < int64(n.Lo) || !n.Signed && less {
			return false, w.fail(w.refuse(reject.OutOfRange, w.bit, 0, leaf, hi, n.Lo))
		}
		a.Hi = hi - n.Lo
		a.Width = wire.BitsRequired(a.Hi)
	case plan.NumberVarint:
		a.Hi = wire.Mask(n.Bits)
	case plan.NumberBelow:
		if a.Hi = info.TypeSpan; !open {
			a.Hi = w.eval(n.Operand) - 1
		}
	case plan.NumberLadder:
		previous := w.eval(n.Operand)
		if open {
			previous = 0
		}
		if previous >= math.MaxInt32 {
			return false, w.problem(info.Node, "no value is left above the one before it")
		}
		a.Lo, a.Hi = previous+1, math.MaxInt32
	case plan.NumberIndex, plan.NumberStep:
		return w.nextIndex(n, list, a)
	default:
		panic("pktscope: internal error: a number of an unknown kind")
	}
	lo, hi, width, start := a.Lo, a.Hi, a.Width, w.bit
	code, sure, err := w.code(a, info)
	if err != nil {
		return false, err
	}
	long := a.Long
	switch {
	case code < lo || code > hi:
		return false, w.fail(w.refuseNumber(n, leaf, code, lo, width))
	case n.Kind == plan.NumberVarint:
		width = 8 * wire.VarintBytes(code)
	case n.Kind == plan.NumberLadder:
		width = 0 // no leaf judges it by its width
	case n.Kind == plan.NumberBelow:
		if open { // of the limit no more is known
			hi = code
		}
		width = wire.BelowBits(code, hi+1)
	case open:
		width = w.openWidth(n, code, info.Signed)
		code &= wire.Mask(width)
	}
	if sure {
		if kind, _ := info.Judge(code, width); kind != reject.None {
			return false, w.fail(w.refuse(kind, w.bit, width, leaf, code, 0))
		}
	}
	if o := w.forced(leaf); o != nil {
		w.putForced(o.swapped(info.Swap, width), width, n.Order)
	} else {
		onWire := code
		if info.Swap {
			onWire = wire.SwapBytes(code, width)
		}
		w.putNumber(n, onWire, lo, width, long)
	}
	w.t.Raw = append(w.t.Raw, code)
	w.recordFrom(start, len(w.t.Raw)-1, w.bit-start)
	if n.Register >= 0 {
		w.t.registers[n.Register] = info.Value(code, w.bit-start)
	}
	return false, nil
}

// refuseNumber is the refusal of a code that the number's bits cannot hold.
func (w *writer) refuseNumber(n *plan.Number, leaf int, code, lo uint64, width int) error {
	kind := reject.OutOfRange
	if n.Kind == plan.NumberLadder && code < lo {
		kind = reject.NotIncreasing
	}
	return w.refuse(kind, w.bit, width, leaf, code, 0)
}

// putNumber writes a code as its kind is written.
func (w *writer) putNumber(n *plan.Number, code, lo uint64, width int, long bool) {
	order := n.Order
	switch n.Kind {
	case plan.NumberVarint:
		for ; code >= 0x80; code >>= 7 {
			w.put(code&0x7f|0x80, 8, order)
		}
		w.put(code, 8, order)
	case plan.NumberLadder:
		step := code - lo + 1
		if long || step > wire.RelativeLadder[wire.Rungs-1].Hi {
			w.put(0, 6, order)
			w.put(code, 32, order)
			return
		}
		w.putStep(&wire.RelativeLadder, step, order)
	case plan.NumberBelow:
		for i := range width {
			w.put(code>>i&1, 1, order)
		}
	case plan.NumberSized, plan.NumberRanged:
		w.put(code, width, order)
	case plan.NumberIndex, plan.NumberStep: // nextIndex's
		fallthrough
	default:
		panic("pktscope: internal error: a number of another kind")
	}
}

// putStep climbs a ladder to the rung that a step is on, and writes it; false when it is on none but the last, whose
// flags are then written.
func (w *writer) putStep(ladder *[wire.Rungs]wire.Rung, step uint64, order wire.Order) bool {
	for i := range ladder {
		r := &ladder[i]
		if step > r.Hi {
			w.put(0, 1, order)
			continue
		}
		w.put(1, 1, order)
		w.put(step-r.Lo, r.Width(), order)
		return true
	}
	return false
}

// nextIndex writes an index of a subset, or the one that ends its list.
func (w *writer) nextIndex(n *plan.Number, list *openList, a *Query) (ended bool, err error) {
	t, start, leaf := w.t, w.bit, int(n.Leaf)
	info, order := &w.p.Info[leaf], n.Order
	previous := t.registers[n.Previous] // -1 as a uint64 before the first
	lo, hi := previous+1, n.Most
	if list != nil {
		more, err := w.src.More(list.question(w))
		if err != nil {
			return false, err
		}
		ended = !more
		hi--
		a = w.question(info.Node, leaf, 0)
	}
	index := n.Most
	if !ended {
		if lo > hi {
			return false, w.problem(info.Node, "no index is left above the one before it")
		}
		a.Lo, a.Hi = lo, hi
		code, err := w.src.Code(a)
		switch {
		case err == ErrDerive:
			return false, w.missing(a)
		case err != nil:
			return false, err
		case code > n.Most || code > hi, n.Any && list != nil && uint64(t.Records[list.span].N) == list.most:
			return false, w.fail(w.refuse(reject.OutOfRange, start, 0, leaf, code, 0))
		case code < lo:
			return false, w.fail(w.refuse(reject.NotIncreasing, start, 0, leaf, code, 0))
		}
		index = code
	}
	if o := w.forced(leaf); o != nil {
		w.putForced(o, n.Bits, order)
	} else if n.Kind == plan.NumberIndex {
		w.put(index, n.Bits, order)
	} else if step := index - previous; !w.putStep(&wire.IndexLadder, step, order) {
		span, _ := wire.IndexSpan(n.Most) // a step that is on no other rung has this one
		w.put(step-wire.IndexLast, wire.BitsRequired(span), order)
	}
	if !n.Any {
		t.registers[n.Previous] = index
	}
	width := w.bit - start
	if ended {
		t.Records[list.span].N-- // what ends the list was begun as an element
		if err := list.leave(w); err != nil {
			return true, err
		}
	}
	t.Raw = append(t.Raw, index)
	w.recordFrom(start, len(t.Raw)-1, width)
	return ended, nil
}
