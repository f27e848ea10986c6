package message

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
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
		if !s.window(z) {
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
