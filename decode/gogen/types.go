package gogen

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The Go types. A named struct is one type, an inline one is named for where it stands; a switch is a struct with a
// field for each arm. Which field of which struct a node of the plan is, is decided here once, for the reader and for
// the writer.

// shape is how a Go type behaves.
type shape uint8

const (
	shapeNumber shape = iota
	shapeBool
	shapeBytes
	shapeList
	shapeArray
	shapeStruct
	shapeNone // nothing is kept
)

// goType is a Go type.
type goType struct {
	text   string
	shape  shape
	elem   *goType
	n      uint64      // elements of an array
	fixed  bool        // of a list or bytes: it is an array with a count
	list   plan.NodeID // of a list
	fields []goField
	pages  bool  // it holds a list or bytes
	size   int64 // bytes, without what it points to; saturates
	doc    string
	reset  bool // its reset method is needed
}

// goField is one field of a struct.
type goField struct {
	name string
	typ  *goType
	pks  string // what the schema calls it
	doc  string
	note string // what it may hold, for the end of its line
}

// maxArray is how many elements a list of constant length may have to be a Go array.
const maxArray = 64

// children lists, for each node, the nodes below it.
func (g *gen) children() {
	g.kids = make([][]plan.NodeID, len(g.p.Nodes))
	for i := range g.p.Nodes {
		if up := g.p.Nodes[i].Parent; up != plan.NoNode {
			g.kids[up] = append(g.kids[up], plan.NodeID(i))
		}
	}
}

// typeOf is the Go type of what a node holds.
func (g *gen) typeOf(id plan.NodeID, hint string) *goType {
	n := &g.p.Nodes[id]
	switch n.Kind {
	case plan.NodeStruct:
		return g.structType(id, hint)
	case plan.NodeArray:
		return g.listType(id, hint)
	case plan.NodeBlob:
		return g.bytesType(id)
	case plan.NodeLeaf:
		if n.Leaf < 0 {
			return &goType{shape: shapeNone}
		}
		if g.ladder(n.Leaf) {
			return &goType{text: "PacketRelative", shape: shapeStruct, size: 8}
		}
		if l := &g.p.Info[n.Leaf]; rowOf(l).typ != nil {
			return rowOf(l).typ(g, l, int(g.p.Leaves[n.Leaf].Width))
		}
	case plan.NodeItem:
		if words, ok := g.kept[id]; ok {
			if n.Leaf >= 0 {
				return number("uint64")
			}
			return &goType{text: fmt.Sprintf("[%d]uint64", words), shape: shapeArray, elem: number("uint64"), n: uint64(words), size: 8 * int64(words)}
		}
		if g.p.Flagged(id) != plan.NoNode {
			return &goType{text: "bool", shape: shapeBool, size: 1}
		}
	}
	return &goType{shape: shapeNone}
}

var numberSizes = map[string]int64{
	"uint8": 1, "int8": 1, "uint16": 2, "int16": 2, "uint32": 4, "int32": 4, "float32": 4, "uint64": 8, "int64": 8, "float64": 8,
}

func number(text string) *goType {
	return &goType{text: text, shape: shapeNumber, size: numberSizes[text]}
}

// fieldsOf lays the children of a struct's node out as fields, and remembers which is which.
func (g *gen) fieldsOf(id plan.NodeID, hint string, taken ...string) []goField {
	var fields []goField
	used := names{taken: map[string]bool{}, mangled: new([]string)}
	for _, t := range taken {
		used.taken[t] = true
	}
	twins := map[string][]plan.NodeID{} // the integers of a name
	add := func(child plan.NodeID, name, pks, doc string, t *goType) {
		if t.shape == shapeNone {
			return
		}
		if g.integer(child) {
			twins[pks] = append(twins[pks], child)
		}
		for i := range fields {
			f := &fields[i]
			if nodes := twins[pks]; f.pks == pks && f.typ != nil && f.typ.text != t.text && len(nodes) > 1 && nodes[len(nodes)-1] == child {
				if all, ok := g.joined(nodes); ok {
					f.typ, t = all, all
					for _, id := range nodes {
						g.fieldType[id] = t
					}
				}
			}
			if f.pks == pks && f.typ != nil && f.typ.text == t.text && strings.HasPrefix(f.name, name) && len(pks) > 0 {
				g.field[child] = f.name // the same name in exclusive branches
				g.fieldType[child] = t
				if f.note != g.bounds(child, t) {
					f.note = "" // which of them holds is for the packet to say
				}
				return
			}
		}
		got := used.pick(name, hint+"."+pks)
		g.field[child], g.fieldType[child] = got, t
		fields = append(fields, goField{got, t, pks, doc, g.bounds(child, t)})
	}
	unions := map[string]*union{}
	var order []*union
	flags := 0 // of optionals inside an optional
	for i, child := range g.kids[id] {
		n := &g.p.Nodes[child]
		if flags++; i == 0 || n.Kind != plan.NodeItem || g.p.Nodes[g.kids[id][i-1]].Kind != plan.NodeItem || g.p.Nodes[g.kids[id][i-1]].Name != n.Name {
			flags = 1
		}
		if n.Case != "" {
			u := unions[n.Name]
			g.arm[child] = u.id
			u.arms = append(u.arms, child)
			continue
		}
		name := camel(n.Name)
		if n.Elem {
			name = "Value"
		}
		switch {
		case n.Kind == plan.NodeStruct && n.Value == nil && n.Struct == nil && n.Name != "":
			u := &union{id: child}
			unions[n.Name] = u
			order = append(order, u)
			// Its place among the fields is here; its type is known when all arms are.
			fields = append(fields, goField{})
			u.at = len(fields) - 1
		case n.Kind == plan.NodeItem && n.Named:
			add(child, strings.Repeat("Has", flags)+name, n.Name+strings.Repeat("?", flags), "", g.typeOf(child, hint+name))
		default:
			add(child, name, n.Name, n.Doc, g.typeOf(child, hint+name))
		}
	}
	for _, u := range order {
		g.unionType(u, hint, &used, fields)
	}
	kept := fields[:0]
	for _, f := range fields {
		if f.typ != nil {
			kept = append(kept, f)
		}
	}
	if len(*used.mangled) > 0 {
		for _, m := range *used.mangled {
			g.mangle(m)
		}
	}
	return kept
}

// union is a switch: the struct with a field for each arm.
type union struct {
	id   plan.NodeID
	arms []plan.NodeID
	at   int
}

func (g *gen) unionType(u *union, hint string, used *names, fields []goField) {
	n := &g.p.Nodes[u.id]
	t := &goType{shape: shapeStruct, doc: "holds the arms of the switch " + n.Name + "; only the one that its tag chooses counts."}
	inner := names{taken: map[string]bool{}, mangled: new([]string)}
	for _, arm := range u.arms {
		a := &g.p.Nodes[arm]
		name := camel(a.Case)
		if name[0] == 'X' && a.Case[0] != 'X' && a.Case[0] != 'x' {
			name = "Case" + name[1:]
		}
		if a.Kind == plan.NodeItem {
			name = "Has" + name
		}
		at := g.typeOf(arm, hint+camel(n.Name)+name)
		if at.shape == shapeNone || a.Kind == plan.NodeStruct && a.Value == nil {
			continue
		}
		got := inner.pick(name, hint+"."+n.Name+" "+a.Case)
		g.field[arm], g.fieldType[arm] = got, at
		pks := "-" + a.Case
		if a.Kind == plan.NodeItem {
			pks = "?" + a.Case
		}
		t.fields = append(t.fields, goField{got, at, pks, a.Doc, g.bounds(arm, at)})
	}
	for _, m := range *inner.mangled {
		g.mangle(m)
	}
	if len(t.fields) == 0 {
		return
	}
	t = g.register(t, hint+camel(n.Name))
	got := used.pick(camel(n.Name), hint+"."+n.Name)
	g.field[u.id], g.fieldType[u.id] = got, t
	fields[u.at] = goField{got, t, n.Name, n.Doc, ""}
}

// structType is the type of a struct, a vector or a smallest-three quaternion.
func (g *gen) structType(id plan.NodeID, hint string) *goType {
	n := &g.p.Nodes[id]
	t := &goType{shape: shapeStruct, doc: n.Doc}
	name := hint
	var taken []string
	switch {
	case n.Parent == plan.NoNode:
		name, taken = "Packet", []string{"Append"}
		t.text = "Packet"
		t.doc = "is one datagram."
		if g.p.Schema.Packet.Doc != "" {
			t.doc += "\n" + g.p.Schema.Packet.Doc
		}
		if g.p.Schema.Doc != "" {
			t.doc += "\n\n" + g.p.Schema.Doc
		}
	case n.Struct != nil && !n.Struct.Inline && n.Struct.Name != "":
		name, t.doc = camel(n.Struct.Name), n.Struct.Doc
		if from := g.p.Schema.Origin(n.Struct.Pos); from != "" {
			t.doc = "is of " + from + ".\n\n" + t.doc
		}
	case g.units[id] != nil:
		name = "Smallest" + strconv.Itoa(int(g.units[id].Bits))
		t.doc = "is a unit quaternion as it is sent: which component is the largest, and the codes of the other three."
		g.smallest[name] = int(g.units[id].Bits)
	case g.isVector(id):
		name, t.doc = "", "is "+strconv.Itoa(len(g.kids[id]))+" numbers."
		if v, ok := n.Value.Type.(*schema.VectorType); ok && v.Quat {
			name, t.doc = "Quat", "is a quaternion."
		}
	}
	vector := name == "" || name == "Quat" && n.Struct == nil
	t.fields = g.fieldsOf(id, name, taken...)
	if vector && len(t.fields) > 0 {
		if name == "" {
			name = "Vec" + strconv.Itoa(len(t.fields))
		}
		name += camel(t.fields[0].typ.text)
	}
	if n.Parent == plan.NoNode && g.p.ReadsAhead() {
		t.fields = append(t.fields, goField{"DatagramSize", number("int64"), "", "The bytes of the datagram, on which fields depend; -1 for none. Decode sets it; Append heeds it unless it is 0.", ""})
	}
	return g.register(t, name)
}

// register gives a struct type its name: that of one that is the same, or a free one.
func (g *gen) register(t *goType, name string) *goType {
	var b strings.Builder
	for i := range t.fields {
		f := &t.fields[i]
		fmt.Fprintf(&b, "%s %s %s\n", f.name, f.typ.text, f.pks)
		t.pages = t.pages || f.typ.pages
		t.size = min(maxSize, t.size+(f.typ.size+7)&^7)
	}
	key := name + "\n" + b.String()
	if t.text != "" {
		key = "the packet"
	}
	if have := g.types[key]; have != nil {
		return have
	}
	if t.text == "" {
		t.text = g.top.pick(name, "type "+name)
	}
	g.types[key] = t
	g.typeList = append(g.typeList, t)
	return t
}

// isVector reports whether a node is a vector or a smallest-three quaternion: a struct that no schema declares.
func (g *gen) isVector(id plan.NodeID) bool {
	n := &g.p.Nodes[id]
	return n.Kind == plan.NodeStruct && n.Value != nil && n.Struct == nil
}

// listType is the type of an array or a subset.
func (g *gen) listType(id plan.NodeID, hint string) *goType {
	var elems []plan.NodeID
	for _, child := range g.kids[id] {
		if g.p.Nodes[child].Elem {
			elems = append(elems, child)
		}
	}
	var elem *goType
	if len(elems) == 1 {
		elem = g.typeOf(elems[0], hint)
	} else {
		wrapper := &goType{shape: shapeStruct, doc: "is an element that may be absent."}
		for i, e := range elems {
			name, pks := "Value", "*"
			if i < len(elems)-1 {
				name, pks = "Has"+strings.Repeat("Has", i), "?"
			}
			t := g.typeOf(e, hint+name)
			g.field[e], g.fieldType[e] = name, t
			wrapper.fields = append(wrapper.fields, goField{name, t, pks, "", g.bounds(e, t)})
		}
		elem = g.register(wrapper, hint+"Optional")
		g.wrapped[id] = true
	}
	if elem.shape == shapeNone {
		elem = &goType{text: "struct{}", shape: shapeStruct}
	}
	if a, ok := g.p.Nodes[id].Value.Type.(*schema.ArrayType); ok && a.Kind == schema.ArrayCount && a.Count != nil && a.Count.IsConst() && (a.Max <= maxArray || g.fixed) {
		return &goType{text: fmt.Sprintf("[%d]%s", a.Max, elem.text), shape: shapeArray, elem: elem, n: a.Max, pages: elem.pages, size: times(int64(a.Max), elem.size)}
	}
	if g.fixed {
		t := g.fixedType(camel(elem.text)+"List", elem, shapeList, g.listRoom(id))
		return t
	}
	return &goType{text: "[]" + elem.text, shape: shapeList, elem: elem, pages: true, size: 24, list: id}
}

func boolOf(*gen, *plan.LeafInfo, int) *goType {
	return &goType{text: "bool", shape: shapeBool, size: 1}
}

func floatOf(_ *gen, _ *plan.LeafInfo, width int) *goType {
	return number("float" + strconv.Itoa(width))
}

func quantOf(g *gen, l *plan.LeafInfo, _ int) *goType {
	if g.exact(l.Quant) {
		return number("float32")
	}
	return number("uint32")
}

func enumOf(g *gen, l *plan.LeafInfo, width int) *goType {
	t := g.enumType(l, width)
	return &goType{text: t.name, shape: shapeNumber, size: numberSizes[t.base]}
}

// intOf is the smallest Go type that holds an integer leaf's values.
func intOf(_ *gen, l *plan.LeafInfo, width int) *goType {
	return valuesOf(l, width).least()
}

// values are integers from lo on, which is 0 or negative, up to hi.
type values struct {
	lo int64
	hi uint64
}

// valuesOf are those of an integer leaf.
func valuesOf(l *plan.LeafInfo, width int) values {
	switch {
	case l.Let != nil:
		in := l.Let.Interval()
		return values{min(0, int64(plan.Low64(in.Lo))*int64(max(0, -in.Lo.Sign()))), plan.Low64(in.Hi) * uint64(max(0, in.Hi.Sign()))}
	case !l.IsSigned():
		return values{0, l.Base + l.TypeSpan}
	case l.ZigZag, l.Signed:
		if l.ZigZag {
			width = bits.Len64(l.TypeSpan)
		}
		least := int64(-1) << max(0, width-1)
		return values{least, uint64(^least)}
	}
	return values{int64(l.Base), uint64(max(0, int64(l.Base+l.TypeSpan)))}
}

func (v values) or(o values) values { return values{min(v.lo, o.lo), max(v.hi, o.hi)} }

// least is the smallest Go type that holds them.
func (v values) least() *goType {
	sign, n := "u", bits.Len64(v.hi)
	if v.lo < 0 {
		sign, n = "", 1+max(bits.Len64(uint64(^v.lo)), n)
	}
	size := 8
	for size < n {
		size *= 2
	}
	return number(fmt.Sprintf("%sint%d", sign, size))
}

// integer reports whether a node is an integer, an enum or flags.
func (g *gen) integer(id plan.NodeID) bool {
	n := &g.p.Nodes[id]
	if n.Kind != plan.NodeLeaf || n.Leaf < 0 || g.ladder(n.Leaf) {
		return false
	}
	f := g.p.Info[n.Leaf].Form()
	return f == plan.FormUint || f == plan.FormInt || f == plan.FormCase || f == plan.FormFlags
}

// joined is the type of a field that has integers of several types in exclusive branches.
func (g *gen) joined(nodes []plan.NodeID) (t *goType, ok bool) {
	var all values
	for _, id := range nodes {
		leaf := g.p.Nodes[id].Leaf
		all = all.or(valuesOf(&g.p.Info[leaf], int(g.p.Leaves[leaf].Width)))
	}
	if all.lo < 0 && all.hi > math.MaxInt64 {
		return nil, false
	}
	return all.least(), true
}

// goEnum is the type of an enum or of flags.
type goEnum struct {
	name, base string
	enum       *schema.Enum
	cases      []string
}

func (g *gen) enumType(l *plan.LeafInfo, width int) *goEnum {
	e := l.Enum
	if have := g.enums[e]; have != nil {
		return have
	}
	t := &goEnum{enum: e, base: intOf(g, l, width).text}
	t.name = g.top.pick(camel(e.Name), "enum "+e.Name)
	g.enums[e] = t
	for i := range e.Cases {
		name := t.name + camel(e.Cases[i].Name)
		t.cases = append(t.cases, g.top.pick(name, "case "+e.Name+"."+e.Cases[i].Name))
	}
	g.enumList = append(g.enumList, t)
	return t
}

// maxTried is how many codes of a quantized float are tried for whether each comes back from its value.
const maxTried = 1 << 22

// exact reports whether every code of a quantized float comes back from its value. Where it does not, or where there
// are too many to try, the field holds the code.
func (g *gen) exact(q *schema.QuantizedType) bool {
	key := *q
	ok, known := g.tried[key]
	if !known {
		ok = q.Steps < maxTried
		for i := uint32(0); ok && i <= q.Steps; i++ {
			ok = q.Code(q.Value(i)) == i
		}
		g.tried[key] = ok
	}
	return ok
}
