package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// FuzzReaderWriter runs a script of reader ops over a packet, both from fuzz bytes, beside a model that knows positions
// and reads through the reference. What was read is written again, with and without capacity for the fast path, and
// must be the packet up to there.
//
// A script byte is an op and its argument: the three low bits choose the op, the next byte is the argument.
func FuzzReaderWriter(f *testing.F) {
	const bits, align, skip, bytes, window, restore, order = 0, 1, 2, 3, 4, 5, 6
	packet := noise(40)
	f.Add([]byte{}, []byte{bits, 0, bits, 1})
	f.Add([]byte{0x05, 0xA2, 0xDA, 0x9D, 0x7B, 0x00},
		[]byte{order, 2, bits, 8, bits, 4, bits, 5, bits, 1, bits, 1, bits, 13, bits, 9, align, 3})
	for o := range byte(3) {
		f.Add(packet, []byte{order, o, bits, 64, bits, 3, bits, 64, skip, 2, align, 3, bytes, 4, bits, 1, align, 5})
		f.Add(packet, []byte{order, o, bits, 3, window, 70, bits, 64, bits, 7, bits, 6, restore, 0, bits, 64})
		f.Add(make([]byte, 40), []byte{order, o, bits, 1, align, 3, bytes, 2, bits, 63, align, 7, window, 9, restore, 0})
		f.Add(packet[:3], []byte{order, o, bits, 1, align, 5, bits, 24, bits, 23, bytes, 1, bits, 1})
	}
	f.Fuzz(func(t *testing.T, packet, script []byte) {
		// The model: plain positions over the packet.
		bit, end, o := 0, 8*len(packet), wire.LSB
		var outers []int

		r := wire.NewReader(o, packet)
		growing, roomy := wire.NewWriter(o, nil), wire.NewWriter(o, make([]byte, 0, len(packet)+9))
		both := func(write func(w *wire.Writer)) { write(&growing); write(&roomy) }

		for ; len(script) >= 2; script = script[2:] {
			arg := int(script[1])
			switch script[0] % 8 {
			case bits:
				n := arg % 65
				v, ok := r.Bits(n)
				if ok != (n <= end-bit) {
					t.Fatalf("%v: %d bits at %d of %d: got %v", o, n, bit, end, ok)
				}
				if !ok {
					break
				}
				if want := slow.Load(o, packet, bit, n); v != want {
					t.Fatalf("%v: %d bits at %d of %d: want %#x, got %#x", o, n, bit, end, want, v)
				}
				bit += n
				both(func(w *wire.Writer) { w.Bits(v, n) })
			case align:
				to := 1 << (arg % 10)
				width := 0
				for (bit+width)%to != 0 {
					width++
				}
				wantSet, wantOK := -1, width <= end-bit
				for i := bit; wantOK && i < bit+width; i++ {
					if slow.Bit(o, packet, i) != 0 {
						wantSet, wantOK = i, false
					}
				}
				if set, ok := r.Align(to); set != wantSet || ok != wantOK {
					t.Fatalf("%v: align(%d) at %d of %d: want %d, %v, got %d, %v", o, to, bit, end, wantSet, wantOK, set, ok)
				}
				if wantOK {
					bit += width
					both(func(w *wire.Writer) { w.Align(to) })
				}
			case skip:
				ok := r.Skip(arg)
				if ok != (arg <= end-bit) {
					t.Fatalf("skip %d at %d of %d: got %v", arg, bit, end, ok)
				}
				if ok {
					// One-bit values: of those every order keeps the stream.
					for i := bit; i < bit+arg; i++ {
						both(func(w *wire.Writer) { w.Bits(slow.Bit(o, packet, i), 1) })
					}
					bit += arg
				}
			case bytes:
				if bit%8 != 0 {
					break
				}
				b, ok := r.Bytes(arg)
				if ok != (8*arg <= end-bit) {
					t.Fatalf("%d bytes at %d of %d: got %v", arg, bit, end, ok)
				}
				if !ok {
					break
				}
				if string(b) != string(packet[bit/8:bit/8+arg]) || cap(b) != arg {
					t.Fatalf("%d bytes at %d: got % x, capacity %d", arg, bit, b, cap(b))
				}
				bit += 8 * arg
				both(func(w *wire.Writer) { w.Bytes(b) })
			case window:
				outer, ok := r.Window(arg)
				if ok != (arg <= end-bit) || outer != end {
					t.Fatalf("window of %d at %d of %d: got %d, %v", arg, bit, end, outer, ok)
				}
				if ok {
					outers = append(outers, end)
					end = bit + arg
				}
			case restore:
				if len(outers) > 0 {
					end = outers[len(outers)-1]
					outers = outers[:len(outers)-1]
					r.Restore(end)
				}
			case order:
				if bit%8 == 0 {
					o = orders[arg%len(orders)]
					r.SetOrder(o)
					both(func(w *wire.Writer) { w.SetOrder(o) })
				}
			}
			if r.Bit() != bit || r.End() != end || r.Left() != end-bit || r.Order() != o {
				t.Fatalf("reader: want bit %d of %d in %v, got %d of %d, %d left, in %v",
					bit, end, o, r.Bit(), r.End(), r.Left(), r.Order())
			}
		}

		want := append([]byte(nil), packet[:(bit+7)/8]...)
		for i := bit; i < 8*len(want); i++ {
			slow.SetBit(o, want, i, 0)
		}
		both(func(w *wire.Writer) {
			if w.Bit() != bit || string(w.Data()) != string(want) {
				t.Fatalf("written again: want % x at bit %d, got % x at bit %d", want, bit, w.Data(), w.Bit())
			}
		})
	})
}
