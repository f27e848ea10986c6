package report_test

import (
	"bytes"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// A watch of a minute has a line after two seconds and then every five; on a terminal a screen that is written over four
// times a second and gone at the end. Of nil there is nothing.
func TestWatch(t *testing.T) {
	for _, terminal := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			var out bytes.Buffer
			var width func() int
			if terminal {
				width = func() int { return 40 }
			}
			w := report.NewWatch(&out, width, false)
			p := &report.AuditProgress{Protocol: "p", Target: "t", State: fuzz.AuditState{Packets: 1000, Of: 5000}}
			shown := 0
			for w.Passed() < time.Minute {
				time.Sleep(10 * time.Millisecond)
				if w.Due() {
					p.Passed = w.Passed()
					w.Show(p)
					shown++
				}
			}
			w.Erase()
			text := out.String()
			switch {
			case !terminal && (shown != 12 || strings.Count(text, "\n") != 12 || strings.Contains(text, "\x1b") || !strings.HasPrefix(text, "0:02  1,000 of at least 5,000 packets, 500/s; findings 0\n")):
				t.Errorf("%d lines:\n%s", shown, text)
			case terminal && (shown < 200 || shown > 240 || strings.Count(text, "\x1b[2A\x1b[J") != shown):
				t.Errorf("%d screens", shown)
			}
		})
	}
	var none *report.Watch
	if none.Show(nil); none.Due() || none.Found() || none.Passed() != 0 {
		t.Error("nothing is watched")
	}
	none.Erase()
}

// How long an audit still takes is said once its packets are counted, and what a terminal would obey is not shown.
func TestAuditProgress(t *testing.T) {
	p := report.AuditProgress{Protocol: "p\x1b[2J", Target: "exec:x", Passed: 5 * time.Second, State: fuzz.AuditState{Packets: 10000, Of: 60000, Counted: true, Findings: 2, Newest: &fuzz.Finding{Path: "a.\x1b[1m"}}}
	if got, want := p.Line(), "0:05  10,000 of 60,000 packets, 2,000/s, 0:25 left; findings 2"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, line := range p.Screen(30, false) {
		if strings.Contains(line, "\x1b") || len([]rune(line)) > 30 {
			t.Errorf("%q", line)
		}
	}
	p.State.Packets = 60100 // the hunt's come after those that were counted
	if got := p.Line(); !strings.Contains(got, "60,100 of 60,100 packets") || !strings.Contains(got, "0:00 left") {
		t.Error(got)
	}
	if p.Passed, p.State = 0, (fuzz.AuditState{}); p.Line() != "0:00  0 packets, 0/s; findings 0" {
		t.Error(p.Line())
	}
}
