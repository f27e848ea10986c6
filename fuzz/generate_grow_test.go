package fuzz_test

import (
	"errors"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

// A window in an array, whose length a field at the packet's root gives, asks for bits while the field is being
// written: what follows is still about the field, which lies in no element.
func TestLengthThatCannotGrow(t *testing.T) {
	src := `protocol x
order lsb
packet {
	a bits(8)
	list [rest, max 7]{
		within(a + 1 + 5) {
			b bits(1)
		}
		if 6 != a {
			c bytes(rest / 7 * 6, max 9)
			require rest * 5 % 3 == 1
		}
	}
}
`
	s, diags := schema.Load("x.pks", []byte(src), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, err := plan.Compile(s)
	if p == nil {
		t.Fatal(err)
	}
	d := decode.New(p)
	g := fuzz.NewGenerator(d)
	made := 0
	for seed := range uint64(3000) {
		packet, err := g.Random(seed, 0)
		var e *decode.EncodeError
		if errors.As(err, &e) && e.Kind == reject.OutOfRange && e.Path != "a" {
			t.Fatalf("seed %d: want a refused, got %s: %s", seed, e.Path, e.Problem)
		}
		if err == nil {
			made++
			var trace decode.Trace
			if err := d.Decode(packet.Data, packet.From, &trace); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
		}
	}
	if made == 0 {
		t.Error("want packets, got none")
	}
	t.Logf("%d packets", made)
}
