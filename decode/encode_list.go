package decode

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// array begins an array whose count the packet has said.
func (w *writer) array(op *plan.Op) error {
	if w.look != nil && w.look.unknown(w) {
		return w.openArray(op)
	}
	a := w.question(op.Node, -1, 0)
	self := len(w.t.Spans)
	if w.look != nil {
		w.look.counting[op.A] = false
	}
	if err := w.enter(op); err != nil {
		return w.fail(err)
	}
	a.List = self
	return w.src.Count(a, uint64(w.t.Spans[self].N))
}

// listQuestion is a question about a list that has begun.
func (w *writer) listQuestion(list *plan.Op) *Ask {
	l := &w.t.loops[list.A]
	a := w.question(list.Node, -1, 0)
	a.Parent, a.Index = l.outer, l.index
	a.List, a.Elem = int(l.span), uint64(w.index)
	return a
}

// leaveList ends the list that the op at pc started.
func (w *writer) leaveList(pc uint32) error {
	list := &w.p.Ops[pc]
	l := &w.t.loops[list.A]
	s := &w.t.Spans[l.span]
	if op := &w.p.Ops[w.pc]; op.Code == plan.OpNumber {
		s.N-- // what ends the list was begun as an element
	}
	n := uint64(s.N)
	a := w.listQuestion(list)
	w.leave(list)
	return w.src.Count(a, n)
}

// more begins another element, or leaves the list.
func (w *writer) more(op *plan.Op) error {
	list := &w.p.Ops[op.A]
	goOn := true
	switch {
	case op.C == plan.MoreRest || op.C == plan.MoreWhile && w.look != nil && w.look.unknown(w):
		var err error
		if goOn, err = w.src.More(w.listQuestion(list)); err != nil {
			return err
		}
	case op.C == plan.MoreWhile:
		goOn = w.eval(op.B) != 0
	}
	if !goOn {
		return w.leaveList(op.A)
	}
	if err := w.another(list); err != nil {
		return w.fail(err)
	}
	return nil
}

// slot writes a bitmap's flags up to the next that is set.
func (w *writer) slot(op *plan.Op) error {
	t := w.t
	list := &w.p.Ops[op.A]
	l := &t.loops[list.A]
	index, parent := w.index, w.parent
	w.parent, w.index = l.outer, l.index // a flag belongs to the list, not to an element
	order := op.Order
	for ; l.left > 0; l.left-- {
		a := w.question(w.p.Info[op.B].Node, int(op.B), 1)
		a.Hi, a.List, a.Elem, a.Slot = 1, int(l.span), uint64(index), op.Imm-l.left
		flag, err := w.src.Code(a)
		switch {
		case err == ErrDerive:
			return w.missing(a)
		case err != nil:
			return err
		case flag > 1:
			return w.fail(w.refuse(reject.OutOfRange, w.bit, 1, int(op.B), flag, 0))
		}
		w.span(len(t.Raw), 1)
		t.Raw = append(t.Raw, flag)
		if o := w.forced(int(op.B)); o != nil {
			w.putForced(o, 1, order)
		} else {
			w.put(flag, 1, order)
		}
		if flag == 0 {
			continue
		}
		w.parent, w.index = parent, index
		w.span(len(t.Raw), 0)
		t.Raw = append(t.Raw, op.Imm-l.left)
		l.left--
		t.Spans[l.span].N++
		return nil
	}
	w.parent, w.index = parent, index
	return w.leaveList(op.A)
}

// window begins a window. Its end is what its length says, which is a guess until what is inside has been written.
func (w *writer) window(op *plan.Op) error {
	if op.Flags&plan.FlagPacked == 0 {
		w.pad(8, false, op)
	}
	owner := w.owner(w.windowed[w.pc].leaves)
	size := w.eval(op.A)
	open := w.look != nil && w.look.unknown(w)
	if size > 1<<40 || open { // negative, or longer than any datagram
		if !open && (owner == nil || owner.known) {
			return w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, size, 0))
		}
		size = 0
	}
	bits := int(size) * int(op.C)
	w.open[op.B] = openWindow{start: w.bit, parent: w.parent, index: w.index, size: bits, owner: owner, asIs: open}
	if w.look != nil {
		w.open[op.B].dark = w.look.dark
		w.look.dark = open || owner != nil && !owner.known
	}
	w.gapOpen[op.B] = len(w.gaps)
	w.gap(w.bit, bits, true)
	w.t.windows[op.B] = w.end
	w.end = w.bit + bits
	return nil
}

// owner is the length that the encoder finds for a leaf; nil when it was given. Of leaves that exclude each other, the one
// that was written last counts.
func (w *writer) owner(leaves []int32) *length {
	last := 0
	for _, leaf := range leaves {
		last = max(last, w.sized[leaf])
	}
	if last == 0 {
		return nil
	}
	return w.learned[last-1]
}

// close ends a window: its last byte is filled up, and its length is compared with what is inside.
func (w *writer) close(op *plan.Op) error {
	o := w.open[op.B]
	begin := w.opens[w.pc] // says what its length counts
	unit := int(w.p.Ops[begin].C)
	used := w.bit - o.start
	need := (used + unit - 1) / unit
	if o.owner != nil {
		sizing := w.windowed[begin].sizing
		value, ok := sizing.Value(uint64(need))
		o.owner.window, o.owner.parent, o.owner.index = int(begin), o.parent, o.index
		switch {
		case ok:
			w.learn(o.owner, value)
		case !w.grow(o.owner, sizing.Missing(uint64(need))*unit):
			return w.problem(op.Node, fmt.Sprintf("no length stands for the %d bits inside", used))
		}
		o.size = need * unit
	}
	if o.asIs {
		o.size = need * unit
	}
	left := o.size - used
	switch {
	case left < 0:
		return w.problem(op.Node, fmt.Sprintf("%d bits inside, but its length says %d%s", used, o.size, w.p.Behind(int(begin))))
	case left >= 8:
		return w.fail(w.refuse(reject.TrailingBytes, w.bit, left, -1, uint64(left), 0))
	}
	order := op.Order
	w.gaps[w.gapOpen[op.B]].Width = o.size
	if left > 0 {
		w.gap(w.bit, left, false)
	}
	if f := w.forced(-1); f != nil {
		w.putForced(f, left, order)
	} else {
		w.put(0, left, order)
	}
	w.end = w.t.windows[op.B]
	if w.look != nil {
		w.look.dark = o.dark
	}
	return nil
}
