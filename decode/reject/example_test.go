package reject_test

import (
	"errors"
	"fmt"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
)

// A refusal is an error that says what a correct packet would have had, and where; its kind is an error, too.
func Example() {
	d, err := protocols.Load("rtype")
	if err != nil {
		fmt.Println(err)
		return
	}
	var t decode.Trace
	err = d.Decode([]byte{0xff}, decode.FromUnknown, &t)
	fmt.Println(err)
	var r *reject.Reject
	if errors.As(err, &r) {
		fmt.Printf("%s at %q, bit %d, %d bits; %v\n", r.Kind, r.Path(), r.Bit, r.Width, errors.Is(err, reject.PastEnd))
	}
	// Output:
	// type: past-end at bit 0 (byte 0): want 16 bits, got 8 left
	// past-end at "type", bit 0, 16 bits; true
}
