package gogen

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/plan"
)

// What takes the rest of a window, or of the packet, can come again in the element of a list: a reader that has more
// bits there takes them, too, so there is no writing what comes after.

// taker is a step that takes the rest, where something may come after it.
type taker struct {
	slot int // shared with the others of its window: where that ends at most, exclusive; 0 where nothing has taken the rest
	left int // bits of which less can be left
}

// findTakers finds them, and the windows that they are in.
func (g *gen) findTakers() {
	for b := range stepsOf[*plan.Blob](g.p) {
		if b.Rest {
			g.taker(b, 8)
		}
	}
	for l := range stepsOf[*plan.List](g.p) {
		if l.Kind == plan.ListRest {
			g.taker(l, l.Left)
		}
	}
}

func (g *gen) taker(s plan.Step, left int) {
	up, crowded := g.p.Crowded(s, left)
	if !crowded {
		return
	}
	slot, ok := g.takenIn[up]
	if !ok {
		slot = g.slotCount
		g.slotCount++
		g.takenIn[up] = slot
	}
	g.takers[s.At().ID] = taker{slot, left}
}

// taken notes that a step has taken the rest.
func (f *function) taken(id plan.StepID) {
	if t, ok := f.g.takers[id]; ok {
		f.p("%s = min(%s-1, uint64(bit+%d)-1) + 1", f.slot(t.slot), f.slot(t.slot), t.left)
	}
}

// crowded begins a window, plan.NoStep for the packet, and is the condition under which it goes on to end after what
// takes its rest; "" where it cannot.
func (f *function) crowded(window plan.StepID, end string) string {
	slot, ok := f.g.takenIn[window]
	if !ok {
		return ""
	}
	f.p("%s = 0 // nothing has taken the rest", f.slot(slot))
	return fmt.Sprintf("%s-1 < uint64(%s)", f.slot(slot), end)
}

// final is a condition that is not asked as long as another pass can write something else.
func (g *gen) final(cond string) string {
	if g.open != nil {
		cond = g.judged() + " && " + cond
	}
	if len(g.lengthSlots) > 0 {
		cond += " && w.sure()"
	}
	return cond
}
