package schema

import (
	"fmt"
	"math"
	"math/big"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Items: the parts of a struct or a packet, in order. Each adds to the scope what the ones after it may use.

func (c *checker) items(f *frame, b *syntax.Body) ([]Item, size) {
	var out []Item
	var s size
	if b == nil {
		return nil, s
	}
	for _, n := range b.Items {
		it, is := c.item(f, n)
		if it != nil {
			out = append(out, it)
		}
		s = s.then(is)
	}
	return out, s
}

// item checks one item; nil where it is wrong.
func (c *checker) item(f *frame, n syntax.ItemNode) (Item, size) {
	switch n := n.(type) {
	case *syntax.FieldItem:
		return c.field(f, n)
	case *syntax.IfItem:
		return c.ifItem(f, n)
	case *syntax.WithinItem:
		return c.within(f, n)
	case *syntax.LetItem:
		return c.let(f, n), size{}
	case *syntax.RequireItem:
		return c.require(f, n), size{}
	case *syntax.AlignItem:
		return c.align(f, n)
	case *syntax.ReservedItem:
		return c.reserved(f, n)
	case *syntax.CheckItem:
		return c.checkItem(f, n)
	}
	return nil, size{}
}

func (c *checker) field(f *frame, n *syntax.FieldItem) (Item, size) {
	out := &Field{Name: n.Name.Text, Doc: n.Doc, Pos: n.Name.Pos}
	var b *binding
	var s size
	since := c.settable
	switch {
	case n.Switch != nil:
		out.Switch, s = c.switchOf(f, n)
		b = c.bindingOfSwitch(n.Name, out.Switch)
	default:
		out.Value = c.value(f, n.Value, n.Name.Text)
		if out.Value == nil {
			b = badVar(n.Name.Text, n.Name.Pos)
			break
		}
		b = c.bindingOf(n.Name, out.Value, VarField)
		for v := out.Value; v != nil; v = v.Type.Inner() {
			if list, ok := v.Type.(*ArrayType); ok && list.ElemVar != nil {
				c.book.join(list.ElemVar.Pos, n.Name.Pos)
			}
		}
		s = size{out.Value.MinBits, out.Value.MaxBits}
	}
	b.settable, b.list = c.settable != since, out
	out.Var = c.declare(f, n.Name, b)
	on := onValue
	if n.Switch != nil {
		on = onSwitch
	}
	c.notes(f, n.Annotations, out.Value, on, &out.Annotations)
	if b.bad {
		return nil, size{}
	}
	return out, s
}

// bindingOf makes the binding of a field from its checked type and rule.
func (c *checker) bindingOf(name syntax.Ident, v *Value, kind VarKind) *binding {
	number := func(in interval) *binding {
		in, set := v.Rule.allowed(in)
		b := numberVar(name.Text, kind, name.Pos, in, false)
		b.set = set
		if v.MinBits == v.MaxBits {
			b.width = v.MinBits
		}
		return b
	}
	row := v.Type.Row()
	switch row.Seen {
	case SeenNumber:
		in, enum := c.numbers(v.Type)
		b := number(in)
		b.v.Enum = enum
		return b
	case SeenBool:
		in, _ := v.Rule.allowed(span64(0, 1))
		return numberVar(name.Text, kind, name.Pos, in, true)
	case SeenFields:
		b := opaqueVar(name.Text, name.Pos, "a struct")
		b.v.Kind, b.v.Struct = VarStruct, v.Type.(*StructRef).Struct
		return b
	case SeenNot:
	}
	return opaqueVar(name.Text, name.Pos, row.What)
}

// bindingOfSwitch makes the binding of a switch, which is nil where it is wrong: an integer, where every arm is one.
func (c *checker) bindingOfSwitch(name syntax.Ident, sw *Switch) *binding {
	opaque := opaqueVar(name.Text, name.Pos, "a switch")
	opaque.chosen, opaque.bad = true, sw == nil
	if sw == nil || len(sw.Arms) == 0 {
		return opaque
	}
	var all *binding
	for _, arm := range sw.Arms {
		if arm.Value == nil {
			return opaque
		}
		b := c.bindingOf(name, arm.Value, VarField)
		switch {
		case !b.number() || b.v.Bool:
			return opaque
		case all == nil:
			all = b
		default:
			all.in = all.in.union(b.in)
			if all.v.Enum != b.v.Enum { // then it is a plain integer
				all.v.Enum = nil
			}
		}
	}
	all.v.Lo, all.v.Hi = all.in.lo, all.in.hi
	all.chosen, all.set, all.width = true, nil, 0
	return all
}

// numbers are the values of a type of which expressions see a number, and the enum that they are of, if any.
func (c *checker) numbers(t Type) (interval, *Enum) {
	if ref, ok := t.(*EnumRef); ok {
		return c.enums[ref.Enum].in, ref.Enum
	}
	in, _ := t.Interval()
	return interval{in.Lo, in.Hi}, nil
}

// ifItem checks an `if` with its `else if`s. What the condition says is known inside, its contrary in the else.
func (c *checker) ifItem(f *frame, n *syntax.IfItem) (Item, size) {
	cond := (&exprs{checker: c, f: f}).condition(n.Cond, "the condition of `if`")
	out := &If{Pos: n.Pos, Cond: cond}
	var then, els size
	f.nest++
	first := func() {
		mark := c.facts.mark()
		c.facts.learn(factsOf(cond, true))
		out.Then, then = c.items(f, n.Then)
		c.facts.leave(mark)
	}
	second := func() {
		mark := c.facts.mark()
		c.facts.learn(factsOf(cond, false))
		if n.Else.If != nil {
			it, s := c.ifItem(f, n.Else.If)
			if it != nil {
				out.Else = []Item{it}
			}
			els = s
		} else {
			out.Else, els = c.items(f, n.Else.Body)
		}
		c.facts.leave(mark)
	}
	if n.Else == nil {
		c.lone(f, first)
	} else {
		c.branches(f, first, second)
	}
	f.nest--
	if cond == nil {
		return nil, size{}
	}
	return out, then.or(els)
}

// within checks a window: it must be able to hold the least that is inside.
func (c *checker) within(f *frame, n *syntax.WithinItem) (Item, size) {
	f.windows++
	out := &Within{Pos: n.Pos, Bits: n.Bits, Index: f.windows}
	unit, what := uint64(8), "a window in bytes"
	if n.Bits {
		unit, what = 1, "a window in bits"
	}
	e := c.integer(f, n.Size, what)
	if e != nil && !c.countable(n.Size, e, what, true) { // what is left of the packet bounds it
		e = nil
	}
	around, filled := f.bits, f.filled
	f.nest++
	f.bits, f.filled = n.Bits, f.filled || n.Zeros
	var inner size
	out.Items, inner = c.items(f, n.Body)
	f.bits, f.filled = around, filled
	c.lastSum(out.Items)
	f.nest--
	if e == nil {
		return nil, size{}
	}
	out.Size, out.inside = e, inner.max
	if n.Zeros {
		if out.Fill, out.Trimmed = c.zeros(f, n, e, out.Items); out.Fill == 0 {
			return nil, size{}
		}
		inner.min = 0
	}
	most := min(satMul(clamp(e.Hi), unit), 8*uint64(c.room))
	if inner.min > most {
		c.errorf(n.Size.Place(), "", "a window of at most %d bits cannot hold the %d bits that are always inside", most, inner.min)
		return nil, size{}
	}
	s := size{max(satMul(clamp(e.Lo), unit), inner.min), most}
	if !n.Bits {
		s = padding(f.s.Order).then(s)
	}
	return out, s
}

func (c *checker) let(f *frame, n *syntax.LetItem) Item {
	if n.State != nil {
		return c.letState(f, n)
	}
	if c.forgets(f, n) {
		none := mustBeConst(n.Value.Place(), bigZero)
		none.Text = "none"
		return c.keepItem(n, none, Keep{})
	}
	since := c.settable
	e := c.expr(f, n.Value)
	b := badVar(n.Name.Text, n.Name.Pos)
	if e != nil {
		b = numberVar(n.Name.Text, VarLet, n.Name.Pos, e.interval(), e.Bool)
		b.v.Enum = e.Enum
	}
	out := &Let{Pos: n.Name.Pos, Doc: n.Doc, Value: e}
	if n.Range != nil && !b.bad && !c.letRange(n, e, b, out, c.settable != since) {
		b = badVar(n.Name.Text, n.Name.Pos)
	}
	b.settable = c.settable != since
	own := b.in
	out.Var = c.declare(f, n.Name, b)
	if b.bad {
		return nil
	}
	out.Lo, out.Hi = own.lo, own.hi
	c.notes(f, n.Annotations, &Value{Type: out.typeOf()}, onLet, &out.Annotations)
	return out
}

// typeOf is the type of which the value would be, were it a field.
func (l *Let) typeOf() Type {
	switch {
	case l.Value.Bool:
		return &BoolType{}
	case l.Value.Enum != nil:
		return &EnumRef{Enum: l.Value.Enum}
	}
	return &RangedType{Lo: l.Lo, Hi: l.Hi}
}

// letRange checks the range of a `let` and cuts the interval of its value to it.
func (c *checker) letRange(n *syntax.LetItem, e *TypedExpr, b *binding, out *Let, settable bool) bool {
	since := c.settable
	in, ok := c.constRange(*n.Range, "the range of a `let`", nil)
	switch {
	case !ok:
		return false
	case e.Bool:
		c.errorf(n.Range.Span, "write `require` after it", "a bool has no range")
		return false
	}
	cut, ok := b.in.intersect(in)
	if !ok && !settable && c.settable == since {
		c.errorf(n.Range.Span, "", "`%s` is never %s: it is %s", e.Text, in, b.in)
		return false
	} else if !ok {
		cut = in // no packet passes
	}
	if !cut.fits() {
		c.errorf(n.Range.Span, "", "%s fits neither int64 nor uint64", cut)
		return false
	}
	out.Range = &Rule{Pos: n.Range.Pos, Kind: RuleIn, Set: []Range{{in.lo, in.hi}}, Text: "in " + c.text(n.Range.Span)}
	b.in = cut
	b.v.Lo, b.v.Hi = new(big.Int).Set(cut.lo), new(big.Int).Set(cut.hi)
	return true
}

// require checks a relation; from here to the end of the branch it is known to hold.
func (c *checker) require(f *frame, n *syntax.RequireItem) Item {
	since, said := c.settable, len(c.diags)
	x := &exprs{checker: c, f: f}
	e := x.condition(n.Cond, "what `require` demands")
	if e == nil {
		return nil
	}
	if e.IsConst() && e.Val.Sign() == 0 {
		c.warnf(n.Cond.Place(), "", "`%s` never holds: every packet that comes here is refused", e.Text)
	}
	out := &Require{Pos: n.Pos, Doc: n.Doc, Cond: e, Text: e.Text}
	if truth, known := e.decided(); known && !truth && c.settable == since {
		what := "no packet can keep this: it is never true"
		if x.never != "" {
			what = "no packet can keep this: " + string(x.never)
		}
		if said++; said > len(c.diags) { // not kept: there were too many
			said = 0
		}
		c.never[out] = neverHolds{n.Cond.Place(), what, said}
	}
	c.facts.learn(factsOf(e, true))
	return out
}

// neverHolds is a `require` that no packet keeps: what to say where every packet meets it. Its warning is diagnostic
// number said-1; 0 without one.
type neverHolds struct {
	at   Span
	what string
	said int
}

var bigEight = big.NewInt(8)

// maxAlign is the largest alignment, in bits: past every datagram there is nothing to align to.
const maxAlign = 1 << 19

func (c *checker) align(f *frame, n *syntax.AlignItem) (Item, size) {
	f.aligns++
	out := &Align{Pos: n.Pos, Doc: n.Doc, Bits: 8, Any: n.Any, Index: f.aligns}
	if n.Bits != nil {
		if few, ok := n.Bits.(*syntax.IntLit); ok && few.Value.Cmp(bigEight) < 0 && few.Value.Sign() > 0 {
			help := fmt.Sprintf("for bytes write `align(%d)`", 8*few.Value.Int64())
			if n := few.Value.Int64(); n&(n-1) != 0 {
				help = "an alignment is a power of two: write `align(16)` or `align(32)`"
			}
			c.errorf(n.Bits.Place(), help, "an alignment is in bits, 8..%d, got %d", maxAlign, few.Value)
			return nil, size{}
		}
		v, ok := c.constIn(n.Bits, "an alignment in bits", 8, maxAlign)
		if !ok {
			return nil, size{}
		}
		if v&(v-1) != 0 {
			down := int64(1) << (big.NewInt(v).BitLen() - 1)
			c.errorf(n.Bits.Place(), fmt.Sprintf("write %d or %d", down, 2*down), "an alignment is a power of two, got %d", v)
			return nil, size{}
		}
		out.Bits = int(v)
	}
	return out, size{0, uint64(out.Bits - 1)} // the item aligns in every order
}

func (c *checker) reserved(f *frame, n *syntax.ReservedItem) (Item, size) {
	f.reserveds++
	v, ok := c.constIn(n.Bits, "the size of `reserved`, in bits,", 1, MaxUDPPayload*8)
	if !ok {
		return nil, size{}
	}
	return &Reserved{Pos: n.Pos, Doc: n.Doc, Bits: int(v), Any: n.Any, Index: f.reserveds}, fixedSize(uint64(v))
}

func (c *checker) checkItem(f *frame, n *syntax.CheckItem) (Item, size) {
	f.checks++
	out := &Check{Pos: n.Pos, Doc: n.Doc, Index: f.checks}
	switch v := n.Value.(type) {
	case *syntax.StringLit:
		if v.Value == "" {
			c.errorf(v.Span, "", "a check's label is empty: it names which check failed")
			return nil, size{}
		}
		out.Label, out.HasLabel = v.Value, true
		return out, padding(f.s.Order).then(fixedSize(32))
	case *syntax.IntLit:
		if v.Value.Cmp(big.NewInt(math.MaxUint32)) > 0 {
			c.errorf(v.Span, "", "a check is a 32-bit value, got %s", shortInt(v.Value))
			return nil, size{}
		}
		out.Value = uint32(v.Value.Uint64())
		return out, fixedSize(32)
	}
	if !isBad(n.Value) {
		c.errorf(n.Value.Place(), "", "a check is a 32-bit number or a label in quotes")
	}
	return nil, size{}
}
