package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// What the end of the packet decides (plan.Opens) is not known before the packet has been written. As long as it is dark, the
// source says how large an open thing is; where the end is known, it is computed as a reader computes it.

// looks is what a writer knows of the ends of the packet and its windows.
type looks struct {
	open      []bool                // of each operand
	by        []int32               // of each op: its open operand, -1 for none
	ways      map[int][]plan.Way    // of each op that branches by one
	equations map[int]plan.Equation // of each requirement
	vague     []bool                // of each slot: what it holds was computed from an end that is not known
	dark      bool                  // the end of the innermost window is not known
	asked     bool                  // something in this pass would have been another if it were
	counting  [64]bool              // of each loop: its source says when it ends
	wide      bool                  // a number in this pass has the width that this makes of an end that is a guess
	moved     int                   // bits that overrides have more than what belongs there
}

// newLooks prepares for a plan; nil where nothing in it looks ahead.
func newLooks(p *plan.Plan) *looks {
	open := p.Opens()
	if open == nil {
		return nil
	}
	l := &looks{open: open, by: make([]int32, len(p.Ops)), ways: map[int][]plan.Way{}, equations: p.Equations(), vague: make([]bool, p.Slots)}
	for pc := range p.Ops {
		l.by[pc] = -1
		if i, ok := p.Sized(pc); ok && open[i] {
			l.by[pc] = int32(i)
			if code := p.Ops[pc].Code; code == plan.OpIf || code == plan.OpSwitch {
				l.ways[pc] = p.Ways(pc)
			}
		}
	}
	return l
}

func (l *looks) begin(dark bool) {
	clear(l.vague)
	l.dark, l.asked, l.wide, l.moved = dark, false, false, 0
}

// unknown reports whether what the op at pc depends on is not known, so that its source has to say.
func (l *looks) unknown(w *writer) bool {
	i := l.by[w.pc]
	if i < 0 || !w.p.Looks(uint32(i), l.dark, l.vague) {
		return false
	}
	l.asked = true
	return true
}

// let takes over from what a value was computed whether it is known.
func (l *looks) let(w *writer, op *plan.Op) {
	l.vague[op.A] = l.open[op.B] && w.p.Looks(op.B, l.dark, l.vague)
	l.asked = l.asked || l.vague[op.A]
}

// moved takes into account that an override has n bits more than what belongs there: the ends move with it.
func (w *writer) moved(n int) {
	if w.look == nil {
		return
	}
	w.look.moved += n
	w.end += n
	for i := range w.t.windows {
		w.t.windows[i] += n
	}
}

// branch goes the way that the source says.
func (w *writer) branch(op *plan.Op) error {
	ways := w.look.ways[w.pc]
	n, err := w.src.Branch(w.question(op.Node, -1, 0), len(ways))
	if err == nil {
		w.pc = ways[n].From
	}
	return err
}

// openArray begins an array that has as many elements as the source.
func (w *writer) openArray(op *plan.Op) error {
	w.repeat(op)
	w.look.counting[op.A] = true
	return w.element(w.pc, w.pc+1)
}

// element begins another element of the array at list, whose body begins at body, or leaves it.
func (w *writer) element(list, body int) error {
	op := &w.p.Ops[list]
	l := &w.t.loops[op.A]
	a := w.listQuestion(op)
	more, err := w.src.More(a)
	switch {
	case err != nil:
		return err
	case !more:
		w.parent, w.index = l.outer, l.index
		w.pc = int(op.B)
		return w.src.Count(a, uint64(w.t.Spans[l.span].N))
	}
	if err := w.another(op); err != nil {
		return w.fail(err)
	}
	w.pc = body
	return nil
}

// again goes back to the loop's first op, or on behind the loop.
func (w *writer) again(op *plan.Op) error {
	list := &w.p.Ops[op.A]
	if list.Code != plan.OpArray || w.look == nil || !w.look.counting[list.A] {
		if err := w.machine.again(op); err != nil {
			return w.fail(err)
		}
		return nil
	}
	w.index++
	return w.element(int(op.A), int(op.A)+1)
}

// until leaves a list behind an element of which its condition holds.
func (w *writer) until(op *plan.Op) error {
	ended := false
	if w.look != nil && w.look.unknown(w) {
		a := w.listQuestion(&w.p.Ops[op.A])
		a.Elem++
		more, err := w.src.More(a)
		if err != nil {
			return err
		}
		ended = !more
	} else {
		ended = w.eval(op.B) != 0
	}
	if ended {
		return w.leaveList(op.A)
	}
	return nil
}

// relate finds the value that a requirement gives a leaf for which nobody gave one, and reports whether it is another than
// what was written.
func (w *writer) relate(op *plan.Op) (found bool, err error) {
	e, ok := w.look.equations[w.pc]
	if !ok || w.look.unknown(w) {
		return false, nil
	}
	owner := w.owner(e.Leaves)
	if owner == nil {
		return false, nil
	}
	env := w.env()
	value, ok := e.Value(w.p, &env)
	if !ok {
		return false, w.problem(op.Node, "no value makes this true: "+w.p.Operands[op.A].Expr.Text)
	}
	return w.learn(owner, value), nil
}

// learn keeps what a length has been found to be, for the next pass, and reports whether it is another than before.
func (w *writer) learn(l *length, value int64) bool {
	if l.known && l.value == value {
		return false
	}
	l.value, l.known = value, true
	w.retry = true
	return true
}

// openWidth is the width of a number as long as the end is not known: what the end of the pass before makes of it, where that
// holds the code, else the least.
func (w *writer) openWidth(n *plan.Number, code uint64, signed bool) int {
	least := leastWidth(code, n.Bits, signed)
	w.look.wide = true
	size := w.eval(n.Operand)
	if n.Kind == plan.NumberRanged {
		size = uint64(wire.BitsRequired(size - n.Lo))
	}
	if size < uint64(least) || size > uint64(n.Bits) {
		return least
	}
	return int(size)
}

// leastWidth is the fewest bits that hold a code of an integer of width bits.
func leastWidth(code uint64, width int, signed bool) int {
	if signed {
		v := wire.SignExtend(code, width)
		return min(width, wire.BitsRequired(uint64(v^v>>63))+1)
	}
	return wire.BitsRequired(code)
}
