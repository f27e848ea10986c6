package importer

import (
	"fmt"
	"math/big"
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// schemaUnit is what all .schema files of one unit declare.
type schemaUnit struct {
	d        *draft
	decls    []*schemaDecl
	names    map[string]*schemaDecl
	messages []*schemaDecl // sorted by name: the order of their tags
	depth    int
}

// scope is one block while it is written: the bools that an `if` in it can ask.
type scope struct {
	up    *scope
	bools map[string]string // by the name in the source
	names names             // of the whole struct
	of    *schemaDecl
}

func readSchema(d *draft, files []*syntax.File) {
	u := &schemaUnit{d: d, names: map[string]*schemaDecl{}}
	var pkg token
	for _, f := range files {
		p := &parser{d: d, toks: d.scan(f, false)}
		name, decls := p.declarations()
		if pkg.text == "" {
			pkg = name
		}
		if name.text != "" && name.text != pkg.text {
			d.fail(name.span, "package %s, and %s in the file before: a unit has one", clip(name.text), clip(pkg.text))
		}
		u.decls = append(u.decls, decls...)
	}
	for _, decl := range u.decls {
		if u.names[decl.name.text] != nil {
			d.fail(decl.name.span, "`%s` is declared twice", clip(decl.name.text))
		}
		u.names[decl.name.text] = decl
		if decl.word == "message" {
			u.messages = append(u.messages, decl)
		}
	}
	sort.Slice(u.messages, func(i, j int) bool { return u.messages[i].name.text < u.messages[j].name.text })
	if pkg.text == "" {
		pkg.text = "draft"
	}
	if d.failed == nil {
		u.write(fieldName(pkg.text))
	}
}

// write makes the draft of the unit.
func (u *schemaUnit) write(protocol string) {
	d := u.d
	root := u.root()
	if d.failed != nil {
		return
	}
	d.header(protocol)
	kind := ""
	if root == nil {
		kind = u.takeName("MessageType")
	}
	for _, decl := range u.decls {
		decl.out = u.takeName(typeName(decl.name.text))
	}
	used := u.reach(root)
	for _, decl := range u.decls {
		if d.failed != nil {
			return
		}
		switch {
		case decl.word == "const":
			u.writeConst(decl)
		case decl.word == "contexts":
		case decl == root && !used[decl]:
		case used[decl]:
			d.printf("")
			d.lead(decl.lead)
			schemaWords[decl.word](u, decl)
		case decl.word != "message":
			d.warn(decl.name.span, "`%s` is in no message, so it is left out", clip(decl.name.text))
		}
	}
	d.writeBlobs()
	d.printf("")
	if root != nil {
		d.lead(root.lead)
		d.printf("packet {%s", tail(root.tail))
		u.items(root.items, &scope{names: names{}, of: root})
		d.printf("}")
		return
	}
	u.writeMessages(kind)
}

func (u *schemaUnit) takeName(name string) string { return u.d.taken.add(name) }

// root is the declaration that is the packet by itself; nil where the packet is one of the messages after a tag.
func (u *schemaUnit) root() *schemaDecl {
	var bodies []string
	var only *schemaDecl
	for _, decl := range u.decls {
		if decl.word == "type" || decl.word == "table" || decl.word == "message" {
			bodies = append(bodies, decl.name.text)
			only = decl
		}
	}
	name := u.d.packet
	switch {
	case name == "" && len(u.messages) > 0:
		return nil
	case name == "" && len(bodies) == 1:
		return only
	case name != "" && u.names[name] != nil && u.names[name].items != nil:
		return u.names[name]
	}
	at := syntax.Span{}
	if len(u.decls) > 0 {
		at = u.decls[0].name.span
	}
	const most = 20
	switch {
	case len(bodies) == 0:
		u.d.fail(at, "no message and no type: nothing is sent")
	case name == "":
		u.d.fail(at, "no message: which type is the packet? want --packet with one of %s", strings.Join(bodies[:min(len(bodies), most)], ", "))
	default:
		u.d.fail(syntax.Span{}, "--packet %s: want one of %s", name, strings.Join(bodies[:min(len(bodies), most)], ", "))
	}
	return nil
}

// reach finds what a packet can hold, and refuses what holds itself.
func (u *schemaUnit) reach(root *schemaDecl) map[*schemaDecl]bool {
	used := map[*schemaDecl]bool{}
	var visit func(items []schemaItem)
	visit = func(items []schemaItem) {
		for i := range items {
			item := &items[i]
			visit(item.then)
			visit(item.els)
			if decl := u.names[item.typ.word.text]; decl != nil && !used[decl] {
				used[decl] = true
				visit(decl.items)
			}
		}
	}
	if root != nil {
		visit(root.items)
		u.empty(root)
	} else {
		for _, decl := range u.messages {
			used[decl] = true
		}
		for _, decl := range u.messages {
			visit(decl.items)
		}
	}
	for decl := range used {
		u.empty(decl)
	}
	return used
}

// empty reports whether something declared takes no bits.
func (u *schemaUnit) empty(decl *schemaDecl) bool {
	if decl.checked {
		return decl.bitless
	}
	if decl.open {
		u.d.fail(decl.name.span, "`%s` holds itself", clip(decl.name.text))
		return false
	}
	decl.open = true
	decl.bitless = true
	for i := range decl.items {
		item := &decl.items[i]
		switch item.word {
		case "field":
			if item.typ.array && item.typ.to != nil || !u.typed(decl, item).bitless {
				decl.bitless = false
			}
		case "reserved", "const":
			decl.bitless = false
		}
	}
	if decl.word == "union" {
		decl.bitless = len(decl.items) == 0
	}
	decl.open, decl.checked = false, true
	return decl.bitless
}

// schemaWords write the declarations that have a form here.
var schemaWords map[string]func(*schemaUnit, *schemaDecl)

func init() {
	body := (*schemaUnit).writeStruct
	schemaWords = map[string]func(*schemaUnit, *schemaDecl){
		"enum": (*schemaUnit).writeEnum, "flags": (*schemaUnit).writeFlags, "union": (*schemaUnit).writeUnion,
		"type": body, "table": body, "message": body, "object": body,
	}
}

func (u *schemaUnit) writeConst(decl *schemaDecl) {
	u.d.lead(decl.lead)
	c := u.value(&expr{leaf: decl.name, span: decl.name.span})
	switch {
	case c.whole == nil:
		u.d.printf("// %s = %v%s", decl.out, c.float, strings.Replace(tail(decl.tail), " // ", ": ", 1))
	case fitsInteger(c.whole):
		u.d.printf("const %s = %d%s", decl.out, c.whole, tail(renamed(decl.name.text, decl.out), decl.tail))
	default:
		u.d.printf("// %s = %d", decl.out, c.whole)
	}
}

// most is the largest value of an enum on the wire.
func (u *schemaUnit) most(decl *schemaDecl) *big.Int {
	count := big.NewInt(int64(len(decl.variants)))
	a := attr(decl.attrs, "max")
	if a == nil || a.value == nil {
		return count
	}
	if decl.open {
		u.d.fail(decl.name.span, "the max of `%s` is computed from itself", clip(decl.name.text))
		return count
	}
	was := decl.open
	decl.open = true
	most := u.whole(a.value, "the max of an enum, which has that many cases at least,", count, new(big.Int).SetUint64(1<<63))
	decl.open = was
	return most
}

func (u *schemaUnit) writeEnum(decl *schemaDecl) {
	most := u.most(decl)
	open := ""
	if most.Cmp(big.NewInt(int64(len(decl.variants)))) > 0 {
		open = "open "
	}
	u.d.printf("%senum %s : int(0..%d) {%s", open, decl.out, most, tail(renamed(decl.name.text, decl.out), decl.tail))
	u.cases(decl.variants, "None")
	u.d.printf("}")
}

// cases writes those of an enum: none, which is 0, and the others from 1 on.
func (u *schemaUnit) cases(variants []token, none string) (out []string) {
	taken := names{}
	u.d.printf("%s = 0", taken.add(none))
	for i, v := range variants {
		out = append(out, taken.add(typeName(v.text)))
		u.d.lead(v.lead)
		u.d.printf("%s = %d%s", out[i], i+1, tail(renamed(v.text, out[i]), v.tail))
	}
	return out
}

// flagBits is how many bits flags take.
func (u *schemaUnit) flagBits(decl *schemaDecl) int64 {
	count := int64(len(decl.variants))
	if count > 64 {
		u.d.fail(decl.name.span, "flags of more than 64 bits")
	}
	if a := attr(decl.attrs, "max"); a != nil && a.value != nil && count <= 64 {
		return u.small(a.value, "the max of flags, which have that many bits at least,", count, 64)
	}
	return min(count, 64)
}

func (u *schemaUnit) writeFlags(decl *schemaDecl) {
	bits := u.flagBits(decl)
	if bits == 0 || u.d.failed != nil {
		return
	}
	open := ""
	if bits > int64(len(decl.variants)) {
		open = "open "
	}
	if len(decl.variants) == 0 {
		return
	}
	u.d.printf("%sflags %s : bits(%d) {%s", open, decl.out, bits, tail(renamed(decl.name.text, decl.out), decl.tail))
	taken := names{}
	for i, v := range decl.variants {
		name := taken.add(typeName(v.text))
		u.d.lead(v.lead)
		u.d.printf("%s = %#x%s", name, uint64(1)<<i, tail(renamed(v.text, name), v.tail))
	}
	u.d.printf("}")
}

func (u *schemaUnit) writeStruct(decl *schemaDecl) {
	if decl.word == "object" {
		u.d.doubt(decl.name.span, "`%s` is an object: this is its deep form; what its shallow one quantizes is left out", clip(decl.name.text))
	}
	u.d.printf("struct %s {%s", decl.out, tail(renamed(decl.name.text, decl.out), decl.tail))
	u.items(decl.items, &scope{names: names{}, of: decl})
	u.d.printf("}")
}

func (u *schemaUnit) writeUnion(decl *schemaDecl) {
	var variants []token
	for i := range decl.items {
		variants = append(variants, decl.items[i].at)
	}
	kind := u.takeName(decl.out + "Type")
	u.d.printf("enum %s : int(0..%d) {", kind, len(variants))
	cases := u.cases(variants, "None")
	u.d.printf("}\n\nstruct %s {%s\ntype %s\nvalue switch type {\nNone: empty", decl.out, tail(renamed(decl.name.text, decl.out), decl.tail), kind)
	for i := range decl.items {
		item := &decl.items[i]
		payload := u.names[item.typ.word.text]
		if payload == nil || payload.word != "type" && payload.word != "table" {
			u.d.fail(item.typ.word.span, "`%s` is no type: the payload of a union is one", clip(item.typ.word.text))
			return
		}
		u.d.printf("%s: %s", cases[i], payload.out)
	}
	u.d.printf("}\n}")
}

// writeMessages writes the packet that is one of the messages after its tag.
func (u *schemaUnit) writeMessages(kind string) {
	d := u.d
	d.printf("// The tag of a message is its place among their names, sorted.\nenum %s : int(0..%d) {", kind, len(u.messages))
	var variants []token
	for _, m := range u.messages {
		t := m.name
		t.lead, t.tail = nil, ""
		variants = append(variants, t)
	}
	cases := u.cases(variants, "None")
	d.printf("}\n\npacket {\ntype %s\nbody switch type {\nNone: empty", kind)
	for i, m := range u.messages {
		d.printf("%s: %s", cases[i], m.out)
	}
	d.printf("}\n}")
}

// items writes the lines of a block.
func (u *schemaUnit) items(items []schemaItem, s *scope) {
	if s.bools == nil {
		s.bools = map[string]string{}
	}
	for i := range items {
		if u.d.failed != nil {
			return
		}
		item := &items[i]
		u.d.from(item.at.span)
		u.d.lead(item.lead)
		switch item.word {
		case "align":
			u.d.printf("align%s", tail(item.tail))
		case "reserved":
			u.d.printf("reserved(%d)%s", u.small(item.a, "a number of bits", 1, 64), tail(item.tail))
		case "const":
			bits := u.small(item.b, "a number of bits", 1, 64)
			value := u.whole(item.a, "a constant of so many bits", new(big.Int), new(big.Int).Rsh(mostUint, uint(64-bits)))
			u.d.printf("%s bits(%d) == %d%s", s.names.add("constant"), bits, value, tail(item.tail))
		case "if":
			u.branch(item, s)
		default:
			u.field(item, s)
		}
	}
}

func (u *schemaUnit) branch(item *schemaItem, s *scope) {
	name := ""
	for at := s; at != nil && name == ""; at = at.up {
		name = at.bools[item.at.text]
	}
	if name == "" {
		u.d.fail(item.at.span, "`%s` is no bool that was read before, in this block or one around it", clip(item.at.text))
		return
	}
	not := ""
	if item.not {
		not = "!"
	}
	u.d.printf("if %s%s {", not, name)
	u.items(item.then, &scope{up: s, names: s.names, of: s.of})
	if item.els != nil {
		u.d.printf("} else {")
		u.items(item.els, &scope{up: s, names: s.names, of: s.of})
	}
	u.d.printf("}")
}

// field writes a field, with the length before bytes.
func (u *schemaUnit) field(item *schemaItem, s *scope) {
	d := u.d
	t := u.typed(s.of, item)
	initial := ""
	for _, tok := range item.initial {
		initial += tok.text
	}
	if initial != "" {
		initial = "default " + syntax.EscapeText(clip(initial))
	}
	for _, a := range item.attrs {
		if !strings.Contains(" min max resolution round interpolate local context quantize ", " "+a.key.text+" ") {
			d.doubt(a.key.span, "what `%s` says of `%s` is left out", clip(a.key.text), clip(item.at.text))
		}
	}
	if attr(item.attrs, "local") != nil {
		d.printf("// %s is local: it is not sent", syntax.EscapeText(clip(item.at.text)))
		return
	}
	if t.text == "" {
		d.printf("// %s takes no bits", syntax.EscapeText(clip(item.at.text)))
		return
	}
	name := s.names.add(fieldName(item.at.text))
	counted := ""
	if item.typ.array && item.typ.to != nil && t.bitless {
		counted = "so many elements without bits"
	}
	notes := tail(renamed(item.at.text, name), counted, t.note, initial, item.tail)
	if item.typ.word.text == "bool" && !item.typ.array {
		s.bools[item.at.text] = name
	}
	if t.doubt != "" {
		d.doubt(item.at.span, "%s", t.doubt)
	}
	switch {
	case t.size > 0 && !item.typ.array:
		size := s.names.add(name + "_size")
		d.printf("%s int(0..%d)\n%s bytes(%s, max %d)%s", size, t.size, name, size, t.size, notes)
	case counted != "":
		d.printf("%s int(%s)%s", name, u.extentText(item), notes)
	case item.typ.array:
		d.printf("%s [%s]%s%s", name, strings.TrimPrefix(u.extentText(item), "0"), t.text, notes)
	default:
		if t.float {
			d.floats = append(d.floats, floatAt{d.text.Len() + len(name) + 1, item.at.span})
		}
		d.printf("%s %s%s", name, t.text, notes)
	}
}

// mostElements is the most of an array's bound: more is no datagram.
const mostElements = 1 << 20

// extentText is the bound of an array as the language has it.
func (u *schemaUnit) extentText(item *schemaItem) string {
	t := &item.typ
	switch {
	case t.to == nil:
		return u.said(t.from, u.small(t.from, "a number of elements", 1, mostElements))
	case t.from == nil:
		return "0.." + u.said(t.to, u.small(t.to, "a number of elements", 1, mostElements))
	}
	from := u.small(t.from, "a number of elements", 0, mostElements)
	to := u.small(t.to, "a number of elements", from, mostElements)
	return u.said(t.from, from) + ".." + u.said(t.to, to)
}

// said is a number, by the name of the constant that it is.
func (u *schemaUnit) said(x *expr, value any) string {
	if x.op == "" && x.leaf.kind == tokenWord && x.of.text == "" {
		if decl := u.names[x.leaf.text]; decl != nil && decl.number != nil && decl.number.whole != nil && fitsInteger(decl.number.whole) {
			return decl.out
		}
	}
	return fmt.Sprintf("%d", value)
}
