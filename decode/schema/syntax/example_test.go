package syntax_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// A source is laid out anew, or its mistakes are shown where they are.
func Example() {
	for _, src := range []string{"protocol p\norder lsb\npacket {\na uint8   // first\n  bc    bits(3) in 0..5\n}\n", "protocol p\norder lsb\npacket { a uint9 }\n"} {
		text, complaints := syntax.Format("p.pks", []byte(src))
		fmt.Printf("%s", text)
		for _, c := range complaints {
			fmt.Printf("%s", c.AppendText(nil, "p.pks", []byte(src)))
		}
	}
	// Output:
	// protocol p
	// order lsb
	// packet {
	//     a  uint8 // first
	//     bc bits(3) in 0..5
	// }
	// p.pks:3:12: error: unknown type `uint9`
	// packet { a uint9 }
	//            ^^^^^
	// help: did you mean `bits(9)`?
}
