package decode

import (
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/wire"
)

// What the end of the packet decides (plan.Opens) is not known before the packet has been written. As long as it is
// dark, the source says how large an open thing is; where the end is known, it is computed as a reader computes it.

// looks is what a writer knows of the ends of the packet and its windows.
type looks struct {
	bits      bool                         // something looks at what the bits are, not only at how many there are
	open      []bool                       // of each operand
	equations map[plan.Point]plan.Equation // of each requirement
	vague     []bool                       // of each register: what it holds was computed from an end that is not known
	dark      bool                         // the end of the innermost window is not known
	asked     bool                         // something in this pass would have been another if it were
	wide      bool                         // a number in this pass has the width that this makes of an end that is a guess
	missed    bool                         // a switch in this pass has no arm for the bits that it sees, of another packet
	judged    bool                         // they are those of the packet: such a switch is refused
}

// newLooks prepares for a plan; nil where nothing in it looks ahead.
func newLooks(p *plan.Plan) *looks {
	open := p.Opens()
	if open == nil {
		return nil
	}
	return &looks{bits: p.SeesBits(), open: open, equations: p.Equations(), vague: make([]bool, p.Registers)}
}

func (l *looks) begin(dark bool) {
	clear(l.vague)
	l.dark, l.asked, l.wide, l.missed = dark, false, false, false
}

// unknown reports whether what an operand depends on is not known, so that the source has to say.
func (w *writer) unknown(operand uint32) bool {
	l := w.look
	if l == nil || !l.open[operand] || !w.p.Looks(operand, l.dark, l.vague) {
		return false
	}
	l.asked = true
	return true
}

// misses reports whether a switch that has no arm can have one in another pass, which sees other bits.
func (w *writer) misses(s *plan.Switch) bool {
	l := w.look
	if l == nil || !l.bits || !l.open[s.Tag] || l.judged || w.over != nil {
		return false
	}
	l.missed = true
	return true
}

// moved takes into account that an override has n bits more than what belongs there: the ends move with it.
func (w *writer) moved(n int) {
	if w.look != nil {
		w.shift += n
		w.end += n
	}
}

// relate finds the value that a requirement gives a leaf for which nobody gave one, and reports whether it is another
// than what was written.
func (w *writer) relate(s *plan.Require) (found bool, err error) {
	e, ok := w.look.equations[w.at]
	if !ok || w.unknown(s.Cond) {
		return false, nil
	}
	owner := w.owner(e.Leaves)
	if owner == nil {
		return false, nil
	}
	env := w.env()
	value, ok := e.Value(w.p, &env)
	if !ok {
		return false, w.problem(s.Node, "no value makes this true: "+w.p.Operands[s.Cond].Expr.Text)
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

// openWidth is the width of a number as long as the end is not known: what the end of the pass before makes of it,
// where that holds the code, else the least.
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
