package coverage

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Fits reports whether the path of a trace leads where it says: every choice in it, and what refuses the packet, is in
// the block that the choice around it went into.
func (c *Set) Fits(t *decode.Trace) bool {
	p := c.points.p
	last := map[plan.StepID]int32{}
	led := func(id plan.StepID) bool {
		for _, turn := range p.Around(id) {
			if way, ok := last[turn.At.At().ID]; turn.At.Flow() == plan.Choose && (!ok || int(way) != turn.Block) {
				return false
			}
		}
		return true
	}
	for _, w := range t.Path {
		if last[w.Step] = w.Way; !led(w.Step) {
			return false
		}
	}
	o := c.RejectPointOf(t)
	if o < 0 {
		return !t.Rejected()
	}
	s := p.StepAt(c.points.rejects.List[o].At)
	return s == nil || led(s.At().ID)
}

// Disproved names what was reached although it is said to be out of reach.
func (c *Set) Disproved() []string {
	var names []string
	for at := range c.points.pairs {
		if c.points.possible[at/64]>>(at%64)&1 == 0 && c.has(at) {
			names = append(names, c.points.name(at))
		}
	}
	return names
}
