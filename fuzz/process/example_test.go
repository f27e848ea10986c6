package process_test

import (
	"fmt"

	"github.com/pktscope/pktscope/fuzz/process"
)

// The words of a command line, without a shell that would obey more of it.
func ExampleSplit() {
	words, err := process.Split(`./server --name 'two words' $HOME "a\"b"`)
	fmt.Printf("%q %v\n", words, err)
	// Output:
	// ["./server" "--name" "two words" "$HOME" "a\"b"] <nil>
}
