package fuzz

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
)

// Windows that have to be longer: `within(words * 4)` holds whole words only, and a length can have a least value. The Encoder
// says how many bits are missing, and in the next pass the last list or the last bytes in the window are longer by them.

// spot is a thing in a packet: its op and the element that it is in.
type spot struct {
	op     int
	parent int32
	index  uint32
}

func spotOf(a *decode.Ask, op int) spot { return spot{op, a.Parent, a.Index} }

// growth is what a thing is to have more than was chosen.
type growth struct {
	bits int    // in all
	put  uint64 // elements put in this pass
}

// stretchable finds, for each window, the last thing in it that can be made longer: bytes or a list that nothing but the
// window ends.
func stretchable(p *plan.Plan) map[int]int {
	all := map[int]int{}
	var open []int // windows
	var loops []int
	depth := map[int]int{} // of loops around a window
	for pc := range p.Ops {
		for len(loops) > 0 && loops[len(loops)-1] <= pc {
			loops = loops[:len(loops)-1]
		}
		op := &p.Ops[pc]
		found := -1
		switch op.Code {
		case plan.OpWindow:
			open = append(open, pc)
			depth[pc] = len(loops)
		case plan.OpClose:
			open = open[:len(open)-1]
		case plan.OpBlob:
			if p.Blobs[op.A].Rest {
				found = pc
			}
		case plan.OpArray:
			if p.Opens() != nil && p.Opens()[op.C] {
				found = pc
			}
		case plan.OpRepeat:
			if more := &p.Ops[pc+1]; more.Code == plan.OpMore && more.C == plan.MoreRest {
				found = pc
			}
		}
		for _, w := range open {
			if found >= 0 && depth[w] == len(loops) {
				all[w] = found
			}
		}
		if op.Code == plan.OpArray || op.Code == plan.OpRepeat {
			loops = append(loops, int(op.B))
		}
	}
	return all
}

// Grow makes a window longer in the next pass.
func (s *generating) Grow(a *decode.Ask) bool {
	op, ok := s.g.stretch[a.Op]
	if !ok {
		return false
	}
	at := spotOf(a, op)
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

// longer is how many bytes the bytes at a have more than was chosen.
func (s *generating) longer(a *decode.Ask) int {
	if g := s.grown[spotOf(a, a.Op)]; g != nil {
		return (g.bits + 7) / 8
	}
	return 0
}

// another reports whether the list at a has one more of the elements that make it longer, which are as small as can be.
func (s *generating) another(a *decode.Ask, list int) bool {
	at := spotOf(a, list)
	g := s.grown[at]
	if g == nil {
		return false
	}
	least := max(1, int(elementBits(s.g.plan, s.g.plan.Ops[list].Node)))
	if g.put >= uint64(max(1, g.bits/least)) || a.Elem >= s.g.plan.Ops[list].Imm {
		return false
	}
	g.put++
	s.least = &at
	return true
}

// smallest is the least code that a leaf may have, on the way to where a packet can go on.
func (s *generating) smallest(a *decode.Ask) uint64 {
	if codes := s.g.must[a.Leaf]; len(codes) > 0 && a.Lo <= codes[0] && codes[0] <= a.Hi {
		if kind, _ := s.g.plan.Info[a.Leaf].Judge(codes[0], a.Width); kind == reject.None {
			return codes[0]
		}
	}
	return s.allowed(a, a.Lo, 1)
}
