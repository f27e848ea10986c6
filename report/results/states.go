package results

import (
	"slices"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// Bounds of a table of states; a dialogue has fewer states, and a packet's case is one of an enum.
const (
	maxStates  = 128
	maxCases   = 1 << 12
	maxAnswers = 256
)

// byWeight are the words of cells: of two results of one cell that counts which is later.
var byWeight = []string{fuzz.CellNotTried, fuzz.CellSilent, fuzz.CellAnswered, fuzz.CellKicked, fuzz.CellDied}

// states checks a table of states: each cell has its place in it.
func (c *check) states(t *report.SavedStates) {
	if t == nil {
		return
	}
	c.that(len(t.States) <= maxStates && len(t.Cases) <= maxCases, "states: want at most %d states and %d cases", maxStates, maxCases)
	c.that(len(t.Cells) == len(t.States)*len(t.Cases), "states: want a cell for each state and case")
	for _, name := range slices.Concat(t.States, t.Cases) {
		c.name("state or case", name)
	}
	for i := 0; i < len(t.Cells) && c.wrong == nil; i++ {
		cell := &t.Cells[i]
		c.that(cell.State == t.States[i/len(t.Cases)] && cell.Case == t.Cases[i%len(t.Cases)], "states: want the cells by state and case")
		c.that(slices.Contains(byWeight, cell.Word), "states: %.32q is no word for a cell", cell.Word)
		c.that(len(cell.Answers) <= maxAnswers, "states: want at most %d answers", maxAnswers)
		for _, a := range cell.Answers {
			c.name("answer", a)
		}
	}
}

// mergeStates is the table of two: of each cell the worse result, with all answers. Tables of two dialogues are not
// merged; the first stays.
func mergeStates(a, o *report.SavedStates) *report.SavedStates {
	switch {
	case a == nil:
		return o
	case o == nil, !slices.Equal(a.States, o.States), !slices.Equal(a.Cases, o.Cases):
		return a
	}
	for i := range a.Cells {
		at, of := &a.Cells[i], &o.Cells[i]
		if slices.Index(byWeight, of.Word) > slices.Index(byWeight, at.Word) {
			at.Word = of.Word
		}
		at.Answers = slices.Concat(at.Answers, of.Answers)
		slices.Sort(at.Answers)
		at.Answers = slices.Compact(at.Answers)
		at.Allowed = at.Allowed && of.Allowed
	}
	return a
}
