package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// openList is a list being written.
type openList struct {
	*plan.Base
	span  int // its own
	most  uint64
	outer int32 // span and element of the list around it
	index uint32
}

// enter begins a list without any element.
func (w *writer) enter(b *plan.Base, most uint64) openList {
	l := openList{b, len(w.t.Records), most, w.parent, w.index}
	w.addRecord(len(w.t.Raw), 0)
	w.parent, w.index = int32(l.span), 0
	return l
}

// question is a question about the list.
func (o *openList) question(w *writer) *Query {
	a := w.question(o.Node, -1, 0)
	a.Parent, a.Index = o.outer, o.index
	a.List, a.Elem = o.span, uint64(w.index)
	return a
}

// element begins one more element, unless there are as many as there may be.
func (o *openList) element(w *writer) error {
	n := &w.t.Records[o.span].N
	if uint64(*n) == o.most {
		w.parent, w.index = o.outer, o.index // the list itself is refused, not an element
		w.at = o.Last                        // a reader is in the list, so in what a secret decides about
		return w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, o.most+1, o.most))
	}
	*n++
	return nil
}

// leave ends the list.
func (o *openList) leave(w *writer) error {
	a := o.question(w)
	w.parent, w.index = o.outer, o.index
	return w.src.Count(a, uint64(w.t.Records[o.span].N))
}

// counted writes a list whose count the packet has said.
func (w *writer) counted(b *plan.Base, count uint32, most uint64, body []plan.Step) error {
	n := w.eval(count)
	if n > most { // also a negative size, as an int64's bits
		return w.fail(w.refuse(reject.OutOfRange, w.bit, 0, -1, n, most))
	}
	a := w.question(b.Node, -1, 0)
	l := w.enter(b, most)
	w.t.Records[l.span].N = uint32(n)
	a.List = l.span
	if err := w.src.Count(a, n); err != nil {
		return err
	}
	if run := w.alone(body); run != nil && 0 < n && n <= w.space()/max(1, uint64(run.Bits)) {
		w.at = run.Point
		if err := w.run(run, int(n)); err != nil {
			return err
		}
		n = 0
	}
	for ; n > 0; n-- {
		if err := w.block(body); err != nil {
			return err
		}
		w.index++
	}
	w.parent, w.index = l.outer, l.index
	return nil
}

// alone is the run that a body is, nil for any other.
func (w *writer) alone(body []plan.Step) *plan.Run {
	if len(body) != 1 {
		return nil
	}
	run, _ := w.p.Steps[body[0].At().ID].(*plan.Run)
	return run
}

// list writes an array.
func (w *writer) list(s *plan.List) error {
	open := s.Kind == plan.ListCount && (w.unknown(s.Size) || w.guessed[s.Size] && !w.sure())
	if s.Kind == plan.ListCount && !open {
		return w.counted(&s.Base, s.Size, s.Max, s.Body)
	}
	l := w.enter(&s.Base, s.Max)
	for begun := false; ; begun = true {
		w.at = s.Point
		if begun || s.Kind != plan.ListUntil {
			more, err := w.more(s, &l, open)
			if err != nil {
				return err
			}
			if !more {
				if s.Kind == plan.ListRest {
					w.take(s, s.Left)
				}
				return l.leave(w)
			}
		}
		if err := l.element(w); err != nil {
			return err
		}
		if err := w.block(s.Body); err != nil {
			return err
		}
		w.index++
	}
}

// more reports whether a list goes on. open says that its count is not known.
func (w *writer) more(s *plan.List, l *openList, open bool) (bool, error) {
	if open || s.Kind == plan.ListRest || w.unknown(s.Size) || w.guessed[s.Size] && !w.sure() {
		return w.src.More(l.question(w))
	}
	return (w.eval(s.Size) != 0) == (s.Kind == plan.ListWhile), nil
}

// subset writes the elements of a subset, each with its index.
func (w *writer) subset(s *plan.Subset) error {
	switch s.Kind {
	case schema.SubsetBitmap:
		return w.bitmap(s)
	case schema.SubsetIndex:
		return w.counted(&s.Base, s.Count, s.N, s.Body)
	}
	l, index := w.enter(&s.Base, s.Most()), s.Body[0].(*plan.Number)
	for {
		if err := l.element(w); err != nil {
			return err
		}
		w.at = index.Point
		ended, err := w.number(index, &l)
		if err == nil {
			err = w.fits()
		}
		if err != nil || ended {
			return err
		}
		if err := w.block(s.Body[1:]); err != nil {
			return err
		}
		w.index++
	}
}

// bitmap writes a flag for each index, and after a set one the element.
func (w *writer) bitmap(s *plan.Subset) error {
	t, leaf := w.t, int(s.Flag)
	l := w.enter(&s.Base, s.N)
	for slot, begun := uint64(0), uint32(0); slot < s.N; slot++ {
		w.at = w.p.Info[leaf].Point
		w.parent, w.index = l.outer, l.index // a flag belongs to the list, not to an element
		a := w.question(w.p.Info[leaf].Node, leaf, 1)
		a.Hi, a.List, a.Elem, a.Slot = 1, l.span, uint64(begun), slot
		flag, err := w.src.Code(a)
		switch {
		case err == ErrDerive:
			return w.missing(a)
		case err != nil:
			return err
		case flag > 1:
			return w.fail(w.refuse(reject.OutOfRange, w.bit, 1, leaf, flag, 0))
		}
		w.addRecord(len(t.Raw), 1)
		t.Raw = append(t.Raw, flag)
		if o := w.forced(leaf); o != nil {
			w.putForced(o, 1, s.Order)
		} else {
			w.put(flag, 1, s.Order)
		}
		if err := w.fits(); err != nil {
			return err
		}
		w.parent, w.index = int32(l.span), begun
		if flag == 0 {
			continue
		}
		w.addRecord(len(t.Raw), 0)
		t.Raw = append(t.Raw, slot)
		begun++
		t.Records[l.span].N = begun
		if err := w.block(s.Body); err != nil {
			return err
		}
		w.index = begun
	}
	w.at = w.p.Info[leaf].Point
	return l.leave(w)
}
