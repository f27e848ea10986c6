package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Checkpoint is the step that a packet has to reach before it tests anything: the first checksum directly in `packet`.
// In a protocol without one it is the choice of the packet's case, and without that the first step: a reader that
// refuses a packet there has shown nothing.
type Checkpoint struct {
	at plan.Point // where it refuses; those before it count as well
}

// CheckpointOf finds the checkpoint of a plan.
func CheckpointOf(p *plan.Plan) Checkpoint {
	choice := plan.NoPoint
	for _, sum := range p.Checksums {
		if sum.Up == plan.NoStep {
			return Checkpoint{sum.Point}
		}
	}
	for _, s := range p.Steps {
		if isSwitch(s) && choice < 0 {
			choice = s.At().Point
		}
	}
	return Checkpoint{max(choice, 0)}
}

// Reached reports whether a decoder came past the checkpoint with a packet. Such packets are the valid ones that a
// campaign counts, in the sense of fuzzers: their format is right as far as the checkpoint.
func (c Checkpoint) Reached(t *decode.Trace) bool {
	r := t.Reject()
	if r == nil {
		return true
	}
	if r.At.Point < 0 {
		return len(t.Records) > 0 // bytes after the end: all else was read; or a size that nobody looked after
	}
	return r.At.Point > c.at
}
