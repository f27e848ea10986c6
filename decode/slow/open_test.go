package slow_test

import (
	"encoding/hex"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/anyschema"
)

// What `rest` sizes or decides comes back from the values alone: the packets of every form go through a trace and JSON.
func TestOpenForms(t *testing.T) {
	for _, f := range anyschema.Open {
		t.Run(f.Name, func(t *testing.T) {
			l := newLaws(t, load(t, f.Source))
			for _, packet := range f.Packets {
				data, err := hex.DecodeString(packet)
				if err != nil {
					t.Fatal(err)
				}
				if err := l.hold(data, decode.Unknown); err != nil {
					t.Errorf("%s: %v", packet, err)
				}
				if l.t.Rejected() {
					t.Errorf("%s: %v", packet, l.t.Reject())
				}
			}
		})
	}
}
