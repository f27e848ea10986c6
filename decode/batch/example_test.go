package batch_test

import (
	"fmt"
	"io"

	"github.com/pktscope/pktscope/decode/batch"
)

// Squares of the numbers up to 6 in batches of two, worked out on two goroutines and printed in their order.
func Example() {
	next := 0
	err := batch.Run(2, batch.Stages[[]int]{
		Fill: func(b *[]int) error {
			*b = (*b)[:0]
			if next == 6 {
				return io.EOF
			}
			*b = append(*b, next+1, next+2)
			next += 2
			return nil
		},
		Work: func(_ int, b *[]int) {
			for i, n := range *b {
				(*b)[i] = n * n
			}
		},
		Drain: func(b *[]int) error {
			if len(*b) > 0 { // the last may have nothing
				fmt.Println(*b)
			}
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// [1 4]
	// [9 16]
	// [25 36]
}
