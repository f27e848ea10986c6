package filter

import (
	"slices"
	"strings"

	"github.com/expr-lang/expr/ast"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// `msg.` names what is in the messages that a packet brings. A condition of nothing but such names holds where it holds
// for one of them, whatever it joins: `msg.a == 1 && msg.b == 2` asks both of one message. It is a filter of its own for
// each section that has what it names; of a message whose bytes are a secret nothing is known.

// msgFields are the names after `msg.` that are no fields; a field of that name comes first.
var msgFields = []envField{
	{"section", envFile, text(nameText)},
	{"bits", envBits, typ{kind: kindInt}},
	{"verdict", envVerdict, word(&verdictWords)},
	{"rejected", envRejected, typ{kind: kindBool}},
	{"accepted", envAccepted, typ{kind: kindBool}},
}

// brings reports whether the packets can bring messages, so that msg is a name.
func (c *compiler) brings() bool { return !c.message && len(c.tree.plan.Sections) > 0 }

// ofMessages reports whether a condition names messages, and nothing else.
func ofMessages(n ast.Node) bool {
	v := roots{}
	ast.Walk(&n, &v)
	return v.msg && !v.other
}

// roots are the roots of a condition's names.
type roots struct{ msg, other bool }

// Visit looks at one node, as expr wants it.
func (v *roots) Visit(n *ast.Node) {
	if name, ok := (*n).(*ast.IdentifierNode); ok {
		switch {
		case name.Value == "msg":
			v.msg = true
		case name.Value == "$env" || !strings.ContainsRune(name.Value, '$'): // a number is a name with a $
			v.other = true
		}
	}
}

// messages compiles a condition of nothing but messages, for each section.
func (c *compiler) messages(n ast.Node) int32 {
	list, some := make([]*Program, len(c.tree.plan.Sections)), false
	var first *Error
	for i, p := range c.tree.plan.Sections {
		in := newCompiler(p, c.src)
		in.bytes, in.message = c.bytes, true
		if in.prog.root = in.condition(n); in.err == nil {
			in.finish()
		}
		switch {
		case in.err == nil:
			list[i], some = in.prog, true
		case first == nil || unknownPath(first) && !unknownPath(in.err): // the section that has the name says what is wrong
			first = in.err
		}
	}
	if !some {
		c.err = first
		return 0
	}
	c.prog.messages = append(c.prog.messages, list)
	return c.add(node{op: opMessage, a: int32(len(c.prog.messages) - 1)})
}

// unknownPath reports whether an error is that there is no such name.
func unknownPath(e *Error) bool { return strings.HasPrefix(e.Diagnostic.Message, "unknown path") }

// messageMember resolves a name after `msg.`.
func (c *compiler) messageMember(n *ast.MemberNode, name *ast.StringNode) term {
	root := term{kind: termPlace, nodes: c.bases[0]}
	if len(c.tree.member(root.nodes, name.Value)) == 0 {
		switch name.Value {
		case "case":
			return c.caseTag(n)
		case "reject":
			return term{kind: termScope, at: n, scope: name.Value}
		}
		for _, f := range msgFields {
			if f.name == name.Value {
				return c.envField(n, name, msgFields, "msg.")
			}
		}
	}
	return c.field(n, name, root, "msg.", name.Value)
}

// MessagePaths lists what a filter can name of the messages that packets of a plan bring, after `msg.`: see Paths.
func MessagePaths(p *plan.Plan) (list []Path) {
	if len(p.Sections) == 0 {
		return nil
	}
	seen := map[string]bool{}
	put := func(name, typ string, values []string) {
		if !seen[name] {
			seen[name] = true
			list = append(list, Path{Path: "msg." + name, Type: typ, Values: values})
		}
	}
	for _, section := range p.Sections {
		for _, path := range Paths(section) {
			put(path.Path, path.Type, path.Values)
		}
	}
	for _, f := range msgFields {
		put(f.name, f.typ.String(), f.typ.values())
	}
	if slices.ContainsFunc(p.Sections, func(section *plan.Plan) bool { return section.ShownCase() != nil }) {
		put("case", "enum or number", nil)
	}
	return list
}

// inMessages says where a name that packets do not have is in their messages; "" where it is in none.
func inMessages(p *plan.Plan, name string) string {
	for i, section := range p.Sections {
		if section == p {
			continue
		}
		paths := Paths(section)
		for _, path := range paths[:min(len(paths), maxGuesses)] {
			if path.Path == name || strings.HasSuffix(path.Path, "."+name) {
				message := p.Schema.Sections[i].Name
				return "the message " + message + " has it: write `msg." + path.Path + "`, or `" + path.Path + "` with --section " + message
			}
		}
	}
	return ""
}

// Bring says which messages the packet of the next Match brings: those of Session.Messages.
func (m *Matcher) Bring(list []decode.Message) { m.brought = list }

// someMessage reports whether a condition holds for one of the messages.
func (m *Matcher) someMessage(i int32) ternary {
	programs := m.prog.messages[i]
	if m.inner == nil {
		m.inner = make([][]*Matcher, len(m.prog.messages))
	}
	if m.inner[i] == nil {
		m.inner[i] = make([]*Matcher, len(programs))
		for k, p := range programs {
			if p != nil {
				m.inner[i][k] = p.NewMatcher()
			}
		}
	}
	for k := range m.brought {
		one := &m.brought[k]
		if one.Trace == nil || one.Secret || m.inner[i][one.Section] == nil {
			continue
		}
		m.message.File = m.prog.plan.Schema.Sections[one.Section].Name
		if m.inner[i][one.Section].Match(one.Trace, &m.message) {
			return yes
		}
	}
	return no
}
