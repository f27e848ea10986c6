package anyschema

import (
	"fmt"
	"math/big"
	"strings"
)

// table is a table of constants. Its rows rise.
type table struct {
	name  string
	rows  []tableRow
	other *big.Int // nil without a default
}

type tableRow struct {
	keys  span
	value *big.Int
}

// table declares one.
func (g *generator) table() string {
	t := &table{name: g.upper("Table")}
	var lines []string
	at := int64(-2 + g.draw(3))
	for range 1 + g.draw(5) {
		from := at + int64(g.draw(3)*g.draw(3))
		to := from + int64(g.draw(3)*g.draw(40))
		v := g.literal(big.NewInt(int64(g.draw(100)) - 10))
		if g.once(8) {
			v = g.literal(big.NewInt(int64(g.wide(8))))
		}
		label := g.small(from).text
		if to > from {
			label += ".." + g.small(to).text
		}
		if g.once(4) {
			label += fmt.Sprintf(", %d", to+1)
			to++
		}
		t.rows = append(t.rows, tableRow{between(from, to), v.in.lo})
		lines = append(lines, label+": "+v.text)
		at = to + 1
	}
	if g.draw(3) > 0 {
		v := g.constantIn(-9, 90)
		t.other = v.in.lo
		lines = append(lines, "default: "+v.text)
	}
	g.tables = append(g.tables, t)
	if g.draw(2) == 0 {
		return "const " + t.name + " = switch { " + strings.Join(lines, ", ") + " }"
	}
	return "const " + t.name + " = switch {\n    " + strings.Join(lines, "\n    ") + "\n}"
}

// at is what a table has for numbers: the hull, and whether it has a value for all of them.
func (t *table) at(in span) (hull span, ok bool) {
	left, found := in.lo, false
	add := func(v *big.Int) {
		if !found {
			hull, found = single(v), true
		}
		hull = hull.union(single(v))
	}
	ok = true
	for _, r := range t.rows {
		if both, meets := r.keys.meet(in); meets {
			ok = ok && both.lo.Cmp(left) == 0
			add(r.value)
			left = new(big.Int).Add(both.hi, one)
		}
	}
	if ok = ok && left.Cmp(in.hi) > 0; !ok && t.other != nil {
		add(t.other)
	}
	return hull, ok || t.other != nil
}

// lookup asks a table for an expression; false where that is not sure to have a value.
func (g *generator) lookup(e expression) (expression, bool) {
	t := g.tables[g.draw(len(g.tables))]
	hull, ok := t.at(e.in)
	if !ok {
		return e, false
	}
	e.text, e.bind, e.in, e.path, e.enum = t.name+"("+e.text+")", 7, hull, false, nil
	e.loose = e.loose || hull.lo.Cmp(hull.hi) != 0 // of a field that its rule lists, the checker may know fewer rows
	return e, true
}
