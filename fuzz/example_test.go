package fuzz_test

import (
	"fmt"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

// A valid packet, every way in which its first count can be wrong, and what a correct reader answers.
func ExampleMutator() {
	d, err := protocols.Load("packets")
	if err != nil {
		panic(err)
	}
	for _, seed := range corpus.Seeds("packets") {
		if seed.Name != "b_some" {
			continue
		}
		for m := range fuzz.NewMutator(d).Mutations(seed.Data, decode.FromUnknown) {
			if m.Path == "body.num_elements" && m.Done != "cut" {
				fmt.Printf("%s: %v\n", m.What(), m.Expect)
			}
		}
	}
	// Output:
	// body.num_elements at bit 34 (byte 4+2): min: unknown
	// body.num_elements at bit 34 (byte 4+2): max (32): unknown
	// body.num_elements at bit 34 (byte 4+2): max+1 (33): must-reject: out-of-range at "body.num_elements", bit 34, 6 bits
	// body.num_elements at bit 34 (byte 4+2): all ones (63): must-reject: out-of-range at "body.num_elements", bit 34, 6 bits
	// body.num_elements at bit 34 (byte 4+2): one more than there is (6): unknown
	// body.num_elements at bit 34 (byte 4+2): one less than there is (4): unknown
	// body.num_elements at bit 34 (byte 4+2): a power of two (2): unknown
	// body.num_elements at bit 34 (byte 4+2): a power of two (8): unknown
	// body.num_elements at bit 34 (byte 4+2): a power of two (16): unknown
	// body.num_elements at bit 34 (byte 4+2): the most, and all of it there (32): must-accept
	// body.num_elements at bit 34 (byte 4+2): one more than may be, and all of it there (33): must-reject: out-of-range at "body.num_elements", bit 34, 6 bits
	// body.num_elements at bit 34 (byte 4+2): the most that a datagram has (60): must-reject: out-of-range at "body.num_elements", bit 34, 6 bits
	// body.num_elements at bit 34 (byte 4+2): the most that a datagram has, and all of it there (60): must-reject: out-of-range at "body.num_elements", bit 34, 6 bits
}
