package plan

import "iter"

import "slices"

// Fork is a step that its expression leads into one of its blocks, or past them.
type Fork interface {
	Step
	// Enters reports whether a value of the expression leads into a block, of a list for one element at least. A list
	// that asks after its elements is always entered.
	Enters(p *Plan, block int, v uint64) bool
}

// Turn is a fork that leads into one of its blocks.
type Turn struct {
	At    Fork
	Block int
}

// Around are the forks on the way to a step, the outermost first.
func (p *Plan) Around(id StepID) []Turn {
	var all []Turn
	for ; id != NoStep; id = p.Steps[id].At().Up {
		up := p.Steps[id].At().Up
		if up == NoStep {
			break
		}
		if d, ok := p.Steps[up].(Fork); ok {
			all = append(all, Turn{d, BlockOf(d, id)})
		}
	}
	slices.Reverse(all)
	return all
}

// BlockOf is the number of the block of a step that another step is in, however deep; -1 for none.
func BlockOf(s Step, id StepID) int {
	return slices.IndexFunc(s.Blocks(), func(b Block) bool { return b.Holds(id) })
}

// TagLeaves yields the leaves whose value a switch's tag is, where that is a plain field: more than one where exclusive
// branches read it.
func (p *Plan) TagLeaves(s *Switch) iter.Seq[int] {
	return func(yield func(int) bool) {
		if o := &p.Operands[s.Tag]; o.Kind == OperandLeaf {
			yield(p.LeafOf(o, s.ID))
			return
		}
		if s.TagRegister < 0 {
			return
		}
		for _, leaf := range p.RegisterLeaves[s.TagRegister] {
			if !yield(int(leaf)) {
				return
			}
		}
	}
}

// Reader is the step that reads a leaf.
func (p *Plan) Reader(leaf int) Step { return p.StepAt(p.Info[leaf].Point) }

// LeafRuns reports whether a leaf is in a Run, so that its width is a constant.
func (p *Plan) LeafRuns(leaf int32) bool { _, ok := p.Reader(int(leaf)).(*Run); return ok }

// Enters the first block when the condition is true.
func (i *If) Enters(_ *Plan, block int, v uint64) bool { return (v != 0) == (block == 0) }

// Enters the arm that the tag has.
func (s *Switch) Enters(p *Plan, block int, v uint64) bool {
	return s.Find(p.Operands[s.Tag].Key(v)) == block
}

// Enters with a count that may be, and is not 0, or a condition that is true.
func (s *List) Enters(_ *Plan, _ int, v uint64) bool {
	switch s.Kind {
	case ListCount:
		return 0 < int64(v) && v <= s.Max
	case ListWhile:
		return v != 0
	case ListRest, ListUntil:
	}
	return true
}

// Enters with a count that may be, and is not 0.
func (s *Subset) Enters(_ *Plan, _ int, v uint64) bool { return 0 < int64(v) && v <= s.N }
