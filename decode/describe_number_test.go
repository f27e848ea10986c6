package decode_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// What a set wants is said in no memory but the caller's: a capture can be full of such refusals.
func TestWantAllocatesNothing(t *testing.T) {
	for _, row := range []struct{ decls, body, packet, want string }{
		{"", "n uint8 in {1, 2, 4..8, 9, 20}", "03", "want 1..2, 4..9, 20 in 8 bits, got 3"},
		{"enum E : uint8 { A = 1, B = 2, C = 0x10 }", "e E", "03", "want 0x01..0x02, 0x10 in 8 bits, got 0x03"},
		{"", "t uint8\ns switch t { 3..4: empty, 7: empty, 8: empty }", "05", "want 3..4, 7..8 in 8 bits, got 5"},
	} {
		var tr decode.Trace
		_ = protocol(t, "msb", row.decls, row.body).Decode(unhex(t, row.packet), decode.FromUnknown, &tr)
		if tr.Reject() == nil {
			t.Fatalf("%s: accepted", row.body)
		}
		room := make([]byte, 0, 128)
		if got := string(tr.Reject().AppendMessage(room)); got != row.want {
			t.Errorf("%s: want %q, got %q", row.body, row.want, got)
		}
		if n := testing.AllocsPerRun(100, func() { tr.Reject().AppendMessage(room) }); n != 0 {
			t.Errorf("%s: %v allocations", row.body, n)
		}
	}
}
