package selffuzz

import (
	"bytes"
	"fmt"

	"github.com/pktscope/pktscope/decode/slow"
	"github.com/pktscope/pktscope/decode/wire"
)

// Wire attacks package wire: the input is an order, a number of script bytes, the script and the bits. Each script byte
// reads so many bits as a value, which must be what decode/slow finds there and, written again, the same bits; or it
// asks one of wireRules about the bits that are next. interesting says that the script was read to its end.
func Wire(data []byte) (bool, error) {
	if len(data) < 2 {
		return false, nil
	}
	order := wire.Order(data[0] % 3)
	n := min(int(data[1]), len(data)-2)
	script, bits := data[2:2+n], data[2+n:]
	written, bit := make([]byte, len(bits)), 0
	for _, step := range script {
		if step >= 128 {
			c := wireCursor{order, bits, bit, 8*len(bits) - bit}
			if rule := &wireRules[int(step)%len(wireRules)]; c.left >= rule.bits {
				if err := rule.check(&c); err != nil {
					return false, fmt.Errorf("%v: %s at bit %d of % x: %w", order, rule.name, bit, bits, err)
				}
			}
			continue
		}
		width := int(step) % 65
		if width > 8*len(bits)-bit {
			return false, nil
		}
		v := order.Load(bits, bit, width)
		if want := slow.Load(order, bits, bit, width); v != want {
			return false, fmt.Errorf("%v: %d bits at %d: want %#x, got %#x", order, width, bit, want, v)
		}
		order.Store(written, bit, width, v)
		bit += width
	}
	want := bytes.Clone(bits)
	for i := bit; i < 8*len(want); i++ {
		slow.SetBit(order, want, i, 0)
	}
	if !bytes.Equal(want, written) {
		return false, fmt.Errorf("%v: read % x, wrote % x", order, want, written)
	}
	return true, nil
}
