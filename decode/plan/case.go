package plan

import (
	"math"
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
	p.caseOfDefault()
	p.Case.settle()
}

// caseOfDefault gives the packets of a default arm one case, called as the arm's struct or `default`: its tags can be as
// many as 64 bits have, and what is counted, drawn or kept by case would be one of each packet. A tag that the enum names
// stays one. All others stand for the least of them, CaseTag.
func (p *Plan) caseOfDefault() {
	sw := p.CaseSwitch
	if e := sw.Item.Enum; sw.Default < 0 || e != nil && !e.Open && !e.Flags {
		return // of a closed enum no other tag is read
	}
	tag, found := p.leastOther()
	if !found {
		return
	}
	with := &schema.Enum{Name: "case", Open: true}
	if e := p.Case.Enum; e != nil {
		*with = *e
		with.Cases = slices.Clone(e.Cases)
	}
	name := "default"
	if v := sw.Item.Arms[sw.Default].Value; v != nil {
		ref, ok := v.Type.(*schema.StructRef)
		if ok && !ref.Struct.Inline && !slices.ContainsFunc(with.Cases, func(c schema.Case) bool { return c.Name == ref.Struct.Name }) {
			name = ref.Struct.Name
		}
	}
	with.Cases = append(with.Cases, schema.Case{Name: name, Value: wide(tag, p.Case.Negative)})
	p.Case.Enum, p.Case.Cases, p.Case.Kind = with, (&LeafInfo{Negative: p.Case.Negative}).casesOf(with, 64), LeafEnum
	p.CaseOther.Tag, p.CaseOther.OK = tag, true
}

// leastOther is the least tag of the default arm that the enum does not name.
func (p *Plan) leastOther() (tag uint64, found bool) {
	o := &p.Operands[p.CaseSwitch.Tag]
	lo, hi := o.Key(Low64(o.Expr.Lo)), o.Key(Low64(o.Expr.Hi))
	for _, entry := range append(slices.Clone(p.CaseSwitch.Entries), SwitchEntry{Lo: math.MaxUint64, Hi: math.MaxUint64}) {
		for ; lo < entry.Lo && lo <= hi; lo++ {
			if tag = o.Key(lo); p.Case.Cases == nil || p.Case.Cases.Name(tag) == "" {
				return tag, true
			}
		}
		if entry.Hi == math.MaxUint64 || entry.Hi >= hi {
			break
		}
		lo = max(lo, entry.Hi+1)
	}
	return 0, false
}

// CaseTag is the tag that a packet's case goes by: the packet's own, or that of all that a default arm takes and nothing
// names.
func (p *Plan) CaseTag(tag uint64) uint64 {
	if !p.CaseOther.OK || p.CaseSwitch.Find(p.Operands[p.CaseSwitch.Tag].Key(tag)) != p.CaseSwitch.Default || p.Case.Cases.Name(tag) != "" {
		return tag
	}
	return p.CaseOther.Tag
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
