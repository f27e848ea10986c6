package harness_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz/harness"
)

// The file in which one function is a user's to fill in.
func Example() {
	d, err := protocols.Load("rtype")
	if err != nil {
		fmt.Println(err)
		return
	}
	file := harness.FileName("cpp")
	text := harness.Source("cpp", d.Plan(), "-p rtype", file)
	fmt.Println(file, strings.Contains(text, "pktscope audit -p rtype"))
	// Output:
	// harness.cpp true
}
