package report

import (
	"regexp"
	"slices"
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

// without is a packet with zeros in place of its secrets, and right checksums; nil where that is not one that is read to
// the same end, so that what a session gives the secrets makes it whole again.
func (w *withheld) without(data []byte, from decode.Direction) []byte {
	err := w.decoder.Decode(data, from, &w.trace)
	if err != nil { // a secret can be in what was not read
		return nil
	}
	out := slices.Clone(data)
	for ev := range w.trace.Walk() {
		if !w.decoder.Plan().Nodes[ev.Node].Secret || ev.Cut() {
			continue
		}
		for bit := ev.Bit; bit < ev.Bit+ev.Width; bit++ {
			order := w.decoder.Plan().StepAt(w.trace.Records[ev.Record].Point).At().Order
			order.Store(out, bit, 1, 0)
		}
	}
	slices.Clone(w.trace.Seals).Sort().Repair(out, -1)
	if w.decoder.Decode(out, from, &w.trace) != nil {
		return nil
	}
	return out
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
