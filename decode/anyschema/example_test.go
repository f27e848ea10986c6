package anyschema_test

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/schema"
)

// A schema drawn from a seed: the same one each time, and one that checks.
func Example() {
	src := anyschema.Source(anyschema.Seeded(8), 10)
	first, _, _ := strings.Cut(src, "\n")
	checked, _ := schema.Load("drawn.pks", []byte(src), nil)
	fmt.Println(first, checked != nil, src == anyschema.Source(anyschema.Seeded(8), 10))
	// Output:
	// protocol packet true true
}
