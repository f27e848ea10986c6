package plan_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What a schema is proved to cost, whatever arrives: no packet is longer, has more fields or takes more work.
func Example() {
	src := "protocol p\norder lsb\npacket {\n  n  int(0..10)\n  at [n]float32\n}\n"
	checked, _ := schema.Load("p.pks", []byte(src), nil)
	p, _ := plan.Compile(checked)
	b := p.Bound
	fmt.Printf("%d to %d bits, at most %d fields in %d steps\n", b.MinBits, b.MaxBits, b.MaxFields, b.MaxSteps)
	// Output:
	// 4 to 324 bits, at most 11 fields in 12 steps
}
