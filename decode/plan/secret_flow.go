package plan

import (
	"math"
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// How secrets flow: from the fields that are @secret to all that is computed from them. Values flow through registers
// and operands; sizes flow into the position of all that is after, and into what is left of a window; a condition
// flows into all that it decides about. In a loop the end of an element flows into the next one, so passes over the
// tree are made until nothing is found any more: each but the last finds something.

// Decision is the blocks of a step that a secret decides about: the two sides of an `if`, the arms of a switch, the
// elements of a list. What is in it is shown as one thing, or not at all.
type Decision struct {
	At, Last Point  // of the step; all after At is in the decision
	Base     NodeID // the struct in which an `if` or a switch is; the list
	Fold     NodeID // what is shown in the place of all that is in it: the switch, the list; of an `if` its Base
	List     bool
	Shown    []NodeID // the switch; of an `if` one for each name on either side
}

// lost is what of a position is computed from a secret.
type lost uint8

const (
	lostBit   lost = 1 << iota // how far it is from the beginning of the datagram
	lostInner                  // how far it is from the beginning of the innermost window
	lostAll   = lostBit | lostInner
)

// flow is one search.
type flow struct {
	*Plan
	changed   bool
	registers []bool   // computed from a secret
	between   []lost   // of each step that repeats: what is lost after an element
	ended     []bool   // of each step that repeats: a secret ends it
	window    bool     // the size of the innermost window is computed from a secret
	rest      bool     // how many bits are left is
	bits      bool     // a look can see one, or what lies where is computed from one
	seen      []uint64 // the points from which on a secret can be read; nil where nothing looks at bits
	pointed   map[NodeID]bool
	inside    *Decision // at the step at hand; nil for none
	lines     lets
	turn      int             // of the relations that were followed
	turns     []int           // of each register: the last that came to it
	equals    map[uint32]bool // registers of which all sources were found to be equal to a secret
}

// flows finds all that is computed from a secret.
func (p *Plan) flows() {
	f := flow{Plan: p, registers: make([]bool, p.Registers), between: make([]lost, len(p.Steps)), ended: make([]bool, len(p.Steps)), lines: p.lets(), turns: make([]int, p.Registers), pointed: map[NodeID]bool{}, equals: map[uint32]bool{}}
	if p.SeesBits() {
		f.seen = make([]uint64, len(p.after))
	}
	f.inherit()
	for again := true; again; {
		for f.changed = true; f.changed; {
			f.changed = false
			f.pass()
			f.inherit()
		}
		again = f.pointers() || f.sealedSums()
	}
	f.fragments()
	for i := range p.Requires {
		for j := range p.Requires[i].Vars {
			v := &p.Requires[i].Vars[j]
			v.Secret = f.registers[v.Register]
		}
	}
}

// pointers makes secrets of the names before which a secret can be: by a pointer its bytes are shown as labels.
// It reports whether there was another. How many bytes such a name has of its own is none.
func (f *flow) pointers() (found bool) {
	first := StepID(len(f.Steps))
	for _, s := range f.Steps {
		if f.stepSecret(s) {
			for up := s.At().ID; up != NoStep; up = f.Steps[up].At().Up {
				if up == s.At().ID || f.Steps[up].Flow() == Repeat { // what is in a list can be before the list's beginning
					first = min(first, up)
				}
			}
		}
	}
	for _, b := range f.Blobs {
		if n := &f.Nodes[b.Node]; b.Text == schema.TextName && b.ID > first && !n.Secret {
			n.Secret, n.Derived, f.pointed[b.Node], found = true, true, true, true
		}
	}
	return found
}

// sealedSums makes secrets of the checksums that cover one, or begin or end with one, and reports whether there was
// another.
func (f *flow) sealedSums() (found bool) {
	p := f.Plan
	clear(p.after)
	p.ahead(p.after, p.stepSecret)
	before := make([]int, len(p.Steps)+1) // of each step: how many secrets are before it
	for i, s := range p.Steps {
		if before[i+1] = before[i]; p.stepSecret(s) {
			before[i+1]++
		}
	}
	for _, sum := range p.Checksums {
		if p.Nodes[sum.Node].Secret {
			continue
		}
		from, to := p.covered(sum)
		secret := to > from && before[to] > before[from]
		for i := range len(sum.Prefix) + len(sum.Suffix) {
			register := sum.Part(i).Register
			secret = secret || register >= 0 && f.registers[register]
		}
		if secret {
			n := &p.Nodes[sum.Node]
			n.Secret, n.Derived, found = true, true, true
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
		n := &f.Nodes[i]
		if up := &f.Nodes[n.Parent]; n.Unsized && up.Secret && !up.Unsized {
			up.Unsized, f.changed = true, true // and what else is in it
		}
	}
}

func (f *flow) pass() {
	if f.seen != nil {
		f.ahead(f.seen, f.stepSecret)
	}
	for register, leaves := range f.RegisterLeaves {
		for _, leaf := range leaves {
			f.registers[register] = f.registers[register] || f.Nodes[f.Info[leaf].Node].Secret
		}
	}
	f.Decisions = f.Decisions[:0]
	f.reach(f.End(), f.steps(f.Root, 0))
}

// steps follows a block from what is lost before it to what is lost after it: what is lost stays so up to the end of a
// window.
func (f *flow) steps(steps []Step, l lost) lost {
	for _, s := range steps {
		b := s.At()
		f.reach(b.Point, l)
		f.decided(b.Node)
		l |= s.leak(f, l)
	}
	return l
}

// blocks follows all blocks of a step.
func (f *flow) blocks(s Step, l lost) (behind lost) {
	behind = l
	for _, b := range s.Blocks() {
		behind |= f.steps(b.Steps, l)
	}
	return behind
}

// reach comes to a point.
func (f *flow) reach(at Point, l lost) {
	if f.rest = l&lostInner != 0 || f.window; f.rest {
		put(f.narrow, at)
	}
	if l&lostBit != 0 {
		put(f.lost, at)
	}
	f.bits = f.seen != nil && (f.rest || l&lostBit != 0 || has(f.seen, at))
}

// leak of most steps: nothing about what comes after them.
func (b *Base) leak(*flow, lost) lost { return 0 }

func (r *Run) leak(f *flow, _ lost) lost {
	for _, info := range f.Info[r.First : r.First+r.N] {
		f.decided(info.Node)
	}
	return 0
}

// leak of a number whose width a secret gives, which can be its own value.
func (s *Number) leak(f *flow, _ lost) lost {
	told, secret := f.asks(s), f.Nodes[s.Node].Secret
	if told { // of a ladder, what is shown is the sum
		f.hide(s.Node)
	}
	if s.EndLeaf >= 0 && secret {
		f.ends(s.Up)
	}
	if !told && !(secret && s.Kind.row().varies) {
		return 0
	}
	f.Nodes[s.Node].Unsized = true
	return lostAll
}

func (b *Blob) leak(f *flow, _ lost) lost {
	n := &f.Nodes[b.Node]
	switch {
	case f.asks(b), b.Rest && f.rest:
		f.hide(b.Node)
	case b.Text.Ends() && n.Secret && b.MinBits < 8*uint64(b.Max) && !f.pointed[b.Node]: // where, its bytes say
		n.Unsized = true
	default:
		return 0
	}
	return lostAll
}

func (l *Let) leak(f *flow, _ lost) lost {
	if (f.asks(l) || f.inside != nil || l.Leaf >= 0 && f.Nodes[l.Node].Secret) && !f.registers[l.Register] {
		f.registers[l.Register], f.changed = true, true
	}
	if n := &f.Nodes[l.Node]; l.Leaf >= 0 && f.registers[l.Register] && !n.Secret {
		n.Secret, n.Derived, f.changed = true, true, true
	}
	return 0
}

// leak of a relation. A value between two secrets is all but one.
func (r *Require) leak(f *flow, _ lost) lost {
	if q := &f.Requires[r.Index]; r.Bounds && f.operand(q.Lo) && f.operand(q.Hi) {
		if n := &f.Nodes[r.Node]; !n.Secret {
			n.Secret, n.Derived, f.changed = true, true, true
		}
	}
	if f.asks(r) {
		f.turn++
		f.equalOperand(r.Cond)
	}
	return 0
}

// leak of a window: after it, the position is what it was before it, by a size that is known or not.
func (w *Window) leak(f *flow, l lost) lost {
	around := f.window
	if f.window = f.asks(w); w.Fill > 0 {
		l = f.filled(w, l)
	}
	secret := f.window
	if n := &f.Nodes[w.Node]; secret && n.Secret {
		n.Unsized = true
	}
	f.reach(w.Last, f.blocks(w, l&^lostInner))
	f.window = around
	if secret {
		return lostAll
	}
	return 0
}

// filled follows a window that is filled with zeros. How much of a field is there says how many of its bits are zero,
// so with a secret inside the length is one; and with a length that is one all that can be cut.
func (f *flow) filled(s *Window, l lost) lost {
	for _, inner := range f.Steps[s.ID+1 : s.End] {
		if !f.window && f.stepSecret(inner) {
			f.lines.sources(s.Size, s.ID, map[uint32]bool{}, math.MaxInt, func(leaf int32) { f.hide(f.Info[leaf].Node) })
			f.Operands[s.Size].Secret, f.window = true, true
		}
	}
	if !f.window {
		return l
	}
	for _, inner := range f.Steps[s.ID+1 : s.End] {
		for leaf := range inner.Leaves() {
			f.hide(f.Info[leaf].Node)
		}
		if shape, _ := inner.Records(); shape == ShapeBytes || shape == ShapeGap {
			f.hide(inner.At().Node)
		}
	}
	return l | lostAll
}

func (g *Group) leak(f *flow, l lost) lost {
	behind := f.blocks(g, l)
	f.reach(g.Last, behind)
	return behind
}

func (i *If) leak(f *flow, l lost) lost {
	base := i.Node
	if f.Nodes[base].Kind == NodeItem { // the flag of an optional
		base = f.Nodes[base].Parent
	}
	begun := f.decide(i, f.asks(i), Decision{Base: base, Fold: base})
	return f.blocks(i, l) | f.decideEnd(i, begun)
}

func (s *Switch) leak(f *flow, l lost) lost {
	begun := f.decide(s, f.asks(s), Decision{Base: f.Nodes[s.Node].Parent, Fold: s.Node, Shown: []NodeID{s.Node}})
	if begun {
		for _, id := range append([]NodeID{s.Node}, s.Nodes...) {
			f.hide(id)
			f.Nodes[id].Decided = true
		}
	}
	return f.blocks(s, l) | f.decideEnd(s, begun)
}

func (s *List) leak(f *flow, l lost) lost {
	counted := s.Kind == ListCount && f.asks(s)
	return f.repeat(s, l, counted, func() bool { return s.Kind == ListRest && f.rest || s.Kind != ListCount && f.asks(s) })
}

func (s *Subset) leak(f *flow, l lost) lost {
	return f.repeat(s, l, f.asks(s), func() bool { return s.Kind == schema.SubsetBitmap && f.Nodes[f.Info[s.Flag].Node].Secret })
}

// repeat follows the elements of a list of which a secret gives the number, or which ends where something is asked
// between its elements.
func (f *flow) repeat(s Step, l lost, counted bool, ends func() bool) lost {
	b := s.At()
	secret := counted || f.ended[b.ID]
	if secret {
		f.hide(b.Node)
	}
	begun := f.decide(s, secret, Decision{Base: b.Node, Fold: b.Node, List: true})
	behind := f.blocks(s, l|f.between[b.ID])
	if behind != f.between[b.ID] {
		f.between[b.ID], f.changed = behind, true
	}
	f.reach(b.Each, behind)
	f.reach(b.Last, behind)
	if ends() {
		f.ends(b.ID)
	}
	return behind | f.decideEnd(s, begun)
}

// ends says that a secret ends a list.
func (f *flow) ends(list StepID) {
	if !f.ended[list] {
		f.ended[list], f.changed = true, true
	}
}

// asks reports whether the expression that a step asks is computed from a secret.
func (f *flow) asks(s Step) bool {
	i, ok := s.Expr()
	if !ok {
		return false
	}
	o := &f.Operands[i]
	if o.Secret {
		return true
	}
	if o.Kind == OperandLeaf {
		o.Secret = f.Nodes[f.Info[f.LeafOf(o, s.At().ID)].Node].Secret
	} else {
		o.Secret = f.code(f.Plan.code(o))
	}
	return o.Secret
}

// operand reports whether an operand that is in registers is computed from a secret.
func (f *flow) operand(i uint32) bool { return f.code(f.Plan.code(&f.Operands[i])) }

// code reports whether an expression asks for what is computed from a secret.
func (f *flow) code(code []Inst) bool {
	return slices.ContainsFunc(code, func(in Inst) bool {
		return in.Code == instRegister && f.registers[in.A] || in.Code == instRest && f.rest || in.Code != instRest && in.Code.Looks() && f.bits
	})
}

// equalOperand is equal for an operand, and for the one of a `let` where it is that.
func (f *flow) equalOperand(i uint32) {
	if code := f.Plan.code(&f.Operands[i]); len(code) > 0 {
		f.equal(code)
	}
}

// equalRegister goes to each register once a relation: a chain of `let`s that name others twice has 2ⁿ ways.
func (f *flow) equalRegister(register uint32) {
	if f.turns[register] == f.turn {
		return
	}
	f.turns[register] = f.turn
	for _, by := range f.lines.all[register] {
		f.equalOperand(by.Value)
	}
}

// equal finds the fields that a relation makes equal to what is computed from a secret, `require sum == (token &
// 0xff)`: who sees such a field sees the secret as far as the relation goes.
func (f *flow) equal(code []Inst) {
	last := len(code) - 1
	if last == 0 && code[0].Code == instRegister {
		f.equalRegister(code[0].A)
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
		equal := func(leaf int32) {
			if n := &f.Nodes[f.Info[leaf].Node]; !n.Secret {
				n.Secret, n.Derived, f.changed = true, true, true
			}
		}
		if l, ok := f.lines.code(sides[0], maxLets); ok && l.k != 0 {
			for _, leaf := range l.leaves {
				equal(leaf)
			}
		} else if f.lines.several(sides[0]) { // which of several wrote it is not followed: all may be equal
			f.lines.sourcesOf(sides[0], f.equals, math.MaxInt, equal)
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

// decide begins the decision of a step, where a secret decides about it and it is in none.
func (f *flow) decide(s Step, secret bool, d Decision) (begun bool) {
	if !secret || f.inside != nil {
		return false
	}
	d.At, d.Last = s.At().Point, s.At().Last
	f.Decisions = append(f.Decisions, d)
	f.inside = &f.Decisions[len(f.Decisions)-1]
	return true
}

// decideEnd ends the decision of a step, where one was begun. What it decides about takes more or fewer bits, if any.
func (f *flow) decideEnd(s Step, begun bool) lost {
	if !begun {
		return 0
	}
	f.inside = nil
	for _, inner := range f.Steps[s.At().ID+1 : s.At().End] {
		if _, let := inner.(*Let); let {
			continue
		}
		if w := inner.work(f.Plan, false, false); w.sizes.most() > 0 || w.fields[byCount].a > 0 {
			return lostAll
		}
	}
	return 0
}

// decided hides the outermost thing around a node that is in a decision, but for a list, which is hidden itself.
func (f *flow) decided(id NodeID) {
	d := f.inside
	if d == nil || d.List {
		return
	}
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
