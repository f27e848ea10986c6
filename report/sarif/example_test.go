package sarif_test

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/sarif"
)

// A saved audit in the form that code scanning reads.
func Example() {
	saved := `{"schema_version":1,"kind":"audit","protocol":"t","target":"builtin","packets":7,"rules":[],"findings":[]}`
	set, err := results.Read(strings.NewReader(saved), "audit.json", results.Limits{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var b strings.Builder
	if err := sarif.Write(&b, set, "v1.0.0", ""); err != nil {
		fmt.Println(err)
		return
	}
	var log struct {
		Version string
		Runs    []struct{ Results []any }
	}
	err = json.Unmarshal([]byte(b.String()), &log)
	fmt.Println(log.Version, len(log.Runs), "run,", len(log.Runs[0].Results), "results", err)
	// Output:
	// 2.1.0 1 run, 0 results <nil>
}
