package schema

import (
	"sort"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Structs: named ones, checked once each, and inline ones, checked where they stand.

// namedStruct checks the body of a struct declaration. Those it uses are done, or were found to be wrong.
func (c *checker) namedStruct(g *global) {
	d := g.decl.(*syntax.StructDecl)
	c.unit = g.home
	s := &Struct{Lent: g == c.lent, Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos, Order: c.schema.Order}
	if d.Order != nil && d.Order.Known {
		s.Order, s.OwnOrder = d.Order.Order, true
	}
	before := c.trouble
	f := newFrame(s, d.Body, nil)
	for _, p := range d.Params {
		c.structParam(f, p)
	}
	outer := c.facts
	c.facts = newFacts()
	c.body(f, d.Body)
	c.facts = outer
	g.done = true
	if c.trouble > before {
		g.bad = true
		return
	}
	g.start = s
	for _, p := range d.Params { // no path from outside reaches a parameter
		delete(f.names, p.Name.Text)
	}
	c.structs[s] = &structInfo{members: f.names, depth: f.depth + 1, early: f.early}
	c.schema.Structs = append(c.schema.Structs, s)
	if s.Lent {
		c.lastSum(s.Items)
		c.schema.Packet = s
	}
}

func (c *checker) structParam(f *frame, p *syntax.ParamItem) {
	b := badVar(p.Name.Text, p.Name.Pos)
	if p.Bool {
		b = numberVar(p.Name.Text, VarParam, p.Name.Pos, span64(0, 1), true)
	} else if p.Range != nil {
		since := c.settable
		if in, ok := c.constRange(*p.Range, "a parameter's range", nil); ok {
			b = numberVar(p.Name.Text, VarParam, p.Name.Pos, in, false)
			b.settable = c.settable != since
			if !in.fits() {
				c.errorf(p.Range.Span, "", "the values %s fit neither int64 nor uint64", in)
			}
		}
	}
	if v := c.declare(f, p.Name, b); !b.bad {
		f.s.Params = append(f.s.Params, v)
	}
}

// root checks the packet.
func (c *checker) root() {
	if d := c.packet; d != nil {
		c.schema.Packet = c.rootStruct("packet", d.Doc, d.Pos, d.Order, d.Body, c.flowBy)
	} else if c.flow != nil {
		c.errorf(c.flow.Span, "", "`flow by` is in the file of the `packet`")
	}
}

// rootStruct checks what is read as a whole: the packet, or a message. after sees the frame after its items.
func (c *checker) rootStruct(name, doc string, pos Pos, order *syntax.OrderRef, body *syntax.Body, behind func(*frame)) *Struct {
	s := &Struct{Name: name, Doc: doc, Pos: pos, IsPacket: true, Order: c.schema.Order}
	if order != nil && order.Known {
		s.Order, s.OwnOrder = order.Order, true
	}
	outer := c.facts
	c.facts = newFacts()
	f := newFrame(s, body, nil)
	c.body(f, body)
	if behind != nil {
		behind(f)
	}
	c.facts = outer
	c.lastSum(s.Items)
	c.structs[s] = &structInfo{members: f.names, depth: f.depth + 1}
	return s
}

// body checks the items of a struct and sums its size.
func (c *checker) body(f *frame, b *syntax.Body) {
	var s size
	f.s.Items, s = c.items(f, b)
	c.carries(f)
	f.s.MinBits, f.s.MaxBits = s.min, s.max
}

// inline checks `{ … }` where a type may be.
func (c *checker) inline(f *frame, b *syntax.Body) Type {
	if b == nil {
		return nil
	}
	s := &Struct{Pos: b.Pos, Inline: true, Order: f.s.Order}
	before := c.trouble
	in := newFrame(s, b, f)
	in.known = c.facts.mark()
	c.body(in, b)
	if c.trouble > before {
		return nil
	}
	c.structs[s] = &structInfo{members: in.names, depth: in.depth + 1}
	f.depth = max(f.depth, in.depth+1)
	return &StructRef{Struct: s}
}

// namedType resolves `Name` and `Name(args)`.
func (c *checker) namedType(f *frame, t *syntax.NamedType) Type {
	g := c.names[t.Name.Text]
	if g == nil {
		if !c.lost {
			fix := c.meant(t.Name.Text, c.typeNames, "")
			if fix == "" && c.suggests <= maxSuggestions {
				fix = c.meant(strings.ToLower(t.Name.Text), syntax.TypeWords, listed("the file's types are ", c.fileTypes()))
				fix = c.meant(t.Name.Text, syntax.TypeWords, fix) // in large letters
			}
			c.errorf(t.Name.Span, fix, "unknown type `%s`", t.Name.Text)
		}
		return nil
	}
	c.use(g, t.Name.Span)
	if g.bad {
		return nil
	}
	if g.settable {
		c.settable++
	}
	if g.enum != nil {
		if len(t.Args) > 0 {
			c.errorf(t.Span, "", "`%s` is an enum: it takes no arguments", t.Name.Text)
			return nil
		}
		return &EnumRef{Enum: g.enum}
	}
	if g.start == nil {
		if g.what == "enum" && !g.done {
			c.errorf(t.Name.Span, "move it up", "the enum `%s` is declared further down, at %s", t.Name.Text, g.name.Pos)
		} else if g.what != "struct" {
			c.errorf(t.Name.Span, "", "`%s` is a %s, not a type", t.Name.Text, g.what)
		}
		return nil
	}
	return c.structType(f, t, g.start)
}

func (c *checker) structType(f *frame, t *syntax.NamedType, s *Struct) Type {
	ref := &StructRef{Struct: s}
	for _, a := range t.Args {
		if isBad(a) {
			c.trouble++ // the parser has complained
			return nil
		}
	}
	if len(t.Args) != len(s.Params) {
		c.errorf(t.Span, "", "`%s` takes %d arguments, got %d", s.Name, len(s.Params), len(t.Args))
		return nil
	}
	ok := true
	for i, a := range t.Args {
		e := c.argument(f, a, s, s.Params[i])
		if e != nil && c.structs[s].early[s.Params[i]] && !c.earlyArgument(f, a, s, s.Params[i]) {
			e = nil
		}
		ok = ok && e != nil
		ref.Args = append(ref.Args, e)
	}
	if !ok {
		return nil
	}
	depth := c.structs[s].depth
	if f.depth = max(f.depth, depth); f.nesting()+depth > MaxNesting {
		c.errorf(t.Span, "", "structs nest more than %d deep here", MaxNesting)
		return nil
	}
	return ref
}

// nesting is how many structs deep f is, itself included.
func (f *frame) nesting() int {
	n := 0
	for ; f != nil; f = f.outer {
		n++
	}
	return n
}

func (c *checker) argument(f *frame, a syntax.Expr, s *Struct, p *Var) *TypedExpr {
	x := &exprs{checker: c, f: f}
	what := "the argument `" + p.Name + "` of `" + s.Name + "`"
	if p.Bool {
		return x.condition(a, what)
	}
	e := x.number(a, what)
	if e == nil {
		return nil
	}
	if in := e.interval(); !in.within(interval{p.Lo, p.Hi}) {
		fix := ""
		if !e.IsConst() {
			fix = "constrain it first, in a rule, an `if` or a `require`"
		}
		c.errorf(a.Place(), fix, "%s is %s, but `%s` is %s", what, interval{p.Lo, p.Hi}, e.Text, in)
		return nil
	}
	return e
}

// typeNames lists what a type name may mean.
func (c *checker) typeNames() []string {
	out := []string{"bool", "bool8", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64", "float32",
		"float64", "bits", "sbits", "below", "varint", "zigzag", "string", "wstring", "cstring", "char", "bytes", "quat", "dnsname"}
	return append(out, c.fileTypes()...)
}

// fileTypes lists the types that the file declares.
func (c *checker) fileTypes() []string {
	var out []string
	for name, g := range c.names {
		if g.what == "enum" || g.what == "struct" {
			out = append(out, name)
		}
	}
	sort.Strings(out)
	return out
}

// packetSize compares the least that a packet takes with what a datagram holds, and a message with its own `max`.
func (c *checker) packetSize() {
	if p := c.schema.Packet; p != nil {
		if room := uint64(c.schema.MaxDatagram) * 8; p.MinBits > room {
			c.errorf(Span{Pos: p.Pos, End: p.Pos}, "raise `max datagram` or take something out",
				"the packet takes at least %d bits, more than the %d of a datagram of %d bytes", p.MinBits, room, c.schema.MaxDatagram)
		}
	}
	for _, m := range c.sections {
		if room := uint64(m.Max) * 8; m.Struct.MinBits > room {
			c.errorf(Span{Pos: m.Pos, End: m.Pos}, "raise its `max` or take something out",
				"`%s` takes at least %d bits, more than the %d of its %d bytes", m.Name, m.Struct.MinBits, room, m.Max)
		}
	}
}
