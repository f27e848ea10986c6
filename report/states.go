package report

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report/internal/table"
)

// SavedStates is a table of states and cases: what a server did with each case of a client in each state.
type SavedStates struct {
	States []string     `json:"states"`
	Cases  []string     `json:"cases"`
	Cells  []SavedState `json:"cells"`
}

// SavedState is a cell of it.
type SavedState struct {
	State   string   `json:"state"`
	Case    string   `json:"case"`
	Word    string   `json:"word"` // silent, answered, kicked, died, not tried
	Answers []string `json:"answers,omitempty"`
	Allowed bool     `json:"allowed,omitempty"` // the dialogue lets the case come there
}

func savedStates(t *fuzz.StateTable) *SavedStates {
	if t == nil {
		return nil
	}
	out := &SavedStates{States: t.States, Cases: t.Cases}
	for i, row := range t.Cells {
		for c := range row {
			out.Cells = append(out.Cells, SavedState{t.States[i], t.Cases[c], row[c].Word, row[c].Answers, row[c].Allowed})
		}
	}
	return out
}

// savedDialogue is a dialogue as JSON; nil for none.
func savedDialogue(s *oracle.Spoken) *SavedDialogue {
	if s == nil {
		return nil
	}
	out := &SavedDialogue{Text: s.Text, State: s.State}
	for _, n := range s.Names {
		out.Names = append(out.Names, SavedName(n))
	}
	return out
}

// spoken is the dialogue that was saved; nil for none.
func (s *SavedDialogue) spoken() *oracle.Spoken {
	if s == nil {
		return nil
	}
	out := &oracle.Spoken{Text: s.Text, State: s.State}
	for _, n := range s.Names {
		out.Names = append(out.Names, oracle.Named(n))
	}
	return out
}

// appendStates appends the table: a row for each state, a column for each case. A cell of a case that the dialogue
// allows there is in parentheses.
func appendStates(b []byte, t *fuzz.StateTable) []byte {
	cells := [][]string{append([]string{"state"}, t.Cases...)}
	for i, row := range t.Cells {
		line := []string{t.States[i]}
		for _, c := range row {
			text := c.Word
			if len(c.Answers) > 0 {
				text = strings.Join(c.Answers, " ")
				if c.Word != fuzz.CellAnswered {
					text += ", " + c.Word
				}
			}
			if c.Allowed {
				text = "(" + text + ")"
			}
			line = append(line, text)
		}
		cells = append(cells, line)
	}
	widths := make([]int, len(cells[0]))
	for _, line := range cells {
		for i, text := range line {
			widths[i] = max(widths[i], len(text))
		}
	}
	b = append(b, "  what the server answered, by state and case; (…) is allowed there; silence is no proof that it refused\n"...)
	for _, line := range cells {
		var row []byte
		for i, text := range line {
			row = fmt.Appendf(row, "  %-*s", widths[i], syntax.EscapeText(text))
		}
		b = append(append(b, "  "+strings.TrimRight(string(row), " ")...), '\n')
	}
	if t.Untried > 0 {
		b = fmt.Appendf(b, "    %s not tried: the time was over, or the server was gone\n", table.Grouped(t.Untried))
	}
	return append(b, '\n')
}
