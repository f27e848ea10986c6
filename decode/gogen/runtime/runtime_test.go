package runtime

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

var orders = []struct {
	order uint8
	wire  wire.Order
}{{lsb, wire.LSB}, {msb, wire.MSB}, {bousk, wire.Bousk}}

// Every load at every place of short and long data is package wire's.
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
					if got, want := load(o.order, data, bit, n), o.wire.Load(data, bit, n); got != want {
						t.Fatalf("%v: %d bits at %d of %x: want %#x, got %#x", o.wire, n, bit, data, want, got)
					}
				}
			}
		}
	}
}

// Words that reach past the end have zeros there, also where there is nothing left at all.
func TestWords(t *testing.T) {
	for size := range 20 {
		data := bytes.Repeat([]byte{0xFF}, size+20)[:size]
		for i := range data {
			data[i] = byte(i + 1)
		}
		for i := range size + 3 {
			var room [8]byte
			if i < size {
				copy(room[:], data[i:])
			}
			if got, want := wordLE(data, i), binary.LittleEndian.Uint64(room[:]); got != want {
				t.Errorf("byte %d of %d: want %#x, got %#x", i, size, want, got)
			}
			if got, want := wordBE(data, i), binary.BigEndian.Uint64(room[:]); got != want {
				t.Errorf("byte %d of %d: want %#x, got %#x", i, size, want, got)
			}
		}
	}
}

// A bitmap's flags are single bits, and the end of a datagram refuses the next.
func TestNext(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, o := range orders {
		for range 500 {
			data := []byte{byte(r.Uint32() & r.Uint32() & r.Uint32()), byte(r.Uint32() & r.Uint32()), 0}
			start, end := r.IntN(9), 9+r.IntN(16)
			most := 1 + r.IntN(24)
			slot, bit := 0, start
			for slot < most && bit < end && o.wire.Load(data, bit, 1) == 0 {
				slot, bit = slot+1, bit+1
			}
			refused := slot < most && bit == end
			if slot < most {
				bit++
			}
			var reader PacketReader
			gotSlot, got := reader.next(o.order, data, start, end, 0, most, "")
			if refused != (got < 0) || !refused && (gotSlot != slot || got != bit) || refused && reader.reject.Bit != end {
				t.Fatalf("%v: %d slots of %x from bit %d to %d: want slot %d, bit %d, got %d, %d", o.wire, most, data, start, end, slot, bit, gotSlot, got)
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
				if got := o.wire.Load(b, v.bit, v.n); got != v.code {
					t.Fatalf("%v: %d bits at %d: want %#x, got %#x", o.wire, v.n, v.bit, v.code, got)
				}
			}
			if left := -bit & 7; left > 0 && o.wire.Load(b, bit, left) != 0 {
				t.Fatalf("%v: the last byte of %x is not filled with zeros behind bit %d", o.wire, b[:(bit+7)/8], bit)
			}
		}
	}
}

func TestPaths(t *testing.T) {
	var r PacketReader
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
		r.refuse(RejectPastEnd, 9, 3, row.path)
		if got := r.reject.Path(); got != row.want {
			t.Errorf("%q: want %q, got %q", row.path, row.want, got)
		}
	}
	if got, want := r.reject.Error(), "a[3].b[12]: past-end at bit 9, width 3"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
