package decode_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/reject"
)

// The words, in their place: an element in the middle, read with its array or one by one, is refused at the same bit
// with the same path, and leaves the elements before it in the trace.
func TestArrayOfRuns(t *testing.T) {
	d := protocol(t, "msb", "struct S { a uint8, b uint16 in 0..9, c uint8 }", "n uint8\ns [n]S\nz uint8")
	if op := ops.Lower(d.Plan()).Ops[1]; op.Code != ops.OpArray || op.Flags&ops.FlagRuns == 0 {
		t.Fatalf("%v: not read in one go", op)
	}
	packet := []byte{4}
	for i := range byte(4) {
		packet = append(packet, i, 0, i, 9)
	}
	packet = append(packet, 7)
	var tr decode.Trace
	if err := d.Decode(packet, decode.FromUnknown, &tr); err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(tr.Raw), "[4 0 0 9 1 1 9 2 2 9 3 3 9 7]"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	for _, row := range []struct {
		bend      func([]byte) []byte
		kind      reject.Kind
		path      string
		bit       int
		raw, span int
	}{
		{func(p []byte) []byte { p[1+4*2+1] = 1; return p }, reject.OutOfRange, "s[2].b", 8 + 2*32 + 8, 1 + 2*3 + 1, 2 + 3},
		{func(p []byte) []byte { return p[:1+4*2+2] }, reject.PastEnd, "s[2].b", 8 + 2*32 + 8, 1 + 2*3 + 1, 2 + 3},
		{func(p []byte) []byte { return p[:1+4*2] }, reject.PastEnd, "s[2].a", 8 + 2*32, 1 + 2*3, 2 + 3},
		{func(p []byte) []byte { return p[:1] }, reject.PastEnd, "s[0].a", 8, 1, 2 + 1},
		{func(p []byte) []byte { return p[:1+4*4] }, reject.PastEnd, "z", 8 + 4*32, 1 + 4*3, 2 + 4 + 1},
		{func(p []byte) []byte { p[1+1] = 1; return p[:1+4*2] }, reject.OutOfRange, "s[0].b", 8 + 8, 1 + 1, 2 + 1},
	} {
		err := d.Decode(row.bend(append([]byte(nil), packet...)), decode.FromUnknown, &tr)
		r := tr.Reject()
		if !errors.Is(err, row.kind) || r.Path() != row.path || r.Bit != row.bit || len(tr.Raw) != row.raw || len(tr.Records) != row.span {
			t.Errorf("%v, %d codes, %d spans; want %v at %s, bit %d, %d codes, %d spans", err, len(tr.Raw), len(tr.Records), row.kind, row.path, row.bit, row.raw, row.span)
		}
	}
}
