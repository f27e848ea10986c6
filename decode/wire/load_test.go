package wire_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

var orders = []wire.Order{wire.LSB, wire.MSB, wire.Bytewise}

// noise returns n bytes that are the same in every run and have no pattern a wrong shift could hide in.
func noise(n int) []byte {
	b := make([]byte, n)
	x := uint64(0x9E3779B97F4A7C15)
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 32)
	}
	return b
}

// panics reports the message f panics with, "" if it returns.
func panics(f func()) (message string) {
	defer func() {
		if r := recover(); r != nil {
			message = fmt.Sprint(r)
		}
	}()
	f()
	return ""
}

// A caller that has not checked the range is stopped wherever the value would leave data, with or without a ninth byte.
func TestLoadOutsideDataPanics(t *testing.T) {
	rows := []struct{ size, bit, n int }{
		{0, 0, 1},
		{1, 0, 9},
		{1, 8, 1},
		{1, 9, 0},
		{1, -1, 1},
		{7, 7*8 - 1, 2},
		{8, 1, 64},
		{9, 9, 64},
		{20, 20*8 - 63, 64},
		{20, 20 * 8, 1},
		{20, 20*8 - 1, 65},
		{20, 20*8 - 1, -1},
		{20, -8, 8},
		{20, math.MaxInt/2 + 1, 64},
		{20, math.MinInt, 64},
		{20, math.MaxInt, 64},
	}
	for _, o := range orders {
		for _, row := range rows {
			want := fmt.Sprintf("pktscope: internal error: wire: %d bits at bit %d of %d bytes", row.n, row.bit, row.size)
			data := noise(row.size)
			if got := panics(func() { o.Load(data, row.bit, row.n) }); got != want {
				t.Errorf("%v load of %d bits at %d of %d bytes: want panic %q, got %q", o, row.n, row.bit, row.size, want, got)
			}
			if got := panics(func() { o.Store(data, row.bit, row.n, 0) }); got != want {
				t.Errorf("%v store of %d bits at %d of %d bytes: want panic %q, got %q", o, row.n, row.bit, row.size, want, got)
			}
			if string(data) != string(noise(row.size)) {
				t.Errorf("%v store of %d bits at %d of %d bytes changed data before it panicked", o, row.n, row.bit, row.size)
			}
		}
	}
}

// Every order, size, position and width that fits; sizes 1..20 have the loop, the last eight bytes and the fast path.
// The data is a slice of a larger array of ones: a load past the end would see them.
func TestLoadEverywhere(t *testing.T) {
	for _, o := range orders {
		for size := range 21 {
			backing := make([]byte, size+16)
			for i := range backing {
				backing[i] = 0xFF
			}
			data := backing[:size]
			copy(data, noise(size))
			for bit := 0; bit <= 8*size; bit++ {
				for n := 0; n <= min(64, 8*size-bit); n++ {
					want := slow.Load(o, data, bit, n)
					if got := o.Load(data, bit, n); got != want {
						t.Fatalf("%v: %d bits at %d of %d bytes: want %#x, got %#x", o, n, bit, size, want, got)
					}
				}
			}
		}
	}
}

// The course's worked example (wire.md, "The three bit orders").
func TestBytewiseWorkedExample(t *testing.T) {
	packet := []byte{0x05, 0xA2, 0xDA, 0x9D, 0x7B, 0x00}
	rows := []struct {
		bit, n int
		v      uint64
	}{
		{0, 8, 5},
		{8, 4, 3 + 7},
		{8 + 4, 5, 18},
		{8 + 4 + 5, 1, 1},
		{8 + 4 + 5 + 1, 1, 0},
		{8 + 4 + 5 + 1 + 1, 13, 3578 + 4000},
		{8 + 4 + 5 + 1 + 1 + 13, 9, 123},
	}
	stored := make([]byte, len(packet))
	for _, row := range rows {
		if got := wire.LoadBytewise(packet, row.bit, row.n); got != row.v {
			t.Errorf("load of %d bits at %d: want %d, got %d", row.n, row.bit, row.v, got)
		}
		if got := slow.Load(wire.Bytewise, packet, row.bit, row.n); got != row.v {
			t.Errorf("slow load of %d bits at %d: want %d, got %d", row.n, row.bit, row.v, got)
		}
		wire.StoreBytewise(stored, row.bit, row.n, row.v)
	}
	if string(stored) != string(packet) {
		t.Errorf("stored: want % X, got % X", packet, stored)
	}
}

// Aligned whole bytes are the byte orders everybody knows; the oracle itself is held to that.
func TestAlignedValuesAreEndian(t *testing.T) {
	data := []byte{0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09}
	rows := []struct {
		order  wire.Order
		bit, n int
		v      uint64
	}{
		{wire.LSB, 8, 16, 0x0302},
		{wire.MSB, 8, 16, 0x0203},
		{wire.Bytewise, 8, 16, 0x0302},
		{wire.LSB, 8, 64, 0x0908070605040302},
		{wire.MSB, 8, 64, 0x0203040506070809},
		{wire.Bytewise, 8, 64, 0x0908070605040302},
		{wire.LSB, 0, 4, 0x1},
		{wire.MSB, 0, 4, 0x0},
		{wire.MSB, 4, 8, 0x10},
		{wire.LSB, 4, 8, 0x20},
		// Four free bits: the group's low four fill the byte, its high four open the next from the left.
		{wire.Bytewise, 4, 8, 0x01},
		{wire.Bytewise, 12, 8, 0x02},
		{wire.Bytewise, 12 + 8, 8, 0x03},
	}
	for _, row := range rows {
		if got := row.order.Load(data, row.bit, row.n); got != row.v {
			t.Errorf("%v: %d bits at %d: want %#x, got %#x", row.order, row.n, row.bit, row.v, got)
		}
		if got := slow.Load(row.order, data, row.bit, row.n); got != row.v {
			t.Errorf("slow %v: %d bits at %d: want %#x, got %#x", row.order, row.n, row.bit, row.v, got)
		}
	}
}

// FuzzLoad holds one load, one store and the search for set bits, of paddings and reserved bits of any width, against the
// reference, bit by bit.
func FuzzLoad(f *testing.F) {
	for o := range orders {
		for _, size := range []int{1, 7, 8, 9, 20} {
			for _, n := range []int{0, 1, 7, 8, 9, 13, 57, 63, 64} {
				f.Add(uint8(o), noise(size), uint16(5), uint8(n), ^uint64(0))
			}
		}
	}
	f.Add(uint8(wire.Bytewise), []byte{0x05, 0xA2, 0xDA, 0x9D, 0x7B, 0x00}, uint16(19), uint8(13), uint64(7578))
	for o := range orders { // the number is the width of the padding, too
		f.Add(uint8(o), noise(20), uint16(3), uint8(0), uint64(150))
		f.Add(uint8(o), make([]byte, 40), uint16(0), uint8(0), uint64(320))
		f.Add(uint8(o), append(make([]byte, 16), 1), uint16(5), uint8(0), uint64(131))
	}
	f.Fuzz(func(t *testing.T, order uint8, data []byte, at uint16, width uint8, v uint64) {
		o := orders[int(order)%len(orders)]
		bit := int(at) % (8*len(data) + 1)
		n := int(width) % (min(64, 8*len(data)-bit) + 1)
		want := slow.Load(o, data, bit, n)
		if got := o.Load(data, bit, n); got != want {
			t.Fatalf("%v: %d bits at %d of %d bytes: want %#x, got %#x", o, n, bit, len(data), want, got)
		}
		padding, first := int(v%uint64(8*len(data)-bit+1)), -1
		for i := bit; i < bit+padding && first < 0; i++ {
			if slow.Bit(o, data, i) != 0 {
				first = i
			}
		}
		if got := o.FirstSet(data, bit, padding); got != first {
			t.Fatalf("%v: %d bits at %d of % x: want %d, got %d", o, padding, bit, data, first, got)
		}
		v &= wire.Mask(n)
		stored, reference := append([]byte(nil), data...), append([]byte(nil), data...)
		o.Store(stored, bit, n, v)
		slow.Store(o, reference, bit, n, v)
		if string(stored) != string(reference) {
			t.Fatalf("%v: %#x in %d bits at %d: want % x, got % x", o, v, n, bit, reference, stored)
		}
		if got := o.Load(stored, bit, n); got != v {
			t.Fatalf("%v: %d bits at %d stored and loaded: want %#x, got %#x", o, n, bit, v, got)
		}
	})
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
			if got, want := wire.WordLE(data, i), binary.LittleEndian.Uint64(room[:]); got != want {
				t.Errorf("byte %d of %d: want %#x, got %#x", i, size, want, got)
			}
			if got, want := wire.WordBE(data, i), binary.BigEndian.Uint64(room[:]); got != want {
				t.Errorf("byte %d of %d: want %#x, got %#x", i, size, want, got)
			}
		}
	}
}
