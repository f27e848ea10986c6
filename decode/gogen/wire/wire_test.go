package wire

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/bitio"
)

var orders = []struct {
	order uint8
	bitio bitio.Order
}{{lsb, bitio.LSB}, {msb, bitio.MSB}, {bousk, bitio.Bousk}}

// Every load at every place of short and long data is package bitio's.
func TestLoads(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, size := range []int{0, 1, 7, 8, 9, 10, 17} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(r.Uint32())
		}
		for _, o := range orders {
			for bit := range 8*size + 1 {
				for n := 0; n <= min(64, 8*size-bit); n++ {
					if got, want := load(o.order, data, bit, n), o.bitio.Load(data, bit, n); got != want {
						t.Fatalf("%v: %d bits at %d of %x: want %#x, got %#x", o.bitio, n, bit, data, want, got)
					}
				}
			}
		}
	}
}

// Values put one behind the other, over what was there before, are read back, and the last byte is filled with zeros.
func TestPut(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, o := range orders {
		for range 2000 {
			b := bytes.Repeat([]byte{0xFF}, 1+r.IntN(40))
			bit := 0
			type value struct {
				bit, n int
				code   uint64
			}
			var all []value
			for range 1 + r.IntN(12) {
				n := r.IntN(65)
				code := r.Uint64() & mask(n)
				all = append(all, value{bit, n, code})
				b, bit = put(o.order, b, bit, code, n)
			}
			for _, v := range all {
				if got := o.bitio.Load(b, v.bit, v.n); got != v.code {
					t.Fatalf("%v: %d bits at %d: want %#x, got %#x", o.bitio, v.n, v.bit, v.code, got)
				}
			}
			if left := -bit & 7; left > 0 && o.bitio.Load(b, bit, left) != 0 {
				t.Fatalf("%v: the last byte of %x is not filled with zeros behind bit %d", o.bitio, b[:(bit+7)/8], bit)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	var r Reader
	for _, row := range []struct {
		path string
		at   []int
		want string
	}{
		{"", nil, ""},
		{"a.b", []int{3}, "a.b"},
		{"a[].b[]", []int{3, 12}, "a[3].b[12]"},
	} {
		copy(r.at[:], row.at)
		r.refuse(PastEnd, 9, 3, row.path)
		if got := r.reject.Path(); got != row.want {
			t.Errorf("%q: want %q, got %q", row.path, row.want, got)
		}
	}
	if got, want := r.reject.Error(), "a[3].b[12]: past-end at bit 9, width 3"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
