package fuzz_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A name may point into any field, so that what a change of that field does is not known; of others it is.
func TestNamesThatPointIntoNumbers(t *testing.T) {
	d := compile(t, "protocol p\norder msb\npacket {\na uint16\nb uint16 in 0..9\nname dnsname\nc uint16 in 0..9\n}\n")
	for _, row := range []struct {
		name   string
		packet string
		knows  map[string]bool // of the field: something is claimed
	}{
		{"into the first", "\x01a\x00\x00\xc0\x00\x00\x00", map[string]bool{"a": false, "c": true}},
		{"a name of its own", "\x01a\x00\x00\x01x\x00\x00\x00", map[string]bool{"a": true, "c": true}},
	} {
		t.Run(row.name, func(t *testing.T) {
			claims := map[string]int{}
			var trace decode.Trace
			for m := range fuzz.NewMutator(d).Mutations([]byte(row.packet), decode.FromUnknown) {
				switch ok := d.Decode(m.Data, decode.FromUnknown, &trace) == nil; {
				case m.Expect.Verdict == oracle.Unknown:
					continue
				case m.Expect.Verdict == oracle.MustAccept != ok:
					t.Errorf("%s, %s: %v of %x, which is accepted: %v", m.Path, m.Done, m.Expect, m.Data, ok)
				}
				if m.Done == "max" {
					claims[m.Path]++
				}
			}
			for field, want := range row.knows {
				if got := claims[field] > 0; got != want {
					t.Errorf("%s: something is claimed: want %v, got %v", field, want, got)
				}
			}
		})
	}
}
