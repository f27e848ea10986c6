package decode

import (
	"encoding/binary"
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
	asksIgnored                // the source says what stands in reserved bits
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

// run writes fixed-width leaves, and saves the values of those that something reads.
func (w *writer) run(s *plan.Run) error {
	t := w.t
	first, start := len(t.Raw), w.bit
	var err error
	if w.overridden(s.Point) {
		err = w.runWithOverrides(s)
	} else {
		err = w.runInWords(s)
	}
	if err != nil {
		return err
	}
	w.steps += s.N
	w.recordFrom(start, first, s.N)
	for _, save := range s.Saves {
		t.registers[save.Register] = w.p.Info[save.Leaf].Value(t.Raw[first+save.Leaf-s.First], int(w.p.Leaves[save.Leaf].Width))
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

// runWithOverrides writes leaf by leaf, each as what belongs there or as its override.
func (w *writer) runWithOverrides(s *plan.Run) error {
	for i := range s.N {
		l := &w.leaves[s.First+i]
		code, err := w.fixed(s.First+i, l)
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
	return nil
}

// runInWords writes leaves into a word that is stored when it is full: a store for each leaf would wait for the one
// before, whose bytes it reads again.
func (w *writer) runInWords(s *plan.Run) error {
	t, order := w.t, s.Order
	w.room(int(s.Bits))
	var known []uint64
	if w.codes != nil {
		known = w.codes.Codes(len(t.Raw), s.N)
	}
	to, fill := w.bit/8, uint(w.bit)%8 // of word there are fill bits
	var word uint64
	if order == wire.MSB {
		word = uint64(w.data[to]) << 56
	} else {
		word = uint64(w.data[to])
	}
	for i := range s.N {
		leaf := s.First + i
		l := &w.leaves[leaf]
		var code uint64
		switch {
		case l.asks == asksNobody:
			code = l.want
		case known != nil && l.asks == asksCode:
			code = known[i]
			if l.sizes {
				w.sized[leaf] = len(t.Raw) + 1
			}
			if code-l.lo >= l.count {
				if err := w.judgeCode(leaf, code, int(l.width)); err != nil {
					return err
				}
			}
		default:
			var err error
			if code, err = w.fixed(leaf, l); err != nil {
				return err
			}
		}
		t.Raw = append(t.Raw, code)
		n := int(l.width)
		if l.swap {
			code = wire.SwapBytes(code, n)
		}
		w.bit += n
		at := fill & 63 // so that a shift needs no test
		fill += uint(n)
		switch order {
		case wire.LSB:
			word |= code << at
			if fill >= 64 {
				binary.LittleEndian.PutUint64(w.data[to:], word)
				to, fill = to+8, fill-64
				word = code >> (uint(n) - fill)
			}
		case wire.MSB:
			word |= code << (64 - uint(n)) >> at
			if fill >= 64 {
				binary.BigEndian.PutUint64(w.data[to:], word)
				to, fill = to+8, fill-64
				word = code << (64 - fill)
			}
		default:
			order.Store(w.data, w.bit-n, n, code)
		}
	}
	switch order {
	case wire.LSB:
		binary.LittleEndian.PutUint64(w.data[to:], word)
	case wire.MSB:
		binary.BigEndian.PutUint64(w.data[to:], word)
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
