package page

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// statesReport is a report on an audit of a server with two states.
func statesReport() *Report {
	cell := func(state, called, word string, allowed bool, answers ...string) report.SavedState {
		return report.SavedState{State: state, Case: called, Word: word, Allowed: allowed, Answers: answers}
	}
	return &Report{Title: "states", Results: &results.Set{Audits: []*report.SavedAudit{{
		Header: saved.Header{Protocol: "door", Target: "udp:127.0.0.1:4000"},
		States: &report.SavedStates{States: []string{"Start", "Joined"}, Cases: []string{"Hello", "Shoot", "Leave"}, Cells: []report.SavedState{
			cell("Start", "Hello", "answered", true, "Challenge"), cell("Start", "Shoot", "answered", false, "Hit"), cell("Start", "Leave", "died", false),
			cell("Joined", "Hello", "silent", true), cell("Joined", "Shoot", "kicked", true, "Hit"), cell("Joined", "Leave", "not tried", true),
		}},
		Findings: []report.SavedFinding{{Kind: "accepted-in-wrong-state", Rule: "Start: Shoot", State: "Start: Shoot", From: "client", Packet: "09", Bytes: 1, Count: 1}},
	}}}}
}

// The table has a row for each state and a cell for each case; one that a finding is about, and one that the server did
// not live through, are marked.
func TestStates(t *testing.T) {
	text := string(write(t, statesReport()))
	for _, want := range []string{
		"<th scope=\"row\"><code>Start</code></th><td>(Challenge)</td><td class=\"bad-cell\">Hit</td><td class=\"bad-cell\">died</td>",
		"<th scope=\"row\"><code>Joined</code></th><td>(silent)</td><td>(Hit; kicked)</td><td>(not tried)</td>",
		"<th scope=\"col\"><code>Hello</code></th><th scope=\"col\"><code>Shoot</code></th><th scope=\"col\"><code>Leave</code></th>",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %s", want)
		}
	}
	held(t, []byte(text))
}

// A table with more cases than are shown says so; one with cells that do not fit is left out.
func TestWideStates(t *testing.T) {
	s := &report.SavedStates{States: []string{"A"}}
	for i := range maxStateColumns + 2 {
		s.Cases = append(s.Cases, fmt.Sprint("c", i))
		s.Cells = append(s.Cells, report.SavedState{State: "A", Case: s.Cases[i], Word: "silent"})
	}
	if got := statesOf(s, nil); len(got.Cases) != maxStateColumns || len(got.Rows[0].Cells) != maxStateColumns || got.More != "and 2 more cases" {
		t.Errorf("%+v", got)
	}
	s.Cells = s.Cells[1:]
	if got := statesOf(s, nil); got != nil {
		t.Errorf("%+v", got)
	}
}
