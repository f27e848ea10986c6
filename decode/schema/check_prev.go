package schema

import (
	"fmt"
	"math"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Values carried from element to element: prev(name, e) is what the field or `let` name of the same body was in the
// element before, e in the first. The name is most often declared further down, so what its value can be is found from
// the text, before it is checked: what is known of names at a place says nothing of the element before.

// loop is an array whose element is being checked.
type loop struct {
	f     *frame // the one in which it is: its names are those that are known where it begins
	known int    // the facts that are
}

// carried is a `prev` of a body that is being checked.
type carried struct {
	*Carry
	at    Span
	name  string
	first string // the first value as written
	b     *binding
	of    Pos // where what it carries is declared
}

// firstOfPrev is what is said of the first value of a `prev`.
const firstOfPrev = "the first value of a `prev`"

// mostCarries bounds the values that a body keeps.
const mostCarries = 64

// prev checks `prev(name, e)`.
func (x *exprs) prev(e *syntax.CallExpr) *TypedExpr {
	if x.konst != "" || x.f == nil {
		x.errorf(e.Span, "", "%s is constant; `prev` is known only in a packet", orElse(x.konst, "this"))
		return nil
	}
	if len(e.Args) != 2 {
		x.errorf(e.Span, "write `prev(name, first)`", "`prev` has two arguments, a name and its value in the first element, got %d", len(e.Args))
		return nil
	}
	f := x.f
	for f != nil && f.body == nil { // the condition of `until`
		f = f.outer
	}
	if p, ok := e.Args[0].(*syntax.PathExpr); ok && len(p.Parts) == 2 && p.Parts[0].Text != "" && !isUpper(p.Parts[0].Text) {
		return x.lastElement(e, p)
	}
	name := x.carriedName(e.Args[0])
	if name == "" {
		return nil
	}
	if f == nil {
		x.errorf(e.Span, "write a number or a parameter", "no body is around the struct whose `prev` this is the first value of")
		return nil
	}
	if f.ahead != nil {
		f.ahead.circular = true
		return nil
	}
	text := x.text(e.Args[1].Place())
	at := e.Args[0].Place()
	for _, have := range f.carried {
		if have.name == name {
			x.book.refer(at, have.of)
		}
		if have.name == name && have.first == text {
			return x.read1(pathOf(e), have.b, []*Var{have.Var}, x.text(e.Span))
		}
	}
	if len(f.carried) >= mostCarries {
		x.errorf(e.Span, "", "a body keeps at most %d values for `prev`", mostCarries)
		return nil
	}
	of := x.foresee(f, name, e)
	first := x.firstValue(f, e.Args[1])
	if of == nil || first == nil {
		return nil
	}
	if first.Bool != of.v.Bool {
		x.errorf(e.Args[1].Place(), "", "`%s` is %s, but its first value `%s` is not", name, of.shape, first.Text)
		return nil
	}
	in := of.in.union(first.interval())
	b := numberVar("prev("+name+")", VarPrev, e.Pos, in, of.v.Bool)
	b.always, b.settable, b.at = true, of.settable, e.Span
	x.book.refer(at, of.v.Pos)
	f.carried = append(f.carried, &carried{&Carry{Pos: e.Pos, First: first, Var: b.v}, at, name, text, b, of.v.Pos})
	return x.read1(pathOf(e), b, []*Var{b.v}, x.text(e.Span))
}

// lastElement checks `prev(list.name, e)` after a list: what the name was in its last element, e where it has none.
func (x *exprs) lastElement(e *syntax.CallExpr, p *syntax.PathExpr) *TypedExpr {
	list, name := p.Parts[0], p.Parts[1].Text
	b := x.f.reads(list.Text, list.Pos)
	if b == nil {
		x.unknownField(list)
		return nil
	}
	x.book.refer(list.Span, b.v.Pos)
	var ref *StructRef
	if b.list != nil {
		ref = b.list.Element()
	}
	switch {
	case b.bad || name == "":
		return nil
	case ref == nil:
		x.errorf(p.Span, "", "`%s` is no list of structs: `prev(list.name, e)` is what a name was in the last element of a list before", list.Text)
		return nil
	case !b.always:
		x.errorf(p.Span, "", "`%s` is not always there: it is declared in a branch, at %s", list.Text, b.at.Pos)
		return nil
	}
	m := x.structs[ref.Struct].members[name]
	switch {
	case m == nil:
		x.errorf(p.Span, "", "the elements of `%s` have no `%s`", list.Text, name)
		return nil
	case m.bad:
		return nil
	case !m.number() || !m.always:
		x.errorf(p.Span, "", "`%s` is %s that `prev` cannot carry: an integer or a bool, on every way through the element", name, m.shape)
		return nil
	}
	x.book.refer(p.Parts[1].Span, m.v.Pos)
	text := x.text(e.Args[1].Place())
	for _, have := range b.lasts {
		if have.name == name && have.first == text {
			return x.read1(pathOf(e), have.b, []*Var{have.Var}, x.text(e.Span))
		}
	}
	if len(b.lasts) >= mostCarries {
		x.errorf(e.Span, "", "a list keeps at most %d values for `prev`", mostCarries)
		return nil
	}
	first := x.constantFirst(e.Args[1])
	if first == nil {
		return nil
	}
	if first.Bool != m.v.Bool {
		x.errorf(e.Args[1].Place(), "", "`%s` is %s, but its first value `%s` is not", name, m.shape, first.Text)
		return nil
	}
	k := numberVar(string(x.text(p.Span)), VarPrev, e.Pos, interval{m.v.Lo, m.v.Hi}.union(first.interval()), m.v.Bool)
	k.always, k.settable, k.at = true, m.settable || b.settable, e.Span
	m.v.Used = true
	carry := &Carry{Pos: e.Pos, Of: m.v, First: first, Var: k.v}
	b.list.Last = append(b.list.Last, carry)
	b.lasts = append(b.lasts, &carried{carry, e.Args[0].Place(), name, text, k, m.v.Pos})
	return x.read1(pathOf(e), k, []*Var{k.v}, x.text(e.Span))
}

// constantFirst checks the value that stands for the last element of a list without one: it is known before any
// list, so it is made of constants and the struct's parameters.
func (x *exprs) constantFirst(e syntax.Expr) *TypedExpr {
	in := &frame{s: x.f.s, names: map[string]*binding{}}
	for name, b := range x.f.root().names {
		if b.v.Kind == VarParam {
			in.names[name] = b
		}
	}
	early := &exprs{checker: x.checker, f: in}
	said := len(x.diags)
	var t *TypedExpr
	x.without(firstOfPrev, func() { x.facts.at(0, func() { t = early.root(e) }) })
	switch {
	case t == nil && len(x.diags) > said:
		x.diags[len(x.diags)-1].Fix = "after a list this value is made of constants and parameters"
	case t != nil && early.rest:
		x.errorf(e.Place(), "", "the first value of a `prev` looks at no bits")
		return nil
	}
	return t
}

// pathOf stands for a call where a path is read.
func pathOf(e *syntax.CallExpr) *syntax.PathExpr { return &syntax.PathExpr{Span: e.Span} }

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// carriedName is the name that a `prev` carries, "" where it is none.
func (x *exprs) carriedName(e syntax.Expr) string {
	p, ok := e.(*syntax.PathExpr)
	if ok && len(p.Parts) == 1 && p.Parts[0].Text != "" && !isUpper(p.Parts[0].Text) {
		return p.Parts[0].Text
	}
	if !isBad(e) {
		x.errorf(e.Place(), "", "`prev` carries a field or a `let` of its own body, not `%s`", x.text(e.Place()))
	}
	return ""
}

// firstValue checks the value of a `prev` in the first element: it is computed where the innermost array begins, so it
// sees what is known there.
func (x *exprs) firstValue(f *frame, e syntax.Expr) *TypedExpr {
	early := &exprs{checker: x.checker, f: f.beginning()}
	mark := f.known
	switch root := f.root(); {
	case f.loop != nil:
		mark = f.loop.known
	case !root.s.IsPacket:
		mark = 0
		if root.early == nil {
			root.early = map[*Var]bool{}
		}
		early.early = root.early
	}
	var t *TypedExpr
	said := len(x.diags)
	x.without(firstOfPrev, func() { x.facts.at(mark, func() { t = early.root(e) }) })
	if t == nil && len(x.diags) > said {
		x.diags[len(x.diags)-1].Fix = "a first value sees what is known before the array, and the struct's parameters"
	} else if t != nil && early.rest {
		x.errorf(e.Place(), "", "the first value of a `prev` looks at no bits")
		return nil
	}
	return t
}

// root is the frame of the named struct or the packet around.
func (f *frame) root() *frame {
	for f.outer != nil {
		f = f.outer
	}
	return f
}

// beginning is what can be seen where the innermost array around a body begins, and the parameters of the struct that
// the body is. In a named struct that array may be outside: then it is the parameters.
func (f *frame) beginning() *frame {
	root := f.root()
	out := &frame{s: f.s, names: map[string]*binding{}}
	switch {
	case f.loop != nil:
		out.outer = f.loop.f
	case root.s.IsPacket:
		out.outer = f.outer
	}
	if out.outer == nil {
		for name, b := range root.names {
			if b.v.Kind == VarParam {
				out.names[name] = b
			}
		}
	}
	return out
}

// earlyArgument checks an argument that is read where the innermost array begins: what it reads is known there, and
// within the parameter's range there already.
func (c *checker) earlyArgument(f *frame, a syntax.Expr, s *Struct, p *Var) bool {
	root := f.root()
	if f.loop != nil && f.loop.f == f || f.loop == nil && root.s.IsPacket { // the element itself; in no array
		return true
	}
	x := &exprs{checker: c, f: f.beginning()}
	mark := 0
	if f.loop != nil {
		mark = f.loop.known
	} else {
		if root.early == nil {
			root.early = map[*Var]bool{}
		}
		x.early = root.early
	}
	before := len(c.diags)
	var t *TypedExpr
	c.facts.at(mark, func() { t = x.root(a) })
	fix := fmt.Sprintf("`%s` is the first value of a `prev` in `%s`: hand it what is known before the array", p.Name, s.Name)
	switch {
	case t == nil:
		if len(c.diags) > before {
			c.diags[len(c.diags)-1].Fix = fix
		}
		return false
	case x.rest:
		c.errorf(a.Place(), fix, "this argument looks at bits, and is wanted where the array around it begins")
		return false
	case !t.interval().within(interval{p.Lo, p.Hi}):
		c.errorf(a.Place(), fix, "`%s` is %s where the array around it begins, but `%s` is %s", t.Text, t.interval(), p.Name, interval{p.Lo, p.Hi})
		return false
	}
	return true
}

// at does something with the facts that were known at a mark, not with those learnt since.
func (t *facts) at(mark int, do func()) {
	since := slices.Clone(t.log[mark:])
	now := make([]fact, len(since))
	for i, u := range since {
		now[i] = t.known[u.old.key]
	}
	t.leave(mark)
	do()
	t.log = append(t.log[:mark], since...)
	for i, u := range since {
		t.known[u.old.key] = now[i]
	}
}

// carries ends a body: the names that its `prev`s carry are declared now.
func (c *checker) carries(f *frame) {
	for _, k := range f.carried {
		b := f.names[k.name]
		switch {
		case b == nil || b.bad:
			c.trouble++ // complained about
		case !b.always:
			c.errorf(k.at, "declare it in both branches", "`%s` is not declared on every way through the element", k.name)
		case !b.number() || !b.in.within(k.b.in):
			c.errorf(k.at, "", "`%s` is %s, which `prev` cannot carry", k.name, b.shape)
		default:
			b.v.Used = true
			k.Of = b.v
			f.s.Carries = append(f.s.Carries, k.Carry)
		}
	}
}

// foresight finds what names can be that a body declares, from the text and whatever else is known of them.
type foresight struct {
	c        *checker
	scratch  *frame
	declared map[string][]syntax.ItemNode
	found    map[string]*binding // nil while it is looked for, and where it is no number
	now      int                 // names that are looked for
	circular bool                // a `prev` was met, or a name again
}

// mostForesight bounds a chain of `let`s that is followed.
const mostForesight = 32

// foresee is what a name of a body can be that a `prev` carries; nil where that is not known, about which it complains.
func (x *exprs) foresee(f *frame, name string, e *syntax.CallExpr) *binding {
	if f.foresight == nil {
		f.foresight = newForesight(x.checker, f)
	}
	g := f.foresight
	at := e.Args[0].Place()
	if len(g.declared[name]) == 0 {
		x.unknownCarried(f, name, at)
		return nil
	}
	g.circular = false
	facts := x.facts
	x.checker.facts = newFacts()
	b := g.find(name)
	x.checker.facts = facts
	switch {
	case b != nil && b.number():
		return b
	case b != nil && !b.bad:
		x.errorf(at, "", "`%s` is %s: `prev` carries integers and bools", name, b.shape)
	case g.circular:
		x.errorf(at, fmt.Sprintf("`let %s in 0..65535 = …`", name), "`%s` is computed from the one before it: say its range", name)
	default:
		x.errorf(at, "give it a range of constants", "what `%s` can be is not known here", name)
	}
	return nil
}

func (x *exprs) unknownCarried(f *frame, name string, at Span) {
	if x.lost {
		return
	}
	if f.lookup(name) != nil {
		x.errorf(at, "", "`%s` is declared outside of this body: `prev` carries what the body itself declares", name)
		return
	}
	x.errorf(at, x.meant(name, f.visible, ""), "unknown name `%s`: `prev` carries a field or a `let` of its own body", name)
}

func newForesight(c *checker, f *frame) *foresight {
	g := &foresight{c: c, declared: map[string][]syntax.ItemNode{}, found: map[string]*binding{}}
	g.scratch = &frame{s: f.s, body: f.body, outer: f.outer, names: map[string]*binding{}, ahead: g}
	for name, b := range f.names {
		if b.v.Kind == VarParam {
			g.scratch.names[name] = b
		}
	}
	eachName(f.body, 0, func(name syntax.Ident, n syntax.ItemNode) {
		g.declared[name.Text] = append(g.declared[name.Text], n)
	})
	return g
}

// find is what is known of a name in all the places that declare it; nil where nothing is.
func (f *foresight) find(name string) *binding {
	if f == nil || len(f.declared[name]) == 0 {
		return nil
	}
	if b, ok := f.found[name]; ok || f.now >= mostForesight {
		f.circular = f.circular || b == nil
		return b
	}
	f.found[name] = nil
	f.now++
	var out *binding
	for _, n := range f.declared[name] {
		b := f.look(n)
		if b == nil || b.bad || !b.number() || out != nil && out.v.Bool != b.v.Bool {
			out = b
			break
		}
		if out != nil {
			b.in, b.settable = b.in.union(out.in), b.settable || out.settable
			b.v.Lo, b.v.Hi = b.in.lo, b.in.hi
		}
		out = b
	}
	f.now--
	if out != nil {
		out.always = true
		f.scratch.names[name] = out
	}
	f.found[name] = out
	return out
}

// look checks one declaration of a name as far as its values go, and says nothing about it.
func (f *foresight) look(n syntax.ItemNode) *binding {
	c := f.c
	diags, errors, trouble, suggests, lost, settable := len(c.diags), c.errors, c.trouble, c.suggests, c.lost, c.settable
	c.lost = true // no looking for what may have been meant
	defer func() {
		c.diags, c.errors, c.trouble, c.suggests, c.lost = c.diags[:diags], errors, trouble, suggests, lost
	}()
	var b *binding
	switch n := n.(type) {
	case *syntax.LetItem:
		b = f.let(n)
	case *syntax.FieldItem:
		b = f.field(n)
	}
	if b != nil {
		b.settable = c.settable != settable
	}
	return b
}

func (f *foresight) let(n *syntax.LetItem) *binding {
	if n.Range != nil {
		if in, ok := f.c.constRange(*n.Range, "the range of a `let`", nil); ok {
			return numberVar(n.Name.Text, VarLet, n.Name.Pos, in, false)
		}
		return nil
	}
	t := f.c.expr(f.scratch, n.Value)
	if t == nil {
		return nil
	}
	return numberVar(n.Name.Text, VarLet, n.Name.Pos, t.interval(), t.Bool)
}

func (f *foresight) field(n *syntax.FieldItem) *binding {
	if n.Switch == nil {
		return f.value(n.Name, n.Value)
	}
	var all *binding
	for _, arm := range n.Switch.Arms {
		if arm.Empty {
			return opaqueVar(n.Name.Text, n.Name.Pos, "a switch")
		}
		b := f.value(n.Name, arm.Value)
		switch {
		case b == nil || b.bad:
			return b
		case !b.number() || b.v.Bool:
			return opaqueVar(n.Name.Text, n.Name.Pos, "a switch")
		case all != nil:
			b.in = b.in.union(all.in)
			b.v.Lo, b.v.Hi = b.in.lo, b.in.hi
		}
		all = b
	}
	return all
}

func (f *foresight) value(name syntax.Ident, ve *syntax.ValueExpr) *binding {
	if ve == nil {
		return nil
	}
	if len(ve.Prefixes) > 0 {
		return opaqueVar(name.Text, name.Pos, "an array")
	}
	if _, ladder := ve.Type.(*syntax.LadderType); ladder {
		return numberVar(name.Text, VarField, name.Pos, interval{bigZero, big.NewInt(math.MaxInt32)}, false)
	}
	if _, body := ve.Type.(syntax.BodyType); body {
		return opaqueVar(name.Text, name.Pos, "a struct")
	}
	v := f.c.leaf(f.scratch, ve, name.Text)
	if v == nil {
		return nil
	}
	if ve.Rule != nil && !f.c.rule(f.scratch, ve, v) {
		v.Rule = nil // whoever checks the field says so
	}
	return f.c.bindingOf(name, v, VarField)
}
