package selffuzz_test

import (
	"fmt"

	"github.com/pktscope/pktscope/fuzz/selffuzz"
)

// Every surface takes any bytes: an error would be a broken promise.
func ExampleEntries() {
	entries, broken := 0, 0
	for e := range selffuzz.Entries() {
		entries++
		if _, err := e.New()([]byte{0xff, 0x00, 0xff}); err != nil {
			broken++
			fmt.Println(e.Name, err)
		}
	}
	fmt.Printf("%d entries, %d broken promises\n", entries, broken)
	// Output:
	// 15 entries, 0 broken promises
}
