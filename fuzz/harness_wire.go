package fuzz

import (
	"bytes"
	"fmt"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// Wire attacks the bit readers and writers: the input is an order, a number of script bytes, the script and the bits.
// Each script byte reads so many bits, or aligns, and whatever was read must be what decode/slow finds there and, written
// again, the same bits. interesting says that the script was read to its end.
func Wire(data []byte) (bool, error) {
	if len(data) < 2 {
		return false, nil
	}
	order := wire.Order(data[0] % 3)
	n := min(int(data[1]), len(data)-2)
	script, bits := data[2:2+n], data[2+n:]
	r := wire.NewReader(order, bits)
	w := wire.NewWriter(order, nil)
	for _, step := range script {
		bit := r.Bit()
		if step >= 128 {
			to := 8 << (step % 4)
			set, ok := r.Align(to)
			if want, wantOK := alignment(order, bits, bit, to); set != want || ok != wantOK {
				return false, fmt.Errorf("%v: align(%d) at %d of %d: want %d, %v, got %d, %v", order, to, bit, 8*len(bits), want, wantOK, set, ok)
			}
			if !ok {
				return false, nil
			}
			w.Align(to)
			continue
		}
		width := int(step) % 65
		v, ok := r.Bits(width)
		if ok != (width <= 8*len(bits)-bit) || !ok && r.Bit() != bit {
			return false, fmt.Errorf("%v: %d bits at %d of %d: got %v, then at %d", order, width, bit, 8*len(bits), ok, r.Bit())
		}
		if !ok {
			return false, nil
		}
		if want := slow.Load(order, bits, bit, width); v != want {
			return false, fmt.Errorf("%v: %d bits at %d: want %#x, got %#x", order, width, bit, want, v)
		}
		w.Bits(v, width)
	}
	if w.Bit() != r.Bit() {
		return false, fmt.Errorf("%v: read %d bits, wrote %d", order, r.Bit(), w.Bit())
	}
	want := bytes.Clone(bits[:(r.Bit()+7)/8])
	for i := r.Bit(); i < 8*len(want); i++ {
		slow.SetBit(order, want, i, 0)
	}
	if !bytes.Equal(want, w.Data()) {
		return false, fmt.Errorf("%v: read % x, wrote % x", order, want, w.Data())
	}
	return true, nil
}

// alignment is what Align answers at a bit: the first set bit of the padding, or -1, and whether it is read.
func alignment(order wire.Order, bits []byte, bit, to int) (int, bool) {
	end := bit
	for end%to != 0 {
		end++
	}
	if end > 8*len(bits) {
		return -1, false
	}
	for i := bit; i < end; i++ {
		if slow.Bit(order, bits, i) != 0 {
			return i, false
		}
	}
	return -1, true
}
