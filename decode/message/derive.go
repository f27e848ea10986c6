package message

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/decode/wire"
)

// What a count or a length is when nobody gives it: it follows from the lists, bytes and texts that it sizes. Those
// that are there must agree. The lengths of windows are the Encoder's to find.

// sizesWindow reports whether a leaf's value is the length of a window.
func (s *source) sizesWindow(leaf int) bool { return slices.ContainsFunc(s.sizes[leaf], s.window) }

func (s *source) window(z plan.Sizing) bool {
	_, ok := s.p.StepAt(z.Point).(*plan.Window)
	return ok
}

// derivation is what has been found of a value so far.
type derivation struct {
	value int64
	by    *Value // what it follows from; nil before the first
	err   error
}

// derived is the code of a leaf that follows from what it sizes, ErrDerive when nothing of it is there.
func (s *source) derived(a *decode.Query, info *plan.LeafInfo) (uint64, error) {
	var d derivation
	for _, z := range s.sizes[a.Leaf] {
		if !s.window(z) && !s.elsewhere(a, z) {
			s.follow(a, z, &d)
		}
	}
	switch {
	case s.err != nil:
		return 0, s.err
	case d.err != nil:
		return 0, d.err
	case d.by == nil && s.p.Nodes[a.Node].Kind == plan.NodeItem:
		owner := *a
		owner.Node, owner.Leaf = s.p.Nodes[a.Node].Parent, -1
		return 0, s.missing(&owner)
	case d.by == nil:
		return 0, decode.ErrDerive
	}
	return info.CodeOf(uint64(d.value), a.Width), nil
}

// prepareTurns finds on which ways the things are that a leaf sizes.
func (s *source) prepareTurns() {
	s.turns = map[plan.Point][]plan.Turn{}
	s.holdRegisters()
	open := s.p.Opens()
	for _, sizings := range s.sizes {
		for _, z := range sizings {
			turns := s.p.Around(s.p.StepAt(z.Point).At().ID)
			turns = slices.DeleteFunc(turns, func(t plan.Turn) bool {
				expr, _ := t.At.Expr()
				return t.At.Flow() != plan.Choose || open != nil && open[expr]
			})
			if len(turns) > 0 {
				s.turns[z.Point] = turns
			}
		}
	}
}

// holdRegisters finds the leaves that have the values of registers: fields, and what is shown of `let`s. A hidden `let`
// that is one of several for a register counts where it copies what is in its own branch: it is there when that is.
func (s *source) holdRegisters() {
	writers := make([]int, s.p.Registers)
	for _, step := range s.p.Steps {
		if let, ok := step.(*plan.Let); ok {
			writers[let.Register]++
		}
	}
	s.holders = slices.Clone(s.p.RegisterLeaves)
	lost := make([]bool, s.p.Registers)
	for _, step := range s.p.Steps {
		let, ok := step.(*plan.Let)
		if !ok {
			continue
		}
		leaves := []int32{let.Leaf}
		if let.Leaf < 0 {
			leaves = nil
			if o := &s.p.Operands[let.Value]; o.Kind == plan.OperandLeaf {
				leaves = []int32{int32(s.p.LeafOf(o, let.ID))}
			} else if o.Kind == plan.OperandRegister && !lost[o.Register] {
				leaves = s.holders[o.Register]
			}
			apart := func(leaf int32) bool { return s.p.Reader(int(leaf)).At().Up != let.Up }
			lost[let.Register] = lost[let.Register] || len(leaves) == 0 || writers[let.Register] > 1 && slices.ContainsFunc(leaves, apart)
		}
		s.holders[let.Register] = append(slices.Clip(s.holders[let.Register]), leaves...)
	}
	for register := range lost {
		if lost[register] {
			s.holders[register] = nil
		}
	}
}

// elsewhere reports whether what has been written leads past what a sizing sizes.
func (s *source) elsewhere(a *decode.Query, z plan.Sizing) bool {
	return slices.ContainsFunc(s.turns[z.Point], func(t plan.Turn) bool {
		expr, _ := t.At.Expr()
		v, known := s.eval(a, expr, t.At.At().ID)
		return known && !t.At.Enters(s.p, t.Block, v)
	})
}

// eval is an expression of a step, where all that it reads has been written.
func (s *source) eval(a *decode.Query, expr uint32, id plan.StepID) (uint64, bool) {
	if o := &s.p.Operands[expr]; o.Kind == plan.OperandLeaf {
		return s.writtenValue(a, []int32{int32(s.p.LeafOf(o, id))})
	}
	if s.registers == nil {
		s.registers = make([]uint64, s.p.Registers)
	}
	for _, register := range s.p.Reads(expr) {
		v, ok := s.writtenValue(a, s.holders[register])
		if !ok {
			return 0, false
		}
		s.registers[register] = v
	}
	return s.p.Eval(expr, &plan.Env{Registers: s.registers, From: a.Trace.From}), true
}

// writtenValue is the value of the one of some leaves that was written, in the element of a question or around that.
func (s *source) writtenValue(a *decode.Query, leaves []int32) (uint64, bool) {
	t := a.Trace
	for _, leaf := range leaves {
		info, l := &s.p.Info[leaf], &s.p.Leaves[leaf]
		if before := a.Leaf - int(leaf); info.Point == a.Point && before > 0 { // in the run that is being written
			return info.Value(t.Raw[len(t.Raw)-before], int(l.Width)), true
		}
		parent, index := a.Parent, a.Index
		for i := len(t.Records) - 1; i >= 0; i-- {
			r := &t.Records[i]
			if int32(i) == parent {
				parent, index = r.Parent, r.Index
			}
			switch {
			case r.Parent > parent: // in a list before, whose record is passed next
				i = int(r.Parent) + 1
				continue
			case parent >= 0 && r.Index != index: // in another element
				i = int(parent) + 1
				continue
			case r.Point != info.Point:
				continue
			}
			if run, ok := s.p.StepAt(r.Point).(*plan.Run); ok {
				return info.Value(t.Raw[int(r.Raw)+int(leaf)-run.First], int(l.Width)), true
			}
			return info.Value(t.Raw[r.Raw], int(r.N)), true
		}
	}
	return s.givenValue(a, leaves)
}

// givenValue is the value that the tree has for the one of some leaves that comes later in the element of a question.
func (s *source) givenValue(a *decode.Query, leaves []int32) (uint64, bool) {
	for _, leaf := range leaves {
		info, width := &s.p.Info[leaf], int(s.p.Leaves[leaf].Width)
		if !s.p.LeafRuns(leaf) || s.element(info.Node) != s.element(a.Node) {
			continue
		}
		v := s.peek(a, info.Node, a.Parent, a.Index)
		if v == nil || v.Kind == Null || v.Kind == Object || v.Kind == List {
			continue
		}
		q := *a
		q.Node, q.Leaf, q.Width, q.Lo, q.Hi = info.Node, int(leaf), width, 0, wire.Mask(width)
		code, err := s.code(&q, info, v)
		return info.Value(code, width), err == nil
	}
	return 0, false
}

// element is the element around a node, NoNode outside of lists.
func (s *source) element(id plan.NodeID) plan.NodeID {
	for id != plan.NoNode && !s.p.Nodes[id].Elem {
		id = s.p.Nodes[id].Parent
	}
	return id
}

// follow finds what a sizing sizes: from the leaf's node up to what it has in common with the sized thing, then down by
// names, through every element of the lists on the way.
func (s *source) follow(a *decode.Query, z plan.Sizing, d *derivation) {
	nodes := s.p.Nodes
	var room [32]plan.NodeID
	down := room[:0]
	node, parent, index := a.Node, a.Parent, a.Index
	target := s.p.StepAt(z.Point).At().Node
	for node != target {
		if nodes[node].Depth < nodes[target].Depth {
			down = append(down, target)
			target = nodes[target].Parent
			continue
		}
		if nodes[node].Elem {
			outer := &a.Trace.Records[parent]
			parent, index = outer.Parent, outer.Index
		}
		node = nodes[node].Parent
	}
	var v *Value
	switch nodes[node].Kind {
	case plan.NodeStruct, plan.NodeArray:
		v = s.container(a, node, parent, index)
	case plan.NodeLeaf, plan.NodeBlob, plan.NodeItem:
		v = s.child(a, node, parent, index)
	default:
		panic("pktscope: internal error: a node of an unknown kind")
	}
	if v == nil && len(down) == 0 && s.err == nil {
		v = s.constant(z)
	}
	s.descend(a, z, d, v, down)
}

// constant is the one text that a field can hold, nil when there are more.
func (s *source) constant(z plan.Sizing) *Value {
	b, ok := s.p.StepAt(z.Point).(*plan.Blob)
	if !ok || b.Rule == nil || b.Rule.Kind != schema.RuleEq {
		return nil
	}
	return &Value{Kind: Bytes, Data: b.Rule.Bytes}
}

func (s *source) descend(a *decode.Query, z plan.Sizing, d *derivation, v *Value, down []plan.NodeID) {
	if d.err != nil || v == nil {
		return
	}
	if len(down) == 0 {
		s.conclude(a, z, d, v)
		return
	}
	n := &s.p.Nodes[down[len(down)-1]]
	down = down[:len(down)-1]
	switch {
	case n.Elem && v.Kind == List:
		for i := range v.Items {
			s.descend(a, z, d, &v.Items[i], down)
		}
	case !n.Elem && v.Kind == Object:
		next := v.next // what is looked at here does not come in order
		member := s.ask(v, n.Name)
		v.next = next
		s.descend(a, z, d, member, down)
	}
}

// conclude takes the size of v into account.
func (s *source) conclude(a *decode.Query, z plan.Sizing, d *derivation, v *Value) {
	size, what, err := s.size(a, z, v)
	if err != nil {
		// It is judged where it is written; but a text's length is written before.
		if s.p.Nodes[a.Node].Kind == plan.NodeItem {
			d.err = err
		}
		return
	}
	value, ok := z.Value(uint64(size))
	switch {
	case !ok:
		d.err = s.fail(a, fmt.Sprintf("missing, and no value of it gives the %s of %s", syntax.Count(size, what), s.m.path(v)))
	case d.by == nil:
		d.value, d.by = value, v
	case d.value != value && d.by == v:
		d.err = s.fail(a, fmt.Sprintf("missing, and %d or %d could follow from %s", d.value, value, s.m.path(v)))
	case d.value != value:
		d.err = s.fail(a, fmt.Sprintf("missing, and contradicted: %d follows from %s, %d from %s", d.value, s.m.path(d.by), value, s.m.path(v)))
	}
}

// size is how much of a list, of bytes or of a text there is.
func (s *source) size(a *decode.Query, z plan.Sizing, v *Value) (n int, what string, err error) {
	b, ok := s.p.StepAt(z.Point).(*plan.Blob)
	if !ok {
		if v.Kind != List {
			return 0, "", decode.ErrDerive
		}
		return len(v.Items), "element", nil
	}
	of := *a
	of.Node, of.Point = b.Node, z.Point
	data, err := s.bytes(&of, v)
	if err != nil {
		return 0, "", err
	}
	if b.Text == schema.TextWString {
		return b.Units(data), "UTF-16 unit", nil
	}
	return b.Units(data), "byte", nil
}

// sizer names the field that sizes the list or the bytes at a, in parentheses and with a space before; "" where none
// does.
func (s *source) sizer(a *decode.Query) string {
	for leaf, sizings := range s.sizes {
		for _, z := range sizings {
			if z.Point != a.Point || s.p.Nodes[s.p.Info[leaf].Node].Kind == plan.NodeItem {
				continue
			}
			if path, ok := s.written(a, leaf); ok {
				return " (" + path + ")"
			}
		}
	}
	return ""
}

// written is the path of the leaf as it was written last.
func (s *source) written(a *decode.Query, leaf int) (string, bool) {
	spans := a.Trace.Records
	for i := len(spans) - 1; i >= 0; i-- {
		sp := &spans[i]
		if info := &s.p.Info[leaf]; sp.Point == info.Point {
			of := *a
			of.Node, of.Parent, of.Index = info.Node, sp.Parent, sp.Index
			return of.Path(), true
		}
	}
	return "", false
}

// caseCode is the code of a tag that the message's Case names.
func (s *source) caseCode(info *plan.LeafInfo, width int) (uint64, bool) {
	if info.Enum != nil {
		if code, ok := s.caseOf(info, s.m.Case, width); ok {
			return code, true
		}
	}
	v, ok := parseInteger([]byte(s.m.Case))
	if !ok {
		return 0, false
	}
	code, ok := s.integer(info, width, v)
	return code, ok
}
