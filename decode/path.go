package decode

import (
	"github.com/pktscope/pktscope/decode/internal/ops"
	"github.com/pktscope/pktscope/decode/plan"
)

// Way is a way that a packet went where ways part: at an `if` or a switch into a block of the step, at a list as below.
// A list whose elements are counted before the first has none: its span says how many there are.
type Way struct {
	Step plan.StepID
	Way  int32
}

// The ways of a list that asks whether it goes on.
const (
	WayElement = iota // begins an element
	WayOn             // goes on, as is asked after an element
	WayOut            // leaves the list
)

// RecordPath makes Decode note in Path the ways that packets take, and in Sights the bits that looks saw, which can
// repeat. Without it Decode leaves both empty.
func (t *Trace) RecordPath() { t.records = true }

// PathRecorded reports whether Path has the ways of the packet.
func (t *Trace) PathRecorded() bool { return t.records }

// recording are the ops of which those where ways part are recorded: others than the program's, so that who does not
// record does not ask either.
func (d *Decoder) recording() []ops.Op {
	d.once.Do(func() { d.recorded = d.program.Recording() })
	return d.recorded
}

// way records a way of the step at hand.
func (m *machine) way(way int) {
	m.t.Path = append(m.t.Path, Way{m.p.StepAt(m.at).At().ID, int32(way)})
}

// part notes what is asked for at the `if` at hand: that it was reached, and its way.
func (m *machine) part(op *ops.Op) {
	if op.Flags&ops.FlagSecret != 0 {
		m.reach()
	}
	if op.Flags&ops.FlagPath != 0 {
		steps, way := m.steps, 0
		if m.eval(op.A) == 0 {
			way = 1
		}
		m.steps = steps // it is counted once
		m.way(way)
	}
}
