package wirediff

import (
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// sameLeaves compares the leaves that a step reads beside its facts.
func (c *comparer) sameLeaves(a, b plan.Step) bool {
	var x, y []int
	for leaf := range a.Leaves() {
		x = append(x, leaf)
	}
	for leaf := range b.Leaves() {
		y = append(y, leaf)
	}
	if len(x) != len(y) {
		return false
	}
	for i := range x {
		width, other := int(c.old.Leaves[x[i]].Width), int(c.new.Leaves[y[i]].Width)
		if number, ok := a.(*plan.Number); ok {
			width, other = number.Bits, b.(*plan.Number).Bits
		}
		if _, ok := a.(*plan.Let); ok {
			if !sameLet(&c.old.Info[x[i]], &c.new.Info[y[i]]) {
				return false
			}
			continue
		}
		if !c.leaf(x[i], y[i], width, other) {
			return false
		}
	}
	return true
}

// sameLet compares what two lets refuse.
func sameLet(a, b *plan.LeafInfo) bool {
	text := func(l *plan.LeafInfo) (out []uint64) {
		for lo, hi := range l.RuleSet() {
			out = append(out, lo, hi)
		}
		return out
	}
	return fmt.Sprint(text(a)) == fmt.Sprint(text(b)) && a.IsSigned() == b.IsSigned()
}

// leaf compares two leaves; false where one code is another value, or takes other bits.
func (c *comparer) leaf(a, b, width, other int) bool {
	x, y := &c.old.Info[a], &c.new.Info[b]
	if width != other || c.old.Leaves[a].Swap != c.new.Leaves[b].Swap || x.Swap != y.Swap {
		return false
	}
	if !sameValues(x, y) {
		return false
	}
	if width == 0 && (x.TypeSpan != y.TypeSpan || x.Base != y.Base) {
		return false
	}
	c.leaves[[2]int{a, b}] = true
	switch codes := edges(x, y, width); {
	case x.Form() == plan.FormFloat:
		if ruleText(x) != ruleText(y) {
			c.change(rule(c.new, y.Node)+": another rule", x.Node, y.Node, !covers(y, x), !covers(x, y))
		}
	case codes == nil:
		if !sameFlags(x, y) {
			c.change(rule(c.new, y.Node)+": other flags and another rule", x.Node, y.Node, true, true)
		}
	case !c.isTag(a, b):
		c.accepted(x, y, codes, width)
	}
	if moved := movedCase(x, y); moved != "" {
		c.moved = append(c.moved, moved)
		c.change(fmt.Sprintf("%s: %s has another value", rule(c.new, y.Node), moved), x.Node, y.Node, true, true)
	}
	return true
}

// text is the value of a code.
func text(l *plan.LeafInfo, code uint64, width int) string {
	if name := l.CaseName(code); name != "" {
		return name
	}
	if l.Form() == plan.FormFloat {
		return fmt.Sprint(l.Float(code, width))
	}
	return string(l.AppendInt(nil, code, width))
}

// sameValues reports whether each code of two leaves is one value.
func sameValues(x, y *plan.LeafInfo) bool {
	float := func(l *plan.LeafInfo) bool { return l.Form() == plan.FormFloat }
	hex := func(l *plan.LeafInfo) bool { return l.Form() == plan.FormHex }
	switch {
	case float(x) || float(y):
		return x.Kind == y.Kind && (x.Quant == nil) == (y.Quant == nil) && (x.Quant == nil || x.Quant.Quantized == y.Quant.Quantized)
	case hex(x) != hex(y):
		return false
	case hex(x):
		return x.Kind == y.Kind && x.Want == y.Want && x.Any == y.Any
	}
	return x.Signed == y.Signed && x.ZigZag == y.ZigZag && x.Base == y.Base
}

// accepted compares which of some codes two leaves accept.
func (c *comparer) accepted(x, y *plan.LeafInfo, codes []uint64, width int) {
	var only [2]bool
	for _, code := range codes {
		a, _ := x.Judge(code, width)
		b, _ := y.Judge(code, width)
		info, word, side := x, "no longer", oldPackets
		switch {
		case (a == reject.None) == (b == reject.None):
			continue
		case b == reject.None:
			info, word, side = y, "now also", newPackets
		}
		if !only[side] {
			only[side] = true
			value := text(info, code, width)
			if c.old.Nodes[x.Node].Secret || c.new.Nodes[y.Node].Secret {
				value = reject.Masked
			}
			c.change(fmt.Sprintf("%s may %s be %s", rule(c.new, y.Node), word, value), x.Node, y.Node,
				side == oldPackets, side == newPackets)
		}
	}
}

func ruleText(l *plan.LeafInfo) string {
	if l.Rule == nil {
		return ""
	}
	return fmt.Sprint(l.Rule.Kind, l.Rule.Floats, l.Rule.Want, number(l.Rule.WantFloat))
}

// covers reports whether a float's rule is known to allow all that another's does.
func covers(x, y *plan.LeafInfo) bool {
	switch a, b := x.Rule, y.Rule; {
	case a == nil:
		return true
	case b == nil || b.Kind != schema.RuleIn || a.Kind != schema.RuleIn:
		return b != nil && a.Kind == schema.RuleFinite && b.Kind == schema.RuleIn
	default:
		return !slices.ContainsFunc(b.Floats, func(r schema.FloatRange) bool {
			return !slices.ContainsFunc(a.Floats, func(all schema.FloatRange) bool { return all.Lo <= r.Lo && r.Hi <= all.Hi })
		})
	}
}

// sameFlags reports whether two flags have one rule and the same bits declared.
func sameFlags(x, y *plan.LeafInfo) bool {
	if x.Kind != y.Kind || x.Enum == nil || y.Enum == nil || (x.Rule == nil) != (y.Rule == nil) || x.Rule != nil && x.Rule.Kind != y.Rule.Kind {
		return false
	}
	return x.Enum.Mask == y.Enum.Mask && x.Enum.Open == y.Enum.Open && x.TypeSpan == y.TypeSpan && sameLet(x, y)
}

// accepts reports whether a leaf accepts a code.
func accepts(l *plan.LeafInfo, code uint64, width int) bool {
	kind, _ := l.Judge(code, width)
	return kind == reject.None
}

func number(f *float64) any {
	if f == nil {
		return nil
	}
	return *f
}

// edges are codes of which one lies in every stretch of codes that both leaves judge alike: the ends of all ranges, and
// their neighbours. Flags are judged by their bits, so there are those.
func edges(x, y *plan.LeafInfo, width int) []uint64 {
	mask := ^uint64(0)
	if width < 64 {
		mask = 1<<width - 1
	}
	if (x.Kind == plan.LeafFlags || y.Kind == plan.LeafFlags) && (x.Rule != nil || y.Rule != nil) {
		return nil
	}
	seen := map[uint64]bool{}
	add := func(code uint64) {
		for _, one := range []uint64{code - 1, code, code + 1} {
			seen[one&mask] = true
		}
	}
	add(0)
	add(mask)
	add(mask >> 1)
	for _, l := range []*plan.LeafInfo{x, y} {
		add(l.TypeSpan)
		add(l.Want)
		l.EachEdge(width, add)
	}
	for bit := range width {
		seen[1<<bit] = true
	}
	codes := make([]uint64, 0, len(seen))
	for code := range seen {
		codes = append(codes, code)
	}
	return sorted(codes)
}

// movedCase is a name of an enum or of flags that has another value in the other; "" where none has.
func movedCase(x, y *plan.LeafInfo) string {
	if x.Enum == nil || y.Enum == nil {
		return ""
	}
	values := map[string]schema.Case{}
	for _, one := range x.Enum.Cases {
		values[one.Name] = one
	}
	for _, one := range y.Enum.Cases {
		if was, ok := values[one.Name]; ok && was.Value.Cmp(one.Value) != 0 {
			return one.Name
		}
	}
	return ""
}
