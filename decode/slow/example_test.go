package slow_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/slow"
)

// The reference reads a packet bit by bit, straight from the checked schema.
func Example() {
	src := "protocol p\norder msb\npacket {\n  n  int(0..3)\n  at [n]int(-8..7)\n}\n"
	checked, _ := schema.Load("p.pks", []byte(src), nil)
	for _, packet := range [][]byte{{0b10_0001_11, 0b11_000000}, {0b11_0001_11}} {
		result := slow.Decode(checked, packet, schema.FromUnknown)
		for _, f := range result.Fields {
			fmt.Printf("%s at bit %d: code %d\n", f.Path, f.Bit, f.Raw)
		}
		if r := result.Reject; r != nil {
			fmt.Printf("%s: %s at bit %d\n", r.Path, r.Kind, r.Bit)
		}
	}
	// Output:
	// n at bit 0: code 2
	// at[0] at bit 2: code 1
	// at[1] at bit 6: code 15
	// n at bit 0: code 3
	// at[0] at bit 2: code 1
	// at[1]: past-end at bit 6
}
