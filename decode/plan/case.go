package plan

import (
	"slices"

	"github.com/pktscope/pktscope/decode/schema"
)

// findCase finds the switch whose tag is the packet's case: none where a secret decides whether it is there.
func (p *Plan) findCase() {
	i := slices.IndexFunc(p.Switches, func(s *Switch) bool { return s.Case })
	if i < 0 {
		return
	}
	if p.DecisionAt(p.Switches[i].Point) != nil { // that there is a case would tell the secret
		p.Switches[i].Case = false
		return
	}
	p.CaseSwitch = p.Switches[i]
	p.Case = &LeafInfo{Negative: p.Operands[p.CaseSwitch.Tag].Signed}
	if e := p.CaseSwitch.Item.Cases(); e != nil && !e.Flags {
		p.Case.Enum, p.Case.Cases = e, p.Case.casesOf(e, 64)
		p.Case.Kind = LeafEnum
	}
	p.Case.settle()
}

// CaseSecret reports whether the packet's case is a secret, or computed from one.
func (p *Plan) CaseSecret() bool { return p.Case != nil && p.Operands[p.CaseSwitch.Tag].Secret }

// ShownCase is the switch of the packet's case, nil without one and where the case is a secret: what is counted by case
// would tell it.
func (p *Plan) ShownCase() *Switch {
	if p.CaseSecret() {
		return nil
	}
	return p.CaseSwitch
}

// Unit is the @unit of a leaf: its own, or where it has no annotations that of the vector or the list it is an element
// of.
func (p *Plan) Unit(id NodeID) string {
	for {
		n := &p.Nodes[id]
		switch {
		case n.Annotations != nil:
			return n.Annotations.Unit
		case n.Parent == NoNode || !n.Elem && !p.Nodes[n.Parent].IsVector():
			return ""
		}
		id = n.Parent
	}
}

// IsVector reports whether a node is a vec2, vec3, vec4 or quat.
func (n *Node) IsVector() bool {
	if n.Value == nil {
		return false
	}
	_, ok := n.Value.Type.(*schema.VectorType)
	return ok
}
