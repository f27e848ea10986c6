package schema

import (
	"cmp"
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Names in expressions: constants, enum cases, fields, and dotted paths into earlier structs.

func isUpper(s string) bool { return s != "" && s[0] >= 'A' && s[0] <= 'Z' }

func (x *exprs) path(e *syntax.PathExpr) *TypedExpr {
	if len(e.Parts) == 0 || e.Parts[0].Text == "" {
		return nil
	}
	if isUpper(e.Parts[0].Text) {
		return x.globalPath(e)
	}
	if x.konst != "" {
		id := e.Parts[0]
		x.errorf(e.Span, x.meant(id.Text, func() []string { return x.globalNames(true) }, "use a `const`, a `param` or a number"),
			"%s is constant, but `%s` is no constant", x.konst, x.text(e.Span))
		return nil
	}
	if x.isState(e.Parts) {
		return x.state(e.Span, e.Parts, false)
	}
	return x.fieldPath(e)
}

// has checks `has state.name`.
func (x *exprs) has(e *syntax.HasExpr) *TypedExpr {
	switch {
	case x.konst != "":
		x.errorf(e.Span, "", "%s is constant; what a flow keeps is known only of a packet", x.konst)
	case !x.isState(e.X.Parts):
		x.errorf(e.X.Span, "declare it: `state { name uint8 once }`", "`has` asks for a register of `state { … }`, and `%s` is none", x.text(e.X.Span))
	default:
		return x.state(e.Span, e.X.Parts, true)
	}
	return nil
}

// globalPath resolves `Limit`, `Enum.Case` and, where they may be bare, `Case`.
func (x *exprs) globalPath(e *syntax.PathExpr) *TypedExpr {
	id := e.Parts[0]
	if x.bare != nil && len(e.Parts) == 1 {
		if k := x.enums[x.bare].byName[id.Text]; k != nil {
			x.book.refer(id.Span, k.Pos)
			t := mustBeConst(e.Span, k.Value)
			t.Enum = x.bare
			return t
		}
	}
	g := x.names[id.Text]
	if g == nil {
		x.unknownGlobal(id)
		return nil
	}
	x.use(g, id.Span)
	if !g.done && g.what != "struct" {
		x.errorf(id.Span, "move it up", "the %s `%s` is declared further down, at %s", g.what, id.Text, g.name.Pos)
		return nil
	}
	if g.bad {
		return nil
	}
	if g.settable {
		x.settable++
	}
	switch {
	case g.val != nil:
		return x.globalValue(e, g.val)
	case g.enum != nil:
		return x.enumCase(e, g.enum)
	}
	if x.caseHome[id.Text] != "" { // of an enum, too: a label means that
		x.unknownGlobal(id)
		return nil
	}
	x.errorf(id.Span, "", "`%s` is a %s, not a value", id.Text, g.what)
	return nil
}

func (x *exprs) globalValue(e *syntax.PathExpr, k *Const) *TypedExpr {
	id := e.Parts[0]
	switch {
	case len(e.Parts) > 1:
		x.errorf(e.Parts[1].Span, "", "`%s` is a constant: nothing is inside it", id.Text)
	case k.Table != nil:
		x.errorf(id.Span, fmt.Sprintf("write `%s(e)`", id.Text), "`%s` is a table, not a value", id.Text)
	case k.Float != nil:
		x.errorf(id.Span, "", "`%s` is no integer: expressions are over integers and bools", id.Text)
	case k.Value == nil:
		x.errorf(id.Span, "", "`%s` is a string: it can be only after `==` or `!=` in a rule", id.Text)
	default:
		return mustBeConst(e.Span, k.Value)
	}
	return nil
}

func (x *exprs) enumCase(e *syntax.PathExpr, n *Enum) *TypedExpr {
	info := x.enums[n]
	if len(e.Parts) == 1 {
		x.errorf(e.Span, fmt.Sprintf("write `%s.%s`", n.Name, n.Cases[0].Name), "`%s` is a type, not a value", n.Name)
		return nil
	}
	id := e.Parts[1]
	k := info.byName[id.Text]
	if k == nil {
		x.errorf(id.Span, x.meantAmong(id.Text, "its cases are ", info.names), "`%s` has no case `%s`", n.Name, id.Text)
		return nil
	}
	x.book.refer(id.Span, k.Pos)
	if len(e.Parts) > 2 {
		x.errorf(e.Parts[2].Span, "", "`%s.%s` is a case: nothing is inside it", n.Name, id.Text)
		return nil
	}
	t := mustBeConst(e.Span, k.Value)
	t.Enum = n
	return t
}

// globalNames lists what an UpperCamel name may mean.
func (c *checker) globalNames(values bool) []string {
	var out []string
	for name, g := range c.names {
		if !values || g.val != nil {
			out = append(out, name)
		}
	}
	return out
}

func (x *exprs) unknownGlobal(id syntax.Ident) {
	if x.lost {
		return
	}
	if home := x.caseHome[id.Text]; home != "" {
		if x.bare == nil && x.saidBare[home] { // who left out the name of an enum left it out everywhere
			x.trouble++
			return
		}
		fix := fmt.Sprintf("write `%s.%s`, and so everywhere", home, id.Text)
		if flags := x.names[home].enum; flags != nil && flags.Flags {
			fix = fmt.Sprintf("write `%s.%s`, which is a bool", x.flagsField(flags), id.Text)
		}
		if x.bare != nil && home != x.bare.Name {
			fix = ""
		} else {
			x.saidBare[home] = true
		}
		where := "only a label or a rule of a field of that enum may leave out its name"
		x.errorf(id.Span, fix, "`%s` is a case of `%s`: %s", id.Text, home, where)
		return
	}
	if x.bare != nil {
		among := func() []string { return append(x.globalNames(false), x.enums[x.bare].names()...) }
		fix := x.meant(id.Text, among, "")
		if fix == "" && x.suggests <= maxSuggestions {
			fix = listed("its cases are ", x.enums[x.bare].names())
		}
		x.errorf(id.Span, fix, "`%s` has no such case: unknown name `%s`", x.bare.Name, id.Text)
		return
	}
	x.errorf(id.Span, x.meantAmong(id.Text, "the file declares ", func() []string { return x.globalNames(false) }), "unknown name `%s`", id.Text)
}

// flagsField is the name of a field of flags that can be read here, "field" where there is none.
func (x *exprs) flagsField(flags *Enum) string {
	for f := x.f; f != nil; f = f.outer {
		for name, b := range f.names {
			if b.v != nil && b.v.Enum == flags && b.always {
				return name
			}
		}
	}
	return "field"
}

// fieldPath resolves `count`, `header.sequence` and `keys.Up`.
func (x *exprs) fieldPath(e *syntax.PathExpr) *TypedExpr {
	id := e.Parts[0]
	b := x.f.reads(id.Text, id.Pos)
	if b == nil && x.element != "" && id.Text == x.element && len(e.Parts) > 1 {
		x.errorf(e.Span, fmt.Sprintf("write `%s`", x.text(Span{Pos: e.Parts[1].Pos, End: e.Span.End})), "the fields of the element just read are called as in it")
		return nil
	}
	if b == nil {
		x.unknownField(id)
		return nil
	}
	x.book.refer(id.Span, b.v.Pos)
	if x.roots != nil {
		x.roots[b] = true
	}
	path := []*Var{b.v}
	prefix := id.Text
	for i := 1; ; i++ {
		if b.bad {
			return nil
		}
		if !b.always {
			x.errorf(e.Parts[i-1].Span, "declare it in both branches or use it inside",
				"`%s` is not always there: it is declared in a branch, at %s", prefix, b.at.Pos)
			return nil
		}
		if i == len(e.Parts) {
			break
		}
		next := e.Parts[i]
		if b.v.Enum != nil {
			if i != len(e.Parts)-1 {
				x.errorf(e.Parts[i+1].Span, "", "`%s.%s` is a bool: nothing is inside it", prefix, next.Text)
				return nil
			}
			return x.flag(e, path, b.v.Enum, next, prefix)
		}
		if b = x.member(b, prefix, next); b == nil {
			return nil
		}
		path = append(path, b.v)
		prefix += "." + next.Text
	}
	return x.read1(e, b, path, prefix)
}

// read1 makes the reading of a resolved path.
func (x *exprs) read1(e *syntax.PathExpr, b *binding, path []*Var, text string) *TypedExpr {
	if b.v.Kind == VarStruct {
		x.errorf(e.Span, "name one of its fields", "`%s` is a struct, not a value", text)
		return nil
	}
	if !b.number() {
		fix := ""
		switch b.shape {
		case "a text", "a block of bytes":
			fix = "a rule after its type compares it, `== \"…\"`; `switch peek(32)` decides by its first bytes"
		case "an array":
			fix = "use the element inside the array, or declare what is needed as a field of its own in front"
		}
		x.errorf(e.Span, fix, "`%s` is %s: expressions read integers, enums and bools", text, b.shape)
		return nil
	}
	for _, v := range path {
		v.Used = true
	}
	if x.early != nil && path[0].Kind == VarParam {
		x.early[path[0]] = true
	}
	x.read, x.last = append(x.read, b), b
	in := x.facts.narrowed(keyOf(path), b.in)
	if !b.in.within(in) {
		x.narrowed++
	}
	if b.settable {
		x.settable++
	}
	if !in.fits() {
		if !b.v.told { // once: no use of it can mend it
			x.errorf(e.Span, cmp.Or(b.v.cure, "give it a range"), "`%s` is %s, which fits neither int64 nor uint64", text, in)
		}
		b.v.told = true
		return nil
	}
	return &TypedExpr{Op: OpVar, Pos: e.Pos, Path: path, Lo: in.lo, Hi: in.hi, Bool: b.v.Bool, Enum: b.v.Enum}
}

func (x *exprs) flag(e *syntax.PathExpr, path []*Var, n *Enum, id syntax.Ident, prefix string) *TypedExpr {
	k := x.enums[n].byName[id.Text]
	switch {
	case k == nil:
		x.errorf(id.Span, x.meantAmong(id.Text, "its cases are ", x.enums[n].names), "`%s` has no case `%s`", n.Name, id.Text)
		return nil
	case !n.Flags:
		x.errorf(e.Span, fmt.Sprintf("write `%s == %s.%s`", prefix, n.Name, id.Text), "`%s` is an enum, not flags", prefix)
		return nil
	}
	x.book.refer(id.Span, k.Pos)
	for _, v := range path {
		v.Used = true
	}
	return &TypedExpr{Op: OpFlag, Pos: e.Pos, Path: path, Mask: k.Value.Uint64(), Lo: bigZero, Hi: bigOne, Bool: true}
}

// member finds the next part of a path inside what b names.
func (x *exprs) member(b *binding, prefix string, id syntax.Ident) *binding {
	if b.v.Kind != VarStruct || b.v.Struct == nil {
		switch b.shape {
		case "an array", "a switch", "a subset", "an optional":
			x.errorf(id.Span, "hand the value out of it with a field in front, or test it inside",
				"`%s` is %s: a path does not reach into it", prefix, b.shape)
		default:
			x.errorf(id.Span, "", "`%s` is %s: nothing is inside it", prefix, b.shape)
		}
		return nil
	}
	info := x.structs[b.v.Struct]
	if info == nil {
		return nil
	}
	m := info.members[id.Text]
	if m == nil {
		if !x.lost {
			x.errorf(id.Span, x.meantAmong(id.Text, "its fields are ", info.memberNames), "%s has no field `%s`", b.describe(), id.Text)
		}
		return nil
	}
	x.book.refer(id.Span, m.v.Pos)
	return m
}

func (x *exprs) unknownField(id syntax.Ident) {
	if x.lost {
		return
	}
	if x.f == nil {
		x.errorf(id.Span, "", "unknown name `%s`", id.Text)
		return
	}
	if at, ok := x.f.declaredLater(id.Text); ok {
		x.errorf(id.Span, "move it before what uses it",
			"`%s` is not known yet: it is declared at %s, and a name is usable only after its declaration", id.Text, at)
		return
	}
	root := x.f
	for root.outer != nil {
		root = root.outer
	}
	fix := ""
	if !root.s.IsPacket && root.s.Name != "" {
		fix = x.meant(id.Text, x.f.visible, fmt.Sprintf("a struct sees its own fields and parameters: `struct %s(%s in 0..100)`, then `%s(%s)`",
			root.s.Name, id.Text, root.s.Name, id.Text))
	} else {
		fix = x.meantAmong(id.Text, "in scope are ", x.f.visible)
	}
	x.errorf(id.Span, fix, "unknown name `%s`", id.Text)
}
