package display_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/display"
)

// The same address as the wire has it, as it is shown, and read back.
func Example() {
	ipv4 := display.Of("ipv4", "")
	text := ipv4.AppendNumber(nil, 0xC0000201, 32, false)
	v, ok := ipv4.Number(string(text), 32, false)
	fmt.Printf("%s %#x %v\n", text, v, ok)
	// Output: 192.0.2.1 0xc0000201 true
}
