package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

func TestSwapBytesRefusesWidths(t *testing.T) {
	for _, n := range []int{-8, -1, 1, 7, 9, 63, 65, 72} {
		if panics(func() { wire.SwapBytes(0, n) }) == "" {
			t.Errorf("SwapBytes of %d bits: want a panic, got none", n)
		}
	}
}

func TestSwapBytes(t *testing.T) {
	rows := []struct {
		v    uint64
		n    int
		want uint64
	}{
		{0x00, 0, 0x00},
		{0xAB, 8, 0xAB},
		{0x1234, 16, 0x3412},
		{0x123456, 24, 0x563412},
		{0x12345678, 32, 0x78563412},
		{0x0102030405060708, 64, 0x0807060504030201},
		{0xFF1234, 16, 0x3412}, // bits above n are ignored
	}
	for _, row := range rows {
		if got := wire.SwapBytes(row.v, row.n); got != row.want {
			t.Errorf("SwapBytes(%#x, %d): want %#x, got %#x", row.v, row.n, row.want, got)
		}
	}
	// A value of whole bytes on a byte boundary is the other order's after a swap.
	data := noise(8)
	for n := 0; n <= 64; n += 8 {
		if lsb, msb := wire.LoadLSB(data, 0, n), wire.LoadMSB(data, 0, n); wire.SwapBytes(lsb, n) != msb {
			t.Errorf("%d bits: lsb %#x swapped is %#x, want msb %#x", n, lsb, wire.SwapBytes(lsb, n), msb)
		}
	}
}

func TestBitsRequired(t *testing.T) {
	rows := []struct {
		a, b int64
		want int
	}{
		{0, 0, 0},
		{-5, -5, 0},
		{0, 1, 1},
		{0, 100, 7},
		{-7, 8, 4},
		{-4000, 4000, 13},
		{0, 255, 8},
		{0, 256, 9},
		{-1 << 31, 1<<31 - 1, 32},
		{-1 << 63, 1<<63 - 1, 64},
		{-1 << 63, 0, 64},
		{-1 << 63, -1, 63},
	}
	for _, row := range rows {
		if got := wire.BitsRequired(uint64(row.b) - uint64(row.a)); got != row.want {
			t.Errorf("bits of %d..%d: want %d, got %d", row.a, row.b, row.want, got)
		}
	}
}

func TestSignExtend(t *testing.T) {
	rows := []struct {
		v    uint64
		n    int
		want int64
	}{
		{^uint64(0), 0, 0},
		{0, 1, 0},
		{1, 1, -1},
		{0x7F, 8, 127},
		{0x80, 8, -128},
		{0xFF80, 8, -128}, // bits above n are ignored
		{0x1FFF, 13, -1},
		{1 << 62, 63, -1 << 62},
		{1 << 63, 64, -1 << 63},
		{1<<63 - 1, 64, 1<<63 - 1},
	}
	for _, row := range rows {
		if got := wire.SignExtend(row.v, row.n); got != row.want {
			t.Errorf("SignExtend(%#x, %d): want %d, got %d", row.v, row.n, row.want, got)
		}
	}
}

func TestMask(t *testing.T) {
	want := uint64(0)
	for n := range 65 {
		if got := wire.Mask(n); got != want {
			t.Errorf("Mask(%d): want %#x, got %#x", n, want, got)
		}
		want = want<<1 | 1
	}
}
