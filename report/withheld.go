package report

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
)

// withheld knows which packets of findings are not shown: those that hold a secret, as far as the protocol can say of each. A
// nil one shows all.
type withheld struct {
	decoder *decode.Decoder
	trace   decode.Trace
}

// newWithheld is nil for a protocol without secrets, and without a plan.
func newWithheld(p *plan.Plan) *withheld {
	if p == nil || !p.HasSecret() {
		return nil
	}
	return &withheld{decoder: decode.New(p)}
}

// packet reports whether a packet is not shown.
func (w *withheld) packet(data []byte, from decode.Direction) bool {
	if w == nil {
		return false
	}
	_ = w.decoder.Decode(data, from, &w.trace) // the verdict is in the trace
	return w.trace.HoldsSecret()
}

// finding reports whether any packet of a finding is not shown, so that no command can have them.
func (w *withheld) finding(f *fuzz.Finding) bool {
	for _, b := range f.Before {
		if w.packet(b.Data, b.From) {
			return true
		}
	}
	return w.packet(f.Packet, f.From)
}

// Withheld reports whether a packet of a finding holds a secret, and is in no report.
func Withheld(p *plan.Plan, f *fuzz.Finding) bool { return newWithheld(p).finding(f) }
