package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Warnings about what the schema decides before any packet does: a comparison that is never or always true, a value
// that is in a set twice. They are made only where they are certain. What rests on a `param` is not, since the
// command line may set another value: the checker counts what it reads of that kind, and marks the names that come of
// it. And an `else if` that is always true after the conditions above it says what its author knows; only what is true
// of the field as it is declared says nothing.

// operand is one side of a comparison.
type operand struct {
	e        syntax.Expr
	t        *TypedExpr
	declared interval // where it lies as its names are declared
	ok       bool     // declared is known
}

// operand checks one side of a comparison.
func (x *exprs) operand(e syntax.Expr) operand {
	narrowed := x.narrowed
	s := operand{e: e, t: x.expr(e)}
	switch {
	case s.t == nil:
	case s.t.Op == OpVar:
		s.declared, s.ok = x.last.in, true
	case x.narrowed == narrowed:
		s.declared, s.ok = s.t.interval(), true
	}
	return s
}

// spoil marks the names read in x, about which facts are learnt, where something settable was read since.
func (x *exprs) spoil(since int) {
	if x.settable == since {
		return
	}
	for _, b := range x.read {
		b.settable = true
	}
}

// outcome is what a comparison of numbers in a and b gives, where that is always the same.
func outcome(op ExprOp, a, b interval) (truth, known bool) {
	below, above := a.hi.Cmp(b.lo), a.lo.Cmp(b.hi) // < 0: all of a is below b; > 0: all of it above
	switch op {
	case OpEq, OpNe:
		apart := below < 0 || above > 0
		same := a.isSingle() && b.isSingle() && !apart
		return same == (op == OpEq), apart || same
	case OpLt:
		return below < 0, below < 0 || above >= 0
	case OpLe:
		return below <= 0, below <= 0 || above > 0
	case OpGt:
		return above > 0, above > 0 || below <= 0
	case OpGe:
		return above >= 0, above >= 0 || below < 0
	}
	return false, false
}

// decided warns about the comparison e where it always gives the same. since is what of settable things had been read
// before it.
func (x *exprs) decided(e syntax.Expr, since int, op ExprOp, a, b operand) {
	if x.settable != since {
		return
	}
	if truth, known := outcome(op, a.t.interval(), b.t.interval()); known && !truth {
		x.sayDecided(e, "never", a, a.t.interval(), b, b.t.interval())
	} else if known && a.ok && b.ok {
		if truth, known := outcome(op, a.declared, b.declared); known && truth {
			x.sayDecided(e, "always", a, a.declared, b, b.declared)
		}
	}
}

func (x *exprs) sayDecided(e syntax.Expr, word string, a operand, in interval, b operand, other interval) {
	say := func(s operand, in interval) string {
		return fmt.Sprintf("`%s` is %s", cut(x.text(s.e.Place()), 40), in)
	}
	why := ""
	switch {
	case b.t == nil || b.t.IsConst():
		why = say(a, in)
	case a.t.IsConst():
		why = say(b, other)
	default:
		why = say(a, in) + " and " + say(b, other)
	}
	if word == "never" {
		x.never = listing(why)
	}
	x.warnf(e.Place(), "", "`%s` is %s true: %s", x.text(e.Place()), word, listing(why))
}

// decided is what a checked condition gives, where that is the same for every packet.
func (t *TypedExpr) decided() (truth, known bool) {
	switch t.Op {
	case OpConst:
		return t.Val.Sign() != 0, true
	case OpNot:
		truth, known = t.X.decided()
		return !truth, known
	case OpLAnd, OpLOr: // the side that decides alone is false of &&, true of ||
		alone := t.Op == OpLOr
		left, one := t.X.decided()
		right, two := t.Y.decided()
		if one && left == alone || two && right == alone {
			return alone, true
		}
		return !alone, one && two
	case OpIn:
		in, never := t.X.interval(), true
		for _, r := range t.Set {
			span := interval{r.Lo, r.Hi}
			_, shared := in.intersect(span)
			never = never && !shared
			if in.within(span) {
				return true, true
			}
		}
		return false, never
	case OpEq, OpNe, OpLt, OpLe, OpGt, OpGe:
		return outcome(t.Op, t.X.interval(), t.Y.interval())
	}
	return t.Lo.Sign() != 0, t.Bool && t.Lo.Cmp(t.Hi) == 0
}

// decidedIn is decided for `in`; the set is normalized.
func (x *exprs) decidedIn(e *syntax.InExpr, since int, v operand, set []Range) {
	if x.settable != since {
		return
	}
	in, never, always := v.t.interval(), true, false
	for _, r := range set {
		span := interval{r.Lo, r.Hi}
		_, shared := in.intersect(span)
		never = never && !shared
		always = always || v.ok && v.declared.within(span)
	}
	switch {
	case never:
		x.sayDecided(e, "never", v, in, operand{}, interval{})
	case always:
		x.sayDecided(e, "always", v, v.declared, operand{}, interval{})
	}
}

// overlaps calls found for the labels that share values with one of smaller values; shared is what they do.
func overlaps(all []label, found func(first, second label, shared interval)) {
	sortLabels(all)
	for i, top := 1, 0; i < len(all); i++ { // top reaches furthest of those in front
		a, b := all[top], all[i]
		if shared, ok := a.in.intersect(b.in); ok {
			if b.at.Pos.Off < a.at.Pos.Off {
				a, b = b, a
			}
			found(a, b, shared)
		}
		if all[i].in.hi.Cmp(all[top].in.hi) > 0 {
			top = i
		}
	}
}

// repeated warns about values that are in a set twice. It sorts the spans.
func (c *checker) repeated(spans []label, since int) {
	if c.settable != since {
		return
	}
	overlaps(spans, func(first, second label, shared interval) {
		c.warnf(second.at, "leave one out", "%s is in the set already, at %s", shared, first.at.Pos)
	})
}

// repeatedFloats is repeated for floats, whose spans can only meet by sharing an end.
func (c *checker) repeatedFloats(set []FloatRange, at []Span) {
	order := make([]int, len(set))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(set[i].Lo, set[j].Lo) })
	for k, top := 1, 0; k < len(order); k++ { // top reaches furthest of those in front
		i, j := order[top], order[k]
		if set[j].Lo < set[i].Hi || set[j].Lo == set[i].Lo {
			c.warnf(at[max(i, j)], "leave one out", "`%s` overlaps `%s` in the set, at %s",
				c.text(at[max(i, j)]), c.text(at[min(i, j)]), at[min(i, j)].Pos)
		}
		if set[j].Hi > set[i].Hi {
			top = k
		}
	}
}
