package filter

import (
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
)

// Misfit is why a text fits none of several plans: an error of each.
type Misfit []*Error

// Error is the error of the plan for which the text was understood best.
func (m Misfit) Error() string {
	which, _ := m.Nearest()
	return m[which].Error()
}

// Nearest is the plan for which the text was understood best. same: the text lacks the same for all of them.
func (m Misfit) Nearest() (which int, same bool) {
	same = true
	for i := range m {
		same = same && m[i].Error() == m[0].Error()
		if m[i].nearer(m[which]) {
			which = i
		}
	}
	return which, same
}

// nearer reports whether the text came nearer to e's plan than to o's: its names are there, or one is near, or it was
// read further.
func (e *Error) nearer(o *Error) bool {
	rank := func(e *Error) (n int) {
		if !strings.HasPrefix(e.Diagnostic.Message, "unknown path") {
			n += 2
		}
		if strings.HasPrefix(e.Diagnostic.Fix, "did you mean") {
			n++
		}
		return n
	}
	if x, y := rank(e), rank(o); x != y {
		return x > y
	}
	return e.Diagnostic.Pos.Off > o.Diagnostic.Pos.Off
}

// CompileAny compiles a filter over packets of several plans. A plan that it does not fit has nil, and no packet of it
// matches; the error, when it fits none, is a Misfit.
func CompileAny(plans []*plan.Plan, src string) ([]*Program, error) {
	programs, wrong := make([]*Program, len(plans)), Misfit(nil)
	for i, p := range plans {
		var err error
		if programs[i], err = Compile(p, src); err != nil {
			wrong = append(wrong, err.(*Error))
		}
	}
	if len(wrong) == len(plans) {
		return nil, wrong
	}
	return programs, nil
}
