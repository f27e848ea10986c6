package protocols_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// Every built-in is a schema without an error, and its plan verifies.
func TestBuiltinsCompile(t *testing.T) {
	for _, name := range protocols.Names() {
		src, _ := protocols.Source(name)
		s, diags := schema.Load(name+".pks", src, nil)
		if s == nil {
			t.Fatalf("%s: %v", name, diags)
		}
		p, diags := plan.Compile(s)
		for _, d := range diags {
			t.Errorf("%s: %s", name, d.Message)
		}
		if p != nil && p.Bound.MaxSteps == 0 {
			t.Errorf("%s: no bound", name)
		}
	}
}
