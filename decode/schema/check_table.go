package schema

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Tables of constants: `const Extra = switch { 0: 50, 1: 124, default: 0 }`, and `Extra(e)` in expressions.

// maxRows bounds the intervals of a table.
const maxRows = 4096

// maxRowsAsked bounds what a hostile file can cost: so many rows and numbers are looked at in all `Name(e)`.
const maxRowsAsked = 1 << 22

// table checks the rows of a table, nil where one is wrong.
func (c *checker) table(name string, e *syntax.TableExpr) *Table {
	t := &Table{Name: name}
	ok := true
	type placed struct {
		TableRow
		at Span
	}
	var rows []placed
	for _, r := range e.Rows {
		v := c.constInt(r.Value, "the value of a row", nil)
		if v != nil && !(interval{v, v}).within(int64s) {
			c.errorf(r.Value.Place(), "", "the value of a row fits int64, but this is %s", v)
			v = nil
		}
		if v == nil {
			ok = false
			continue
		}
		if r.Default {
			if t.Default != nil {
				c.errorf(r.Span, "keep one of the two", "a table has one `default`")
				ok = false
			}
			t.Default = v
		}
		for _, l := range r.Labels {
			in, fine := c.constRange(l, "a label", nil)
			ok = ok && fine
			if fine {
				rows = append(rows, placed{TableRow{in.lo, in.hi, v}, l.Span})
			}
		}
	}
	switch {
	case len(rows) > maxRows:
		c.errorf(e.Span, "", "a table has at most %d rows, this one %d", maxRows, len(rows))
		return nil
	case len(rows) == 0 && ok && !c.lost:
		c.errorf(e.Span, "write `switch { 0: 50, default: 0 }`", "a table has rows")
		return nil
	}
	slices.SortStableFunc(rows, func(a, b placed) int { return a.Lo.Cmp(b.Lo) })
	for i, r := range rows {
		if i > 0 && rows[i-1].Hi.Cmp(r.Lo) >= 0 {
			at := r.at
			if before := rows[i-1].at; before.Pos.Off > at.Pos.Off {
				at = before
			}
			c.errorf(at, "", "%s is in two rows", interval{r.Lo, minBig(r.Hi, rows[i-1].Hi)})
			return nil
		}
		t.Rows = append(t.Rows, r.TableRow)
	}
	if !ok {
		return nil
	}
	return t
}

var int64s = interval{minInt64, maxInt64}

// lookup checks `Name(e)`.
func (x *exprs) lookup(e *syntax.CallExpr) *TypedExpr {
	g := x.names[e.Name.Text]
	switch {
	case g == nil:
		x.unknownGlobal(e.Name)
		return nil
	case !g.done && g.what != "struct":
		return x.globalPath(&syntax.PathExpr{Span: e.Name.Span, Parts: []syntax.Ident{e.Name}}) // says where it is
	case g.bad:
		return nil
	case g.val == nil || g.val.Table == nil:
		x.errorf(e.Name.Span, "", "`%s` is no table: only `const %s = switch { … }` is asked for a value", e.Name.Text, e.Name.Text)
		return nil
	}
	x.use(g, e.Name.Span)
	if g.settable {
		x.settable++
	}
	if len(e.Args) != 1 {
		x.errorf(e.Span, "", "a table has one key, got %d", len(e.Args))
		return nil
	}
	x.last = nil
	arg := x.expr(e.Args[0])
	if arg == nil {
		return nil
	}
	if arg.Bool {
		x.errorf(e.Args[0].Place(), "", "a table has rows for numbers, but `%s` is a bool", x.text(e.Args[0].Place()))
		return nil
	}
	table := g.val.Table
	if arg.IsConst() {
		if v := table.At(arg.Val); v != nil {
			return mustBeConst(e.Span, v)
		}
	}
	values := x.valuesOf(arg)
	if x.rows += len(values) + len(table.Rows); x.rows > maxRowsAsked {
		x.errorf(e.Span, "", "the tables of this file are asked too often: %d rows in all are looked at", maxRowsAsked)
		return nil
	}
	hull, left := table.reach(values)
	if len(left) > 0 && table.Default == nil {
		text := x.text(e.Args[0].Place())
		x.errorf(e.Span, fmt.Sprintf("add `default: v`, or narrow `%s` first", text), "`%s` has no value for %s", table.Name, rangeList(left))
		return nil
	}
	return &TypedExpr{Op: OpTable, Pos: e.Pos, X: arg, Table: table, Lo: hull.lo, Hi: hull.hi}
}

// valuesOf is what an expression can be, as intervals in ascending order: of a field that its rule or its enum lists,
// these.
func (x *exprs) valuesOf(t *TypedExpr) []Range {
	in := t.interval()
	var set []Range
	switch {
	case t.Op != OpVar:
	case x.last != nil && x.last.set != nil:
		set = x.last.set
	case t.Enum != nil && !t.Enum.Open && !t.Enum.Flags:
		for i := range t.Enum.Cases {
			set = append(set, Range{t.Enum.Cases[i].Value, t.Enum.Cases[i].Value})
		}
		set = normalize(set)
	}
	if t.Op == OpVar {
		if known := x.facts.known[keyOf(t.Path)].set; known != nil {
			if x.rows += len(known) + len(set); set != nil {
				known = intersect(set, known)
			}
			set = known
		}
	}
	var out []Range
	for _, r := range set {
		if both, ok := in.intersect(interval{r.Lo, r.Hi}); ok {
			out = append(out, Range{both.lo, both.hi})
		}
	}
	if out == nil {
		out = []Range{{in.lo, in.hi}}
	}
	return out
}

// reach is the hull of the values that a table has for numbers, and the numbers that no row is for.
func (t *Table) reach(of []Range) (hull interval, left []Range) {
	add := func(v *big.Int) {
		if hull.lo == nil {
			hull = single(v)
		}
		hull = hull.union(single(v))
	}
	rows := t.Rows
	for _, r := range of {
		at := r.Lo
		for len(rows) > 0 && rows[0].Hi.Cmp(at) < 0 {
			rows = rows[1:]
		}
		for _, row := range rows {
			both, ok := interval{row.Lo, row.Hi}.intersect(interval{at, r.Hi})
			if !ok {
				break
			}
			add(row.Value)
			if at.Cmp(both.lo) < 0 {
				left = append(left, Range{at, new(big.Int).Sub(both.lo, bigOne)})
			}
			at = new(big.Int).Add(both.hi, bigOne)
		}
		if at.Cmp(r.Hi) <= 0 {
			left = append(left, Range{at, r.Hi})
		}
	}
	if len(left) > 0 && t.Default != nil {
		add(t.Default)
	}
	return hull, left
}

// rangeList names the first intervals of some.
func rangeList(list []Range) string {
	const most = 8
	var words []string
	for i, r := range list {
		if i == most {
			words = append(words, "…")
			break
		}
		words = append(words, interval{r.Lo, r.Hi}.String())
	}
	return strings.Join(words, ", ")
}
