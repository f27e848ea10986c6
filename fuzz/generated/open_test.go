package generated_test

import (
	"encoding/hex"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/fuzz"
)

// What `rest` sizes or decides is read and written by generated code as the interpreter does it: with the length that
// Decode gave, and from the values alone.
func TestOpenFormsAgree(t *testing.T) {
	g := &program{dir: t.TempDir()}
	forms := slices.Concat(anyschema.Sums[:need.Rounds(len(anyschema.Sums), 10)], anyschema.Open[:need.Rounds(len(anyschema.Open), 4)])
	for i := range forms {
		f := &forms[i]
		if err := g.add(t, f.Name, compile(t, "form.pks", []byte(f.Source))); err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
	}
	g.build(t)
	g.vet(t)
	b := &batch{g: g}
	for n := range g.plans {
		m := fuzz.NewMutator(decode.New(g.plans[n]))
		for _, packet := range forms[n].Packets {
			data, err := hex.DecodeString(packet)
			if err != nil {
				t.Fatal(err)
			}
			b.attack(t, n, m, data, decode.FromUnknown, need.Rounds(150, 20))
		}
		if made := b.makes(t, n, 1, need.Rounds(20, 4), need.Rounds(100, 20)); made == 0 {
			t.Errorf("%s: no packet was made", g.names[n])
		}
	}
	b.hold(t)
	derived, written, refused := b.counts()
	t.Logf("%d packets, %d derived, %d changed and written, %d changed and refused", b.held, derived, written, refused)
	if enough := need.Rounds(1000, 20); derived < enough || written < enough || refused < enough/2 {
		t.Error("too few to show anything")
	}
}
