package wire_test

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/wire"
)

// A health of 0..100 after three flags, in a datagram that ends too early for the position after it.
func Example() {
	data, bit := []byte{0xBD, 0x02}, 0
	for _, width := range []int{3, wire.BitsRequired(100 - 0), 32} {
		if left := 8*len(data) - bit; width > left {
			fmt.Printf("past-end at bit %d: want %d bits, got %d\n", bit, width, left)
			break
		}
		fmt.Printf("%d bits at bit %d: %d\n", width, bit, wire.LSB.Load(data, bit, width))
		bit += width
	}
	// Output:
	// 3 bits at bit 0: 5
	// 7 bits at bit 3: 87
	// past-end at bit 10: want 32 bits, got 6
}

// The codes of float(0..10, 0.01): what a writer sends and what a reader makes of it.
func ExampleQuantized() {
	q := wire.NewQuantized(0, 10, 0.01)
	code := q.Code(3.14159)
	fmt.Println(q.Width(), code, q.Value(code))
	// Output: 10 314 3.14
}
