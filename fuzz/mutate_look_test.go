package fuzz_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/fuzz"
)

// The bits that a look saw are changed, and what is after the datagram's end is not. Nothing is claimed of what
// follows.
func TestLooksAreMutated(t *testing.T) {
	form := &anyschema.Form{Source: "protocol t\norder msb\npacket { a bits(3), if peek(5) == 9 { b bits(5) } else { c bits(5) }, if tail(16) != 7 { d uint8 } }"}
	m := fuzz.NewMutator(formDecoder(t, form))
	got := map[string]string{}
	for k := range m.Mutations([]byte{1<<5 | 9, 4}, decode.FromUnknown) {
		if k.Path == "" && k.Width == 5 {
			got[k.Done] = k.Expect.String()
			if k.Data[0] == 1<<5|9 || k.Data[1] != 4 {
				t.Errorf("%s: %x", k.Done, k.Data)
			}
		}
	}
	if len(got) != 4 {
		t.Errorf("%v", got)
	}
	for done, want := range got {
		if want != (&fuzz.Mutation{}).Expect.String() {
			t.Errorf("%s: %s", done, want)
		}
	}
}
