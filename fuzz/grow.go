package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Windows that have to be longer: `within(words * 4)` holds whole words only, and a length can have a least value. The
// Encoder says how many bits are missing, and in the next pass the last list or the last bytes in the window are longer
// by them.

// spot is a thing in a packet: its step and the element that it is in.
type spot struct {
	step   plan.StepID
	parent int32
	index  uint32
}

func spotOf(a *decode.Query, step plan.StepID) spot { return spot{step, a.Parent, a.Index} }

// growth is what a thing is to have more than was chosen.
type growth struct {
	bits int    // in all
	put  uint64 // elements put in this pass
}

// stretchable finds, for each window, the last thing in it that can be made longer: bytes or a list that nothing but
// the window ends.
func (g *Generator) stretchable() map[plan.StepID]plan.StepID {
	all := map[plan.StepID]plan.StepID{}
	for id, s := range g.plan.Steps {
		if !g.stretches(s) {
			continue
		}
		for up := s.At().Up; up != plan.NoStep && g.plan.Steps[up].Flow() != plan.Repeat; up = g.plan.Steps[up].At().Up {
			if _, ok := g.plan.Steps[up].(*plan.Window); ok {
				all[up] = plan.StepID(id)
			}
		}
	}
	return all
}

func (g *Generator) stretches(s plan.Step) bool {
	if b, ok := s.(*plan.Blob); ok {
		return b.Rest
	}
	list, ok := s.(*plan.List)
	return ok && list.Kind == plan.ListRest || plan.Counted(s) && g.open(s)
}

// closing are the leaves that end a body after bytes whose size a look decides: `fill bytes(pad - 1), pad_count
// uint8`.
func (g *Generator) closing() map[int]bool {
	all := map[int]bool{}
	for _, s := range g.plan.Steps {
		for _, b := range s.Blocks() {
			if n := len(b.Steps); n > 1 {
				last, ok := b.Steps[n-1].(*plan.Run)
				if fill, bytes := b.Steps[n-2].(*plan.Blob); ok && bytes && last.N == 1 && g.open(fill) {
					all[last.First] = true
				}
			}
		}
	}
	return all
}

// closed is the size, in bytes, of what a leaf that is asked for closes, with the leaf: what padding counts.
func (s *generating) closed(a *decode.Query) uint64 {
	records := a.Trace.Records
	return (uint64(a.Bit+a.Width) - uint64(records[len(records)-1].Bit)) / 8
}

// Grow makes a window longer in the next pass.
func (s *generating) Grow(a *decode.Query) bool {
	to, ok := s.g.stretch[a.Step().At().ID]
	if !ok {
		return false
	}
	at := spotOf(a, to)
	if s.grown == nil {
		s.grown = map[spot]*growth{}
	}
	g := s.grown[at]
	if g == nil {
		g = &growth{}
		s.grown[at] = g
	}
	if g.bits += a.Width; g.bits > 8*s.g.plan.Schema.MaxDatagram {
		return false
	}
	return true
}

// filled are the leaves in windows that are filled with zeros; true for the first of each.
func (g *Generator) filled() map[int]bool {
	all := map[int]bool{}
	for _, s := range g.plan.Steps {
		w, ok := s.(*plan.Window)
		if !ok || w.Fill == 0 {
			continue
		}
		first := true
		for _, inner := range g.plan.Steps[w.ID+1 : w.End] {
			for leaf := range inner.Leaves() {
				all[leaf], first = first, false
			}
		}
	}
	return all
}

// zero reports whether a leaf is zero because those before it in its window are: so windows of all lengths come about.
func (s *generating) zero(a *decode.Query, info *plan.LeafInfo) bool {
	first, filled := s.g.fills[a.Leaf]
	if !filled {
		return false
	}
	s.zeros = s.zeros && !first || s.chance(12)
	kind, _ := info.Judge(0, a.Width)
	return s.zeros && kind == reject.None && a.Lo == 0
}

// Fill leaves most windows as long as their content, so that there are bits to break.
func (s *generating) Fill(_ *decode.Query, least, most int) int {
	switch n := s.random.IntN(100); {
	case n < 70:
		return most
	case n < 90 || least == most:
		return least
	}
	return least + s.random.IntN(most-least)
}

// longer is how many bytes the bytes at a have more than was chosen.
func (s *generating) longer(a *decode.Query) int {
	if g := s.grown[spotOf(a, a.Step().At().ID)]; g != nil {
		return (g.bits + 7) / 8
	}
	return 0
}

// another reports whether the list at a has one more of the elements that make it longer, which are as small as can be.
func (s *generating) another(a *decode.Query, list plan.StepID) bool {
	at := spotOf(a, list)
	g := s.grown[at]
	if g == nil {
		return false
	}
	least := max(1, int(s.g.plan.ElementBits(s.g.plan.Steps[list].At().Node)))
	if g.put >= uint64(max(1, g.bits/least)) || a.Elem >= plan.MostOf(s.g.plan.Steps[list]) {
		return false
	}
	g.put++
	s.least = &at
	return true
}

// smallest is the least code that a leaf may have, on the way to where a packet can go on.
func (s *generating) smallest(a *decode.Query) uint64 {
	if codes := s.g.must[a.Leaf]; len(codes) > 0 && a.Lo <= codes[0] && codes[0] <= a.Hi {
		if kind, _ := s.g.plan.Info[a.Leaf].Judge(codes[0], a.Width); kind == reject.None {
			return codes[0]
		}
	}
	return s.allowed(a, a.Lo, 1)
}
