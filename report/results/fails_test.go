package results_test

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report/results"
)

// A word fails for what it names and for what the words before it name.
func TestFails(t *testing.T) {
	words := []string{"", "none", "finding", "untested", "reject", "note"}
	const untested = `{"schema_version":1,"kind":"audit","protocol":"p","target":"t","untested":[{"rule":"body","part":"case 2","what":"case 2"}]}`
	const finding = `{"schema_version":1,"kind":"audit","protocol":"p","target":"t","findings":[{"kind":"crash","rule":"count","reject":"past-end","from":"client","count":2}]}`
	for saved, first := range map[string]int{finding: 2, untested: 3, `{"schema_version":1,"kind":"audit","protocol":"p","target":"t"}`: len(words)} {
		set, err := results.Read(strings.NewReader(saved+"\n"), "x", results.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		for i, word := range words {
			if got := set.Fails(word); got != (i >= first) {
				t.Errorf("%q fails on %.60s: %v", word, saved, got)
			}
		}
	}
}
