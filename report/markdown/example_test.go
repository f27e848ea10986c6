package markdown_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/pktscope/pktscope/report/markdown"
	"github.com/pktscope/pktscope/report/results"
)

// A saved audit as a CI system shows it.
func Example() {
	saved := `{"schema_version":1,"kind":"audit","protocol":"t","target":"builtin","packets":7,"rules":[],"findings":[]}`
	set, err := results.Read(strings.NewReader(saved), "audit.json", results.Limits{})
	if err == nil {
		err = markdown.Write(os.Stdout, set)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// ## pktscope: no problem
	//
	// - audit of `t`, target `builtin`: 0 of 0 hostile packets refused, 0 of 0 valid packets accepted; 0 findings
}
