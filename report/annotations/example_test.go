package annotations_test

import (
	"fmt"
	"os"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// A finding as a line that GitHub shows beside the schema.
func Example() {
	set := &results.Set{Findings: []*results.Finding{{Protocol: "shot", Target: "exec:./server", Tool: report.KindAudit, SavedFinding: report.SavedFinding{
		Kind: "crash", Rule: "count", Path: "count", Width: 8, Want: "out-of-range", Got: "a crash", Count: 2,
		Place: &saved.Place{File: "shot.pks", Line: 6, Column: 5},
	}}}}
	if err := annotations.Write(os.Stdout, set, ""); err != nil {
		fmt.Println(err)
	}
	// Output:
	// ::error file=shot.pks,line=6,col=5,title=pktscope shot%3A crash::count, bits 0..7: want out-of-range, got a crash; target exec:./server; packets: 2
}
