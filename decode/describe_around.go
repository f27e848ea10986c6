package decode

import (
	"strconv"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What a message says of what is around a refused field: the check or the window by its name, the list that counted too
// many elements, what looks saw.

// AppendDetail names the check that failed, or the window that does not fit.
func (t *Trace) AppendDetail(b []byte, r *reject.Reject) []byte {
	switch r.Kind {
	case reject.CheckMismatch:
		if c := t.leafInfo(r.At).Check; c.HasLabel && !t.secret(r.At) {
			b = appendBytes(append(b, "check "...), []byte(c.Label))
			b = append(b, ": "...)
		}
	case reject.PastEnd:
		if w, ok := t.step(r.At).(*plan.Window); ok && !t.hidesAround(r) {
			b = append(t.appendWindow(b, w), ": "...)
		}
	}
	return b
}

// AppendAround names, where a packet ends too early, the innermost window, and how many elements the list has that the
// field is in. A window inside the list is why the field does not fit, whatever the list counts.
func (t *Trace) AppendAround(b []byte, r *reject.Reject) []byte {
	if r.Kind != reject.PastEnd || t.hidesAround(r) {
		return b
	}
	var counted plan.Step
	for up := t.step(r.At).At().Up; up != plan.NoStep; up = t.Plan.Steps[up].At().Up {
		s := t.Plan.Steps[up]
		if w, ok := s.(*plan.Window); ok {
			b = t.appendWindow(append(b, " in "...), w)
			break
		}
		if counted == nil && s.Flow() == plan.Repeat {
			counted = s
		}
	}
	if counted == nil || !plan.Counted(counted) || r.At.Parent < 0 {
		return b
	}
	i, _ := counted.Sized()
	size, node := &t.Plan.Operands[i], &t.Plan.Nodes[counted.At().Node]
	if size.Kind == plan.OperandConst || size.Secret || node.Secret {
		return b
	}
	b = append(b, "; "...)
	n := t.Records[r.At.Parent].N
	b = strconv.AppendUint(b, uint64(n), 10)
	if n == 1 {
		return append(b, " element announced"...)
	}
	return append(b, " elements announced"...)
}

// hidesAround reports whether a secret decides how far the packet was read, or how much was left.
func (t *Trace) hidesAround(r *reject.Reject) bool {
	return r.At.Point < 0 || t.HidesWidth(r) || t.endsEarly() || t.Plan.DecisionAt(r.At.Point) != nil
}

// appendWindow appends a window as the schema has it: within(length).
func (t *Trace) appendWindow(b []byte, w *plan.Window) []byte {
	b = syntax.AppendCut(append(b, "within("...), t.Plan.Operands[w.Size].Expr.Text)
	switch {
	case w.Fill > 0:
		b = append(b, " zeros"...)
	case w.Unit == 1:
		b = append(b, " bits"...)
	}
	return append(b, ')')
}

// looks are those of a broken relation: none where a writer has no packet that they could see.
func (t *Trace) looks(r *reject.Reject) []plan.Sight {
	if r.Limit == reject.NoPacket {
		return nil
	}
	env := plan.Env{Bit: r.Bit, End: r.Bit + int(r.Limit)}
	return t.Plan.AppendSights(nil, t.step(r.At).(*plan.Require).Cond, &env)
}
