package decode

import (
	"errors"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
)

// runLeaf is what a writer asks of a leaf of a run, worked out once.
type runLeaf struct {
	lo, count uint64 // as of plan.Leaf
	hi        uint64 // the highest code that its type and its bits allow
	want      uint64 // of a constant
	width     uint8
	asks      runAsks
	swap      bool
	fix       bool // want is all that its rule accepts
	sizes     bool // as writer.sizes
	node      plan.NodeID
}

// runAsks is where a code comes from.
type runAsks uint8

const (
	asksCode    runAsks = iota // the source says it
	asksIgnored                // the source gives the reserved bits
	asksNobody                 // a check, or bits that must be zero
)

// runLeaves works them out; sizes is the writer's.
func runLeaves(p *plan.Plan, sizes []bool) []runLeaf {
	all := make([]runLeaf, len(p.Leaves))
	for i := range all {
		l, info := &p.Leaves[i], &p.Info[i]
		r := runLeaf{lo: l.Lo, count: l.Count, width: l.Width, swap: info.Swap, node: info.Node, sizes: sizes[i]}
		r.hi = min(info.TypeSpan, wire.Mask(int(l.Width)))
		switch {
		case info.Any:
			r.asks = asksIgnored
		case info.Writes() == plan.Constant:
			r.asks, r.want = asksNobody, info.Want
		default:
			r.want, r.fix = info.Constant(int(l.Width))
		}
		all[i] = r
	}
	return all
}

// run writes fixed-width leaves, n times over: the elements of a list from the one at w.index on, or n = 1. It saves the
// values of those that something reads, which are the last element's.
func (w *writer) run(s *plan.Run, n int) error {
	var known []uint64
	var err error
	if w.codes != nil {
		if known, err = w.codes.Codes(w.t, s, w.parent, w.index, n); err != nil {
			return err
		}
	}
	if s.Order == wire.Bytewise || w.overridden(s.Point) {
		err = w.runOneByOne(s, n, known)
	} else {
		err = w.runInWords(s, n, known)
	}
	if err != nil {
		return err
	}
	w.steps += n * s.N
	raw := w.t.Raw[len(w.t.Raw)-s.N:]
	for _, save := range s.Saves {
		w.t.registers[save.Register] = w.p.Info[save.Leaf].Value(raw[save.Leaf-s.First], int(w.p.Leaves[save.Leaf].Width))
	}
	return nil
}

// overridden reports whether an override is for a point.
func (w *writer) overridden(at plan.Point) bool {
	for i := range w.over {
		if w.over[i].Point == at {
			return true
		}
	}
	return false
}

// runCode is the code of a leaf of a run, number i of those that are known, if any is.
func (w *writer) runCode(leaf int, l *runLeaf, known []uint64, i int) (uint64, error) {
	switch {
	case l.asks == asksNobody:
		return l.want, nil
	case known == nil || l.asks == asksIgnored:
		return w.fixed(leaf, l)
	}
	code := known[i]
	if l.sizes {
		w.sized[leaf] = len(w.t.Raw) + 1
	}
	if code-l.lo >= l.count {
		return code, w.judgeCode(leaf, code, int(l.width))
	}
	return code, nil
}

// runOneByOne writes leaf by leaf, each as what belongs there or as its override.
func (w *writer) runOneByOne(s *plan.Run, n int, known []uint64) error {
	for e := range n {
		if e > 0 {
			w.index++
		}
		first, start := len(w.t.Raw), w.bit
		for i := range s.N {
			l := &w.leaves[s.First+i]
			code, err := w.runCode(s.First+i, l, known, e*s.N+i)
			if err != nil {
				return err
			}
			w.t.Raw = append(w.t.Raw, code)
			if o := w.forced(s.First + i); o != nil {
				w.putForced(o.swapped(l.swap, int(l.width)), int(l.width), s.Order)
				continue
			}
			if l.swap {
				code = wire.SwapBytes(code, int(l.width))
			}
			w.put(code, int(l.width), s.Order)
		}
		w.recordFrom(start, first, s.N)
	}
	return nil
}

// recordFrom adds the span of what was written from start on.
func (w *writer) recordFrom(start, raw, n int) {
	at := w.bit
	w.bit = start
	w.addRecord(raw, n)
	w.bit = at
}

// swapped is an override of a leaf whose bytes run the other way, if swap says so.
func (o *Override) swapped(swap bool, width int) *Override {
	if !swap || o.Pieces != nil {
		return o
	}
	return &Override{Code: wire.SwapBytes(o.Code&wire.Mask(width), width)}
}

// fixed is the code of a leaf of a run.
func (w *writer) fixed(leaf int, l *runLeaf) (uint64, error) {
	width := int(l.width)
	switch l.asks {
	case asksIgnored:
		return w.src.Ignored(w.question(l.node, leaf, width)) & wire.Mask(width), nil
	case asksNobody:
		return l.want, nil
	case asksCode:
	}
	a := w.question(l.node, leaf, width)
	a.Hi = l.hi
	code, sure, err := w.ask(a, l.want, l.fix || a.Hi == 0)
	if err != nil || !sure || code-l.lo < l.count {
		return code, err
	}
	return code, w.judgeCode(leaf, code, width)
}

// judgeCode refuses a code that a reader would refuse.
func (w *writer) judgeCode(leaf int, code uint64, width int) error {
	info, kind := &w.p.Info[leaf], reject.OutOfRange
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
	constant, fix := a.Lo, a.Lo == a.Hi
	if !fix {
		constant, fix = info.Constant(a.Width)
	}
	return w.ask(a, constant, fix)
}

// ask is code with the constant, where fix says that there is one.
func (w *writer) ask(a *Query, constant uint64, fix bool) (code uint64, sure bool, err error) {
	leaf := a.Leaf
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
	code = w.p.Info[leaf].CodeOf(uint64(known.value), a.Width)
	if w.growTo(known, &w.p.Info[leaf], a) {
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
	return "after it"
}

// missing is the error of a value that nobody gave.
func (w *writer) missing(a *Query) error {
	return &EncodeError{Path: a.Path(), Bit: a.Bit, Problem: "missing: it follows from nothing else in the packet"}
}
