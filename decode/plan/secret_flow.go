package plan

import "slices"

// How secrets flow: from the fields that are @secret to all that is computed from them. Values flow through slots and
// operands; sizes flow into the position of all that is behind, and into what is left of a window; a condition flows into
// all that it decides about. In a loop the end of an element flows into the next one, so passes over the ops are made until
// nothing is found any more: each but the last finds something, and loops nest MaxLoops deep.

// Decision is a stretch of ops that a secret decides about: the two sides of an `if`, the arms of a switch, the elements of
// a list. What is in it is shown as one thing, or not at all.
type Decision struct {
	Op, End int    // the OpIf, OpSwitch, OpArray or OpRepeat, and the op behind its last
	Base    NodeID // the struct in which an `if` or a switch stands; the list
	Fold    NodeID // what is shown in the place of all that is in it: the switch, the list; of an `if` its Base
	List    bool
	Shown   []NodeID // the switch; of an `if` one for each name on either side
}

// What of a position is computed from a secret.
const (
	lostBit   uint8 = 1 << iota // how far it is from the beginning of the datagram
	lostInner                   // how far it is from the beginning of the innermost window
)

// flow is one search.
type flow struct {
	*Plan
	changed bool
	slots   []bool  // computed from a secret
	at      []uint8 // of each op: what is lost before it
	lists   []bool  // of each OpRepeat: a secret ends it
	windows []openWindow
	rest    bool // how many bits are left is computed from a secret
	lines   lets
	turn    int   // of the relations that were followed
	turns   []int // of each slot: the last that came to it
}

// openWindow is a window around the op at hand; the first is the datagram.
type openWindow struct {
	secret bool  // its size
	behind uint8 // what is lost behind it
}

// flows finds all that is computed from a secret.
func (p *Plan) flows() {
	f := flow{Plan: p, slots: make([]bool, p.Slots), at: make([]uint8, len(p.Ops)), lists: make([]bool, len(p.Ops)), lines: p.lets(), turns: make([]int, p.Slots)}
	f.inherit()
	for again := true; again; {
		for f.changed = true; f.changed; {
			f.changed = false
			f.pass()
			f.inherit()
		}
		again = p.sealedSums()
	}
	for i := range p.Requires {
		for j := range p.Requires[i].Vars {
			v := &p.Requires[i].Vars[j]
			v.Secret = f.slots[v.Slot]
		}
	}
	for i := range p.Decisions {
		if d := &p.Decisions[i]; !d.List {
			p.Ops[d.Op].Flags |= FlagSecret
		}
	}
}

// sealedSums makes secrets of the checksums that cover one, and reports whether there was another.
func (p *Plan) sealedSums() (found bool) {
	clear(p.after)
	p.follow(p.after, p.opSecret)
	for pc := range p.Ops {
		op := &p.Ops[pc]
		if n := op.Node; op.Code == OpCRC && !p.Nodes[n].Secret && (!p.CRCs[op.B].OverRest || has(p.after, pc+1)) {
			p.Nodes[n].Secret, p.Nodes[n].Derived, found = true, true, true
		}
	}
	return found
}

// inherit gives what is in a secret what the secret is, and the other way the size that not even may be shown.
func (f *flow) inherit() {
	for i := range f.Nodes {
		n := &f.Nodes[i]
		if n.Parent == NoNode {
			continue
		}
		up := &f.Nodes[n.Parent]
		if up.Secret && !n.Secret {
			n.Secret, n.Derived, f.changed = true, up.Derived, true
		}
		n.Unsized, n.Decided = n.Unsized || up.Unsized, n.Decided || up.Decided
	}
	for i := len(f.Nodes) - 1; i > 0; i-- {
		if n := &f.Nodes[i]; n.Unsized && f.Nodes[n.Parent].Secret {
			f.Nodes[n.Parent].Unsized = true
		}
	}
}

func (f *flow) pass() {
	for slot, leaves := range f.SlotLeaves {
		for _, leaf := range leaves {
			f.slots[slot] = f.slots[slot] || f.Nodes[f.Info[leaf].Node].Secret
		}
	}
	f.Decisions = f.Decisions[:0]
	f.windows = append(f.windows[:0], openWindow{})
	for pc := range f.Ops {
		f.op(pc)
	}
}

// op takes one op: what it makes a secret of, and what is lost behind it.
func (f *flow) op(pc int) {
	op := &f.Ops[pc]
	lost := f.at[pc]
	f.rest = lost&lostInner != 0 || f.windows[len(f.windows)-1].secret
	if f.rest {
		put(f.narrow, pc)
	}
	if lost&lostBit != 0 {
		put(f.lost, pc)
	}
	d := f.decision(pc)
	if d != nil {
		f.decided(d, pc)
	}
	switch op.Code {
	case OpIf:
		if f.operand(op.A, pc) && d == nil {
			base := op.Node
			if f.Nodes[base].Kind == NodeItem { // the flag of an optional
				base = f.Nodes[base].Parent
			}
			f.decide(Decision{Op: pc, End: f.endOf(pc), Base: base, Fold: base})
		}
	case OpSwitch:
		if f.operand(op.A, pc) && d == nil {
			f.decide(Decision{Op: pc, End: f.endOf(pc), Base: f.Nodes[op.Node].Parent, Fold: op.Node, Shown: []NodeID{op.Node}})
			for _, id := range append([]NodeID{op.Node}, f.Switches[op.B].Nodes...) {
				f.hide(id)
				f.Nodes[id].Decided = true
			}
		}
	case OpArray, OpRepeat:
		if op.Code == OpArray && f.operand(op.C, pc) || f.lists[pc] {
			f.hide(op.Node)
			if d == nil {
				f.decide(Decision{Op: pc, End: int(op.B), Base: op.Node, Fold: op.Node, List: true})
			}
		}
	case OpMore:
		if op.C == MoreRest && f.rest || op.C == MoreWhile && f.operand(op.B, pc) {
			f.endsList(op.A)
		}
	case OpUntil:
		if f.operand(op.B, pc) {
			f.endsList(op.A)
		}
	case OpSlot:
		if f.Nodes[f.Info[op.B].Node].Secret {
			f.endsList(op.A)
		}
	case OpNumber:
		if f.number(op, pc) {
			lost = lostBit | lostInner
		}
	case OpBlob:
		if f.blob(op, pc) {
			lost = lostBit | lostInner
		}
	case OpLet:
		if (f.operand(op.B, pc) || d != nil) && !f.slots[op.A] {
			f.slots[op.A], f.changed = true, true
		}
	case OpRequire:
		if f.operand(op.A, pc) {
			f.turn++
			f.equalOperand(op.A)
		}
	case OpWindow:
		secret := f.operand(op.A, pc)
		w := openWindow{secret: secret, behind: lost}
		if secret {
			w.behind = lostBit | lostInner
			if n := &f.Nodes[op.Node]; n.Secret {
				n.Unsized = true
			}
		}
		f.windows = append(f.windows, w)
		lost &^= lostInner
	case OpClose:
		n := len(f.windows) - 1
		lost = f.windows[n].behind
		f.windows = f.windows[:n]
	case OpRun, OpSave, OpCRC, OpAlign, OpReserved, OpUnit, OpStruct, OpMark, OpFrom, OpJump, OpNext, OpEnd:
	}
	f.goOn(pc, lost)
}

// goOn takes what is lost to the ops that can follow.
func (f *flow) goOn(pc int, lost uint8) {
	op := &f.Ops[pc]
	switch op.Code {
	case OpEnd:
	case OpJump:
		f.lose(int(op.A), lost)
	case OpIf, OpArray, OpRepeat:
		f.lose(pc+1, lost)
		f.lose(int(op.B), lost)
	case OpSwitch:
		s := f.Switches[op.B]
		for _, e := range s.Entries {
			f.lose(int(e.Target), lost)
		}
		if s.Default >= 0 {
			f.lose(int(s.Default), lost)
		}
	case OpNext:
		f.lose(int(op.A)+1, lost)
		f.lose(int(f.Ops[op.A].B), lost)
	case OpMore, OpUntil, OpSlot:
		f.lose(pc+1, lost)
		f.lose(int(f.Ops[op.A].B), lost)
	case OpNumber:
		f.lose(pc+1, lost)
		if n := f.Numbers[op.B]; n.EndLeaf >= 0 {
			f.lose(int(f.Ops[n.List].B), lost)
		}
	case OpRun, OpSave, OpCRC, OpAlign, OpReserved, OpUnit, OpBlob, OpWindow, OpClose, OpLet, OpRequire, OpStruct, OpMark, OpFrom:
		f.lose(pc+1, lost)
	}
}

func (f *flow) lose(pc int, lost uint8) {
	if lost&^f.at[pc] != 0 {
		f.at[pc] |= lost
		f.changed = true
	}
}

// number reports whether a secret gives a number its width.
func (f *flow) number(op *Op, pc int) bool {
	n := f.Numbers[op.B]
	node := op.Node
	switch n.Kind {
	case NumberSized, NumberRanged:
		if f.operand(n.Operand, pc) {
			f.hide(node)
			return true
		}
		return false
	case NumberLadder:
		if f.operand(n.Operand, pc) { // what is shown is the sum
			f.hide(node)
		}
	case NumberVarint, NumberStep:
	case NumberIndex:
		if n.EndLeaf >= 0 && f.Nodes[node].Secret {
			f.endsList(n.List)
		}
		return false
	}
	if !f.Nodes[node].Secret {
		return false
	}
	if n.EndLeaf >= 0 {
		f.endsList(n.List)
	}
	f.Nodes[node].Unsized = true
	return true
}

// blob reports whether a secret gives bytes or text their size.
func (f *flow) blob(op *Op, pc int) bool {
	b := f.Blobs[op.A]
	switch {
	case b.Size >= 0:
		if !f.operand(uint32(b.Size), pc) {
			return false
		}
		f.hide(op.Node)
		return true
	case b.Rest && f.rest:
		f.hide(op.Node)
		return true
	case b.Rest || b.MinBits == 8*uint64(b.Max):
		return false
	}
	f.Nodes[op.Node].Unsized = f.Nodes[op.Node].Secret // it ends with a NUL
	return f.Nodes[op.Node].Secret
}

// operand reports whether an operand of the op at pc is computed from a secret.
func (f *flow) operand(i uint32, pc int) bool {
	o := &f.Operands[i]
	if o.Secret {
		return true
	}
	switch o.Kind {
	case OperandConst:
	case OperandSlot:
		o.Secret = f.slots[o.Slot]
	case OperandLeaf:
		o.Secret = f.Nodes[f.Info[f.Leaf(o, pc)].Node].Secret
	case OperandCode:
		o.Secret = f.code(f.Insts[o.Start:o.End])
	}
	return o.Secret
}

// code reports whether an expression asks for what is computed from a secret.
func (f *flow) code(code []Inst) bool {
	return slices.ContainsFunc(code, func(in Inst) bool {
		return in.Code == instSlot && f.slots[in.A] || in.Code == instRest && f.rest
	})
}

// equalOperand is equal for an operand, and for the one of a `let` where it is that.
func (f *flow) equalOperand(i uint32) {
	switch o := &f.Operands[i]; o.Kind {
	case OperandSlot:
		f.equalSlot(o.Slot)
	case OperandCode:
		f.equal(f.Insts[o.Start:o.End])
	case OperandConst, OperandLeaf:
	}
}

// equalSlot goes to each slot once a relation: a chain of `let`s that name others twice has 2ⁿ ways.
func (f *flow) equalSlot(slot uint32) {
	if by := f.lines.by[slot]; by >= 0 && f.turns[slot] != f.turn {
		f.turns[slot] = f.turn
		f.equalOperand(f.Ops[by].B)
	}
}

// equal finds the fields that a relation makes equal to what is computed from a secret, `require sum == (token & 0xff)`: who
// sees such a field sees the secret as far as the relation goes.
func (f *flow) equal(code []Inst) {
	last := len(code) - 1
	if last == 0 && code[0].Code == instSlot {
		f.equalSlot(code[0].A)
	}
	if code[last].Code != instAnd && code[last].Code != instEq {
		return
	}
	cut := lastTerm(code[:last])
	x, y := code[:cut], code[cut:last]
	if code[last].Code == instAnd { // both are required
		f.equal(x)
		f.equal(y)
		return
	}
	for _, sides := range [][2][]Inst{{x, y}, {y, x}} {
		if f.code(sides[0]) || !f.code(sides[1]) {
			continue
		}
		if l, ok := f.lines.code(sides[0], maxLets); ok && l.k != 0 {
			for _, leaf := range l.leaves {
				if n := &f.Nodes[f.Info[leaf].Node]; !n.Secret {
					n.Secret, n.Derived, f.changed = true, true, true
				}
			}
		}
	}
}

func (f *flow) hide(id NodeID) {
	n := &f.Nodes[id]
	if !n.Secret {
		n.Secret, n.Derived, f.changed = true, true, true
	}
	n.Unsized = true
}

// endsList says that a secret ends the list whose OpRepeat is at pc.
func (f *flow) endsList(pc uint32) {
	if !f.lists[pc] {
		f.lists[pc], f.changed = true, true
	}
}

// endOf is the op behind an OpIf's or OpSwitch's last.
func (f *flow) endOf(pc int) int {
	op := &f.Ops[pc]
	if op.Code == OpIf {
		if last := &f.Ops[op.B-1]; int(op.B)-1 > pc && last.Code == OpJump && last.A > op.B {
			return int(last.A)
		}
		return int(op.B)
	}
	// Each arm ends with a jump behind the last; the first arm's is right before the second.
	end := uint32(pc + 1)
	for end <= uint32(pc)+1 || f.Ops[end-1].Code != OpJump || f.Ops[end-1].Node != op.Node {
		end++
	}
	return int(f.Ops[end-1].A)
}

// decision is the one that an op is in, nil for none.
func (f *flow) decision(pc int) *Decision {
	if n := len(f.Decisions); n > 0 && pc < f.Decisions[n-1].End {
		return &f.Decisions[n-1]
	}
	return nil
}

// decide adds a decision. What it decides about takes more or fewer bits, if any.
func (f *flow) decide(d Decision) {
	f.Decisions = append(f.Decisions, d)
	for pc := d.Op + 1; pc < d.End; pc++ {
		switch f.Ops[pc].Code {
		case OpRun, OpCRC, OpAlign, OpReserved, OpNumber, OpSlot, OpBlob, OpWindow:
			f.lose(d.End, lostBit|lostInner)
			return
		case OpSave, OpUnit, OpClose, OpArray, OpRepeat, OpMore, OpUntil, OpNext, OpIf, OpSwitch, OpJump, OpLet, OpRequire, OpStruct, OpMark, OpFrom, OpEnd:
		}
	}
}

// decided hides what an op reads in a decision.
func (f *flow) decided(d *Decision, pc int) {
	if d.List { // which is hidden itself
		return
	}
	op := &f.Ops[pc]
	switch op.Code {
	case OpRun:
		for _, info := range f.Info[op.A : op.A+op.B] {
			f.decidedNode(d, info.Node)
		}
	case OpSlot:
		f.decidedNode(d, f.Info[op.B].Node)
	case OpCRC, OpReserved, OpNumber, OpBlob, OpArray, OpRepeat, OpSwitch, OpStruct, OpRequire, OpAlign, OpWindow:
		f.decidedNode(d, op.Node)
	case OpSave, OpUnit, OpClose, OpMore, OpUntil, OpNext, OpIf, OpJump, OpLet, OpMark, OpFrom, OpEnd: // they have nothing to be seen
	}
}

// decidedNode hides the outermost thing around a node that is in a decision.
func (f *flow) decidedNode(d *Decision, id NodeID) {
	for f.Nodes[id].Parent != d.Base {
		if id = f.Nodes[id].Parent; id == NoNode {
			return
		}
	}
	f.hide(id)
	n := &f.Nodes[id]
	n.Decided = true
	if n.Kind == NodeItem && !n.Elem {
		return
	}
	for _, have := range d.Shown {
		if f.Nodes[have].Name == n.Name {
			return
		}
	}
	d.Shown = append(d.Shown, id)
}
