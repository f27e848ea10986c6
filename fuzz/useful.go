package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Gate is what a packet has to pass before it tests anything: the checksum. In a protocol without one it is the choice of
// the packet's case, and without that the first op: a reader that turns a packet away there has shown nothing.
type Gate struct {
	at plan.Point // where it refuses; those before it count as well
}

// GateOf finds the gate of a plan.
func GateOf(p *plan.Plan) Gate {
	choice := plan.NoPoint
	for _, s := range p.Steps {
		if _, ok := s.(*plan.Checksum); ok {
			return Gate{s.At().Point}
		}
		if isSwitch(s) && choice < 0 {
			choice = s.At().Point
		}
	}
	return Gate{max(choice, 0)}
}

// Passed reports whether a packet came behind the gate. Of all packets sent, those are the useful ones.
func (g Gate) Passed(t *decode.Trace) bool {
	r := t.Reject()
	if r == nil {
		return true
	}
	if r.At.Point < 0 {
		return len(t.Spans) > 0 // bytes behind the end: all else was read; or a size that nobody looked behind
	}
	return r.At.Point > g.at
}
