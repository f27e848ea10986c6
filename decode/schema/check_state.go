package schema

import (
	"fmt"
	"math/big"
	"slices"

	"github.com/pktscope/pktscope/decode/internal/seal"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What is kept of a flow, and what is sealed with it. A `sealed` type is checked as the inline struct of its text and its
// tag, so that a reader without keys reads bytes; what is said in its braces is about names before it.

// state checks `state { … }`.
func (c *checker) state(d *syntax.StateDecl) {
	if !c.once("state", d.Span) {
		return
	}
	if !c.main {
		c.errorf(Span{Pos: d.Pos, End: d.Pos}, "declare it in the file that imports this one", "a file that is imported keeps no state")
		return
	}
	for _, r := range d.Registers {
		c.declareRegister(r)
	}
	if len(c.schema.State) > MaxRegisters {
		c.errorf(d.Registers[MaxRegisters].Name.Span, "", "a flow has at most %d registers", MaxRegisters)
	}
}

func (c *checker) declareRegister(d *syntax.RegisterDecl) {
	r := &Register{Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos, Index: len(c.schema.State), Each: d.Each}
	for _, old := range c.schema.State {
		if old.Name == r.Name {
			c.errorf(d.Name.Span, "give it another name", "the register `%s` is already declared at %s", r.Name, old.Pos)
			return
		}
	}
	c.book.declare(d.Name, "register", d.Name.Pos)
	before := c.trouble
	f := newFrame(&Struct{Order: LSB}, nil, nil)
	v := c.value(f, d.Value, r.Name)
	if v == nil || c.trouble > before {
		c.trouble++
		return
	}
	c.notes(f, d.Annotations, v, onValue, &r.Annotations)
	if in := c.bindingOf(d.Name, v, VarState); in.number() {
		c.steering(d, r, v, in)
		return
	}
	b, ok := v.Type.(*BlobType)
	switch {
	case !ok || b.Size == nil || !b.Size.IsConst() || v.Rule != nil || b.Max > maxKept || b.Max == 0:
		c.errorf(d.Value.Span, "", "a register is an integer, an enum or a bool, or `bytes(n)` with n in 1..%d, not `%s`", maxKept, c.text(d.Value.Span))
		return
	case d.Once:
		c.errorf(d.Name.Span, "remove `once`", "bytes are set again by each packet that says so")
		return
	case !r.Annotations.Secret:
		c.errorf(d.Name.Span, "write `"+c.text(d.Value.Span)+" @secret`", "a register of bytes is a key, and a key is a secret")
		return
	}
	r.Size = b.Max
	c.schema.State = append(c.schema.State, r)
}

// steering declares a register that expressions read.
func (c *checker) steering(d *syntax.RegisterDecl, r *Register, v *Value, in *binding) {
	switch {
	case r.Annotations.Secret:
		c.errorf(d.Name.Span, "", "what steers is seen in the packets: `%s` is no secret", r.Name)
	case !d.Once:
		c.errorf(d.Value.Span, "write `"+r.Name+" "+c.text(d.Value.Span)+" once`", "a register that packets are read by is set once, until `let state = none`")
	default:
		r.Value, r.Lo, r.Hi, r.Bool, r.Enum = v, in.in.lo, in.in.hi, in.v.Bool, in.v.Enum
		r.values, r.known = make([]*Var, len(sideWords)), make([]*Var, len(sideWords))
		c.schema.State = append(c.schema.State, r)
	}
}

// forgets reports whether an item is `let state = none`.
func (c *checker) forgets(f *frame, n *syntax.LetItem) bool {
	path, ok := n.Value.(*syntax.PathExpr)
	return ok && n.Name.Text == "state" && n.Range == nil && len(n.Annotations) == 0 && len(c.schema.State) > 0 &&
		len(path.Parts) == 1 && path.Parts[0].Text == "none" && f.lookup("none") == nil && f.lookup("state") == nil
}

// keepItem is the item of a `let state`.
func (c *checker) keepItem(n *syntax.LetItem, value *TypedExpr, keep Keep) Item {
	v := &Var{Name: "_state", Pos: n.Pos, Kind: VarLet, Lo: value.Lo, Hi: value.Hi, Bool: value.Bool, Used: true}
	return &Let{Pos: n.Pos, Doc: n.Doc, Var: v, Value: value, Lo: value.Lo, Hi: value.Hi, State: &keep}
}

// keep checks `let state.name = e` of a register that steers.
func (c *checker) keep(f *frame, n *syntax.LetItem, r *Register, side Side) Item {
	e := c.expr(f, n.Value)
	if e == nil {
		return nil
	}
	in, wants := e.interval(), interval{r.Lo, r.Hi}
	switch {
	case e.Bool != r.Bool && r.Bool:
		c.errorf(n.Value.Place(), fmt.Sprintf("write `%s != 0`", e.Text), "`state.%s` is a bool, but `%s` is a number", r.Name, e.Text)
	case e.Bool != r.Bool:
		c.errorf(n.Value.Place(), "", "`state.%s` is a number, but `%s` is a bool", r.Name, e.Text)
	case !in.within(wants):
		c.errorf(n.Value.Place(), "constrain it first, in a rule, an `if` or a `require`", "`state.%s` is %s, but `%s` is %s", r.Name, wants, e.Text, in)
	default:
		r.kept = true
		return c.keepItem(n, e, Keep{r, side})
	}
	return nil
}

// unusedRegisters warns about those that steer nothing.
func (c *checker) unusedRegisters() {
	for _, r := range c.schema.State {
		at := Span{Pos: r.Pos, End: r.Pos}
		read := slices.ContainsFunc(r.values, func(v *Var) bool { return v != nil })
		switch {
		case !r.Steers():
		case !read:
			c.warnf(at, "read it or take it out", "nothing reads `state.%s`", r.Name)
		case !r.kept:
			c.warnf(at, "write `let state."+r.Name+" = …` where a packet says it", "nothing sets `state.%s`: every packet that reads it needs context", r.Name)
		}
	}
}

// isState reports whether a path names a register.
func (x *exprs) isState(parts []syntax.Ident) bool {
	return len(parts) > 1 && parts[0].Text == "state" && len(x.schema.State) > 0 && x.f != nil && x.f.lookup("state") == nil
}

// state checks what reads a register, or asks whether it is set.
func (x *exprs) state(at Span, parts []syntax.Ident, known bool) *TypedExpr {
	r, side := x.statePath(parts)
	switch {
	case r == nil:
		return nil
	case !r.Steers():
		x.errorf(at, "", "`state.%s` is a key: `sealed` uses it, and nothing reads it", r.Name)
		return nil
	case x.stateless != "":
		x.errorf(at, "name it with `let` in front", "%s is not computed from a register", x.stateless)
		return nil
	}
	v := r.read(side, known)
	b := &binding{v: v, at: at, shape: "an integer", in: interval{v.Lo, v.Hi}, always: true}
	return x.read1(&syntax.PathExpr{Span: at, Parts: parts}, b, []*Var{v}, v.Name)
}

// without checks something in which no register is read.
func (c *checker) without(what string, check func()) {
	around := c.stateless
	c.stateless = what
	check()
	c.stateless = around
}

// letState checks `let state.name = field`, which is in the body of the field: the field's annotations have it. Of
// a register that steers it is an item.
func (c *checker) letState(f *frame, n *syntax.LetItem) Item {
	r, side := c.statePath(n.State)
	path, ok := n.Value.(*syntax.PathExpr)
	if r == nil || isBad(n.Value) {
		c.trouble++
		return nil
	}
	if r.Steers() {
		return c.keep(f, n, r, side)
	}
	var b *binding
	if ok && len(path.Parts) == 1 && slices.Contains(f.branch, path.Parts[0].Text) { // read wherever this item is
		b = f.names[path.Parts[0].Text]
	}
	size := 0
	if b != nil && b.list != nil {
		c.book.refer(path.Parts[0].Span, b.v.Pos)
		size = fixedBytes(b.list)
	}
	switch {
	case size == 0 || !b.always:
		c.errorf(n.Value.Place(), "", "a register of bytes is set from a field of `bytes(%d)` of the same body, before it", r.Size)
	case size != r.Size:
		c.errorf(n.Value.Place(), "", "`state.%s` has %d bytes, and `%s` %d", r.Name, r.Size, path.Parts[0].Text, size)
	case !b.list.Annotations.Secret:
		c.errorf(n.Value.Place(), fmt.Sprintf("write `%s bytes(%d) @secret`", b.list.Name, size), "what a secret register is set from is a secret: `%s` is not", b.list.Name)
	default:
		b.list.Annotations.Sets = append(b.list.Annotations.Sets, Set{n.Pos, r, side})
	}
	return nil
}

// fixedBytes is how many bytes a field of bytes has in every packet, 0 of all else.
func fixedBytes(f *Field) int {
	if f.Value == nil {
		return 0
	}
	if b, ok := f.Value.Type.(*BlobType); ok && b.Size != nil && b.Size.IsConst() {
		return b.Max
	}
	return 0
}

// statePath resolves `state.name`, and `state.name.client` and the like of an `each`; nil where there is no such register.
func (c *checker) statePath(parts []syntax.Ident) (r *Register, side Side) {
	if len(parts) < 2 {
		c.trouble++
		return nil, OwnSide
	}
	if r = c.register(parts[1]); r == nil || len(parts) == 2 {
		return r, OwnSide
	}
	for _, side := range []Side{PeerSide, ClientSide, ServerSide} {
		if r.Each && len(parts) == 3 && parts[2].Text == side.String() {
			return r, side
		}
	}
	fix := "write `state." + r.Name + "`"
	if r.Each {
		fix += ", or `.client`, `.server` or `.peer` after it"
	}
	c.errorf(parts[2].Span, fix, "nothing is inside `state.%s`", r.Name)
	return nil, OwnSide
}

// sealed checks a `sealed` type.
func (c *checker) sealed(f *frame, t *syntax.SealedType) Type {
	s := &Seal{Pos: t.Pos, Algorithm: seal.Find(t.Algorithm.Text)}
	switch {
	case t.Algorithm.Text == "":
		c.trouble++
		return nil
	case s.Algorithm == nil:
		c.errorf(t.Algorithm.Span, c.meantAmong(t.Algorithm.Text, "the algorithms are ", seal.Words), "unknown algorithm `%s`", t.Algorithm.Text)
		return nil
	case f.s.Order == Bytewise:
		c.errorf(t.Span, "give the struct it is in the order msb or lsb", "what is sealed is whole bytes, and in order bousk a byte begins at any bit")
		return nil
	case f.around() != nil:
		c.errorf(t.Span, "", "an array has no `sealed` elements")
		return nil
	}
	before := c.trouble
	c.sealKey(s, t)
	s.Nonce = c.sealParts(f, t.Nonce, "a nonce")
	s.AD = c.sealParts(f, t.AD, "additional data")
	c.sealSizes(f, s, t)
	if t.Open.Text != "" {
		named := &syntax.PathExpr{Span: t.Open.Span, Parts: []syntax.Ident{t.Open}}
		s.Open = &Fragment{Pos: t.Open.Pos, Section: c.sectionNamed(named)}
	}
	field := func(name string, size, most syntax.Expr) *syntax.FieldItem {
		at := t.Span
		return &syntax.FieldItem{Span: at, Name: syntax.Ident{Span: at, Text: name},
			Value: &syntax.ValueExpr{Span: at, Type: &syntax.BlobType{Span: at, Size: size, Max: most}}}
	}
	body := &syntax.Body{Span: t.Span, Items: []syntax.ItemNode{field("data", t.Size, t.Max)}}
	if s.Algorithm.Tag > 0 {
		size := &syntax.IntLit{Span: t.Span, Value: bigInt(s.Algorithm.Tag)}
		body.Items = append(body.Items, field("tag", size, nil))
	}
	typ := c.inline(f, body)
	if c.trouble > before || typ == nil {
		return nil
	}
	typ.(*StructRef).Struct.Seal = s
	return typ
}

func (c *checker) sealKey(s *Seal, t *syntax.SealedType) {
	switch {
	case len(t.Key) == 0:
		c.errorf(t.Algorithm.Span, "write `key state.name`, or `key key.private` for a key of `--keys`", "`sealed` says its key")
	case t.Key[0].Text == "state":
		r, side := c.statePath(t.Key)
		if side != OwnSide {
			c.errorf(t.Key[2].Span, "write `key state."+r.Name+"`", "a packet is sealed with the key of its own direction")
		} else if s.Key.Register = r; r != nil && r.Steers() {
			c.errorf(t.Key[1].Span, "", "a key is a register of bytes, and `state.%s` is a number", r.Name)
		} else if r != nil && s.Algorithm.Key != 0 && r.Size != s.Algorithm.Key {
			c.errorf(t.Key[1].Span, "", "a key of %s has %d bytes, and `state.%s` %d", s.Algorithm.Name, s.Algorithm.Key, r.Name, r.Size)
		}
	case t.Key[0].Text == "key" && len(t.Key) == 2:
		s.Key.Name = t.Key[1].Text
	default:
		c.errorf(t.Key[0].Span, "write `key state.name`, or `key key.private` for a key of `--keys`", "a key is `state.…` or `key.…`")
	}
}

// sealSizes checks what the algorithm wants of a nonce, and where xor begins.
func (c *checker) sealSizes(f *frame, s *Seal, t *syntax.SealedType) {
	n := 0
	for _, part := range s.Nonce {
		n += max(part.Size, len(part.Text))
	}
	if len(s.Nonce) == len(t.Nonce) && n != s.Algorithm.Nonce {
		at := t.Algorithm.Span
		if len(t.Nonce) > 0 {
			at = Span{Pos: t.Nonce[0].Pos, End: t.Nonce[len(t.Nonce)-1].End}
		}
		c.errorf(at, "", "a nonce of %s has %d bytes, this one %d", s.Algorithm.Name, s.Algorithm.Nonce, n)
	}
	if s.Algorithm.Tag == 0 && len(t.AD) > 0 {
		c.errorf(t.AD[0].Span, "", "nothing authenticates what %s seals", s.Algorithm.Name)
	}
	if t.At == nil {
		return
	}
	if s.Algorithm.Tag > 0 {
		c.errorf(t.At.Place(), "", "`at` is of xor: %s begins where its nonce says", s.Algorithm.Name)
		return
	}
	s.At = c.sealNumber(f, t.At, "where in a pad a text begins")
}

// sealParts checks parts of a nonce or of additional data; fewer are left where some are wrong.
func (c *checker) sealParts(f *frame, list []syntax.SealPart, what string) []SealPart {
	var out []SealPart
	for _, p := range list {
		part := SealPart{}
		switch {
		case p.Text != nil:
			if part.Text = []byte(p.Text.Value); len(part.Text) == 0 {
				c.errorf(p.Span, "leave it out", "an empty text is no part of %s", what)
				continue
			}
		case p.Type != "":
			part.Value = c.sealNumber(f, p.Value, "a part of "+what)
			if part.Value == nil {
				continue
			}
			it := simpleTypes[p.Type](p.Type).(*IntType)
			part.Size, part.Signed = it.Width/8, it.Signed
			part.Big = f.s.Order == MSB && p.Endian != syntax.LittleEndian || p.Endian == syntax.BigEndian
			if in, _ := it.Interval(); !part.Value.interval().within(interval{in.Lo, in.Hi}) {
				c.errorf(p.Span, "", "`%s` holds %s, but `%s` is %s", p.Type, interval{in.Lo, in.Hi}, part.Value.Text, part.Value.interval())
				continue
			}
		default:
			path, ok := p.Value.(*syntax.PathExpr)
			if !ok || len(path.Parts) != 1 || path.Parts[0].Text == "" {
				c.errorf(p.Span, "write its type before a number: `uint64 sequence`", "a part of %s is a text, a typed number, or a field of bytes", what)
				continue
			}
			b := f.names[path.Parts[0].Text]
			if b == nil || b.list == nil || !b.always || fixedBytes(b.list) == 0 {
				c.errorf(p.Span, "write its type before a number: `uint64 sequence`", "`%s` is no field of `bytes(n)` before this one, in the same body", c.text(p.Span))
				continue
			}
			c.book.refer(path.Parts[0].Span, b.v.Pos)
			part.Of, part.Size = b.list, fixedBytes(b.list)
		}
		out = append(out, part)
	}
	return out
}

// sealNumber checks a number that a key is used with: one of what was read, since a sealed text is opened when the packet
// was accepted.
func (c *checker) sealNumber(f *frame, e syntax.Expr, what string) *TypedExpr {
	var t *TypedExpr
	c.without(what, func() { t = c.integer(f, e, what) })
	if t != nil && looks(t) {
		c.errorf(e.Place(), "name it with `let` in front", "%s is computed from fields, not from `rest` or a look ahead", what)
		return nil
	}
	return t
}

// looks reports whether something in an expression depends on more than what was read.
func looks(t *TypedExpr) bool {
	return t != nil && (t.Looks() || t.Op == OpFrom || looks(t.X) || looks(t.Y))
}

func bigInt(n int) *big.Int { return big.NewInt(int64(n)) }
