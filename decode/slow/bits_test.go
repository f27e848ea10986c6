package slow_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// The reference is held to tables worked out by hand, since nothing else holds it: each row says which stream bit
// carries bit 0, 1, 2 … of a value.
func TestStreamBit(t *testing.T) {
	rows := []struct {
		order wire.Order
		p, n  int
		want  []int
	}{
		{wire.LSB, 0, 0, nil},
		{wire.LSB, 6, 4, []int{6, 7, 8, 9}},
		{wire.MSB, 6, 4, []int{9, 8, 7, 6}},
		// One group that fits.
		{wire.Bytewise, 0, 8, []int{7, 6, 5, 4, 3, 2, 1, 0}},
		{wire.Bytewise, 4, 4, []int{7, 6, 5, 4}},
		{wire.Bytewise, 17, 3, []int{19, 18, 17}},
		// Five bits into two free ones: low two in the byte, high three open the next.
		{wire.Bytewise, 6, 5, []int{7, 6, 10, 9, 8}},
		// A whole group into one free bit.
		{wire.Bytewise, 7, 8, []int{7, 14, 13, 12, 11, 10, 9, 8}},
		// A whole group, then one of three that fits into the four free bits.
		{wire.Bytewise, 4, 11, []int{7, 6, 5, 4, 11, 10, 9, 8, 14, 13, 12}},
		// A whole group, then one of five that does not.
		{wire.Bytewise, 4, 13, []int{7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12, 16}},
	}
	for _, row := range rows {
		if len(row.want) != row.n {
			t.Fatalf("%v: row of %d bits lists %d", row.order, row.n, len(row.want))
		}
		for k, want := range row.want {
			if got := slow.StreamBit(row.order, row.p, row.n, k); got != want {
				t.Errorf("%v: bit %d of %d at %d: want stream bit %d, got %d", row.order, k, row.n, row.p, want, got)
			}
		}
	}
}

func TestBit(t *testing.T) {
	data := []byte{0x01, 0x80}
	set := map[wire.Order][]int{wire.LSB: {0, 15}, wire.MSB: {7, 8}, wire.Bytewise: {7, 8}}
	for order, bits := range set {
		for i := range 16 {
			want := uint64(0)
			if i == bits[0] || i == bits[1] {
				want = 1
			}
			if got := slow.Bit(order, data, i); got != want {
				t.Errorf("%v: stream bit %d: want %d, got %d", order, i, want, got)
			}
		}
	}
}

// Whatever is stored comes back, every bit of the value has a stream bit of its own inside p..p+n-1, and no bit outside
// changes.
func TestStoreLoad(t *testing.T) {
	for _, order := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
		for p := range 16 {
			for n := range 65 {
				used := map[int]bool{}
				for k := range n {
					i := slow.StreamBit(order, p, n, k)
					if i < p || i >= p+n || used[i] {
						t.Fatalf("%v: bit %d of %d at %d: stream bit %d is outside or taken", order, k, n, p, i)
					}
					used[i] = true
				}
				v := uint64(0xB5C4E21F93A7D068) >> (64 - n)
				data := make([]byte, 10)
				slow.Store(order, data, p, n, v)
				if got := slow.Load(order, data, p, n); got != v {
					t.Fatalf("%v: %d bits at %d: want %#x, got %#x", order, n, p, v, got)
				}
				for i := range 8 * len(data) {
					if !used[i] && slow.Bit(order, data, i) != 0 {
						t.Fatalf("%v: %d bits at %d: stream bit %d changed", order, n, p, i)
					}
				}
			}
		}
	}
}
