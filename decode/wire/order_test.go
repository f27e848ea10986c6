package wire_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/wire"
)

func TestParseOrderRefuses(t *testing.T) {
	for _, word := range []string{"", "LSB", "Msb", "bousk ", " lsb", "lsb\x00", "le", "be", "big", "order(0)"} {
		if o, ok := wire.ParseOrder(word); ok {
			t.Errorf("ParseOrder(%q): want refused, got %v", word, o)
		}
	}
}

func TestOrderWords(t *testing.T) {
	rows := []struct {
		order wire.Order
		word  string
	}{
		{wire.LSB, "lsb"}, {wire.MSB, "msb"}, {wire.Bytewise, "bousk"},
	}
	for _, row := range rows {
		if got := row.order.String(); got != row.word {
			t.Errorf("String: want %q, got %q", row.word, got)
		}
		if got, ok := wire.ParseOrder(row.word); !ok || got != row.order {
			t.Errorf("ParseOrder(%q): want %v, got %v, %v", row.word, row.order, got, ok)
		}
	}
	if got := wire.Order(3).String(); got != "order(3)" {
		t.Errorf("unknown order: want %q, got %q", "order(3)", got)
	}
}

// An order nobody defined must not fall through to one of the three.
func TestUnknownOrderPanics(t *testing.T) {
	const want = "pktscope: internal error: wire: unknown order(3)"
	data := make([]byte, 20)
	rows := []struct {
		name string
		f    func()
	}{
		{"Load", func() { wire.Order(3).Load(data, 0, 8) }},
		{"Store", func() { wire.Order(3).Store(data, 0, 8, 1) }},
	}
	for _, row := range rows {
		if got := panics(row.f); got != want {
			t.Errorf("%s: want panic %q, got %q", row.name, want, got)
		}
	}
}
