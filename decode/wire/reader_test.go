package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// at returns a Reader of size zero bytes, moved to bit.
func at(t *testing.T, o wire.Order, size, bit int) *wire.Reader {
	t.Helper()
	r := wire.NewReader(o, make([]byte, size))
	if !r.Skip(bit) {
		t.Fatalf("cannot skip to bit %d of %d bytes", bit, size)
	}
	return &r
}

const most = 1<<63 - 1

// What does not fit is refused, and the position stays that of the field that did not fit.
func TestReaderRefusesPastEnd(t *testing.T) {
	rows := []struct {
		name      string
		size, bit int
		op        func(r *wire.Reader) bool
	}{
		{"bits of nothing", 0, 0, func(r *wire.Reader) bool { _, ok := r.Bits(1); return ok }},
		{"bits, one too many", 2, 9, func(r *wire.Reader) bool { _, ok := r.Bits(8); return ok }},
		{"bits at the end", 9, 72, func(r *wire.Reader) bool { _, ok := r.Bits(1); return ok }},
		{"64 bits of 63", 8, 1, func(r *wire.Reader) bool { _, ok := r.Bits(64); return ok }},
		{"skip, one too many", 2, 3, func(r *wire.Reader) bool { return r.Skip(14) }},
		{"skip everything there is", 2, 3, func(r *wire.Reader) bool { return r.Skip(most) }},
		{"bytes, one too many", 4, 8, func(r *wire.Reader) bool { _, ok := r.Bytes(4); return ok }},
		{"bytes whose bits wrap to 0", 4, 8, func(r *wire.Reader) bool { _, ok := r.Bytes(1 << 61); return ok }},
		{"bytes whose bits wrap to 8", 4, 8, func(r *wire.Reader) bool { _, ok := r.Bytes(1<<61 + 1); return ok }},
		{"most bytes", 4, 8, func(r *wire.Reader) bool { _, ok := r.Bytes(most); return ok }},
		{"align(32) in a short datagram", 3, 1, func(r *wire.Reader) bool { _, ok := r.Align(32); return ok }},
		{"most alignment", 3, 1, func(r *wire.Reader) bool { _, ok := r.Align(1 << 62); return ok }},
		{"window, one too many", 2, 3, func(r *wire.Reader) bool { _, ok := r.Window(14); return ok }},
		{"largest window", 2, 3, func(r *wire.Reader) bool { _, ok := r.Window(most); return ok }},
	}
	for _, o := range orders {
		for _, row := range rows {
			r := at(t, o, row.size, row.bit)
			if row.op(r) {
				t.Errorf("%v: %s: want refused, got accepted", o, row.name)
			}
			if r.Bit() != row.bit || r.End() != 8*row.size || r.Left() != 8*row.size-row.bit {
				t.Errorf("%v: %s: want bit %d of %d, got %d of %d, %d left",
					o, row.name, row.bit, 8*row.size, r.Bit(), r.End(), r.Left())
			}
		}
	}
}

// Bad callers are stopped; none of these can be reached by a packet once widths come from a checked schema.
func TestReaderBadCallersPanic(t *testing.T) {
	rows := []struct {
		name string
		bit  int
		want string
		op   func(r *wire.Reader)
	}{
		{"65 bits", 0, "width 65", func(r *wire.Reader) { r.Bits(65) }},
		{"-1 bits", 0, "width -1", func(r *wire.Reader) { r.Bits(-1) }},
		{"skip back", 8, "width -8", func(r *wire.Reader) { r.Skip(-8) }},
		{"negative bytes", 8, "width -1", func(r *wire.Reader) { r.Bytes(-1) }},
		{"negative window", 8, "width -1", func(r *wire.Reader) { r.Window(-1) }},
		{"bytes inside a byte", 3, "bit 3 is not on a byte boundary", func(r *wire.Reader) { r.Bytes(0) }},
		{"order inside a byte", 3, "bit 3 is not on a byte boundary", func(r *wire.Reader) { r.SetOrder(wire.MSB) }},
		{"align to 0", 3, "alignment to 0 bits", func(r *wire.Reader) { r.Align(0) }},
		{"align to 24", 3, "alignment to 24 bits", func(r *wire.Reader) { r.Align(24) }},
		{"align to -8", 3, "alignment to -8 bits", func(r *wire.Reader) { r.Align(-8) }},
		{"align to the smallest int", 3, "alignment to -9223372036854775808 bits", func(r *wire.Reader) { r.Pad(-1 << 63) }},
		{"restore past the end", 0, "window end 16 restored to 17 of 16", func(r *wire.Reader) { r.Restore(17) }},
		{"restore narrows", 0, "window end 16 restored to 15 of 16", func(r *wire.Reader) { r.Restore(15) }},
	}
	for _, row := range rows {
		r := at(t, wire.LSB, 2, row.bit)
		want := "pktscope: internal error: wire: " + row.want
		if got := panics(func() { row.op(r) }); got != want {
			t.Errorf("%s: want panic %q, got %q", row.name, want, got)
		}
	}
}

// Every bit of every padding counts, and the first one set is the one reported.
func TestAlignReportsFirstSetBit(t *testing.T) {
	for _, o := range orders {
		for _, to := range []int{1, 8, 32, 128, 256} {
			for bit := range 2 * to {
				end := (bit + to - 1) / to * to
				for first := bit; first < end; first++ {
					for _, second := range []int{first, end - 1} {
						data := make([]byte, 64)
						slow.SetBit(o, data, first, 1)
						slow.SetBit(o, data, second, 1)
						r := wire.NewReader(o, data)
						r.Skip(bit)
						if set, ok := r.Align(to); ok || set != first || r.Bit() != bit {
							t.Fatalf("%v: align(%d) at %d, bits %d and %d set: want %d, false, got %d, %v at bit %d",
								o, to, bit, first, second, first, set, ok, r.Bit())
						}
					}
				}
				// Ones on both sides of the padding are not padding.
				data := make([]byte, 64)
				for i := range 8 * len(data) {
					if i < bit || i >= end {
						slow.SetBit(o, data, i, 1)
					}
				}
				r := wire.NewReader(o, data)
				r.Skip(bit)
				if pad := r.Pad(to); pad != end-bit {
					t.Fatalf("pad(%d) at %d: want %d, got %d", to, bit, end-bit, pad)
				}
				if set, ok := r.Align(to); !ok || set != -1 || r.Bit() != end {
					t.Fatalf("%v: align(%d) at %d: want -1, true at bit %d, got %d, %v at bit %d", o, to, bit, end, set, ok, r.Bit())
				}
			}
		}
	}
}

// Padding that is both cut off and set does not fit: the first failure is the verdict.
func TestAlignPastEndBeforeSetBit(t *testing.T) {
	r := wire.NewReader(wire.LSB, []byte{0xFF, 0xFF})
	r.Skip(1)
	if set, ok := r.Align(32); ok || set != -1 {
		t.Errorf("want -1, false, got %d, %v", set, ok)
	}
}

// Inside a window nothing reaches behind its end, positions stay those of the datagram, and the end comes back.
func TestWindow(t *testing.T) {
	data := noise(16)
	r := wire.NewReader(wire.MSB, data)
	r.Skip(3)
	outer, ok := r.Window(64)
	if !ok || outer != 128 || r.End() != 3+64 || r.Left() != 64 {
		t.Fatalf("window: got outer %d, %v, end %d, %d left", outer, ok, r.End(), r.Left())
	}
	if _, ok := r.Window(65); ok || r.End() != 3+64 {
		t.Errorf("a window of 65 bits in one of 64: want refused, got %v, end %d", ok, r.End())
	}
	r.Skip(54)
	inner, ok := r.Window(2)
	if !ok || inner != 3+64 || r.Left() != 2 {
		t.Fatalf("inner window: got outer %d, %v, %d left", inner, ok, r.Left())
	}
	if _, ok := r.Bits(3); ok {
		t.Error("3 bits in a window of 2: want refused, got accepted")
	}
	if set, ok := r.Align(8); ok || set != -1 || r.Bit() != 3+54 {
		t.Errorf("align(8) over a window's end: want -1, false at bit %d, got %d, %v at bit %d", 3+54, set, ok, r.Bit())
	}
	if v, ok := r.Bits(2); !ok || v != slow.Load(wire.MSB, data, 3+54, 2) {
		t.Errorf("2 bits in a window of 2: got %d, %v", v, ok)
	}
	if r.Skip(1) {
		t.Error("skip at a window's end: want refused, got accepted")
	}
	r.Restore(inner)
	r.Restore(outer)
	if r.Bit() != 3+56 || r.End() != 128 {
		t.Errorf("restored: want bit %d of 128, got %d of %d", 3+56, r.Bit(), r.End())
	}
	if v, ok := r.Bits(64); !ok || v != slow.Load(wire.MSB, data, 3+56, 64) {
		t.Errorf("the rest: got %#x, %v", v, ok)
	}
}

// An append to what Bytes returns must not reach the packet's next field.
func TestBytesAreCapped(t *testing.T) {
	data := []byte{1, 2, 3, 4}
	r := wire.NewReader(wire.LSB, data)
	b, ok := r.Bytes(2)
	if !ok || string(b) != "\x01\x02" || cap(b) != 2 {
		t.Fatalf("got % x, %v, capacity %d", b, ok, cap(b))
	}
	_ = append(b, 0xEE)
	if v, ok := r.Bits(8); !ok || v != 3 {
		t.Errorf("the byte behind: want 3, got %d, %v", v, ok)
	}
	if b, ok := r.Bytes(0); !ok || len(b) != 0 || r.Bit() != 24 {
		t.Errorf("no bytes: got % x, %v at bit %d", b, ok, r.Bit())
	}
}

// Every sequence of equal widths over every truncation: all the fields that fit, then a refusal, with no bit of the
// longer packet behind the end showing.
func TestReaderTruncations(t *testing.T) {
	packet := noise(24)
	for _, o := range orders {
		for size := range len(packet) + 1 {
			for n := 1; n <= 64; n++ {
				r := wire.NewReader(o, packet[:size])
				for r.Left() >= n {
					bit := r.Bit()
					want := slow.Load(o, packet[:size], bit, n)
					if v, ok := r.Bits(n); !ok || v != want || r.Bit() != bit+n {
						t.Fatalf("%v: %d bits at %d of %d bytes: want %#x, got %#x, %v", o, n, bit, size, want, v, ok)
					}
				}
				bit := r.Bit()
				if v, ok := r.Bits(n); ok || v != 0 || r.Bit() != bit {
					t.Fatalf("%v: %d bits at %d of %d bytes: want refused, got %#x, %v", o, n, bit, size, v, ok)
				}
				if v, ok := r.Bits(0); !ok || v != 0 {
					t.Fatalf("%v: 0 bits at %d of %d bytes: want 0, got %#x, %v", o, bit, size, v, ok)
				}
			}
		}
	}
}

func TestReaderDoesNotAllocate(t *testing.T) {
	data := make([]byte, 40)
	for _, o := range orders {
		var r wire.Reader
		if n := testing.AllocsPerRun(100, func() {
			r.Reset(o, data)
			for {
				if _, ok := r.Bits(13); !ok {
					break
				}
			}
		}); n != 0 {
			t.Errorf("%v: reading up to a refusal allocates %v times", o, n)
		}
		if n := testing.AllocsPerRun(100, func() {
			r.Reset(o, data)
			r.Skip(3)
			outer, _ := r.Window(8 * 20)
			r.Align(8)
			r.Bytes(10)
			r.Bytes(20)
			r.Align(1 << 20)
			r.Skip(1 << 20)
			r.Window(1 << 20)
			r.Restore(outer)
		}); n != 0 {
			t.Errorf("%v: windows, bytes and alignment allocate %v times", o, n)
		}
	}
}
