package gogen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// What a field may hold, in the words after it: the Go type says less than the schema, and Append refuses what is
// outside.

// bounds is the comment after a node's field: its range, its unit; "" where the Go type says it all.
func (g *gen) bounds(id plan.NodeID, t *goType) string {
	n := &g.p.Nodes[id]
	if n.Parent != plan.NoNode && g.isVector(n.Parent) {
		return "" // its Go type belongs to other vectors, too
	}
	var parts []string
	add := func(text string) {
		if text != "" {
			parts = append(parts, text)
		}
	}
	if t.shape == shapeList && !t.fixed {
		add(fmt.Sprintf("at most %d", g.sized[id].Most()))
	}
	if b := g.blob(id); b != nil {
		what := "bytes"
		switch {
		case b.Text == schema.TextWString:
			what = "characters"
		case b.Encoding.Converts():
			what += " of " + b.Encoding.Name()
		}
		if !t.fixed && t.shape != shapeStruct {
			add(fmt.Sprintf("at most %d %s", b.Max, what))
		}
		add(ruleText(b.Rule))
	}
	add(g.span(id, t))
	if n.Kind == plan.NodeLeaf && n.Leaf >= 0 && g.p.Info[n.Leaf].Let != nil {
		add("computed: Append ignores it")
	}
	if n.Annotations != nil {
		unit := n.Annotations.Unit
		if n.Annotations.Scale != 0 {
			unit = strings.TrimSpace("× " + strconv.FormatFloat(n.Annotations.Scale, 'g', -1, 64) + " " + unit)
		}
		add(unit)
	}
	return strings.Join(parts, ", ")
}

// span is what a number, or each number of a vector or a list, may be.
func (g *gen) span(id plan.NodeID, t *goType) string {
	n := &g.p.Nodes[id]
	if n.Value != nil && n.Value.Type.Inner() != nil && n.Kind != plan.NodeItem {
		return g.spanEach(id, t)
	}
	if n.Kind != plan.NodeLeaf || n.Leaf < 0 {
		return ""
	}
	l, text := &g.p.Info[n.Leaf], ""
	if row := rowOf(l); row.span != nil {
		text = row.span(g, l, t, int(g.p.Leaves[n.Leaf].Width))
	}
	rule := l.Rule
	if rule == nil && n.Value != nil {
		rule = n.Value.Rule // whose ends are computed
	}
	return strings.Trim(text+", "+ruleText(rule), ", ")
}

// spanEach is what each number of a vector or a list may be.
func (g *gen) spanEach(id plan.NodeID, t *goType) string {
	if t.elem != nil {
		t = t.elem
	} else if len(t.fields) > 0 {
		t = t.fields[0].typ
	}
	for _, kid := range g.kids[id] {
		k := &g.p.Nodes[kid]
		if k.Kind == plan.NodeItem || k.Kind == plan.NodeStruct && k.Struct != nil {
			continue
		}
		if text := g.span(kid, t); text != "" {
			return "each " + strings.TrimPrefix(text, "each ")
		}
		break
	}
	return ""
}

func quantizedSpan(_ *gen, l *plan.LeafInfo, t *goType, _ int) string {
	q := l.Quant
	if t.text != "float32" {
		return fmt.Sprintf("0..%d: the steps of %s from %s", q.Steps, literal32(q.Step), literal32(q.Min))
	}
	return fmt.Sprintf("%s..%s in steps of %s", literal32(q.Min), literal32(q.Max), literal32(q.Step))
}

func intSpan(g *gen, l *plan.LeafInfo, t *goType, width int) string {
	_, sized := g.p.StepAt(l.Point).(*plan.Number)
	switch {
	case sized, l.ZigZag, l.Rule != nil && l.Rule.Kind == schema.RuleIn, l.Signed && strings.HasSuffix(t.text, "int"+strconv.Itoa(width)):
		return ""
	case l.Let != nil:
		if v := valuesOf(l, 0); v.lo < 0 {
			return fmt.Sprintf("%d..%d", v.lo, v.hi)
		}
		return fmt.Sprintf("%s..%s", l.Let.Lo, l.Let.Hi)
	case l.Signed:
		return fmt.Sprintf("%d..%d", -int64(1)<<(width-1), int64(1)<<(width-1)-1)
	case l.IsSigned():
		return fmt.Sprintf("%d..%d", int64(l.Base), int64(l.Base+l.TypeSpan))
	case l.Base == 0 && l.TypeSpan == ^uint64(0)>>(64-8*numberSizes[t.text]):
		return ""
	}
	return fmt.Sprintf("%d..%d", l.Base, l.Base+l.TypeSpan)
}

// ruleText is a rule as the schema has it, on one line.
func ruleText(r *schema.Rule) string {
	if r == nil {
		return ""
	}
	return strings.TrimPrefix(strings.Join(strings.Fields(r.Text), " "), "in ")
}

// lineEnd is a text as the comment at the end of a line.
func lineEnd(text string) string {
	if text == "" {
		return ""
	}
	return " " + strings.TrimRight(comment("", strings.Join(strings.Fields(text), " ")), "\n")
}

// floatDoc is what Append does with floats that the packet has no room for.
func (g *gen) floatDoc() string {
	quantized, plain := false, false
	for i := range g.p.Info {
		l := &g.p.Info[i]
		quantized = quantized || l.Quant != nil && g.exact(l.Quant)
		plain = plain || l.Kind == plan.LeafFloat
	}
	text := "//\n// A value out of its range is refused.\n"
	if quantized {
		text += "// Of a quantized float the nearest step is written: the nearer end of its range\n// for a value outside, the lower end for NaN.\n"
	}
	if plain {
		text += "// Other floats are written as they are, NaN and infinities too, unless a rule of the schema refuses them.\n"
	}
	return text
}
