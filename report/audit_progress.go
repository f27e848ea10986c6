package report

import (
	"fmt"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report/internal/table"
)

// AuditProgress is how far an audit has come.
type AuditProgress struct {
	Protocol, Target string
	Passed           time.Duration
	State            fuzz.AuditState
}

// Line is the audit in one line, without a line end. How long it still takes is said once its packets are counted:
//
//	0:05  12,345 of 260,716 packets, 2,469/s, 1:40 left; findings 0
func (a *AuditProgress) Line() string { return clock(a.Passed) + "  " + a.line() }

func (a *AuditProgress) line() string {
	s := &a.State
	rate := float64(s.Packets) / max(a.Passed.Seconds(), 1e-3)
	of, left := "", ""
	switch {
	case s.Counted:
		of = " of " + table.Grouped(max(s.Of, s.Packets))
		if rate > 0 {
			left = ", " + clock(time.Duration(float64(max(s.Of-s.Packets, 0))/rate*float64(time.Second))) + " left"
		}
	case s.Of > s.Packets:
		of = " of at least " + table.Grouped(s.Of)
	}
	return fmt.Sprintf("%s%s packets, %s/s%s; findings %s", table.Grouped(s.Packets), of, table.Grouped(int(rate)), left, table.Grouped(s.Findings))
}

// Screen is the audit as lines of at most width cells.
func (a *AuditProgress) Screen(width int, colour bool) []string {
	st := newStyle(colour)
	lines := screenLines{width: width}
	lines.add(st.kind, "pktscope audit  %s  target %s  %s", a.Protocol, a.Target, clock(a.Passed))
	lines.add(table.Paint{}, "  %s", a.line())
	if f := a.State.Newest; f != nil {
		lines.add(st.refused, "  the newest: %v %s", f.Kind, f.What())
	}
	return lines.list
}

// screenLines are lines of at most so many cells.
type screenLines struct {
	width int
	list  []string
}

func (s *screenLines) add(p table.Paint, format string, args ...any) {
	text := []rune(syntax.EscapeText(fmt.Sprintf(format, args...)))
	if len(text) > s.width {
		text = append(text[:max(s.width-1, 0)], '…')
	}
	s.list = append(s.list, string(p.Append(nil, string(text))))
}
