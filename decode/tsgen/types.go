package tsgen

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/pktscope/pktscope/decode/plan"
)

// types are the declarations of what decode gives.
type types struct {
	text  strings.Builder
	taken map[string]bool
	made  map[string]string // by what a type is called and holds: its name
	p     *plan.Plan
	kids  [][]plan.NodeID
	is    present
	root  string // of the plan
}

func (t *types) init() {
	t.taken, t.made = map[string]bool{}, map[string]string{}
}

// pick gives a name, or the name with the first free number after it.
func (t *types) pick(name string) string {
	got := name
	for i := 2; t.taken[got] || words()[got]; i++ {
		got = fmt.Sprintf("%s%d", name, i)
	}
	t.taken[got] = true
	return got
}

// packet declares the types of a plan and gives the name of what it reads.
func (g *generator) packet(p *plan.Plan, name string) string {
	t := &g.types
	t.p, t.is = p, presence(p)
	t.kids = make([][]plan.NodeID, len(p.Nodes))
	for i := range p.Nodes {
		if up := p.Nodes[i].Parent; up != plan.NoNode {
			t.kids[up] = append(t.kids[up], plan.NodeID(i))
		}
	}
	t.root = t.pick(name)
	return t.structType(0, t.root)
}

// typeOf is the type of what a node holds, "" of one without a value. hint is what a type of its own is called.
func (t *types) typeOf(id plan.NodeID, hint string) string {
	n := &t.p.Nodes[id]
	switch {
	case n.Kind == plan.NodeItem || !t.is.touched[id]:
		return ""
	case n.Kind == plan.NodeStruct:
		return t.structType(id, hint)
	case n.Kind == plan.NodeArray:
		return t.listType(id, hint)
	case n.Kind == plan.NodeLeaf:
		return t.leafType(&t.p.Info[n.Leaf])
	}
	if n.Value.IsText() {
		return "string"
	}
	return "Uint8Array"
}

var leafTypes = map[plan.Form]string{plan.FormBool: "boolean", plan.FormFloat: "number"}

func (t *types) leafType(info *plan.LeafInfo) string {
	number := "number"
	if info.Wide() {
		number = "bigint"
	}
	if info.Cases != nil && (info.Form() == plan.FormCase || info.Form() == plan.FormFlags) {
		return t.enumType(info, number)
	}
	if own, ok := leafTypes[info.Form()]; ok {
		return own
	}
	return number
}

// enumType is the names of an enum, with numbers where it is open; or a number, with constants beside it.
func (t *types) enumType(info *plan.LeafInfo, number string) string {
	e := info.Enum
	var body strings.Builder
	if e.Flags {
		suffix := ""
		if number == "bigint" {
			suffix = "n"
		}
		for _, c := range info.Cases.List {
			fmt.Fprintf(&body, "  %s: %d%s,\n", member(c.Name), c.Code, suffix)
		}
		return t.declare(camel(e.Name), "flags", body.String(), func(name string) string {
			return fmt.Sprintf("%sexport type %s = %s;\nexport const %s = {\n%s} as const;\n\n", doc("", e.Doc), name, number, name, body.String())
		})
	}
	for i, c := range e.Cases {
		if i > 0 {
			body.WriteString(" | ")
		}
		body.WriteString(quoted(c.Name))
	}
	if e.Open {
		body.WriteString(" | " + number)
	}
	return t.declare(camel(e.Name), "enum", body.String(), func(name string) string {
		return fmt.Sprintf("%sexport type %s = %s;\n\n", doc("", e.Doc), name, body.String())
	})
}

// declare declares a type unless one that is the same is there, and gives its name.
func (t *types) declare(name, kind, body string, text func(name string) string) string {
	key := name + " " + kind + "\n" + body
	if have, ok := t.made[key]; ok {
		return have
	}
	got := t.pick(name)
	t.made[key] = got
	t.text.WriteString(text(got))
	return got
}

// structType is the type of a struct. One without a name is called for where it is, and one that no schema declares,
// such as a vector, by what is in it.
func (t *types) structType(id plan.NodeID, hint string) string {
	n := &t.p.Nodes[id]
	name, about := hint, n.Doc
	if s := n.Struct; s != nil && !s.Inline && s.Name != "" && id != 0 {
		name, about = camel(s.Name), s.Doc
	}
	var names, lines []string
	members := map[string][]string{}
	docs := map[string]string{}
	for _, kid := range t.kids[id] {
		k := &t.p.Nodes[kid]
		text := t.typeOf(kid, name+camel(k.Name)+arm(k))
		if text == "" {
			continue
		}
		if _, ok := members[k.Name]; !ok {
			names, docs[k.Name] = append(names, k.Name), k.Doc
		}
		if !slices.Contains(members[k.Name], text) {
			members[k.Name] = append(members[k.Name], text)
		}
	}
	for _, member_ := range names {
		optional := "?"
		if t.is.always[place{id, member_}] {
			optional = ""
		}
		lines = append(lines, member(member_)+optional+": "+strings.Join(members[member_], " | ")+";")
	}
	if id != 0 && n.Value != nil && n.Struct == nil {
		return "{ " + strings.Join(lines, " ") + " }"
	}
	var body strings.Builder
	for i, line := range lines {
		body.WriteString(doc("  ", docs[names[i]]) + "  " + line + "\n")
	}
	text := func(name string) string {
		return fmt.Sprintf("%sexport interface %s {\n%s}\n\n", doc("", about), name, body.String())
	}
	if id == 0 {
		t.text.WriteString(text(t.root))
		return t.root
	}
	return t.declare(name, "struct", strings.Join(lines, "\n"), text)
}

// whole is the members that a struct always has, in the order of its types, each with a value that is not its own.
func (t *types) whole(id plan.NodeID) string {
	var members []string
	seen := map[string]bool{}
	for _, kid := range t.kids[id] {
		n := &t.p.Nodes[kid]
		if seen[n.Name] || !t.is.always[place{id, n.Name}] || !assignable(n.Name) {
			continue
		}
		seen[n.Name] = true
		value := "null"
		if n.Leaf >= 0 && t.leafType(&t.p.Info[n.Leaf]) == "number" {
			value = "0"
		}
		members = append(members, n.Name+": "+value)
	}
	return strings.Join(members, ", ")
}

// arm is what tells the type of an arm of a switch from those of the others.
func arm(n *plan.Node) string {
	if n.Case == "" {
		return ""
	}
	return camel(n.Case)
}

func (t *types) listType(id plan.NodeID, hint string) string {
	var elems []string
	absent := false
	for _, kid := range t.kids[id] {
		k := &t.p.Nodes[kid]
		if !k.Elem {
			continue
		}
		absent = absent || k.Kind == plan.NodeItem && k.Leaf >= 0 && t.p.Info[k.Leaf].Kind == plan.LeafBool
		if text := t.typeOf(kid, hint+arm(k)); text != "" && !slices.Contains(elems, text) {
			elems = append(elems, text)
		}
	}
	if absent {
		elems = append(elems, "null")
	}
	if len(elems) == 0 {
		return "never[]"
	}
	return "Array<" + strings.Join(elems, " | ") + ">"
}

var identifier = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

// assignable reports whether a member can be made by an assignment: every object seems to have the two that cannot.
func assignable(name string) bool {
	return name != "__proto__" && name != "constructor" && identifier.MatchString(name)
}

// member is the name of a member: in brackets where it would not make one in a literal.
func member(name string) string {
	switch {
	case name == "__proto__":
		return `["__proto__"]`
	case identifier.MatchString(name):
		return name
	}
	return quoted(name)
}

// camel is a schema's name as that of a type: `player_count` is PlayerCount.
func camel(name string) string {
	var b strings.Builder
	up := true
	for _, c := range name {
		if c > unicode.MaxASCII || !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			up = true
			continue
		}
		if up {
			c = unicode.ToUpper(c)
		}
		up = false
		b.WriteRune(c)
	}
	if s := b.String(); s != "" && s[0] >= 'A' {
		return s
	}
	return "X" + b.String()
}

// doc is a comment that editors show. Nothing in it can end it.
func doc(indent, text string) string {
	text = strings.Join(strings.FieldsFunc(strings.ReplaceAll(text, "*/", "* /"), func(c rune) bool {
		return unicode.IsSpace(c) || unicode.IsControl(c) || unicode.Is(unicode.Cf, c) || c == '\u2028' || c == '\u2029' || c == unicode.ReplacementChar
	}), " ")
	if text = strings.ReplaceAll(text, "*/", "* /"); text == "" {
		return ""
	}
	return indent + "/** " + text + " */\n"
}
