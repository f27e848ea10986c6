package junit_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/pktscope/pktscope/report/junit"
	"github.com/pktscope/pktscope/report/results"
)

// A saved audit as a CI system shows it.
func Example() {
	saved := `{"schema_version":1,"kind":"audit","protocol":"t","target":"builtin","packets":7,"rules":[],"findings":[]}`
	set, err := results.Read(strings.NewReader(saved), "audit.json", results.Limits{})
	if err == nil {
		err = junit.Write(os.Stdout, set)
	}
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// <?xml version="1.0" encoding="UTF-8"?>
	// <testsuites name="pktscope" tests="0" failures="0" errors="0"></testsuites>
}
