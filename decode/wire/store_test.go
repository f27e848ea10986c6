package wire_test

import (
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// A value above its width is never cut: the caller learns that the bits on the wire would have been another value's.
func TestStoreValueTooWidePanics(t *testing.T) {
	rows := []struct {
		v uint64
		n int
	}{
		{1, 0}, {2, 1}, {256, 8}, {1 << 63, 63}, {^uint64(0), 63},
	}
	for _, o := range orders {
		for _, row := range rows {
			want := fmt.Sprintf("pktscope: internal error: wire: value %#x in %d bits", row.v, row.n)
			data := make([]byte, 9)
			if got := panics(func() { o.Store(data, 3, row.n, row.v) }); got != want {
				t.Errorf("%v store: want panic %q, got %q", o, want, got)
			}
			if string(data) != string(make([]byte, 9)) {
				t.Errorf("%v store of %#x in %d bits changed data before it panicked", o, row.v, row.n)
			}
		}
	}
}

// Every order, position 0..15 and width, over zeros and over ones: the value comes back and no other bit moves.
func TestStoreEverywhere(t *testing.T) {
	value := slow.Load(wire.LSB, noise(8), 0, 64)
	for _, o := range orders {
		for size := range 12 {
			for bit := 0; bit <= min(15, 8*size); bit++ {
				for n := 0; n <= min(64, 8*size-bit); n++ {
					for _, background := range []byte{0x00, 0xFF} {
						v := value & wire.Mask(n)
						stored, reference := make([]byte, size), make([]byte, size)
						for i := range stored {
							stored[i], reference[i] = background, background
						}
						o.Store(stored, bit, n, v)
						slow.Store(o, reference, bit, n, v)
						if string(stored) != string(reference) {
							t.Fatalf("%v: %#x in %d bits at %d of %d bytes of %#x: want % x, got % x",
								o, v, n, bit, size, background, reference, stored)
						}
						if got := o.Load(stored, bit, n); got != v {
							t.Fatalf("%v: %d bits at %d stored and loaded: want %#x, got %#x", o, n, bit, v, got)
						}
					}
				}
			}
		}
	}
}
