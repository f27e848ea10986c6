package wire

import (
	"math/bits"
	"testing"
)

// Every number below a limit is read as it was written, and no two have bits of which one begins the other: what their
// bits can be adds up to all that there can be.
func TestBelow(t *testing.T) {
	for limit := uint64(1); limit < 600; limit++ {
		all, most := uint64(0), bits.Len64(limit-1) // all is of 2^most
		for v := range limit {
			n := BelowBits(v, limit)
			if n > most {
				t.Fatalf("%d below %d takes %d bits, more than %d", v, limit, n, most)
			}
			all += 1 << (most - n)
			read := BelowNumber{Limit: limit}
			for i := 0; read.More(); i++ {
				read.Add(v >> i & 1)
			}
			if read.Value != v {
				t.Fatalf("%d below %d is read as %d", v, limit, read.Value)
			}
		}
		if all != 1<<most {
			t.Errorf("below %d: bits for %d of %d", limit, all, 1<<most)
		}
	}
	for _, row := range []struct {
		value, limit uint64
		bits         int
	}{{0, 1, 0}, {0, 2, 1}, {8, 10, 4}, {9, 10, 4}, {2, 10, 3}, {0, 10, 4}, {1<<32 - 1, 1 << 32, 32}, {0, 1<<31 + 1, 32}, {1, 1<<31 + 1, 31}} {
		if got := BelowBits(row.value, row.limit); got != row.bits {
			t.Errorf("%d below %d takes %d bits, want %d", row.value, row.limit, got, row.bits)
		}
	}
}
