package luagen

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/internal/ops/tables"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
)

// lua is how Lua has tables: numbered from 1, and lists in the braces of records.
var lua = &tables.Language{Assign: " = ", List: [2]string{"{", "}"}, Quote: quoted, Bytes: quoted, First: 1}

// dissector makes the tables of the plans of a packet and its messages.
type dissector struct {
	p        *plan.Plan
	w        *tables.Writer
	prefix   string // of the filters of a message's fields
	fields   [][]*field
	types    map[string][]string // of each filter: the types that fields have under it
	enums    map[*plan.Cases]int
	enumRows strings.Builder
	count    int // of enums
}

// program is the tables of one plan.
func (d *dissector) program(p *plan.Plan, prefix string) string {
	d.p, d.w, d.prefix = p, tables.New(lua, p), prefix
	d.fields = append(d.fields, nil)
	d.enums = map[*plan.Cases]int{}
	d.w.More = map[string]func(r *tables.Row, i int){"ops": d.op, "nodes": d.node, "leaves": d.leaf, "blobs": d.blob, "switches": d.choice}
	top := lua.Record()
	top.Text("name", p.Schema.Name)
	top.Given("order", int64(p.Order))
	top.Number("max", int64(p.Schema.MaxDatagram))
	top.Given("steps", d.w.Steps())
	top.Flag("secret", p.HasSecret())
	if p.Case != nil {
		tag := lua.Record()
		d.enum(tag, p.Case)
		if p.CaseOther.OK {
			var arms []string
			for lo, hi := range p.CaseSwitch.Set() {
				arms = append(arms, d.w.Interval(lo, hi, 0))
			}
			tag.Raw("arms", d.w.Join(arms))
			tag.Raw("other", quoted(p.Case.CaseName(p.CaseOther.Tag)))
		}
		tag.Flag("signed", p.Case.IsSigned())
		tag.Flag("secret", p.CaseSecret())
		top.Raw("tag", tag.String())
	}
	var b strings.Builder
	fmt.Fprintf(&b, "do\n  local p = %s\n  programs[#programs + 1] = p\n", top.String())
	for name, rows := range d.w.All() {
		fmt.Fprintf(&b, "  p.%s = {\n", name)
		for _, row := range rows {
			fmt.Fprintf(&b, "    %s,\n", row)
		}
		b.WriteString("  }\n")
	}
	b.WriteString("end\n\n")
	return b.String()
}

func (d *dissector) op(r *tables.Row, i int) {
	if at := d.w.Point(i); at != plan.NoPoint {
		step := d.p.StepAt(at)
		r.Flag("grows", step != nil && d.p.Grows(step))
	}
}

func (d *dissector) node(r *tables.Row, i int) {
	n := &d.p.Nodes[i]
	r.Flag("secret", n.Secret || n.Decided)
	if n.Kind == plan.NodeStruct && n.Value != nil {
		_, smallest := n.Value.Type.(*schema.SmallestType)
		r.Flag("parts", smallest || n.IsVector())
	}
	r.Flag("unsized", n.Unsized || n.Decided)
	if (n.Kind == plan.NodeStruct || n.Kind == plan.NodeArray) && n.Parent != plan.NoNode {
		r.Text("case", n.Case)
		if !n.Elem {
			r.Number("field", d.field(plan.NodeID(i), "none", "", nil, false))
		}
	}
}

func (d *dissector) blob(r *tables.Row, i int) {
	b := d.p.Blobs[i]
	n := &d.p.Nodes[b.Node]
	kind := "bytes"
	switch {
	case n.Secret || n.Decided || n.Value.IsText():
		kind = "string"
	case n.Display != nil:
		kind = displayType(n.Display.Word)
		r.Text("display", n.Display.Word)
	}
	r.Number("field", d.field(b.Node, kind, "", nil, false))
	if f := b.Fragment; f != nil {
		message := lua.Record()
		message.Given("section", int64(f.Section+2)) // after the packet, from 1
		message.Flag("piece", f.ID >= 0)
		message.Flag("bytes", f.Note.Bytes)
		message.Flag("secret", f.Secret)
		message.Given("max", int64(f.Note.Section.Max))
		if f.ID >= 0 {
			message.Given("at", int64(f.At))
		}
		if f.Whole >= 0 {
			message.Given("count", int64(f.Whole))
		}
		r.Raw("message", message.String())
	}
}

func (d *dissector) choice(r *tables.Row, i int) {
	s := d.p.Switches[i]
	d.atWidths(r, "wants", 64, &reject.Reject{Kind: reject.UnknownCase, At: reject.Place{Point: s.Point, Leaf: -1, Parent: -1}})
}

// atWidths adds what a correct packet has where one is refused, of which the schema alone says it: a text, or, where
// there are digits for as many bits as were refused, one for each number of bits up to most.
func (d *dissector) atWidths(r *tables.Row, name string, most int, refused *reject.Reject) {
	trace := decode.Trace{Plan: d.p}
	want := func(width int) string {
		refused.Width = width
		return string(trace.AppendWant(nil, refused))
	}
	other := want(most)
	if other == reject.Masked {
		return
	}
	each := lua.Record()
	for width := range most {
		if text := want(width); text != other {
			each.Raw(fmt.Sprintf("[%d]", width), quoted(text))
		}
	}
	if each.Empty() {
		r.Raw(name, quoted(other))
		return
	}
	each.Text("other", other)
	r.Raw(name, each.String())
}
