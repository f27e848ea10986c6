package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

func TestWriterBadCallersPanic(t *testing.T) {
	rows := []struct {
		name string
		want string
		op   func(w *wire.Writer)
	}{
		{"65 bits", "width 65", func(w *wire.Writer) { w.Bits(0, 65) }},
		{"-1 bits", "width -1", func(w *wire.Writer) { w.Bits(0, -1) }},
		{"bytes inside a byte", "bit 3 is not on a byte boundary", func(w *wire.Writer) { w.Bytes(nil) }},
		{"order inside a byte", "bit 3 is not on a byte boundary", func(w *wire.Writer) { w.SetOrder(wire.MSB) }},
		{"align to 0", "alignment to 0 bits", func(w *wire.Writer) { w.Align(0) }},
		{"align to 24", "alignment to 24 bits", func(w *wire.Writer) { w.Align(24) }},
	}
	for _, row := range rows {
		w := wire.NewWriter(wire.LSB, nil)
		w.Bits(5, 3)
		want := "pktscope: internal error: wire: " + row.want
		if got := panics(func() { row.op(&w) }); got != want {
			t.Errorf("%s: want panic %q, got %q", row.name, want, got)
		}
		if w.Bit() != 3 || string(w.Data()) != "\x05" {
			t.Errorf("%s: writer is at bit %d with % x after the panic", row.name, w.Bit(), w.Data())
		}
	}
}

// Every order, start bit and width, with and without the capacity of the fast path, into a buffer full of old ones: the
// value is where the reference puts it, what was written before stays, and the unused bits of the last byte are zero.
func TestWriterEverywhere(t *testing.T) {
	for _, o := range orders {
		for lead := range 8 {
			for n := range 65 {
				for _, v := range []uint64{0, wire.Mask(n), slow.Load(wire.LSB, noise(8), 0, n)} {
					size := (lead + n + 7) / 8
					want := make([]byte, size)
					slow.Store(o, want, 0, lead, wire.Mask(lead))
					slow.Store(o, want, lead, n, v)
					for _, capacity := range []int{0, 1, size, size + 1, size + 20} {
						old := make([]byte, 2+capacity)
						for i := range old {
							old[i] = 0xFF
						}
						w := wire.NewWriter(o, old[:2])
						w.Bits(wire.Mask(lead), lead)
						w.Bits(v, n)
						if w.Bit() != lead+n || string(w.Datagram()) != string(want) {
							t.Fatalf("%v: %#x in %d bits at %d, capacity %d: want % x, got % x at bit %d",
								o, v, n, lead, capacity, want, w.Datagram(), w.Bit())
						}
						if data := w.Data(); len(data) != 2+size || data[0] != 0xFF || data[1] != 0xFF {
							t.Fatalf("%v: the buffer before the datagram changed: % x", o, data)
						}
					}
				}
			}
		}
	}
}

// A buffer of the exact size is enough, and is not left for another one.
func TestWriterExactBuffer(t *testing.T) {
	for _, o := range orders {
		backing := make([]byte, 13)
		w := wire.NewWriter(o, backing[:0])
		for w.Bit() < 8*13 {
			w.Bits(1, 8)
		}
		if data := w.Data(); &data[0] != &backing[0] {
			t.Errorf("%v: 13 bytes in a buffer of 13 moved to another buffer", o)
		}
	}
}

func TestWriterAlignAndBytes(t *testing.T) {
	old := []byte{0xEE, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF}
	w := wire.NewWriter(wire.LSB, old[:1])
	w.Align(32) // nothing: positions count from the datagram, not from the buffer
	if w.Bit() != 0 {
		t.Errorf("align(32) at the start: want bit 0, got %d", w.Bit())
	}
	w.Bits(1, 1)
	w.Align(8)
	w.Align(8)
	w.Bytes([]byte{0xAB})
	w.SetOrder(wire.MSB)
	w.Bits(1, 1)
	w.Align(32)
	if want := "\xEE\x01\xAB\x80\x00"; string(w.Data()) != want || w.Bit() != 32 {
		t.Errorf("want % x at bit 32, got % x at bit %d", want, w.Data(), w.Bit())
	}
	w.Bytes(nil)
	w.Bytes([]byte("longer than the buffer"))
	if want := "\x01\xAB\x80\x00longer than the buffer"; string(w.Datagram()) != want {
		t.Errorf("want % x, got % x", want, w.Datagram())
	}
}

func TestWriterDoesNotAllocate(t *testing.T) {
	for _, o := range orders {
		buf := make([]byte, 0, 40)
		var w wire.Writer
		if n := testing.AllocsPerRun(100, func() {
			w.Reset(o, buf)
			for w.Bit() < 8*30 {
				w.Bits(0x155, 13)
			}
			w.Align(32)
			w.Bytes(buf[:3])
			w.Align(64)
		}); n != 0 {
			t.Errorf("%v: writing into a buffer with room allocates %v times", o, n)
		}
	}
}
