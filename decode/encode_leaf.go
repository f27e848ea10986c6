package decode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// run writes fixed-width leaves, and saves the values of those that something reads.
func (w *writer) run(s *plan.Run) error {
	t := w.t
	first, start := len(t.Raw), w.bit
	order := s.Order
	for i := range s.N {
		leaf := s.First + i
		l, info := &w.p.Leaves[leaf], &w.p.Info[leaf]
		code, err := w.fixed(leaf, l, info)
		if err != nil {
			return err
		}
		t.Raw = append(t.Raw, code)
		if len(w.over) > 0 {
			if o := w.forced(leaf); o != nil {
				w.putForced(o.swapped(info, int(l.Width)), int(l.Width), order)
				continue
			}
		}
		if info.Swap {
			code = wire.SwapBytes(code, int(l.Width))
		}
		w.put(code, int(l.Width), order)
	}
	w.steps += s.N
	w.recordFrom(start, first, s.N)
	for _, save := range s.Saves {
		t.registers[save.Register] = w.p.Info[save.Leaf].Value(t.Raw[first+save.Leaf-s.First], int(w.p.Leaves[save.Leaf].Width))
	}
	return nil
}

// record adds the span of what was written from start on.
func (w *writer) recordFrom(start, raw, n int) {
	at := w.bit
	w.bit = start
	w.addRecord(raw, n)
	w.bit = at
}

// swapped is an override of a leaf whose bytes run the other way.
func (o *Override) swapped(info *plan.LeafInfo, width int) *Override {
	if !info.Swap || o.Pieces != nil {
		return o
	}
	return &Override{Code: wire.SwapBytes(o.Code&wire.Mask(width), width)}
}

// fixed is the code of a leaf of a run.
func (w *writer) fixed(leaf int, l *plan.Leaf, info *plan.LeafInfo) (uint64, error) {
	width := int(l.Width)
	switch {
	case info.Any: // reserved bits
		return w.src.Ignored(w.question(info.Node, leaf, width)) & wire.Mask(width), nil
	case info.Writes() == plan.Constant: // a check, or bits that must be zero
		return info.Want, nil
	}
	a := w.question(info.Node, leaf, width)
	a.Hi = min(info.TypeSpan, wire.Mask(width))
	code, sure, err := w.code(a, info)
	if err != nil || !sure {
		return code, err
	}
	return code, w.judgeCode(leaf, code, width)
}

// judgeCode refuses a code that a reader would refuse.
func (w *writer) judgeCode(leaf int, code uint64, width int) error {
	l, info := &w.p.Leaves[leaf], &w.p.Info[leaf]
	if code-l.Lo < l.Count {
		return nil
	}
	kind := reject.OutOfRange
	if width == 64 || code>>uint(width) == 0 {
		kind, _ = info.Judge(code, width)
	}
	if kind != reject.None {
		return w.fail(w.refuse(kind, w.bit, width, leaf, code, 0))
	}
	return nil
}

// code asks for a leaf's code, and derives it when the source has none. It is not sure where the length of a window is
// still to be found.
func (w *writer) code(a *Query, info *plan.LeafInfo) (code uint64, sure bool, err error) {
	leaf := a.Leaf
	constant, fix := a.Lo, a.Lo == a.Hi
	if !fix {
		constant, fix = info.Constant(a.Width)
	}
	a.Derivable = fix || w.sizes[leaf]
	if w.sizes[leaf] {
		w.sized[leaf] = len(w.t.Raw) + 1
	}
	code, err = w.src.Code(a)
	if err == nil {
		return code, true, nil
	}
	if !errors.Is(err, ErrDerive) {
		return 0, false, err
	}
	if fix {
		return constant, true, nil
	}
	if !w.sizes[leaf] {
		return 0, false, w.missing(a)
	}
	at := len(w.t.Raw)
	known := w.learned[at]
	if known == nil {
		known = &length{}
		w.learned[at] = known
	}
	if !known.known {
		w.unsure = true
		return a.Lo, false, nil
	}
	code = info.CodeOf(uint64(known.value), a.Width)
	if w.growTo(known, info, a) {
		known.known, w.unsure = false, true
		return a.Lo, false, nil
	}
	if code < a.Lo || code > a.Hi {
		problem := fmt.Sprintf("out-of-range: what is %s makes it %d, which it cannot hold", w.measured(leaf), known.value)
		return 0, false, &EncodeError{Path: a.Path(), Bit: a.Bit, Kind: reject.OutOfRange, Problem: problem}
	}
	return code, true, nil
}

// measured is where the things are that a leaf counts.
func (w *writer) measured(leaf int) string {
	for i := range w.windowed {
		if slices.Contains(w.windowed[i].leaves, int32(leaf)) {
			return "inside its window"
		}
	}
	return "behind it"
}

// missing is the error of a value that nobody gave.
func (w *writer) missing(a *Query) error {
	return &EncodeError{Path: a.Path(), Bit: a.Bit, Problem: "missing: it follows from nothing else in the packet"}
}
