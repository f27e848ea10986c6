package gogen

import "github.com/pktscope/pktscope/decode/plan"

// flat is a block without what only brackets: of a Group, its steps and a mark.
func flat(steps []plan.Step) []plan.Step {
	for i, s := range steps {
		if _, ok := s.(*plan.Group); !ok {
			continue
		}
		all := append([]plan.Step{}, steps[:i]...)
		for _, s := range steps[i:] {
			if g, ok := s.(*plan.Group); ok {
				all = append(append(all, flat(g.Body)...), &plan.Open{Base: g.Base})
			} else {
				all = append(all, s)
			}
		}
		return all
	}
	return steps
}

// weigh says how much source each step is with what it brackets, in leaves.
func (g *gen) weigh() {
	g.weights = make([]int, len(g.p.Steps))
	for id := len(g.p.Steps) - 1; id >= 0; id-- {
		s := g.p.Steps[id]
		if _, ok := s.(*plan.Group); ok {
			g.weights[id] = 2 // what it brackets stands beside it
			continue
		}
		n := 1
		_, number := s.(*plan.Number)
		_, blob := s.(*plan.Blob)
		if run, ok := s.(*plan.Run); ok {
			n = run.N + len(run.Saves)
		} else if number || blob || s.Flow() >= plan.Repeat {
			n = 6
		}
		for _, b := range s.Blocks() {
			n += g.weightOf(flat(b.Steps))
		}
		g.weights[id] = n
	}
}

func (g *gen) weightOf(steps []plan.Step) int {
	n := 0
	for _, s := range steps {
		n += g.weights[s.At().ID]
	}
	return n
}
