package results_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

// auditWith is a saved audit with rows of what is untested.
func auditWith(rows string) string {
	return fmt.Sprintf(`{"schema_version":1,"kind":"audit","protocol":"p","target":"t","seed":1,"packets":1,"hostile":1,"refused":1,"valid":0,"accepted":0,`+
		`"known":1,"bases":0,"steps":1,"max_steps":1,"rules":[],"findings":[],"untested":[%s]}`, rows)
}

const (
	rowA       = `{"rule":"a","kind":"out-of-range","what":"out-of-range: no packet was refused so"}`
	rowB       = `{"rule":"body","part":"case B","what":"case B: no valid packet has it"}`
	rowC       = `{"rule":"body","part":"case C","what":"case C: no valid packet has it"}`
	rowKnownB  = `{"rule":"body","part":"case B","what":"case B: no valid packet has it","known":true}`
	rowNothing = `{"rule":"packet","what":"nothing was tested: no valid packet in 5 tries"}`
)

// What is untested is a problem of its own, until some run has tested it.
func TestUntestedProblems(t *testing.T) {
	rows := []struct {
		name string
		runs []string
		want string
	}{
		{"one run", []string{rowB + "," + rowA}, "a out-of-range, body case B"},
		{"two of one rule", []string{rowB + "," + rowC}, "body case B, body case C"},
		{"both runs", []string{rowA + "," + rowB, rowB + "," + rowC}, "body case B"},
		{"each the other's", []string{rowA, rowB}, ""},
		{"one of nothing", []string{rowNothing, rowB}, "body case B"},
		{"the other of nothing", []string{rowA, rowNothing}, "a out-of-range"},
		{"accepted", []string{rowKnownB}, ""},
		{"accepted by both", []string{rowKnownB, rowKnownB + "," + rowA}, ""},
		{"accepted by one", []string{rowKnownB, rowB}, "body case B"},
		{"both of nothing", []string{rowNothing, rowNothing}, "packet "},
	}
	for _, row := range rows {
		var set results.Set
		for _, run := range row.runs {
			if err := set.Add(read(t, []byte(auditWith(run)))); err != nil {
				t.Fatal(err)
			}
		}
		var got []string
		marks := map[string]bool{}
		for _, p := range set.Problems() {
			got = append(got, p.Rule+" "+p.Reject+p.Part)
			marks[p.Fingerprint()] = true
			if p.Source != results.FromUntested || p.Level != results.Error || p.Kind != "untested" || p.Message == "" {
				t.Errorf("%s: %+v", row.name, p)
			}
		}
		if text := strings.Join(got, ", "); text != row.want || len(marks) != len(got) {
			t.Errorf("%s: want %q, got %q with %d fingerprints", row.name, row.want, text, len(marks))
		}
	}
}

func TestUntestedIsChecked(t *testing.T) {
	for _, bad := range []string{`{"rule":"","what":"x"}`, `{"rule":"a","kind":"No Kind","what":"x"}`, `{"rule":"a","part":"` + strings.Repeat("x", 1<<17) + `","what":"x"}`, `{"rule":"a","what":"x","place":{"file":"","line":1,"column":1}}`} {
		if _, err := results.Read(strings.NewReader(auditWith(bad)), "bad.json", results.Limits{}); err == nil {
			t.Errorf("taken: %.80s", bad)
		}
	}
}
