package wire_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/wire"
)

// A health of 0..100 behind three flags, read from a datagram that ends too early for the position after it.
func Example() {
	r := wire.NewReader(wire.LSB, []byte{0xBD, 0x02})
	flags, _ := r.Bits(3)
	health, _ := r.Bits(wire.BitsRequired(100 - 0))
	fmt.Printf("flags %03b, health %d\n", flags, health)
	if _, ok := r.Bits(32); !ok {
		fmt.Printf("past-end at bit %d: want 32 bits, got %d\n", r.Bit(), r.Left())
	}
	// Output:
	// flags 101, health 87
	// past-end at bit 10: want 32 bits, got 6
}
