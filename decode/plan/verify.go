package plan

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// Verify proves what the interpreter relies on, from the ops alone, and computes the Bound:
//
//   - every jump is forward and stays inside its loop body; the only way back is an OpNext to its own OpArray;
//   - loops are properly nested, at most 64 deep, and each has an operand or a constant for its count and a maximum;
//   - every slot is written on every way to where it is read;
//   - every operand's expression leaves one value and fits the evaluation stack;
//   - indexes into leaves, nodes and tables are in range; an OpSave follows the run it reads;
//   - every op, kind, order and instruction is one that it knows: what is unknown is refused, not passed over;
//   - a run's words are what its leaves give, and an array with FlagRuns is nothing but a run.
//
// From these follows that Decode ends: between two OpNexts the position in the plan only grows, and each loop runs as
// often as its count, which the checker has bounded.
func (p *Plan) Verify() error {
	v := &verifier{p: p, pending: map[int]slotSet{}, joined: map[int]bool{}}
	if len(p.Ops) == 0 || p.Ops[len(p.Ops)-1].Code != OpEnd {
		return fmt.Errorf("plan does not end with %q", OpEnd)
	}
	for i := range p.Info {
		if p.Info[i].Kind > LeafReserved {
			return fmt.Errorf("leaf %d: no kind of leaf is %d", i, p.Info[i].Kind)
		}
	}
	if err := v.region(0, len(p.Ops), make(slotSet, (p.Slots+63)/64), 0); err != nil {
		return err
	}
	if v.windows != 0 {
		return fmt.Errorf("a window is not closed")
	}
	p.Bound = p.bound()
	p.Bound.MaxLoops = v.deepest
	return nil
}

// slotSet says which slots have been written on every way here.
type slotSet []uint64

func (s slotSet) has(i uint32) bool { return s[i/64]>>(i%64)&1 != 0 }

func (s slotSet) with(i uint32) slotSet {
	if s.has(i) {
		return s
	}
	c := append(slotSet(nil), s...)
	c[i/64] |= 1 << (i % 64)
	return c
}

func (s slotSet) and(o slotSet) slotSet {
	same := true
	for i := range s {
		same = same && s[i]&o[i] == s[i]
	}
	if same {
		return s
	}
	c := append(slotSet(nil), s...)
	for i := range c {
		c[i] &= o[i]
	}
	return c
}

type verifier struct {
	p       *Plan
	pending map[int]slotSet // at a join: what all the jumps to it had written
	joined  map[int]bool    // ops that a jump leads to
	lists   []uint32        // the loops around this op, outermost first
	windows int             // open at this op
	deepest int
}

// region checks ops start … end-1, the plan or one loop body, in one pass: all jumps in it are forward.
func (v *verifier) region(start, end int, written slotSet, depth int) error {
	p := v.p
	live := true // this op can be reached from the one before it
	for pc := start; pc < end; pc++ {
		if in, ok := v.pending[pc]; ok {
			if live {
				in = in.and(written)
			}
			written, live = in, true
			delete(v.pending, pc)
		}
		if !live {
			return fmt.Errorf("op %d cannot be reached", pc)
		}
		op := &p.Ops[pc]
		if op.Node < NoNode || int(op.Node) >= len(p.Nodes) || (op.Node == NoNode && op.Code != OpMark) {
			return fmt.Errorf("op %d: node %d does not exist", pc, op.Node)
		}
		if err := v.op(pc, written); err != nil {
			return fmt.Errorf("op %d (%s): %w", pc, op.Code, err)
		}
		switch op.Code {
		case OpSave, OpLet, OpMark:
			written = written.with(op.A)
		case OpNumber:
			if slot := p.Numbers[op.B].Slot; slot >= 0 {
				written = written.with(uint32(slot))
			}
		case OpIf:
			if err := v.jump(pc, int(op.B), end, written); err != nil {
				return err
			}
		case OpJump:
			if err := v.jump(pc, int(op.A), end, written); err != nil {
				return err
			}
			live = false
		case OpSwitch:
			if err := v.arms(pc, end, written); err != nil {
				return err
			}
			live = false
		case OpArray, OpRepeat:
			next := int(op.B) - 1
			if next <= pc || next >= end || p.Ops[next].Code != OpNext || int(p.Ops[next].A) != pc {
				return fmt.Errorf("op %d: array without its next", pc)
			}
			if depth >= maxNesting || int(op.A) != depth {
				return fmt.Errorf("op %d: loops nested deeper than %d, or out of order", pc, maxNesting)
			}
			if first := p.Ops[pc+1].Code; op.Code == OpRepeat && first != OpMore && first != OpSlot {
				return fmt.Errorf("op %d: repeat that does not ask for more", pc)
			}
			if op.Flags&FlagRuns != 0 && !p.onlyRun(pc) {
				return fmt.Errorf("op %d: more in the array than a run", pc)
			}
			v.deepest = max(v.deepest, depth+1)
			windows := v.windows
			v.lists = append(v.lists, uint32(pc))
			if err := v.region(pc+1, next, written, depth+1); err != nil {
				return err
			}
			v.lists = v.lists[:depth]
			if v.windows != windows {
				return fmt.Errorf("op %d: a window crosses the end of a loop", pc)
			}
			pc = next // what the body wrote does not count behind it: it may not have run
		case OpNext:
			return fmt.Errorf("op %d: next without its array", pc)
		case OpEnd:
			if pc != len(p.Ops)-1 {
				return fmt.Errorf("op %d: end inside the plan", pc)
			}
		}
	}
	// A jump to the region's end joins whatever follows the region.
	if _, ok := v.pending[end]; ok {
		delete(v.pending, end)
		live = true
	}
	if !live {
		return fmt.Errorf("op %d: the end of its block cannot be reached", end)
	}
	return nil
}

func (v *verifier) jump(pc, to, end int, written slotSet) error {
	if to <= pc || to > end || to == len(v.p.Ops) {
		return fmt.Errorf("op %d: jump to %d leaves its block or goes back", pc, to)
	}
	if in, ok := v.pending[to]; ok {
		written = in.and(written)
	}
	v.pending[to], v.joined[to] = written, true
	return nil
}

func (v *verifier) arms(pc, end int, written slotSet) error {
	s := v.p.Switches[v.p.Ops[pc].B]
	for i, e := range s.Entries {
		if e.Lo > e.Hi || i > 0 && s.Entries[i-1].Hi >= e.Lo {
			return fmt.Errorf("op %d: switch entries overlap or are out of order", pc)
		}
		if err := v.jump(pc, int(e.Target), end, written); err != nil {
			return err
		}
	}
	if s.Default >= 0 {
		return v.jump(pc, int(s.Default), end, written)
	}
	if len(s.Entries) == 0 {
		return fmt.Errorf("op %d: switch without a way out", pc)
	}
	return nil
}

// op checks the operands of one op.
func (v *verifier) op(pc int, written slotSet) error {
	p, op := v.p, &v.p.Ops[pc]
	slot := func(i uint32) error {
		if int(i) >= p.Slots {
			return fmt.Errorf("slot %d does not exist", i)
		}
		return nil
	}
	switch op.Code {
	case OpRun:
		return v.run(op)
	case OpSave:
		if err := v.behindRun(pc, op.B); err != nil {
			return err
		}
		return slot(op.A)
	case OpNumber:
		return v.number(pc, op, written)
	case OpUnit:
		if op.C < 2 || op.C > 31 || int(op.A)+4 > len(p.Leaves) {
			return fmt.Errorf("quaternion out of range")
		}
		return v.behindRun(pc, op.B+3)
	case OpWindow:
		if op.C != 1 && op.C != 8 {
			return fmt.Errorf("a window has a unit of 1 or 8 bits, not %d", op.C)
		}
		if int(op.B) != v.windows || v.windows >= maxNesting {
			return fmt.Errorf("windows nested deeper than %d, or out of order", maxNesting)
		}
		v.windows++
		return v.operand(pc, op.A, written)
	case OpClose:
		v.windows--
		if int(op.B) != v.windows {
			return fmt.Errorf("no window to close")
		}
	case OpMore, OpSlot, OpUntil:
		return v.inList(pc, op, written)
	case OpCRC:
		if int(op.A) >= len(p.Leaves) || int(op.B) >= len(p.CRCs) {
			return fmt.Errorf("checksum out of range")
		}
		if a := p.CRCs[op.B].Algorithm; a == nil || a.Width != int(p.Leaves[op.A].Width) {
			return fmt.Errorf("checksum without its algorithm")
		}
	case OpAlign:
		if op.A < 8 || op.A&(op.A-1) != 0 {
			return fmt.Errorf("alignment to %d bits", op.A)
		}
	case OpBlob:
		if int(op.A) >= len(p.Blobs) {
			return fmt.Errorf("blob out of range")
		}
		if s := p.Blobs[op.A].Size; s >= 0 {
			return v.operand(pc, uint32(s), written)
		}
	case OpArray:
		return v.operand(pc, op.C, written)
	case OpIf, OpSwitch, OpRequire:
		if op.Code == OpSwitch && int(op.B) >= len(p.Switches) || op.Code == OpRequire && int(op.B) >= len(p.Requires) {
			return fmt.Errorf("table out of range")
		}
		return v.operand(pc, op.A, written)
	case OpLet:
		if err := v.operand(pc, op.B, written); err != nil {
			return err
		}
		return slot(op.A)
	case OpMark:
		return slot(op.A)
	case OpFrom:
		if err := slot(op.A); err != nil {
			return err
		}
		if !written.has(op.A) {
			return fmt.Errorf("slot %d is read before it is written", op.A)
		}
		if side := schema.Side(op.B); side != schema.Client && side != schema.Server {
			return fmt.Errorf("no side of a connection: %d", op.B)
		}
	case OpEnd, OpReserved, OpRepeat, OpNext, OpJump, OpStruct:
		// They have no operands, or region looks at them.
	default:
		return fmt.Errorf("no op has this code")
	}
	return nil
}

// behindRun checks that op pc follows a run, with nothing but saves between, whose leaf number n it reads. No jump leads
// in between: blocks begin with ops of their own.
func (v *verifier) behindRun(pc int, n uint32) error {
	p := v.p
	for pc--; pc >= 0 && p.Ops[pc].Code == OpSave; pc-- {
		if _, ok := v.joined[pc+1]; ok {
			break
		}
	}
	if _, ok := v.joined[pc+1]; pc < 0 || ok || p.Ops[pc].Code != OpRun || n >= p.Ops[pc].B {
		return fmt.Errorf("no run before it holds leaf %d", n)
	}
	return nil
}

// inList checks an op that can leave the list around it.
func (v *verifier) inList(pc int, op *Op, written slotSet) error {
	p := v.p
	if len(v.lists) == 0 || v.lists[len(v.lists)-1] != op.A || p.Ops[op.A].Code != OpRepeat {
		return fmt.Errorf("not in the list it could leave")
	}
	switch {
	case op.Code == OpSlot:
		if int(op.B) >= len(p.Leaves) || int(op.C) >= len(p.Leaves) || op.Imm != p.Ops[op.A].Imm {
			return fmt.Errorf("leaves out of range")
		}
	case op.Code == OpMore && op.C > MoreWhile:
		return fmt.Errorf("asks nothing known")
	case op.Code == OpUntil, op.C == MoreWhile:
		return v.operand(pc, op.B, written)
	}
	return nil
}

// number checks a leaf whose width is found on the way.
func (v *verifier) number(pc int, op *Op, written slotSet) error {
	p := v.p
	if int(op.A) >= len(p.Leaves) || int(op.B) >= len(p.Numbers) {
		return fmt.Errorf("number out of range")
	}
	n := p.Numbers[op.B]
	if n.Slot >= int32(p.Slots) || n.Previous >= int32(p.Slots) || n.EndLeaf >= int32(len(p.Leaves)) {
		return fmt.Errorf("slot or leaf does not exist")
	}
	if int(n.Kind) >= numberKinds {
		return fmt.Errorf("no number has the kind %d", n.Kind)
	}
	if n.Kind.row().asks {
		return v.operand(pc, n.Operand, written)
	}
	if n.Kind.row().climbs && (n.Previous < 0 || !written.has(uint32(n.Previous))) {
		return fmt.Errorf("slot %d is read before it is written", n.Previous)
	}
	if n.EndLeaf >= 0 && (len(v.lists) == 0 || v.lists[len(v.lists)-1] != n.List || p.Ops[n.List].Code != OpRepeat) {
		return fmt.Errorf("not in the list it could leave")
	}
	return nil
}

// run checks that a run's leaves lie side by side and add up to its width.
func (v *verifier) run(op *Op) error {
	p := v.p
	if op.B == 0 || uint64(op.A)+uint64(op.B) > uint64(len(p.Leaves)) {
		return fmt.Errorf("leaves out of range")
	}
	if op.Order > wire.Bousk {
		return fmt.Errorf("no order of bits: %d", op.Order)
	}
	at := uint32(0)
	for i := op.A; i < op.A+op.B; i++ {
		l := &p.Leaves[i]
		if l.Off != at || l.Width > 64 || l.Mask != wire.Mask(int(l.Width)) || l.Swap != p.Info[i].Swap {
			return fmt.Errorf("leaf %d does not lie where its run has it", i)
		}
		at += uint32(l.Width)
	}
	if at != op.C {
		return fmt.Errorf("run of %d bits has leaves of %d", op.C, at)
	}
	return p.verifyLayout(op)
}

// operand checks that what it reads is there and that its expression leaves one value within the stack.
func (v *verifier) operand(pc int, i uint32, written slotSet) error {
	p := v.p
	if int(i) >= len(p.Operands) {
		return fmt.Errorf("operand out of range")
	}
	o := &p.Operands[i]
	read := func(slot uint32) error {
		if int(slot) >= p.Slots || !written.has(slot) {
			return fmt.Errorf("slot %d is read before it is written", slot)
		}
		return nil
	}
	switch o.Kind {
	case OperandSlot:
		return read(o.Slot)
	case OperandConst:
		return nil
	case OperandLeaf:
		return v.behindRun(pc, o.Slot)
	case OperandCode:
	default:
		return fmt.Errorf("no operand has the kind %d", o.Kind)
	}
	if o.Start >= o.End || int(o.End) > len(p.Insts) {
		return fmt.Errorf("expression out of range")
	}
	depth := 0
	for _, in := range p.Insts[o.Start:o.End] {
		need, gives := 2, 1
		switch in.Code {
		case instSlot:
			if err := read(in.A); err != nil {
				return err
			}
			need = 0
		case instConst, instRest, instFrom:
			need = 0
		case instFlag, instNeg, instNot:
			need = 1
		case instIn:
			if int(in.A) >= len(p.Sets) {
				return fmt.Errorf("set out of range")
			}
			need = 1
		default:
			if in.Code > instIn {
				return fmt.Errorf("no instruction has the code %d", in.Code)
			}
		}
		if depth < need {
			return fmt.Errorf("expression takes more than it has")
		}
		if depth += gives - need; depth > maxStack {
			return fmt.Errorf("expression deeper than %d", maxStack)
		}
	}
	if depth != 1 {
		return fmt.Errorf("expression leaves %d values", depth)
	}
	return nil
}
