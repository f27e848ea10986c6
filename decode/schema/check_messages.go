package schema

import (
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Messages: what is put together of several datagrams, or is whole in one. Each is a section, a packet of its own;
// the fields that hold it, or a piece of it, say so with @message and @fragment. Neither changes the wire.

// MaxMessage is the most bytes that a `message` may be said to have.
const MaxMessage = 1 << 20

// MaxPieces is the most pieces that a message is put together of.
const MaxPieces = 1024

// maxSections is how many messages a schema has at most: each has a plan of its own.
const maxSections = 64

// maxChain is how many messages are in each other at most: one in the packet, one in that, and so on.
const maxChain = 4

// Section is a `message`.
type Section struct {
	Name   string
	Doc    string
	Pos    Pos
	Max    int     // bytes, 1..MaxMessage
	Struct *Struct // IsPacket; its name is the section's
}

// declaredSection is a Section in the file that declares it.
type declaredSection struct {
	*Section
	home *unit
	decl *syntax.MessageDecl
}

// Fragment is the @message or the @fragment of a field of bytes: which message it holds, or a piece of. Expressions are
// over what is known where the field is, and look at no bits.
type Fragment struct {
	Pos     Pos
	Section *Section
	// ID tells the messages apart of which pieces are on the way; nil of a whole one (@message), and so are the others.
	ID *TypedExpr
	// At is the number of the piece, from 0, or with Bytes the offset of its first byte in the message.
	At    *TypedExpr
	Bytes bool
	// Whole is how many pieces the message has, or with Bytes how many bytes; nil where Last, a bool, says that this is
	// the piece at its end.
	Whole, Last *TypedExpr
}

// Exprs are the expressions, in the order of evaluation.
func (f *Fragment) Exprs() []*TypedExpr {
	if f == nil {
		return nil
	}
	return slices.DeleteFunc([]*TypedExpr{f.ID, f.At, f.Whole, f.Last}, func(e *TypedExpr) bool { return e == nil })
}

// Words are what the language calls the expressions.
func (f *Fragment) Words() []string {
	if f.ID == nil {
		return nil
	}
	words := []string{"id", "index", "count"}
	if f.Bytes {
		words = []string{"id", "offset", "total"}
	}
	if f.Last != nil {
		words[2] = "last"
	}
	return words
}

// FlowKey is a field of the packet that tells flows apart.
type FlowKey struct {
	Value *TypedExpr
	Bits  int // 0..64
}

// Section is the schema as if a message were its packet: a plan made of it reads the message, `max datagram` is what
// that has at most, and the name is `reliable.Game`. It is nil where the schema has none of that name.
func (s *Schema) Section(name string) *Schema {
	i := slices.IndexFunc(s.Sections, func(m *Section) bool { return m.Name == name })
	if i < 0 {
		return nil
	}
	of := *s
	if s.Message != nil {
		of.Name = s.Name[:len(s.Name)-len(s.Message.Name)-1]
	}
	of.Name += "." + name
	of.Message, of.Packet, of.MaxDatagram, of.FlowBy = s.Sections[i], s.Sections[i].Struct, s.Sections[i].Max, nil
	return &of
}

// Fragments are the @message and @fragment annotations of a struct, and of all that are in it, each once.
func (s *Struct) Fragments() []*Fragment {
	r := newReached()
	r.structure(s)
	return r.fragments
}

// message enters a message: it can be named above its declaration.
func (c *checker) message(d *syntax.MessageDecl) {
	g := c.own(d.Name, d)
	if g == nil {
		return
	}
	g.done, g.bad = true, true
	if len(c.sections) == maxSections {
		c.errorf(d.Name.Span, "", "a schema has at most %d messages", maxSections)
		return
	}
	since := c.settable
	most, ok := c.constIn(d.Max, "the most bytes of a message", 1, MaxMessage)
	if !ok {
		return
	}
	c.roomSet = c.roomSet || c.settable != since
	g.bad = false
	g.section = &Section{Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos, Max: int(most)}
	c.sections = append(c.sections, declaredSection{g.section, c.unit, d})
}

// messages checks the bodies of all messages.
func (c *checker) messages() {
	for _, m := range c.sections {
		c.unit = m.home
		m.Struct = c.rootStruct(m.Name, m.Doc, m.Pos, m.decl.Order, m.decl.Body, nil)
		if c.main {
			c.schema.Sections = append(c.schema.Sections, m.Section)
		}
	}
}

// flowBy checks `flow by`, in the frame of the packet whose items are all known.
func (c *checker) flowBy(f *frame) {
	d := c.flow
	if d == nil {
		return
	}
	if len(d.Keys) > 1 && c.schema.Steers() {
		c.errorf(d.Keys[1].Span, "write `flow by address`", "registers that steer belong to the flow of two addresses: a packet is read by them before its fields are known")
		return
	}
	bits := 0
	for i, k := range d.Keys {
		if k.Parts[0].Text == "" {
			return // complained about
		}
		if address := len(k.Parts) == 1 && k.Parts[0].Text == "address"; i == 0 || address {
			if i > 0 || !address {
				c.errorf(k.Span, "write `flow by address, …`: packets of two addresses are never one flow", "`flow by` begins with `address`, and says it once")
				return
			}
			continue
		}
		var e *TypedExpr
		c.without("`flow by`", func() { e = c.expr(f, k) })
		if e == nil {
			return
		}
		key := FlowKey{Value: e, Bits: new(big.Int).Sub(e.Hi, e.Lo).BitLen()}
		if bits += key.Bits; bits > 64 {
			c.errorf(k.Span, "leave one out", "the fields of `flow by` have %d bits together, at most 64 are allowed", bits)
			return
		}
		c.schema.FlowBy = append(c.schema.FlowBy, key)
	}
}

// fragmentNote checks @message and @fragment.
func (c *checker) fragmentNote(f *frame, n *syntax.Annotation, v *Value, on noteHome, out *Annotations) {
	const forms = "`@fragment(Game, id, index a, count n)`, or with `offset a` and `total n`, or with `last is_last` in place of the count or the total"
	switch {
	case on == onSwitch || on == onEmpty:
		c.errorf(n.Span, "write it after an arm that is `bytes`", "`@%s` comes after `bytes`", n.Name.Text)
		return
	case !c.noteOn(n, v, on, "`bytes`", isBlob):
		return
	case innermost(v).IsText():
		c.errorf(n.Span, "take the encoding away", "`@%s` comes after `bytes`, not after text", n.Name.Text)
		return
	case out.Fragment != nil:
		c.errorf(n.Span, "keep one of the two", "a field holds a whole message or a piece of one")
		return
	case len(n.Args) == 0:
		c.errorf(n.Span, "write `@message(Game)`, or "+forms, "`@%s` says of which message", n.Name.Text)
		return
	}
	p := &Fragment{Pos: n.Pos, Section: c.sectionNamed(n.Args[0].Value)}
	ok := p.Section != nil
	if n.Name.Text == "message" {
		if len(n.Args) > 1 {
			c.errorf(n.Args[1].Span, "write "+forms+" for a piece", "`@message` takes the name of a message")
			return
		}
	} else if len(n.Args) != 4 {
		c.errorf(n.Span, "write "+forms, "`@fragment` takes a message, what tells it from others, where the piece lies, and what says that it is whole")
		return
	} else {
		at, whole := n.Args[2], n.Args[3]
		p.Bytes = at.Word.Text == "offset"
		switch word := whole.Word.Text; {
		case at.Word.Text != "index" && !p.Bytes:
			c.errorf(at.Span, "write "+forms, "the third argument of `@fragment` is the piece's `index` or `offset`")
			return
		case word != "last" && word != map[bool]string{false: "count", true: "total"}[p.Bytes]:
			c.errorf(whole.Span, "write "+forms, "`count` or `last` comes after `index`, `total` or `last` after `offset`")
			return
		}
		p.ID = c.fragmentNumber(f, n.Args[1], "what tells a message from others", nil)
		p.At = c.fragmentNumber(f, at, "where a piece lies", bigZero)
		if whole.Word.Text == "last" {
			c.without("`last`", func() { p.Last = c.unread(whole, (&exprs{checker: c, f: f}).condition(whole.Value, "`last`")) })
		} else {
			p.Whole = c.fragmentNumber(f, whole, "the size of a message", bigZero)
		}
		ok = ok && p.ID != nil && p.At != nil && (p.Last != nil || p.Whole != nil)
		if ok && p.Whole != nil {
			most, what := int64(MaxPieces), "pieces"
			if p.Bytes {
				most, what = int64(p.Section.Max), "bytes"
			}
			if p.Whole.Lo.Cmp(big.NewInt(most)) > 0 {
				c.errorf(whole.Span, "", "`%s` is %s: a `%s` has %d %s at most", p.Whole.Text, p.Whole.interval(), p.Section.Name, most, what)
				return
			}
		}
	}
	if ok {
		out.Fragment = p
	}
}

// fragmentNumber checks a number of a @fragment, which is not below least; nil where it is wrong.
func (c *checker) fragmentNumber(f *frame, a syntax.AnnotationArg, what string, least *big.Int) *TypedExpr {
	var e *TypedExpr
	c.without(what, func() { e = c.unread(a, c.integer(f, a.Value, what)) })
	if e != nil && least != nil && e.Lo.Cmp(least) < 0 {
		c.errorf(a.Span, "constrain it first, in a rule, an `if` or a `require`", "%s is not negative, but `%s` is %s", what, e.Text, e.interval())
		return nil
	}
	return e
}

// unread refuses an expression over bits that have not been read: it is computed after the field.
func (c *checker) unread(a syntax.AnnotationArg, e *TypedExpr) *TypedExpr {
	if e == nil || !e.looks() {
		return e
	}
	c.errorf(a.Span, "write `let name = …` before the field, and its name here", "`@fragment` is about what has been read: `%s` looks at what is left", e.Text)
	return nil
}

// sectionNamed is the message that an expression names; nil where there is none.
func (c *checker) sectionNamed(e syntax.Expr) *Section {
	if isBad(e) {
		c.trouble++
		return nil
	}
	p, ok := e.(*syntax.PathExpr)
	if !ok || len(p.Parts) > 1 || !isUpper(p.Parts[0].Text) {
		c.errorf(e.Place(), "write `message Game max 4096 { … }` at the top level, and `Game` here", "want the name of a message, got `%s`", c.text(e.Place()))
		return nil
	}
	id := p.Parts[0]
	g := c.names[id.Text]
	switch {
	case g == nil:
		if !c.lost {
			fix := c.meantAmong(id.Text, "the messages are ", c.messageNames)
			if fix == "" {
				fix = "declare it: `message " + cut(id.Text, 40) + " max 4096 { … }`"
			}
			c.errorf(id.Span, fix, "unknown message `%s`", id.Text)
		}
	case g.what != "message":
		c.use(g, id.Span)
		c.errorf(id.Span, "write `message` in place of `"+g.what+"`, and the most bytes that it has", "`%s` is a %s, not a message", id.Text, g.what)
	default:
		c.use(g, id.Span)
		return g.section // nil where it is wrong
	}
	return nil
}

func (c *checker) messageNames() []string {
	var out []string
	for name, g := range c.names {
		if g.what == "message" {
			out = append(out, name)
		}
	}
	return out
}

// roots are the packet and the messages of all files.
func (c *checker) roots() []*Struct {
	var all []*Struct
	if c.schema.Packet != nil {
		all = append(all, c.schema.Packet)
	}
	for _, m := range c.sections {
		all = append(all, m.Struct)
	}
	return all
}

// chains refuses messages that hold themselves, and chains of too many.
func (c *checker) chains() {
	inner := map[*Section][]*Fragment{}
	for _, m := range c.sections {
		inner[m.Section] = m.Struct.Fragments()
	}
	depth, open := map[*Section]int{}, map[*Section]bool{}
	var below func(list []*Fragment) int // how many messages are in each other there
	below = func(list []*Fragment) (most int) {
		for _, p := range list {
			m := p.Section
			if open[m] {
				c.errorf(Span{Pos: p.Pos, End: p.Pos}, "give what is inside a message of its own", "the message `%s` would be inside itself", m.Name)
				return 0
			}
			n, known := depth[m]
			if !known {
				open[m] = true
				n = 1 + below(inner[m])
				open[m], depth[m] = false, n
				if n == maxChain+1 {
					c.errorf(Span{Pos: p.Pos, End: p.Pos}, "", "messages are %d deep in each other, at most %d are allowed", n, maxChain)
				}
			}
			most = max(most, n)
		}
		return most
	}
	if p := c.schema.Packet; p != nil {
		below(p.Fragments())
	}
	for _, m := range c.sections {
		below([]*Fragment{{Pos: m.Pos, Section: m.Section}})
	}
}
