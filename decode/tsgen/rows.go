package tsgen

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/internal/ops/tables"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
)

// generator makes the tables and the types of a packet and its messages.
type generator struct {
	p        *plan.Plan
	w        *tables.Writer
	types    types
	conds    map[int]uint32 // of each requirement
	enums    map[*plan.Cases]int
	enumRows strings.Builder
}

// program is the tables of one plan.
func (g *generator) program(p *plan.Plan) string {
	g.p, g.w = p, tables.New(typescript, p)
	g.w.More = map[string]func(r *tables.Row, i int){"ops": g.op, "nodes": g.node, "leaves": g.leaf, "blobs": g.blob, "requires": g.require}
	g.conds = map[int]uint32{}
	for _, s := range p.Steps {
		if step, ok := s.(*plan.Require); ok {
			g.conds[int(step.Index)] = step.Cond
		}
	}
	var b strings.Builder
	fmt.Fprintf(&b, "{\n  order: %d, max: %d, steps: %d, registers: %d,\n", p.Order, p.Schema.MaxDatagram, g.w.Steps(), p.Registers)
	for name, rows := range g.w.All() {
		fmt.Fprintf(&b, "  %s: [\n", name)
		for _, row := range rows {
			fmt.Fprintf(&b, "    %s,\n", row)
		}
		b.WriteString("  ],\n")
	}
	b.WriteString("}")
	return b.String()
}

// op adds what the words of a refusal need to know of its step.
func (g *generator) op(r *tables.Row, i int) {
	at := g.w.Point(i)
	if at == plan.NoPoint {
		return
	}
	if step := g.p.StepAt(at); step != nil {
		size, ok := step.Expr()
		r.Flag("signed", ok && g.p.Operands[size].Signed)
		_, align := step.(*plan.Align)
		r.Flag("align", align)
	}
}

// node adds how the value of a member is stored, and how a struct is made that has room for what is always in it: both are
// code, because engines have a place for each name that is in it.
func (g *generator) node(r *tables.Row, i int) {
	n := &g.p.Nodes[i]
	if assignable(n.Name) && !n.Elem && n.Kind != plan.NodeItem {
		r.Raw("set", "(o, v) => { o."+n.Name+" = v; }")
	}
	if n.Kind == plan.NodeStruct {
		if members := g.types.whole(plan.NodeID(i)); members != "" {
			r.Raw("make", "() => ({ "+members+" })")
		}
	}
}

func (g *generator) leaf(r *tables.Row, i int) {
	l, info := &g.p.Leaves[i], &g.p.Info[i]
	runs := g.p.LeafRuns(int32(i))
	r.Flag("runs", runs)
	r.Flag("wide", info.Wide())
	if l.Width <= 32 && l.Count > 0 && !info.Any {
		r.Given("least", int64(l.Lo))
		r.Given("most", int64(l.Lo+l.Count-1))
	}
	if info.Cases != nil && (info.Form() == plan.FormCase || info.Form() == plan.FormFlags) {
		r.Given("enum", int64(g.cases(info)))
	}
	if !runs || info.TypeSpan < wire.Mask(int(l.Width)) {
		r.Text("range", rangeText(info))
	}
	if rule := info.Rule; rule != nil && rule.Bounds == nil {
		g.rule(r, info, rule, int(l.Width))
	}
}

// hexadecimal reports whether messages have the numbers of a leaf so.
func hexadecimal(info *plan.LeafInfo) bool {
	return !info.IsSigned() && (info.Enum != nil && info.Enum.Hex || info.Rule != nil && info.Rule.Hex)
}

// rangeText is the values of a type.
func rangeText(info *plan.LeafInfo) string {
	lo, hi := info.Base, info.Base+info.TypeSpan
	if info.ZigZag {
		hi = info.TypeSpan / 2
		lo = ^hi
	}
	if info.IsSigned() {
		return fmt.Sprintf("%d..%d", int64(lo), int64(hi))
	}
	return fmt.Sprintf("%d..%d", lo, hi)
}

// rule adds the texts of a leaf's rule, where they do not follow from its numbers.
func (g *generator) rule(r *tables.Row, info *plan.LeafInfo, rule *schema.Rule, width int) {
	var floats []string
	for _, f := range rule.Floats {
		floats = append(floats, fmt.Sprintf("%v..%v", f.Lo, f.Hi))
	}
	r.Text("floats", strings.Join(floats, ", "))
	switch {
	case rule.WantFloat != nil:
		r.Text("rule", strconv.FormatFloat(*rule.WantFloat, 'g', -1, width))
	case rule.Want == nil:
	case info.Kind == plan.LeafBool:
		r.Text("rule", strconv.FormatBool(rule.Want.Sign() != 0))
	case hexadecimal(info) && rule.Want.Sign() >= 0:
		r.Raw("constant", typescript.Words(rule.Want.Uint64()))
	default:
		r.Text("rule", rule.Want.String())
	}
}

// cases is the number of the enum of a leaf. All leaves of a type share it.
func (g *generator) cases(info *plan.LeafInfo) int {
	n, ok := g.enums[info.Cases]
	if ok {
		return n
	}
	n = len(g.enums)
	g.enums[info.Cases] = n
	r := typescript.Record()
	r.Flag("open", info.Enum.Open)
	r.Flag("flags", info.Enum.Flags)
	if !info.Enum.Flags && !info.Enum.Open {
		r.Raw("keys", firstKeys(info))
	}
	var cases []string
	for _, c := range info.Cases.List {
		cases = append(cases, fmt.Sprintf("[%d, %d, %s]", c.Code>>32, c.Code&0xffffffff, quoted(c.Name)))
	}
	r.Raw("cases", typescript.Join(cases))
	fmt.Fprintf(&g.enumRows, "  %s,\n", r.String())
	return n
}

// firstKeys are as many intervals of the values of an enum as a refusal names, and one more.
func firstKeys(info *plan.LeafInfo) string {
	const most = 17
	var all [][2]uint64
	for lo, hi := range info.CaseSet() {
		if n := len(all); n > 0 && all[n-1][1]+1 == lo {
			all[n-1][1] = hi
			continue
		}
		if len(all) == most {
			break
		}
		all = append(all, [2]uint64{lo, hi})
	}
	var texts []string
	for _, k := range all {
		texts = append(texts, typescript.Interval(k[0], k[1]))
	}
	return typescript.Join(texts)
}

func (g *generator) blob(r *tables.Row, i int) {
	b := g.p.Blobs[i]
	r.Flag("bytes", !b.IsText())
	if rule := b.Rule; rule != nil && (rule.Kind == schema.RuleEq || rule.Kind == schema.RuleNe) {
		text := quotedASCII(rule.Bytes)
		if rule.Kind == schema.RuleNe {
			text = "not " + text
		}
		r.Text("rule", text)
	}
}

// quotedASCII is bytes as messages have them, cut at 64.
func quotedASCII(data []byte) string {
	more := ""
	if len(data) > 64 {
		data, more = data[:64], "…"
	}
	return strconv.QuoteToASCII(string(data)) + more
}

// require adds where a relation looks, which its refusal shows.
func (g *generator) require(r *tables.Row, i int) {
	var looks []string
	for _, sight := range g.p.AppendSights(nil, g.conds[i], &plan.Env{}) {
		one := typescript.Record()
		one.Flag("tail", sight.Last)
		one.Given("width", int64(sight.Width))
		one.Number("order", int64(sight.Order))
		looks = append(looks, one.String())
	}
	if len(looks) > 0 {
		r.Raw("looks", typescript.Join(looks))
	}
}
