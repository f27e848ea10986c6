package report

import (
	"regexp"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
)

// withheld knows which packets of findings are not shown: those that hold a secret, as far as the protocol can say of
// each. A nil one shows all.
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

// ending is how a process ended, in the words of fuzz/process.
var ending = regexp.MustCompile(`^(killed by SIG[A-Z]+( \([a-z ]+\))?|exit status [0-9]+)$`)

// report is what may be shown of what a target printed when it died: of a finding whose packets are not shown how it
// ended, and the calls that it was in. The rest may be the packet.
func (w *withheld) report(f *fuzz.Finding) string {
	if f.Report == "" || !w.finding(f) {
		return f.Report
	}
	var b []byte
	if first, _, _ := strings.Cut(f.Report, "\n"); ending.MatchString(first) {
		b = append(append(b, first...), '\n')
	}
	b = append(b, "what it printed is not shown: the packet holds a secret"...)
	for _, call := range f.Stack {
		b = append(append(b, "\n  in "...), call.String()...)
	}
	return string(b)
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
