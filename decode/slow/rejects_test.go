package slow_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/slow/rows"

	"github.com/pktscope/pktscope/decode/wire"
)

// TestRejects also sees that a refused packet has neither notes nor bits.
func TestRejects(t *testing.T) {
	for _, r := range rows.Rejects {
		for _, order := range r.In() {
			got := decodeRow(t, r.Row, order)
			switch {
			case got.Reject == nil:
				t.Errorf("%s, %v: want %s, got accept: %s", r.Name, order, showReject(r.Want), show(got))
			case *got.Reject != r.Want:
				t.Errorf("%s, %v: want %s, got %s", r.Name, order, showReject(r.Want), showReject(*got.Reject))
			case len(got.Notes) > 0 || got.Bits != 0:
				t.Errorf("%s, %v: refused with notes or bits: %s", r.Name, order, show(got))
			}
		}
	}
}

// Where a field fails twice the first in the page's order counts, and the first field that fails is the verdict.
func TestFirstFailure(t *testing.T) {
	all := []struct {
		rows.Row
		want string
	}{
		{rows.Row{Name: "type before rule", Items: "a int(0..5) == 3", Packet: "3:6"}, `out-of-range "a" at 0+3`},
		{rows.Row{Name: "fit before rule", Items: "a uint16 == 3", Packet: "8:6"}, `past-end "a" at 0+16`},
		{rows.Row{Name: "earlier field", Items: "a uint8 == 3\nb uint8 == 3", Packet: "8:1 8:1"}, `const-mismatch "a" at 0+8`},
		{rows.Row{Name: "field before its end", Items: "a uint8 == 3\nb uint8", Packet: "8:1"}, `const-mismatch "a" at 0+8`},
		{rows.Row{Name: "fields before trailing bytes", Items: "a uint8 == 3", Packet: "8:1 8:1"}, `const-mismatch "a" at 0+8`},
		{rows.Row{Name: "padding before size", Items: "n uint8\na bits(3)\nb bytes(n, max 1)", Packet: "8:2 3:0 5:31", Orders: []wire.Order{wire.LSB, wire.MSB}},
			`nonzero-padding "b" at 11+1`},
		{rows.Row{Name: "text before rule", Items: `b char(3) == "x"`, Packet: `8:0 "x" 8:0`}, `bad-string "b" at 0+24`},
		{rows.Row{Name: "case before rule", Decls: "enum E : uint8 { A = 1, B = 2 }", Items: "e E == A", Packet: "8:3"},
			`unknown-case "e" at 0+8`},
	}
	for _, r := range all {
		for _, order := range r.In() {
			if got := decodeRow(t, r.Row, order); got.Reject == nil || showReject(*got.Reject) != r.want {
				t.Errorf("%s, %v: want %s, got %s", r.Name, order, r.want, show(got))
			}
		}
	}
}
