package results_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

const statesAudit = `{"schema_version":1,"kind":"audit","protocol":"p","target":"t","seed":1,"packets":1,"hostile":1,"refused":0,"valid":0,"accepted":0,"known":0,"bases":0,"steps":0,"max_steps":0,"rules":[],"findings":[],"states":%s}`

// A table of states from outside has a cell for each state and case, in order, with a word that there is.
func TestStatesRefused(t *testing.T) {
	for _, row := range []struct{ states, want string }{
		{`{"states":["A"],"cases":["X","Y"],"cells":[{"state":"A","case":"X","word":"silent"}]}`, "want a cell for each state and case"},
		{`{"states":["A"],"cases":["X","Y"],"cells":[{"state":"A","case":"Y","word":"silent"},{"state":"A","case":"X","word":"silent"}]}`, "want the cells by state and case"},
		{`{"states":["A"],"cases":["X"],"cells":[{"state":"A","case":"X","word":"fine"}]}`, `"fine" is no word for a cell`},
		{`{"states":["A"],"cases":["X"],"cells":[{"state":"A","case":"X","word":"answered","answers":[` + strings.Repeat(`"Z",`, 256) + `"Z"]}]}`, "at most 256 answers"},
		{`{"states":[` + strings.Repeat(`"A",`, 128) + `"A"],"cases":[],"cells":[]}`, "at most 128 states"},
	} {
		_, err := results.Read(strings.NewReader(fmt.Sprintf(statesAudit, row.states)), "f", results.Limits{})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", row.want, err)
		}
	}
}

// Two audits of one dialogue are one table: of a cell that counts which is worse, with all answers.
func TestStatesMerged(t *testing.T) {
	one := `{"states":["A"],"cases":["X","Y"],"cells":[{"state":"A","case":"X","word":"answered","answers":["P"],"allowed":true},{"state":"A","case":"Y","word":"not tried"}]}`
	two := `{"states":["A"],"cases":["X","Y"],"cells":[{"state":"A","case":"X","word":"answered","answers":["O","P"],"allowed":true},{"state":"A","case":"Y","word":"died"}]}`
	var merged *results.Set
	for _, states := range []string{one, two} {
		s, err := results.Read(strings.NewReader(fmt.Sprintf(statesAudit, states)), "f", results.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if merged == nil {
			merged = s
		} else if err := merged.Add(s); err != nil {
			t.Fatal(err)
		}
	}
	merged.Merge()
	got := merged.Audits[0].States.Cells
	if len(merged.Audits) != 1 || got[0].Word != "answered" || strings.Join(got[0].Answers, " ") != "O P" || !got[0].Allowed || got[1].Word != "died" {
		t.Errorf("%+v", got)
	}
}
