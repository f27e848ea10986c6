package gogen

import (
	"github.com/pktscope/pktscope/decode/plan"
)

// A plan's jumps are those of structured code; here they become it again.

// block is ops that follow each other.
type block []*step

// step is one op with what it brackets.
type step struct {
	pc     int
	op     *plan.Op
	body   block // of an if, a list or a window
	other  block // of an if
	arms   []arm // of a switch
	end    int   // of a window: its OpClose
	weight int   // how much source it is, in leaves
}

// arm is one way of a switch.
type arm struct {
	target uint32
	body   block
}

// folder reads the ops from pc on.
type folder struct {
	p  *plan.Plan
	pc int
}

// block reads up to limit, or up to the op that ends what the block is the body of.
func (r *folder) block(limit int) block {
	var b block
	for r.pc < limit {
		op := &r.p.Ops[r.pc]
		s := &step{pc: r.pc, op: op, weight: lines(op.Code)}
		switch op.Code {
		case plan.OpJump, plan.OpNext, plan.OpClose, plan.OpEnd:
			return b
		case plan.OpRun:
			s.weight = int(op.B)
			r.pc++
		case plan.OpIf:
			r.pc++
			s.body = r.block(int(op.B))
			if r.pc < int(op.B) { // the jump over the other side
				jump := &r.p.Ops[r.pc]
				r.pc++
				s.other = r.block(int(jump.A))
			}
		case plan.OpArray, plan.OpRepeat:
			r.pc++
			s.body = r.block(int(op.B))
			r.pc = int(op.B)
		case plan.OpWindow:
			r.pc++
			s.body = r.block(limit)
			s.end = r.pc
			r.pc++
		case plan.OpSwitch:
			r.pc++
			for _, start := range r.p.Switches[op.B].Starts() {
				r.pc = start
				body := r.block(limit)
				s.arms = append(s.arms, arm{uint32(start), body})
				r.pc++
			}
		default:
			r.pc++
		}
		for _, inner := range []block{s.body, s.other} {
			s.weight += inner.weight()
		}
		for i := range s.arms {
			s.weight += s.arms[i].body.weight()
		}
		b = append(b, s)
	}
	return b
}

// lines is about how much source an op is, in leaves.
func lines(c plan.Code) int {
	switch c {
	case plan.OpBlob, plan.OpArray, plan.OpRepeat, plan.OpNumber, plan.OpWindow:
		return 6
	}
	return 1
}

func (b block) weight() int {
	n := 0
	for _, s := range b {
		n += s.weight
	}
	return n
}

// each calls f for every step, from the outside in.
func (b block) each(f func(s *step)) {
	for _, s := range b {
		f(s)
		s.body.each(f)
		s.other.each(f)
		for i := range s.arms {
			s.arms[i].body.each(f)
		}
	}
}

// phase is the position modulo 8 behind a block that starts at one; -1 is not known.
func (g *gen) phase(b block, at int) int {
	for _, s := range b {
		at = g.phaseOf(s, at)
	}
	return at
}

func (g *gen) phaseOf(s *step, at int) int {
	add := func(n int) int {
		if at < 0 {
			return -1
		}
		return (at + n) % 8
	}
	switch op := s.op; op.Code {
	case plan.OpRun:
		return add(int(op.C))
	case plan.OpCRC:
		return add(32)
	case plan.OpReserved:
		return add(int(op.A))
	case plan.OpAlign:
		return 0
	case plan.OpNumber:
		return -1
	case plan.OpBlob:
		switch unit := g.p.Blobs[op.A].Unit(); {
		case op.Flags&plan.FlagPacked == 0:
			return 0
		case unit%8 == 0:
			return at
		}
	case plan.OpWindow:
		if op.C == 8 {
			if op.Flags&plan.FlagPacked == 0 {
				return 0
			}
			return at
		}
		return -1
	case plan.OpIf:
		return join(g.phase(s.body, at), g.phase(s.other, at))
	case plan.OpSwitch:
		end := -2
		for i := range s.arms {
			if after := g.phase(s.arms[i].body, at); end == -2 {
				end = after
			} else {
				end = join(end, after)
			}
		}
		if end >= -1 {
			return end
		}
	case plan.OpArray, plan.OpRepeat:
		// A list is left at its head, at a flag, or behind its last element.
		in := g.loopPhase(s, at)
		if op.Code == plan.OpArray {
			return in
		}
		for _, inner := range s.body {
			switch inner.op.Code {
			case plan.OpSlot, plan.OpNumber:
				return -1
			}
		}
		return in
	}
	return at
}

// loopPhase is the phase at the start of every element of a list.
func (g *gen) loopPhase(s *step, at int) int {
	if at < 0 || g.phase(s.body, at) != at {
		return -1
	}
	for _, inner := range s.body {
		if inner.op.Code == plan.OpSlot {
			return -1
		}
	}
	return at
}

func join(a, b int) int {
	if a == b {
		return a
	}
	return -1
}
