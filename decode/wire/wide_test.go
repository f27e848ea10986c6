package wire_test

import (
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

// A text becomes the units of wire.md, and what is no UTF-8 a unit that every reader refuses.
func TestWideUnit(t *testing.T) {
	for _, row := range []struct {
		text string
		want []rune
	}{
		{"", nil},
		{"aé", []rune{'a', 0xe9}},
		{"\uffff\U00010000\U0010ffff", []rune{0xffff, 0xd800, 0xdc00, 0xdbff, 0xdfff}},
		{"\ufffd", []rune{0xfffd}},
		{"a\xffb", []rune{'a', 0xd800, 'b'}},
		{"\xf0\x90\x80", []rune{0xd800, 0xd800, 0xd800}},
	} {
		var got []rune
		for left := []byte(row.text); len(left) > 0; {
			unit, low, size := wire.WideUnit(left)
			if got = append(got, unit); low != 0 {
				got = append(got, low)
			}
			left = left[size:]
		}
		if !slices.Equal(got, row.want) {
			t.Errorf("%q: want %x, got %x", row.text, row.want, got)
		}
		if n := wire.WideSize([]byte(row.text)); n != len(row.want) {
			t.Errorf("%q: want %d units, got %d", row.text, len(row.want), n)
		}
	}
}
