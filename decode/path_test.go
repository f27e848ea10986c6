package decode_test

import (
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// A Trace that records has the ways of a packet in their order, those before what refuses it; one that does not
// has none.
func TestPath(t *testing.T) {
	d, err := decode.Load("x.pks", []byte(`protocol x
order msb
packet {
  a uint8
  if a > 1 { b uint8 } else { c uint16 }
  s switch a { 0: uint8, 2..3: { e uint8 in 0..3 } }
  l [while rest > 1, max 3]{
    if a == 2 { f uint8 }
    g uint8
  }
}
`))
	if err != nil {
		t.Fatal(err)
	}
	steps := d.Plan().Steps
	for _, row := range []struct {
		packet []byte
		want   string
	}{
		{[]byte{4, 0}, "If 0"},                            // no arm
		{[]byte{2, 0, 9}, "If 0, Switch 1"},               // e is too large
		{[]byte{2}, "If 0"},                               // b is not there
		{nil, ""},                                         // nor is a
		{[]byte{0, 0, 0, 5}, "If 1, Switch 0, List 2"},    // no element
		{[]byte{0, 0, 0, 5, 1}, "If 1, Switch 0, List 2"}, // and a byte too many
		{[]byte{2, 0, 1, 7, 8}, "If 0, Switch 1, List 0, If 0, List 2"},
		{[]byte{0, 0, 0, 5, 1, 2}, "If 1, Switch 0, List 0, If 1, List 2"},
	} {
		var plain, recorded decode.Trace
		recorded.RecordPath()
		one, two := d.Decode(row.packet, decode.FromUnknown, &plain), d.Decode(row.packet, decode.FromUnknown, &recorded)
		if fmt.Sprint(one) != fmt.Sprint(two) || plain.Steps != recorded.Steps || plain.Bits != recorded.Bits || len(plain.Path) > 0 {
			t.Errorf("%x: recorded: %v, %d steps; else: %v, %d steps, %d ways", row.packet, two, recorded.Steps, one, plain.Steps, len(plain.Path))
		}
		got := ""
		for i, w := range recorded.Path {
			if i > 0 {
				got += ", "
			}
			got += fmt.Sprintf("%s %d", fmt.Sprintf("%T", steps[w.Step])[len("*plan."):], w.Way)
		}
		if got != row.want {
			t.Errorf("%x (%v): want %q, got %q", row.packet, two, row.want, got)
		}
		if n := testing.AllocsPerRun(10, func() { _ = d.Decode(row.packet, decode.FromUnknown, &recorded) }); n > 0 {
			t.Errorf("%x: %v allocations", row.packet, n)
		}
	}
}
