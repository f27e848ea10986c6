package ops

import (
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// Program is a plan as flat ops. It is immutable and safe for concurrent use.
type Program struct {
	Plan   *plan.Plan
	Ops    []Op
	Pos    []schema.Pos // the schema line of each op
	Runs   []Layout     // what OpRuns read, by their Imm
	Starts [][]uint32   // of each of the plan's Switches: the op that each arm begins with
}

// Recording are the ops with those marked at which a Trace that records its path notes the way.
func (o *Program) Recording() []Op {
	recorded := slices.Clone(o.Ops)
	for i := range recorded {
		if recorded[i].Code == OpIf {
			recorded[i].Flags |= FlagPath
		}
	}
	return recorded
}
