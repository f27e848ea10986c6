package schema

import (
	"fmt"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Ranges of integers that earlier fields bound: `number uint32 in 0..count - 1`.

// computed reports whether a rule's set asks a packet for one of its ends.
func (c *checker) computed(r *syntax.RuleExpr) bool {
	for _, s := range r.Set {
		if asksPacket(s.Lo) || s.Hi != nil && asksPacket(s.Hi) {
			return true
		}
	}
	return false
}

// asksPacket reports whether an expression names a field, or something else that only a packet has. The parser bounds
// its recursion.
func asksPacket(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.RestExpr:
		return true
	case *syntax.CallExpr:
		return true
	case *syntax.PathExpr:
		return len(e.Parts) > 0 && e.Parts[0].Text != "" && !isUpper(e.Parts[0].Text)
	case *syntax.ParenExpr:
		return asksPacket(e.X)
	case *syntax.UnaryExpr:
		return asksPacket(e.X)
	case *syntax.BinaryExpr:
		return asksPacket(e.X) || asksPacket(e.Y)
	}
	return false
}

// bounds checks `in a..b` with an end that is no constant. all are the values of the type.
func (c *checker) bounds(f *frame, ve *syntax.ValueExpr, out *Rule, all interval, n *Enum) bool {
	r := ve.Rule
	switch {
	case n != nil:
		c.errorf(r.Span, "use `require`", "the bounds of an enum are constants")
		return false
	case len(r.Set) > 1 || r.Set[0].Hi == nil:
		c.errorf(r.Span, "write a range, `in a..b`, or a relation, `require x == 0 || x == n`", "a set is constant")
		return false
	}
	b := &Bounds{}
	c.without("a range of a field", func() { b.Lo, b.Hi = c.bound(f, r.Set[0].Lo), c.bound(f, r.Set[0].Hi) })
	if b.Lo == nil || b.Hi == nil {
		return false
	}
	in := interval{b.Lo.Lo, b.Hi.Hi}
	if in.lo.Cmp(in.hi) > 0 {
		c.errorf(r.Set[0].Span, "", "the range is empty: `%s` is at least %s, and `%s` at most %s", b.Lo.Text, in.lo, b.Hi.Text, in.hi)
		return false
	}
	if _, ok := all.intersect(in); !ok {
		c.errorf(r.Set[0].Span, "", "no value of `%s` (%s) is ever in %s", c.typeText(ve), all, in)
		return false
	}
	b.Self = &Var{Name: "value", Pos: ve.Pos, Kind: VarField, Lo: all.lo, Hi: all.hi, Used: true}
	b.Cond = c.insideOf(r.Span, b, all)
	out.Bounds = b
	return true
}

// bound is one end. A look at what has not been read is none: a `let` may have it.
func (c *checker) bound(f *frame, e syntax.Expr) *TypedExpr {
	x := &exprs{checker: c, f: f}
	t := x.number(e, "a bound")
	if t != nil && x.rest {
		c.errorf(e.Place(), fmt.Sprintf("write `let n = %s` before the field, and `n` here", t.Text),
			"`%s` looks at what has not been read: a bound is over earlier fields", t.Text)
		return nil
	}
	return t
}

// insideOf is the relation that bounds demand, without the ends that the type keeps anyway.
func (c *checker) insideOf(at Span, b *Bounds, all interval) *TypedExpr {
	self := func() *TypedExpr {
		return &TypedExpr{Op: OpVar, Pos: at.Pos, Path: []*Var{b.Self}, Lo: all.lo, Hi: all.hi}
	}
	within := func(lo, hi *TypedExpr) *TypedExpr {
		return &TypedExpr{Op: OpLe, Pos: at.Pos, X: lo, Y: hi, Lo: bigZero, Hi: bigOne, Bool: true}
	}
	var parts []*TypedExpr
	if b.Lo.Hi.Cmp(all.lo) > 0 {
		parts = append(parts, within(b.Lo, self()))
	}
	if b.Hi.Lo.Cmp(all.hi) < 0 {
		parts = append(parts, within(self(), b.Hi))
	}
	e := konstBool(at, true)
	if len(parts) > 0 {
		e = parts[0]
	}
	if len(parts) > 1 {
		e = &TypedExpr{Op: OpLAnd, Pos: at.Pos, X: parts[0], Y: parts[1], Lo: bigZero, Hi: bigOne, Bool: true}
	}
	e.Text = c.text(at)
	return e
}
