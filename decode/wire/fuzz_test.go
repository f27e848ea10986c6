package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
)

// FuzzPadding holds the search for set bits against the reference, bit by bit, for paddings and reserved bits of any
// width.
func FuzzPadding(f *testing.F) {
	for o := range orders {
		f.Add(uint8(o), noise(20), uint16(3), uint16(150))
		f.Add(uint8(o), make([]byte, 40), uint16(0), uint16(320))
		f.Add(uint8(o), append(make([]byte, 16), 1), uint16(5), uint16(131))
	}
	f.Fuzz(func(t *testing.T, order uint8, data []byte, at, width uint16) {
		o := orders[int(order)%len(orders)]
		bit := int(at) % (8*len(data) + 1)
		n := int(width) % (8*len(data) - bit + 1)
		want := -1
		for i := bit; i < bit+n && want < 0; i++ {
			if slow.Bit(o, data, i) != 0 {
				want = i
			}
		}
		if got := o.FirstSet(data, bit, n); got != want {
			t.Fatalf("%v: %d bits at %d of % x: want %d, got %d", o, n, bit, data, want, got)
		}
	})
}
