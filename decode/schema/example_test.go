package schema_test

import (
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
)

// What is wrong with a source, all of it, where, and what to write instead.
func Example() {
	src := "protocol p\norder lsb\npacket {\n  a uint9\n  b [c]uint8\n}\n"
	checked, diags := schema.LoadFS(nil, "p.pks", []byte(src), nil)
	var err error
	if checked == nil {
		err = diags
	}
	var all *schema.Diagnostics
	if errors.As(err, &all) {
		fmt.Println(all)
	}
	// Output:
	// p.pks:4:5: error: unknown type `uint9`; did you mean `bits(9)`?
	// p.pks:5:6: error: unknown name `c`; in scope are `a`
}
