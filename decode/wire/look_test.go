package wire

import (
	"math/rand/v2"
	"testing"
)

// TestLook holds the looks against a load from a copy in which every bit that does not count is zero.
func TestLook(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	data := make([]byte, 40)
	for i := range data {
		data[i] = byte(r.Uint32())
	}
	for range 20000 {
		order := Order(r.IntN(3))
		cut := data[10 : 10+r.IntN(21)]
		bit := r.IntN(8*len(cut) + 1)
		end := bit + r.IntN(8*len(cut)-bit+1)
		n := 1 + r.IntN(64)
		// what counts, eight bytes after the beginning of a space of zeros
		space := make([]byte, len(cut)+24)
		copy(space[8:], cut)
		order.clear(space, 0, 64+bit)
		order.clear(space, 64+end, 8*len(space))
		if got, want := order.Peek(cut, bit, end, n), order.Load(space, 64+bit, n); got != want {
			t.Fatalf("%v: peek(%d) at %d..%d of %x: got %#x, want %#x", order, n, bit, end, cut, got, want)
		}
		if got, want := order.Tail(cut, bit, end, n), order.Load(space, 64+end-n, n); got != want {
			t.Fatalf("%v: tail(%d) at %d..%d of %x: got %#x, want %#x", order, n, bit, end, cut, got, want)
		}
		// data that ends before the window does
		end = 8*len(cut) + r.IntN(90)
		space = append(make([]byte, 8, 64), cut...)[:64]
		order.clear(space, 0, 64+bit)
		if got, want := order.Peek(cut, bit, end, n), order.Load(space, 64+bit, n); got != want {
			t.Fatalf("%v: peek(%d) at %d..%d of %x, which is shorter: got %#x, want %#x", order, n, bit, end, cut, got, want)
		}
		if got, want := order.Tail(cut, bit, end, n), order.Load(space, 64+end-n, n); got != want {
			t.Fatalf("%v: tail(%d) at %d..%d of %x, which is shorter: got %#x, want %#x", order, n, bit, end, cut, got, want)
		}
	}
}

// TestLookByHand has one row for each thing that a look may get wrong.
func TestLookByHand(t *testing.T) {
	data := []byte{0x12, 0x34, 0x56}
	for _, row := range []struct {
		name string
		got  uint64
		want uint64
	}{
		{"msb, peek past the end: the missing bits are the lowest", MSB.Peek(data, 8, 24, 32), 0x34560000},
		{"lsb, peek past the end: the missing bits are the highest", LSB.Peek(data, 8, 24, 32), 0x5634},
		{"bousk, peek past the end", Bytewise.Peek(data, 8, 24, 32), 0x5634},
		{"msb, tail over what was read", MSB.Tail(data, 8, 24, 24), 0x3456},
		{"lsb, tail over what was read", LSB.Tail(data, 8, 24, 24), 0x563400},
		{"msb, tail longer than the datagram", MSB.Tail(data, 0, 24, 64), 0x123456},
		{"a window's end inside a byte", MSB.Peek(data, 0, 4, 8), 0x10},
		{"lsb, a window's end inside a byte", LSB.Peek(data, 0, 4, 8), 0x02},
		{"nothing is left", MSB.Peek(data, 24, 24, 64) | LSB.Tail(data, 24, 24, 64), 0},
		{"no data at all", MSB.Peek(nil, 0, 0, 1) | Bytewise.Tail(nil, 0, 0, 8), 0},
	} {
		if row.got != row.want {
			t.Errorf("%s: got %#x, want %#x", row.name, row.got, row.want)
		}
	}
}
