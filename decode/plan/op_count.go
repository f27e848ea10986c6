package plan

import "github.com/pktscope/pktscope/decode/schema"

// How many ops a step is lowered to is known before it is: large plans are refused for it (MaxOps). A test of
// decode/internal/ops holds the count to what is lowered.

// OpCount is how many flat ops the plan is lowered to, the one that ends it included.
func (p *Plan) OpCount() int {
	n := 1
	for _, s := range p.Steps {
		n += s.ops()
		within(n+len(p.Leaves), MaxOps, opsAndLeaves) // counted no further: it cannot overflow
	}
	return n
}

func (b *Base) ops() int { return 1 }

// ops also saves what is read later.
func (r *Run) ops() int { return 1 + len(r.Saves) }

// ops open and close.
func (w *Window) ops() int { return 2 }

// ops mark and note.
func (g *Group) ops() int { return 2 }

// ops bracket the elements; what does not say how many there are asks before each, some also after it.
func (s *List) ops() int {
	switch s.Kind {
	case ListCount:
		return 2
	case ListUntil:
		return 4
	case ListRest, ListWhile:
	}
	return 3
}

// ops bracket the elements; what does not say how many there are asks before each.
func (s *Subset) ops() int {
	if s.Kind == schema.SubsetIndex {
		return 2
	}
	return 3
}

// ops test, and jump over the other side.
func (i *If) ops() int {
	if i.Else == nil {
		return 1
	}
	return 2
}

// ops choose, and jump out of each arm.
func (s *Switch) ops() int { return 1 + len(s.Arms) }
