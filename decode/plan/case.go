package plan

import "github.com/pktscope/pktscope/decode/schema"

// findCase finds the switch whose tag is the packet's case (see Op's FlagCase).
func (p *Plan) findCase() {
	for pc := range p.Ops {
		op := &p.Ops[pc]
		if op.Code != OpSwitch || op.Flags&FlagCase == 0 {
			continue
		}
		tag, e := &p.Operands[op.A], p.Switches[op.B].Item.Enum
		p.Case = &LeafInfo{Negative: tag.Signed}
		if e != nil && !e.Flags {
			p.Case.Enum, p.Case.Cases = e, p.Case.casesOf(e, 64)
			p.Case.Kind = LeafEnum
		}
		p.Case.settle()
		p.CaseOp, p.CaseSecret = pc, tag.Secret
		return
	}
}

// Unit is the @unit of a leaf: its own, or where it has no annotations that of the vector or the list it is an element of.
func (p *Plan) Unit(id NodeID) string {
	for {
		n := &p.Nodes[id]
		switch {
		case n.Notes != nil:
			return n.Notes.Unit
		case n.Parent == NoNode || !n.Elem && !p.Nodes[n.Parent].isVector():
			return ""
		}
		id = n.Parent
	}
}

// isVector reports whether a node is a vec2, vec3, vec4 or quat.
func (n *Node) isVector() bool {
	if n.Value == nil {
		return false
	}
	_, ok := n.Value.Type.(*schema.VectorType)
	return ok
}
