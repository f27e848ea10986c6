package page

import (
	"strings"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/internal/table"
)

// The table of a server's states: what it answered to each case of a client in each state of a dialogue.

// maxStateColumns bounds the cases that are shown; a table that is wider cannot be read.
const maxStateColumns = 64

// stateTable is that table.
type stateTable struct {
	Cases []string
	More  string // cases beyond those that are shown
	Rows  []stateRow
}

// stateRow is a state of it.
type stateRow struct {
	State string
	Cells []stateCell
}

// stateCell is what came of a case in a state.
type stateCell struct {
	Text    string
	Allowed bool // the dialogue lets the case come there
	Bad     bool // a finding is about it
}

// statesOf is nil where there is no table. found are the findings of its audit.
func statesOf(s *report.SavedStates, found []report.SavedFinding) *stateTable {
	if s == nil || len(s.Cells) != len(s.States)*len(s.Cases) {
		return nil
	}
	bad := map[string]bool{}
	for i := range found {
		bad[found[i].State] = true
	}
	shown := s.Cases[:min(len(s.Cases), maxStateColumns)]
	t := &stateTable{More: more(len(s.Cases)-len(shown), "case")}
	for _, c := range shown {
		t.Cases = append(t.Cases, plain(c))
	}
	for i, state := range s.States {
		row := stateRow{State: plain(state)}
		for c := range shown {
			cell := &s.Cells[i*len(s.Cases)+c]
			row.Cells = append(row.Cells, stateCell{
				Text: plain(cellText(cell)), Allowed: cell.Allowed, Bad: cell.Word == fuzz.CellDied || bad[state+": "+cell.Case],
			})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// cellText is a cell in words: the answers, or what else came of it.
func cellText(c *report.SavedState) string {
	const most = 8
	answers := strings.Join(c.Answers[:min(len(c.Answers), most)], ", ")
	if n := len(c.Answers) - most; n > 0 {
		answers += " and " + table.Count(n, "more answer")
	}
	switch {
	case answers == "":
		return c.Word
	case c.Word == fuzz.CellAnswered:
		return answers
	}
	return answers + "; " + c.Word
}
