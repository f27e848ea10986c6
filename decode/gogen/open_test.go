package gogen_test

import (
	"encoding/hex"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/anyschema"
)

// What `rest` sizes or decides is read and written by generated code as the interpreter does it: with the length that Decode
// gave, and from the values alone.
func TestOpenFormsAgree(t *testing.T) {
	g := &program{dir: t.TempDir()}
	for i := range anyschema.Open {
		f := &anyschema.Open[i]
		if err := g.add(t, f.Name, compile(t, "form.pks", []byte(f.Source))); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	g.build(t)
	g.run(t, "go", "vet", "./...")
	b := &batch{g: g}
	for n := range g.plans {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		for _, packet := range anyschema.Open[n].Packets {
			data, err := hex.DecodeString(packet)
			if err != nil {
				t.Fatal(err)
			}
			b.attack(t, n, m, data, decode.Unknown, 150)
		}
		if made := b.makes(t, n, 1, 20, 100); made == 0 {
			t.Errorf("%s: no packet was made", g.names[n])
		}
	}
	b.hold(t)
	derived, written, refused := b.counts()
	t.Logf("%d packets, %d derived, %d changed and written, %d changed and refused", b.held, derived, written, refused)
	if derived < 1000 || written < 1000 || refused < 500 {
		t.Error("too few to show anything")
	}
}
