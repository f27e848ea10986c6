package schemadoc

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// maxRules bounds the list of rules: a plan has up to 65,536 nodes, and their names are as long as they are deep.
const maxRules = 2000

// rulePart lists what refuses a packet or a message.
type rulePart struct {
	Listed *textTable
	More   int // that are not listed
}

// ruleTable lists what refuses a packet beside its end, in the order of the plan.
func ruleTable(p *plan.Plan) *rulePart {
	t, more := newTextTable("`Rule", "`Refused as", "Wanted"), 0
	requires := map[schema.Pos]string{}
	for i := range p.Requires {
		requires[p.Requires[i].Item.Pos] = p.Requires[i].Item.Text
	}
	open := map[plan.NodeID]*plan.Switch{}
	for _, s := range p.Switches {
		open[s.Node] = s
	}
	counts := map[plan.NodeID]*plan.LeafInfo{} // of lists and texts, which the schema does not name
	for i := range p.Info {
		l, leaf := &p.Info[i], &p.Leaves[i]
		if n := &p.Nodes[l.Node]; n.Kind == plan.NodeItem && n.Named && leaf.Count > 0 && leaf.Count-1 < leaf.Mask {
			counts[l.Node] = l
		}
	}
	for id := range p.Nodes {
		n := &p.Nodes[id]
		kinds, wants := "", ""
		switch {
		case open[plan.NodeID(id)] != nil && open[plan.NodeID(id)].Default < 0:
			kinds, wants = reject.UnknownCase.String(), "a tag that has an arm"
		case counts[plan.NodeID(id)] != nil:
			l := counts[plan.NodeID(id)]
			kinds, wants = reject.OutOfRange.String(), fmt.Sprintf("%d..%d", l.Base, l.Base+l.TypeSpan)
		case n.Kind == plan.NodeItem && !n.Named:
			kinds, wants = itemRule(n, requires)
		case n.Value != nil:
			kinds, wants = valueRule(n.Value)
		}
		if kinds == "" {
			continue
		}
		if len(t.Rows) == maxRules {
			more++
			continue
		}
		t.add(0, plainText(string(p.AppendRule(nil, plan.NodeID(id)))), kinds, wants)
	}
	return &rulePart{t.done(), more}
}

// itemRule is the rule of an item without a name.
func itemRule(n *plan.Node, requires map[schema.Pos]string) (kinds, wants string) {
	switch word, _, _ := strings.Cut(n.Name, "#"); {
	case word == "align":
		return reject.NonzeroPadding.String(), "zeros"
	case word == "reserved":
		return reject.ReservedNonzero.String(), "zeros"
	case word == "within":
		return reject.PastEnd.String() + ", " + reject.TrailingBytes.String(), "a window that ends where its items do"
	case word == "check":
		return reject.CheckMismatch.String(), ""
	case requires[n.Pos] != "":
		return reject.RuleBroken.String(), plainText(requires[n.Pos])
	}
	return "", ""
}

// valueRule is what a value's type and its rule refuse.
func valueRule(v *schema.Value) (kinds, wants string) {
	list := v.Type.Refuses()
	if r := v.Rule; r != nil {
		switch r.Kind {
		case schema.RuleIn:
			list = append(list, reject.OutOfRange)
		case schema.RuleEq, schema.RuleNe:
			list = append(list, reject.ConstMismatch)
		case schema.RuleFinite:
			list = append(list, reject.NotFinite)
		case schema.RuleEncoding:
			if r.Encoding.Refuses() {
				list = append(list, reject.BadString)
			}
		}
	}
	var words []string
	for i, k := range list {
		if i == 0 || k != list[i-1] {
			words = append(words, k.String())
		}
	}
	return strings.Join(words, ", "), wantsText(v)
}

// wantsText is what a value has to be.
func wantsText(v *schema.Value) string {
	text := v.RangeText()
	if ref, ok := v.Type.(*schema.EnumRef); ok && text == "" && !ref.Enum.Open {
		if ref.Enum.Flags {
			return "flags of " + ref.Enum.Name
		}
		return "a case of " + ref.Enum.Name
	}
	if b, ok := v.Type.(*schema.BoolType); ok && b.Wide && v.Rule == nil {
		return "0 or 1"
	}
	if a, ok := v.Type.(*schema.ArrayType); ok {
		return fmt.Sprintf("at most %d elements", a.Max)
	}
	return text
}
