package filter

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// termKind tells what a piece of a filter stands for.
type termKind uint8

const (
	termBad    termKind = iota // an error has been kept
	termCond                   // a condition: node
	termNumber                 // a computed number: node
	termConst
	termPlace // a place in the packet, which can be several fields of one path
	termRef   // a value of the envelope, the verdict or a note
	termNotes // the list of notes
	termScope // `pkt` or `reject` alone
)

// term is a piece of a filter.
type term struct {
	kind  termKind
	at    ast.Node
	node  int32
	val   constant
	refs  []ref
	scope string

	// A place: the nodes of its path in a frame, and the indexes on the way, outermost first.
	nodes []plan.NodeID
	frame int32
	chain []uint32
}

// term compiles a piece of the tree that need not be a condition.
func (c *compiler) term(n ast.Node) term {
	if !c.visit(n) {
		return term{}
	}
	switch n := n.(type) {
	case *ast.IdentifierNode:
		return c.identifier(n)
	case *ast.MemberNode:
		return c.member(n)
	case *ast.PointerNode:
		if n.Name != "" {
			c.failAt(n, "", "%s is not part of filters: # is the element", quote("#"+n.Name))
			return term{}
		}
		if c.notes {
			c.failAt(n, "", "a note is no value: use .kind, .path or .bit")
			return term{}
		}
		return term{kind: termPlace, at: n, nodes: c.bases[c.frame], frame: c.frame}
	case *ast.StringNode:
		return term{kind: termConst, at: n, val: constant{kind: constText, text: n.Value}}
	case *ast.BytesNode:
		return term{kind: termConst, at: n, val: constant{kind: constBytes, text: string(n.Value)}}
	case *ast.NilNode:
		return term{kind: termConst, at: n, val: constant{kind: constNil}}
	case *ast.BoolNode:
		return term{kind: termCond, at: n, node: c.add(node{op: opConst, lo: uint64(truthOf(n.Value))})}
	case *ast.UnaryNode:
		return c.unary(n)
	case *ast.BinaryNode:
		return c.binary(n)
	case *ast.BuiltinNode:
		return c.builtin(n)
	case *ast.CallNode:
		c.failAt(n, meant("", c.textOf(n.Callee), builtins), "unknown function %s", quote(c.textOf(n.Callee)))
	case *ast.ArrayNode:
		c.failAt(n, "", "a list of constants is only after `in`")
	default:
		c.failAt(n, "", "%s is not part of filters", quote(c.textOf(n)))
	}
	return term{}
}

// identifier resolves a name at the root.
func (c *compiler) identifier(n *ast.IdentifierNode) term {
	if n.Value != "$env" && strings.ContainsRune(n.Value, '$') {
		val, problem := parseNumber(c.textOf(n))
		if problem != "" {
			c.failAt(n, "", "%s", problem)
			return term{}
		}
		return term{kind: termConst, at: n, val: val}
	}
	switch n.Value {
	case "$env":
		return term{kind: termPlace, at: n, nodes: c.bases[0]}
	case "pkt", "reject":
		return term{kind: termScope, at: n, scope: n.Value}
	case "msg":
		if c.message {
			return term{kind: termScope, at: n, scope: n.Value}
		}
		if c.brings() {
			c.failAt(n, "", "a message's field compares with constants and with fields of the same message")
			return term{}
		}
	case "notes":
		return term{kind: termNotes, at: n}
	case "case":
		return c.caseTag(n)
	}
	return c.field(n, n, term{kind: termPlace, nodes: c.bases[0]}, "", n.Value)
}

// field resolves a name inside a place.
func (c *compiler) field(at, name ast.Node, in term, prefix, word string) term {
	tree := c.tree
	if found := tree.member(in.nodes, word); len(found) > 0 {
		if tree.secret(in.nodes) {
			c.insideSecret(at)
			return term{}
		}
		return term{kind: termPlace, at: at, nodes: found, frame: in.frame, chain: in.chain}
	}
	names := tree.names(in.nodes)
	switch {
	case len(names) > 0 && !tree.secret(in.nodes):
		fix := ""
		if prefix == "" && !c.message {
			fix = inMessages(tree.plan, word)
		}
		if fix == "" {
			fix = meant(prefix, word, names)
		}
		if prefix == "" && fix == "" {
			fix = c.elsewhere(word)
		}
		c.fail(c.byteAt(name.Location().From), c.byteAt(name.Location().To), fix, "unknown path %s", quote(prefix+c.src[c.byteAt(name.Location().From):c.byteAt(name.Location().To)]))
	case tree.secret(in.nodes):
		c.insideSecret(at)
	case len(tree.ofKind(in.nodes, plan.NodeArray)) > 0:
		list := strings.TrimSuffix(prefix, ".")
		c.fail(c.byteAt(name.Location().From), c.byteAt(name.Location().To), fmt.Sprintf("write %s[0].%s or any(%s, .%s …)", list, word, list, word), "%s is a list", quote(list))
	default:
		c.fail(c.byteAt(name.Location().From), c.byteAt(name.Location().To), "", "unknown path %s: %s has no fields", quote(prefix+word), quote(strings.TrimSuffix(prefix, ".")))
	}
	return term{}
}

// maxGuesses is how many paths an error compares with a misspelt one: a hostile schema can have 65,536.
const maxGuesses = 2048

// elsewhere looks for a name that is unknown at the root among all paths.
func (c *compiler) elsewhere(word string) string {
	for _, f := range slices.Concat(pktFields, []envField{{name: "notes"}, {name: "case"}, {name: "reject"}}) {
		if f.name == word {
			return "did you mean `pkt." + word + "`?"
		}
	}
	for i := range c.tree.plan.Info {
		if e := c.tree.plan.Info[i].Enum; e != nil && caseOf(e, word) != nil {
			return "did you mean \"" + word + "\", in quotes?"
		}
	}
	for _, t := range pktFields {
		if t.typ.words != nil && slices.Contains(*t.typ.words, word) {
			return "did you mean \"" + word + "\", in quotes?"
		}
	}
	if in := c.bases[c.frame]; c.frame > 0 && !c.notes && !c.tree.secret(in) && len(c.tree.member(in, word)) > 0 {
		return "did you mean `." + word + "`?"
	}
	paths := Paths(c.tree.plan)
	all := []string{"case", "notes", "reject", "pkt"}
	for _, p := range paths[:min(len(paths), maxGuesses)] {
		path := p.first()
		if list, ok := strings.CutSuffix(path, "[0]."+word); ok && strings.HasSuffix(p.Path, "[*]."+word) {
			return "did you mean `any(" + list + ", ." + word + " …)`?"
		}
		if strings.HasSuffix(path, "."+word) {
			return "did you mean `" + path + "`?"
		}
		all = append(all, path)
	}
	return meant("", word, all)
}

func (c *compiler) insideSecret(n ast.Node) {
	c.failAt(n, "", "%s is inside a @secret field, whose shape is not shown", quote(c.textOf(n)))
}

// member resolves `a.b` and `a[i]`.
func (c *compiler) member(n *ast.MemberNode) term {
	if n.Optional || n.Method {
		c.failAt(n, "", "%s is not part of filters", quote(c.textOf(n)))
		return term{}
	}
	name, named := n.Property.(*ast.StringNode)
	if _, pointer := n.Node.(*ast.PointerNode); pointer && named && c.notes {
		return c.envField(n, name, noteFields, ".")
	}
	in := c.term(n.Node)
	if c.err != nil {
		return term{}
	}
	switch {
	case in.kind == termScope && named && in.scope == "pkt":
		return c.envField(n, name, pktFields, "pkt.")
	case in.kind == termScope && named && in.scope == "msg":
		return c.messageMember(n, name)
	case in.kind == termScope && named:
		return c.envField(n, name, rejectFields, "reject.")
	case in.kind == termPlace && !named:
		return c.index(n, in)
	case in.kind == termPlace:
		if flag, ok := c.flagMember(n, in, name.Value); ok {
			return flag
		}
		prefix := c.textOf(n.Node) + "."
		switch n.Node.(type) {
		case *ast.PointerNode:
			prefix = "."
		case *ast.IdentifierNode:
			if c.textOf(n.Node) == "$env" {
				prefix = ""
			}
		}
		return c.field(n, name, in, prefix, name.Value)
	case in.kind == termNotes:
		c.failAt(n, "write \"wrong-direction\" in notes, or any(notes, .kind == …)", "`notes` is a list")
	default:
		c.failAt(n, "", "%s has no fields", quote(c.textOf(n.Node)))
	}
	return term{}
}

// flagMember resolves `keys.Up`.
func (c *compiler) flagMember(n *ast.MemberNode, in term, name string) (term, bool) {
	if len(c.tree.ofKind(in.nodes, plan.NodeLeaf)) == 0 || c.tree.secret(in.nodes) {
		return term{}, false
	}
	any := slices.ContainsFunc(c.refs(in), func(r ref) bool { return r.typ.kind == kindFlags })
	if !any {
		return term{}, false
	}
	return term{kind: termCond, at: n, node: c.flag(n, in, name)}, true
}

// index resolves `list[3]`.
func (c *compiler) index(n *ast.MemberNode, in term) term {
	at, ok := n.Property.(*ast.IdentifierNode)
	var val constant
	if ok && at.Value != "$env" && strings.ContainsRune(at.Value, '$') {
		val, _ = parseNumber(c.textOf(at))
	}
	if !val.whole || !val.num.Num().IsUint64() || val.num.Num().Uint64() >= schema.DefaultMaxFields {
		c.failAt(n.Property, "", "an index is a number from 0 to %d", schema.DefaultMaxFields-1)
		return term{}
	}
	elements := c.tree.elements(in.nodes)
	if len(elements) == 0 {
		c.failAt(n, "", "%s is no list", quote(c.textOf(n.Node)))
		return term{}
	}
	if c.tree.secret(in.nodes) {
		c.insideSecret(n)
		return term{}
	}
	return term{kind: termPlace, at: n, nodes: elements, frame: in.frame, chain: append(slices.Clone(in.chain), uint32(val.num.Num().Uint64()))}
}

// envField resolves a name of the envelope, the verdict or a note.
func (c *compiler) envField(at ast.Node, name *ast.StringNode, fields []envField, prefix string) term {
	for _, f := range fields {
		if f.name == name.Value {
			if f.id == envRejectPath || f.id == envNotePath {
				f.typ.max = c.tree.longestPath()
			}
			return term{kind: termRef, at: at, refs: []ref{{c.env(f.id), f.typ}}}
		}
	}
	names := fieldNames(fields)
	fix := meant(prefix, name.Value, names)
	if fix == "" {
		fix = "there are " + prefix + strings.Join(names, ", "+prefix)
	}
	c.failAt(at, fix, "unknown path %s", quote(prefix+name.Value))
	return term{}
}

// pathWork is what it takes to build a path.
const pathWork = 16

// env gives the slot of an envelope's value, or of the current note's.
func (c *compiler) env(id envID) int32 {
	frame := int32(-1)
	if id >= envNoteKind {
		frame = c.frame
	}
	s, fresh := c.slot(frame, "env "+strconv.Itoa(int(id)))
	if id == envNotePath {
		c.prog.work += pathWork * c.mult[c.frame]
	}
	if fresh && frame < 0 {
		c.prog.env = append(c.prog.env, envFill{id, s})
	} else if fresh {
		f := &c.prog.frames[frame]
		f.fills = append(f.fills, envFill{id, s})
	}
	return s
}

// caseTag is `case`: the tag of the first switch directly in the packet.
func (c *compiler) caseTag(n ast.Node) term {
	p := c.tree.plan
	switch {
	case p.Case == nil:
		c.failAt(n, "", "the packets of %s have no case: no switch is directly in `packet`", p.Schema.Name)
		return term{}
	case p.CaseSecret():
		c.failAt(n, "", "`case` is made of a @secret field")
		return term{}
	}
	signed := p.Case.Negative
	c.prog.caseSigned = signed
	t := typ{kind: kindInt, signed: signed, tag: true}
	if p.Case.Enum != nil {
		t = typ{kind: kindEnum, signed: signed, enum: p.Case.Enum}
	}
	return term{kind: termRef, at: n, refs: []ref{{c.env(envCase), t}}}
}
