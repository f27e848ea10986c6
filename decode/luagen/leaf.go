package luagen

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/internal/ops/tables"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// field is one of Wireshark's: a filter with a type. Wireshark takes more than one of a filter, if they have one type.
type field struct {
	filter, name, kind, enum string
	hex                      bool
}

// ours are the filters of the dissector itself; a field of the schema that has one gets a _ after it.
var ours = []string{"verdict", "reject", "reject.kind", "reject.bit", "reject.path", "reject.want", "reject.got", "rejected", "note.kind", "noted",
	"padding", "reserved", "message", "not_decoded"}

// field adds a field of a node and gives its number, from 1.
func (d *dissector) field(node plan.NodeID, kind, behind string, info *plan.LeafInfo, hex bool) int64 {
	filter := d.prefix + strings.ReplaceAll(string(d.p.AppendPath(nil, node, func() (uint64, bool) { return 0, false })), "[]", "")
	filter += behind
	f := &field{name: d.p.Nodes[node].Name, kind: kind, hex: hex}
	if f.name == "" {
		f.name = filter[strings.LastIndexByte(filter, '.')+1:]
	}
	if slices.Contains(ours, strings.ToLower(filter)) {
		filter += "_"
	}
	f.filter = strings.Map(inFilter, filter)
	if info != nil && info.Form() == plan.FormCase {
		f.enum = d.cases(info)
	}
	if !slices.Contains(d.types[f.filter], kind) {
		d.types[f.filter] = append(d.types[f.filter], kind)
	}
	fields := &d.fields[len(d.fields)-1]
	*fields = append(*fields, f)
	return int64(len(*fields))
}

// inFilter replaces what a filter cannot have: the # of a check's own name.
func inFilter(r rune) rune {
	if r == '#' {
		return '_'
	}
	return r
}

// fieldRows are the fields of all programs, once it is known which types meet under a filter.
func (d *dissector) fieldRows(b *strings.Builder) {
	for i, fields := range d.fields {
		fmt.Fprintf(b, "programs[%d].fields = {\n", i+1)
		for _, f := range fields {
			kind, behind := d.settle(f)
			r := lua.Record()
			r.Raw("", quoted(f.filter+behind))
			r.Raw("", quoted(f.name))
			r.Text("type", kind)
			r.Flag("hex", f.hex)
			if f.enum != "" {
				r.Raw("enum", f.enum)
			}
			fmt.Fprintf(b, "  %s,\n", r.String())
		}
		b.WriteString("}\n")
	}
}

// integers are the types that have a wider one in common, with it.
var integers = map[string]struct {
	signed bool
	bits   int
}{"uint32": {false, 32}, "uint64": {false, 64}, "int32": {true, 32}, "int64": {true, 64}}

// settle is the type of a field, and what its filter has after it: numbers that meet get a type that holds them all;
// of all other types the first keeps the filter.
func (d *dissector) settle(f *field) (kind, behind string) {
	kind, types := f.kind, d.types[f.filter]
	if own, ok := integers[kind]; ok {
		for _, other := range types {
			if o, ok := integers[other]; ok && (o.signed == own.signed && o.bits > own.bits) {
				kind = other
			}
		}
		for _, other := range types {
			switch o, ok := integers[other]; {
			case !ok || o.signed == own.signed:
			case slices.Contains(types, "uint64"): // nothing holds both
			default:
				kind = "int64"
			}
		}
	}
	first := types[0]
	if a, ok := integers[first]; ok {
		if b, ok := integers[kind]; ok && (a.signed == b.signed || !slices.Contains(types, "uint64")) {
			return kind, ""
		}
	}
	if first == f.kind {
		return kind, ""
	}
	return kind, "_" + kind
}

// displayType is the type of a value that stands for something else.
func displayType(word string) string {
	switch word {
	case "ipv4", "ipv6":
		return word
	case "mac":
		return "ether"
	}
	return "string"
}

// leafType is the type of a number: what its whole type has room in.
func leafType(info *plan.LeafInfo, hidden bool) string {
	switch {
	case hidden:
		return "string"
	case info.Form() == plan.FormFloat:
		return "double"
	case info.Form() == plan.FormBool:
		return "bool"
	}
	wide := info.Base+info.TypeSpan > math.MaxUint32
	if info.IsSigned() {
		wide = info.TypeSpan > math.MaxUint32
		if info.Negative && !info.ZigZag {
			wide = int64(info.Base) < math.MinInt32 || int64(info.Base+info.TypeSpan) > math.MaxInt32
		}
		if info.Let != nil {
			wide = true
		}
	} else if info.Let != nil {
		wide = info.Let.Interval().Hi.BitLen() > 32
	}
	kind := "uint"
	if info.IsSigned() {
		kind = "int"
	}
	if wide {
		return kind + "64"
	}
	return kind + "32"
}

func (d *dissector) leaf(r *tables.Row, i int) {
	info := &d.p.Info[i]
	n := &d.p.Nodes[info.Node]
	d.enum(r, info)
	d.shown(r, n, info)
	if c := info.Check; c != nil {
		r.Text("check", checkText(c.HasLabel, c.Label, c.Value))
	}
	hidden := n.Secret || n.Decided
	if n.Kind == plan.NodeItem && info.Kind == plan.LeafBool {
		r.Flag("flag", true)
		r.Number("field", d.field(info.Node, "bool", ".present", nil, false))
	} else if n.Display != nil && !hidden && n.Display.Word != "hex" {
		r.Number("field", d.field(info.Node, displayType(n.Display.Word), "", nil, false))
	} else {
		hex := info.Form() == plan.FormHex || info.Form() == plan.FormFlags || n.Display != nil
		kind := leafType(info, hidden)
		r.Number("field", d.field(info.Node, kind, "", info, hex && strings.HasPrefix(kind, "uint")))
	}
	r.Flag("coded", info.Quant != nil)
	d.flags(r, info, hidden)
	d.wants(r, i)
}

// flags adds a field for each flag of a leaf, in the order of the enum.
func (d *dissector) flags(r *tables.Row, info *plan.LeafInfo, hidden bool) {
	if hidden || info.Form() != plan.FormFlags || info.Cases == nil {
		return
	}
	flags := lua.Record()
	for _, c := range info.Cases.List {
		flags.Raw("", fmt.Sprint(d.field(info.Node, "bool", "."+c.Name, nil, false)))
		fields := d.fields[len(d.fields)-1]
		fields[len(fields)-1].name = c.Name
	}
	r.Raw("flags", flags.String())
}

// shown adds how a number is shown.
func (d *dissector) shown(r *tables.Row, n *plan.Node, info *plan.LeafInfo) {
	if n.Display != nil {
		r.Text("display", n.Display.Word)
	}
	r.Given("bits", int64(info.ValueBits()))
	if notes := n.Annotations; notes != nil {
		r.Text("unit", syntax.EscapeText(notes.Unit))
		if notes.Scale != 0 {
			r.Raw("scale", fmt.Sprintf("%.17g", notes.Scale))
		}
		if notes.Time != 0 {
			word := map[int64]string{1: "ns", 1e3: "us", 1e6: "ms", 1e9: "s"}[notes.Time]
			r.Raw("time", fmt.Sprintf("{%q, %d}", word, 1_000_000_000/notes.Time))
		}
	}
}

func checkText(labeled bool, label string, value uint32) string {
	if labeled {
		return "check " + string(syntax.AppendQuoted(nil, []byte(label)))
	}
	return fmt.Sprintf("check 0x%08x", value)
}

// mostRead is more bits than any number has that is read in parts.
const mostRead = 128

// wants adds what a correct packet has where the leaf's code is refused, by kind, for what the schema alone says. Of a
// code that is out of its type's range, not only out of its rule's, that is under span.
func (d *dissector) wants(r *tables.Row, leaf int) {
	info, runs := &d.p.Info[leaf], d.p.LeafRuns(int32(leaf))
	wants := lua.Record()
	say := func(name string, kind reject.Kind, code uint64) {
		refused := reject.Reject{Kind: kind, Code: code, At: reject.Place{Point: info.Point, Leaf: int32(leaf), Parent: -1}}
		if !runs {
			d.atWidths(wants, name, mostRead, &refused)
			return
		}
		refused.Width = int(d.p.Leaves[leaf].Width)
		trace := decode.Trace{Plan: d.p}
		if want := string(trace.AppendWant(nil, &refused)); want != reject.Masked {
			wants.Raw(name, quoted(want))
		}
	}
	rule := ""
	if info.Rule != nil && info.Rule.Bounds == nil {
		rule = tables.RuleWord(info.Rule)
	}
	if rule == "in" || info.Rule == nil {
		say(`["out-of-range"]`, reject.OutOfRange, 0)
	}
	if rule == "eq" || rule == "ne" {
		say(`["const-mismatch"]`, reject.ConstMismatch, 0)
	}
	if info.Rule != nil && info.Let == nil && info.TypeSpan < math.MaxUint64 {
		say("span", reject.OutOfRange, info.TypeSpan+1)
	}
	if info.Cases != nil && !info.Enum.Flags && !info.Enum.Open {
		say(`["unknown-case"]`, reject.UnknownCase, 0)
	}
	if !wants.Empty() {
		r.Raw("wants", wants.String())
	}
}

// enum adds the enum of a leaf.
func (d *dissector) enum(r *tables.Row, info *plan.LeafInfo) {
	if info.Cases != nil && (info.Form() == plan.FormCase || info.Form() == plan.FormFlags) {
		r.Raw("enum", d.cases(info))
	}
}

// cases is the enum of a leaf. All leaves of a type share it.
func (d *dissector) cases(info *plan.LeafInfo) string {
	n, ok := d.enums[info.Cases]
	if !ok {
		d.count++
		n = d.count
		d.enums[info.Cases] = n
		d.enumRows.WriteString(enumRow(n, info))
	}
	return fmt.Sprintf("enums[%d]", n)
}

// safe is the first number that a double does not tell from its neighbors.
const safe = 1 << 53

func enumRow(n int, info *plan.LeafInfo) string {
	r, names, values := lua.Record(), lua.Record(), lua.Record()
	r.Flag("open", info.Enum.Open)
	for _, c := range info.Cases.List {
		switch {
		case info.Enum.Flags:
			names.Raw("", fmt.Sprintf("{%d, %d, %s}", c.Code>>32, c.Code&0xffffffff, quoted(c.Name)))
			continue
		case c.Code < safe:
			names.Raw(fmt.Sprintf("[%d]", c.Code), quoted(c.Name))
		default:
			names.Raw(fmt.Sprintf("[\"%x\"]", c.Code), quoted(c.Name))
		}
		v := info.Value(c.Code, info.ValueBits())
		if info.IsSigned() && int64(v) > -safe && int64(v) < safe {
			values.Raw("", fmt.Sprintf("{%d, %s}", int64(v), quoted(c.Name)))
		} else if !info.IsSigned() && v < safe {
			values.Raw("", fmt.Sprintf("{%d, %s}", v, quoted(c.Name)))
		}
	}
	if info.Enum.Flags {
		r.Raw("flags", names.String())
	} else {
		r.Raw("names", names.String())
		r.Raw("values", values.String())
	}
	return fmt.Sprintf("enums[%d] = %s\n", n, r.String())
}
