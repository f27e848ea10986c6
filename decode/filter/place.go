package filter

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
)

// What a place in the packet becomes: slots, and the actions that fill them. A place is a path, and where a switch's
// arms share a name it is several fields, of which a packet has one at most: fields of one type share a slot, and a
// comparison is made for each type that it fits.

// refs is the values that a term can be: of a place its leaves, bytes and text, one ref per type.
func (c *compiler) refs(t term) []ref {
	if t.kind == termRef {
		return t.refs
	}
	if t.kind != termPlace {
		return nil
	}
	var groups []group
	for _, id := range t.nodes {
		n := &c.tree.plan.Nodes[id]
		if n.Kind != plan.NodeLeaf && n.Kind != plan.NodeBlob {
			continue
		}
		if n.Secret {
			is := "is @secret"
			if n.Derived {
				is = "is computed from what is @secret"
			}
			c.failAt(t.at, "ask whether it is there: "+c.textOf(t.at)+" != nil", "%s "+is+": what matches would tell what it holds", quote(c.textOf(t.at)))
			return nil
		}
		typ := c.tree.typeOf(id)
		at := slices.IndexFunc(groups, func(g group) bool { return same(g.typ, typ) })
		if at < 0 {
			at = len(groups)
			groups = append(groups, group{typ: typ})
		}
		groups[at].nodes = append(groups[at].nodes, id)
		groups[at].typ.max = max(groups[at].typ.max, typ.max)
		if len(groups) > maxTypes {
			c.failAt(t.at, "", "%s has more than %d types", quote(c.textOf(t.at)), maxTypes)
			return nil
		}
	}
	var refs []ref
	for _, g := range groups {
		refs = append(refs, ref{c.valueSlot(t, g), g.typ})
	}
	return refs
}

// group is those fields of a place that have one type.
type group struct {
	typ   typ
	nodes []plan.NodeID
}

// same reports whether fields of two types can share a slot.
func same(a, b typ) bool {
	a.max, b.max = 0, 0
	return a == b
}

// valueSlot is the slot of a group.
func (c *compiler) valueSlot(t term, g group) int32 {
	s, fresh := c.slot(t.frame, fmt.Sprint("value ", g.nodes, t.chain))
	if !fresh {
		return s
	}
	p := c.tree.plan
	for _, id := range g.nodes {
		n := &p.Nodes[id]
		if n.Kind == plan.NodeBlob {
			c.act(t.frame, c.tree.at[id], action{slot: s, conv: convSpan, chain: innermost(t.chain)})
			continue
		}
		a := c.convert(n.Leaf)
		a.slot, a.chain = s, innermost(t.chain)
		c.act(t.frame, p.Info[n.Leaf].Point, a)
	}
	return s
}

// innermost is the chain as actions follow it: from the span upwards.
func innermost(chain []uint32) []uint32 {
	if len(chain) == 0 {
		return nil
	}
	up := slices.Clone(chain)
	slices.Reverse(up)
	return up
}

// convert is the action for a leaf.
func (c *compiler) convert(leaf int32) action {
	p := c.tree.plan
	info, l := &p.Info[leaf], &p.Leaves[leaf]
	a := action{kind: leafKindOf(p, leaf), width: l.Width, base: info.Base, leaf: leaf}
	if a.kind == inRun {
		a.off = c.offset(leaf)
	}
	switch {
	case a.kind == inNumber:
		a.conv = convNumber
	case info.Quant != nil:
		a.conv = convQuant
	case info.Form() == plan.FormFloat && l.Width == 32:
		a.conv = convFloat32
	case info.Form() == plan.FormFloat:
		a.conv = convFloat64
	case info.Signed:
		a.conv = convInt
	case info.Negative:
		a.conv = convNegative
	default:
		a.conv = convUint
	}
	return a
}

// offset is a leaf's number in its run.
func (c *compiler) offset(leaf int32) uint32 {
	p := c.tree.plan
	return uint32(int(leaf) - p.LeafAt(p.Info[leaf].Point))
}

// listSlot is the slot of a place's list, and the arrays that it can be; none when it is no list.
func (c *compiler) listSlot(t term) (int32, []plan.NodeID) {
	arrays := c.tree.ofKind(t.nodes, plan.NodeArray)
	if len(arrays) == 0 {
		return 0, nil
	}
	if c.tree.secret(arrays) {
		c.insideSecret(t.at)
		return 0, nil
	}
	s, fresh := c.slot(t.frame, fmt.Sprint("list ", arrays, t.chain))
	if fresh {
		for _, id := range arrays {
			c.act(t.frame, c.tree.at[id], action{slot: s, conv: convSpan, chain: innermost(t.chain)})
		}
	}
	return s, arrays
}

// presentSlot is a slot that is filled where any of a place's fields is there. What it tells of a secret is what the
// views tell too.
func (c *compiler) presentSlot(t term) int32 {
	s, fresh := c.slot(t.frame, fmt.Sprint("present ", t.nodes, t.chain))
	if !fresh {
		return s
	}
	p := c.tree.plan
	for _, id := range t.nodes {
		if p.Nodes[id].Decided {
			c.failAt(t.at, "", "a secret decides whether %s is there: what matches would tell it", quote(c.textOf(t.at)))
			return s
		}
	}
	within := c.levelOf(t.nodes)
	chain := innermost(t.chain)
	for at := range p.End() {
		a := action{slot: s, conv: convPresent, chain: chain}
		node := p.StepAt(at).At().Node
		switch p.ShapeAt(at) {
		case plan.NoShape:
			continue
		case plan.ShapeCodes:
			first := p.LeafAt(at)
			for leaf := first; leaf < len(p.Leaves) && p.Info[leaf].Point == at; leaf++ {
				if within[p.Info[leaf].Node] {
					a.conv, a.off = convLeafSeen, uint32(leaf-first)
					c.act(t.frame, at, a)
					break
				}
			}
			continue
		case plan.ShapeCode:
			a.conv, a.kind = convLeafSeen, inNumber
			if subset, ok := p.StepAt(at).(*plan.Subset); ok {
				a.kind, node = inSlot, p.Info[subset.Index].Node
			}
		case plan.ShapeBytes, plan.ShapeOpen, plan.ShapeGap:
		}
		if within[node] {
			c.act(t.frame, at, a)
		}
	}
	return s
}

// levelOf marks the nodes whose bits show that one of these is there: those inside it, but not inside a list in it. A
// count or a length shows that the struct around its list or text is there, but not yet the list or text.
func (c *compiler) levelOf(nodes []plan.NodeID) []bool {
	p := c.tree.plan
	within := make([]bool, len(p.Nodes))
	for _, id := range nodes {
		within[id] = true
	}
	for i := range p.Nodes {
		n := &p.Nodes[i]
		if n.Parent == plan.NoNode || n.Elem {
			continue
		}
		up := n.Parent
		if n.Named && p.Nodes[up].Kind != plan.NodeStruct {
			if p.Nodes[up].Elem {
				continue
			}
			up = p.Nodes[up].Parent
		}
		within[i] = within[i] || within[up]
	}
	return within
}
