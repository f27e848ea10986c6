package parquet

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
)

// Dialect is an engine's SQL.
type Dialect struct {
	Word string // as schema sql -T names it

	identifier func(string) string
	text       func(string) string
	files      func(d *Dialect, glob string) string
	// member is a member of a group.
	member func(d *Dialect, group, name string) string
	// number is the text of an expression as a number, NULL where it is none.
	number func(expr string) string
	// each is a query of the columns of `from`, a row for each element of a list in it as e, and its number as i.
	each func(d *Dialect, columns []string, list, e, i, from, where string) string
}

// Dialects are the engines that the tests ask; the first is the default.
var Dialects = []Dialect{
	{
		Word:       "duckdb",
		identifier: func(s string) string { return `"` + strings.ReplaceAll(s, `"`, `""`) + `"` },
		text:       func(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" },
		files: func(d *Dialect, glob string) string {
			return "read_parquet(" + d.text(glob) + ", union_by_name=true)"
		},
		member: func(d *Dialect, group, name string) string { return group + "." + d.identifier(name) },
		number: func(expr string) string { return "TRY_CAST(" + expr + " AS HUGEINT)" },
		each: func(d *Dialect, columns []string, list, e, i, from, where string) string {
			return "SELECT " + strings.Join(columns, ", ") + ", unnest(" + list + ") AS " + e + ", unnest(range(len(" + list + "))) AS " + i +
				" FROM " + from + where
		},
	},
	{
		Word:       "clickhouse",
		identifier: func(s string) string { return "`" + escape(s, "`") + "`" },
		text:       func(s string) string { return "'" + escape(s, "'") + "'" },
		files: func(d *Dialect, glob string) string {
			if scheme, _, remote := strings.Cut(glob, "://"); remote && slices.Contains([]string{"s3", "http", "https"}, scheme) {
				return "s3(" + d.text(glob) + ", 'Parquet')"
			}
			return "file(" + d.text(glob) + ", 'Parquet')"
		},
		member: func(d *Dialect, group, name string) string {
			return "tupleElement(" + group + ", " + d.text(name) + ")"
		},
		number: func(expr string) string { return "toInt128OrNull(" + expr + ")" },
		each: func(d *Dialect, columns []string, list, e, i, from, where string) string {
			return "SELECT " + strings.Join(columns, ", ") + ", " + e + ", " + i + " FROM " + from +
				" ARRAY JOIN " + list + " AS " + e + ", range(length(" + list + ")) AS " + i + where
		},
	},
}

// escape doubles backslashes and puts one before a quote.
func escape(s, quote string) string {
	return strings.NewReplacer(`\`, `\\`, quote, `\`+quote).Replace(s)
}

// DialectOf is the row of a word; nil where there is none.
func DialectOf(word string) *Dialect {
	for i := range Dialects {
		if Dialects[i].Word == word {
			return &Dialects[i]
		}
	}
	return nil
}

// views writes the views of a layout.
type views struct {
	*Layout
	d    *Dialect
	b    []byte
	name names // of views
}

// AppendViews appends the SQL of views over files that a glob names, with packets of one plan: `packets`, a view for
// each case, one for each list of it, with a row for each element and its number i, and `rejects`.
func AppendViews(b []byte, p *plan.Plan, d *Dialect, glob string) ([]byte, error) {
	l, err := NewLayout(p)
	if err != nil {
		return b, err
	}
	v := &views{Layout: l, d: d, b: b, name: names{"packets": true, "rejects": true}}
	v.view("packets", "SELECT * FROM "+d.files(d, glob))
	v.refused()
	var rest *field
	for _, g := range l.groups {
		if g.arm < 0 {
			rest = g
			v.lists(g, v.name.take(g.name), "")
		}
	}
	if l.plan.CaseSwitch == nil || l.plan.CaseSecret() {
		return v.b, nil
	}
	of := map[int]*field{}
	for _, g := range l.groups {
		of[g.arm] = g
	}
	for i := range l.plan.CaseSwitch.Item.Arms {
		g := of[i]
		columns := newColumns(v, rest)
		name := strings.Join(l.tags(i), "_")
		if g != nil {
			name = g.name
			columns.members(v.d.identifier(g.name), g)
		}
		where := " WHERE " + v.is(i)
		name = v.name.take(name)
		v.view(name, "SELECT "+columns.String()+" FROM packets"+where)
		if g != nil {
			v.lists(g, name, where)
		}
	}
	return v.b, nil
}

func (v *views) view(name, query string) {
	v.b = fmt.Appendf(v.b, "CREATE OR REPLACE VIEW %s AS %s;\n", v.d.identifier(name), query)
}

// selected are the columns of a view.
type selected struct {
	v     *views
	taken names
	list  []string
}

func newColumns(v *views, rest *field) *selected {
	c := &selected{v: v, taken: names{}}
	for at := range columnRejectKind {
		name := baseColumns[at].path[0]
		c.taken.take(name)
		c.list = append(c.list, v.d.identifier(name))
	}
	if rest != nil {
		c.members(v.d.identifier(rest.name), rest)
	}
	return c
}

// members adds the members of a group.
func (c *selected) members(expr string, g *field) {
	for _, one := range g.inside {
		for _, suffix := range append([]string{""}, one.suffixes()...) {
			c.list = append(c.list, c.v.d.member(c.v.d, expr, one.name+suffix)+" AS "+c.v.d.identifier(c.taken.take(one.name+suffix)))
		}
	}
}

func (c *selected) String() string { return strings.Join(c.list, ", ") }

// refused is the view of the packets that were refused.
func (v *views) refused() {
	c := newColumns(v, nil)
	for at := columnRejectKind; at <= columnRejectLine; at++ {
		name := baseColumns[at].path[1]
		c.list = append(c.list, v.d.member(v.d, v.d.identifier("reject"), name)+" AS "+v.d.identifier(c.taken.take("reject_"+name)))
	}
	v.view("rejects", "SELECT "+c.String()+" FROM packets WHERE verdict = "+v.d.text(decode.Refused.String()))
}

// lists are the views of the lists in a group.
func (v *views) lists(g *field, name, where string) {
	v.listsIn(g, name, v.d.identifier(g.name), newColumns(v, nil).list, "packets", where, 1)
}

// listsIn are the views of the lists in what expr gives for a row of from.
func (v *views) listsIn(g *field, name, expr string, keep []string, from, where string, depth int) {
	for _, one := range g.inside {
		switch one.kind {
		case group:
			v.listsIn(one, name+"_"+one.name, v.d.member(v.d, expr, one.name), keep, from, where, depth)
		case list:
			v.list(one, v.name.take(name+"_"+one.name), v.d.member(v.d, expr, one.name), keep, from, where, depth)
		case leaf:
		}
	}
}

// list is the view of a list, and of those in its elements.
func (v *views) list(f *field, name, expr string, keep []string, from, where string, depth int) {
	level := ""
	if depth > 1 {
		level = strconv.Itoa(depth)
	}
	e, i := v.d.identifier("e"+level), v.d.identifier("i"+level)
	query := v.d.each(v.d, keep, expr, e, i, from, where)
	keep = append(keep[:len(keep):len(keep)], i)
	element := f.inside[0]
	c := &selected{v: v, taken: names{}, list: slices.Clone(keep)}
	for _, column := range keep {
		c.taken[strings.ToLower(strings.Trim(column, "`\""))] = true
	}
	if element.kind == group {
		c.members(e, element)
	} else {
		c.list = append(c.list, e+" AS "+v.d.identifier(c.taken.take("value")))
	}
	v.view(name, "SELECT "+c.String()+" FROM ("+query+")")
	switch element.kind {
	case group:
		v.listsIn(element, name, e, keep, "("+query+")", "", depth+1)
	case list:
		v.list(element, v.name.take(name+"_element"), e, keep, "("+query+")", "", depth+1)
	case leaf:
	}
}

// is the condition that a packet is of an arm: its tag is one of the arm's, or of no arm's where that is the default.
func (v *views) is(arm int) string {
	var names, ranges []string
	s, column := v.plan.CaseSwitch, v.d.identifier("case")
	isDefault := s.Item.Arms[arm].Default
	for _, entry := range s.Entries {
		if (int(entry.Arm) != arm) != isDefault {
			continue
		}
		if entry.Lo == entry.Hi {
			names = append(names, v.d.text(v.tag(entry.Lo)))
			continue
		}
		ranges = append(ranges, fmt.Sprintf("%s BETWEEN %s AND %s", v.d.number(column), v.tagNumber(entry.Lo), v.tagNumber(entry.Hi)))
		if v.plan.Case.Cases != nil {
			for _, c := range v.plan.Case.Cases.List {
				if key := v.key(c.Code); entry.Lo <= key && key <= entry.Hi {
					names = append(names, v.d.text(c.Name))
				}
			}
		}
	}
	if len(names) > 0 {
		ranges = append(ranges, column+" IN ("+strings.Join(names, ", ")+")")
	}
	switch {
	case isDefault && len(ranges) == 0:
		return column + " IS NOT NULL"
	case isDefault:
		return "NOT COALESCE(" + strings.Join(ranges, " OR ") + ", " + column + " IS NULL)"
	case len(ranges) == 0:
		return "1 = 0"
	}
	return "(" + strings.Join(ranges, " OR ") + ")"
}

// tagNumber is the number of a tag with a key.
func (v *views) tagNumber(key uint64) string {
	return string(decode.CaseOf(v.plan, v.key(key)).AppendNumber(nil))
}
