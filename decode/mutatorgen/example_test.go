package mutatorgen_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/mutatorgen"
	"github.com/pktscope/pktscope/decode/protocols"
)

// The mutator of a built-in protocol, ready to be written to a file and linked with a libFuzzer target.
func Example() {
	d, err := protocols.Load("packets")
	if err != nil {
		fmt.Println(err)
		return
	}
	text := mutatorgen.Source(d.Plan(), "-p packets", mutatorgen.FileName)
	for _, entry := range []string{"LLVMFuzzerCustomMutator", "LLVMFuzzerCustomCrossOver", "afl_custom_fuzz"} {
		fmt.Println(entry, strings.Contains(text, "PM_API size_t "+entry+"("))
	}
	// Output:
	// LLVMFuzzerCustomMutator true
	// LLVMFuzzerCustomCrossOver true
	// afl_custom_fuzz true
}
