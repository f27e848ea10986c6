package runtime

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

var orders = []wire.Order{wire.LSB, wire.MSB, wire.Bytewise}

// A bitmap's flags are single bits, and the end of a datagram refuses the next.
func TestNext(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 10))
	for _, o := range orders {
		for range 500 {
			data := []byte{byte(r.Uint32() & r.Uint32() & r.Uint32()), byte(r.Uint32() & r.Uint32()), 0}
			start, end := r.IntN(9), 9+r.IntN(16)
			most := 1 + r.IntN(24)
			slot, bit := 0, start
			for slot < most && bit < end && o.Load(data, bit, 1) == 0 {
				slot, bit = slot+1, bit+1
			}
			refused := slot < most && bit == end
			if slot < most {
				bit++
			}
			var reader PacketReader
			gotSlot, got := reader.next(o, data, start, end, 0, most, "")
			if refused != (got < 0) || !refused && (gotSlot != slot || got != bit) || refused && reader.reject.Bit != end {
				t.Fatalf("%v: %d slots of %x from bit %d to %d: want slot %d, bit %d, got %d, %d", o, most, data, start, end, slot, bit, gotSlot, got)
			}
		}
	}
}

// Values put one after the other, over what was there before, are read back, and the last byte is filled with zeros.
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
				code := r.Uint64() & wire.Mask(n)
				all = append(all, value{bit, n, code})
				b, bit = put(o, b, bit, code, n)
			}
			for _, v := range all {
				if got := o.Load(b, v.bit, v.n); got != v.code {
					t.Fatalf("%v: %d bits at %d: want %#x, got %#x", o, v.n, v.bit, v.code, got)
				}
			}
			if left := -bit & 7; left > 0 && o.Load(b, bit, left) != 0 {
				t.Fatalf("%v: the last byte of %x is not filled with zeros after bit %d", o, b[:(bit+7)/8], bit)
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

// A list whose elements are asked for at once is refused at the first that is not accepted, or not there.
func TestShort(t *testing.T) {
	leaves := []leaf{
		{off: 0, width: 4, path: "a[].b[].low", count: 10, span: 15, kind: RejectOutOfRange},
		{off: 4, width: 12, path: "a[].b[].high", check: anything},
	}
	for _, row := range []struct {
		name string
		data []byte
		want PacketReject
	}{
		{"nothing", nil, PacketReject{Kind: RejectPastEnd, Bit: 0, Width: 4, path: leaves[0].path}},
		{"a part of the first", []byte{9}, PacketReject{Kind: RejectPastEnd, Bit: 4, Width: 12, path: leaves[1].path}},
		{"the third", make([]byte, 4), PacketReject{Kind: RejectPastEnd, Bit: 16 + 16, Width: 4, path: leaves[0].path}},
		{"the second is refused", []byte{0, 0, 10, 0, 0}, PacketReject{Kind: RejectOutOfRange, Bit: 16, Width: 4, path: leaves[0].path}},
		{"one that is refused is not all there", []byte{0, 0, 10}, PacketReject{Kind: RejectOutOfRange, Bit: 16, Width: 4, path: leaves[0].path}},
	} {
		var r PacketReader
		r.at[0] = 7
		row.want.at[0], row.want.at[1] = 7, row.want.Bit/16
		if got := r.short(wire.LSB, leaves, row.data, 0, 8*len(row.data), 16, 1); got != -1 || r.reject != row.want {
			t.Errorf("%s: want %+v, got %d, %+v", row.name, row.want, got, r.reject)
		}
	}
}
