package schema

import (
	"math/big"
	"sort"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Enums and flags.

func (c *checker) enum(d *syntax.EnumDecl) {
	g := c.own(d.Name, d)
	if g == nil {
		return
	}
	g.done, g.bad = true, true
	since := c.settable
	defer func() { g.settable = c.settable != since }()
	e := &Enum{Name: d.Name.Text, Doc: d.Doc, Pos: d.Name.Pos, Open: d.Open, Flags: d.Flags}
	ok := true
	e.Base = c.enumBase(d)
	if e.Base == nil {
		ok = false
	}
	byName := map[string]Pos{}
	byValue := map[string]syntax.Ident{}
	for _, k := range d.Cases {
		v := c.constInt(k.Value, "the value of a case", nil)
		if k.Name.Text == "" {
			ok = false
			continue
		}
		if old, twice := byName[k.Name.Text]; twice {
			c.errorf(k.Name.Span, "give it another name", "`%s` is already a case of `%s`, at %s", k.Name.Text, e.Name, old)
			ok = false
			continue
		}
		byName[k.Name.Text] = k.Name.Pos
		c.book.declare(k.Name, "case", k.Name.Pos)
		c.inEnum(k.Name.Text, e)
		if v == nil {
			ok = false
			continue
		}
		if old, twice := byValue[v.String()]; twice {
			c.errorf(k.Value.Place(), "", "`%s` has the value of `%s`, %s", k.Name.Text, old.Text, v)
			ok = false
			continue
		}
		byValue[v.String()] = k.Name
		if !c.caseFits(d, e, k, v) {
			ok = false
			continue
		}
		e.Hex = e.Hex || writtenHex(c.text(k.Value.Place()))
		e.Cases = append(e.Cases, Case{Name: k.Name.Text, Doc: k.Doc, Pos: k.Name.Pos, Value: v})
		if e.Flags {
			e.Mask |= v.Uint64()
		}
	}
	if len(d.Cases) == 0 {
		c.errorf(d.Name.Span, "", "`%s` has no case", e.Name)
		ok = false
	}
	if !ok {
		return
	}
	g.bad, g.enum = false, e
	c.schema.Enums = append(c.schema.Enums, e)
	c.enums[e] = newEnumInfo(e)
	c.enums[e].endian = d.Base.Endian
}

// inEnum remembers whose case a name is; of several the first counts.
func (c *checker) inEnum(name string, e *Enum) {
	if c.caseHome[name] == "" {
		c.caseHome[name] = e.Name
	}
}

// enumBase checks the integer type after the colon, in the file's order.
func (c *checker) enumBase(d *syntax.EnumDecl) *Value {
	if d.Base == nil {
		return nil
	}
	if len(d.Base.Prefixes) > 0 || d.Base.Rule != nil {
		c.errorf(d.Base.Span, "", "a plain integer type comes after `%s :`", d.Name.Text)
		return nil
	}
	v := c.leaf(newFrame(&Struct{Order: c.schema.Order}, nil, nil), d.Base, "the size of an enum's type")
	if v == nil {
		return nil
	}
	in, ok := v.Type.Interval()
	if !ok {
		c.errorf(d.Base.Span, "write `uint8`, `bits(n)` or `int(a..b)`", "`%s` is no integer type", c.text(d.Base.Span))
		return nil
	}
	if d.Flags && in.Lo.Sign() != 0 {
		c.errorf(d.Base.Span, "write an unsigned type", "flags are bits: their type counts from 0, not from %s", in.Lo)
		return nil
	}
	return v
}

func (c *checker) caseFits(d *syntax.EnumDecl, e *Enum, k *syntax.CaseDecl, v *big.Int) bool {
	if e.Flags && v.Sign() <= 0 {
		c.errorf(k.Value.Place(), "", "the flag `%s` is %s: a flag has at least one bit", k.Name.Text, v)
		return false
	}
	if e.Flags && v.TrailingZeroBits() != uint(v.BitLen()-1) {
		c.errorf(k.Value.Place(), "give each bit a flag of its own, or write a field of several bits: `bits(2)`, an enum",
			"the flag `%s` is 0x%x: a flag has one bit", k.Name.Text, v)
		return false
	}
	if e.Base == nil {
		return v.BitLen() <= 64
	}
	if in, _ := c.numbers(e.Base.Type); !in.contains(v) {
		c.errorf(k.Value.Place(), "", "`%s` is %s, which does not fit `%s` (%s)", k.Name.Text, v, c.text(d.Base.Span), in)
		return false
	}
	return true
}

// enumInfo is what lookups in an enum need: made once, since a switch may ask for every one of its cases.
type enumInfo struct {
	byName map[string]*Case
	sorted []*Case // by value
	in     interval
	endian syntax.Endian // as written after the base
}

func newEnumInfo(e *Enum) *enumInfo {
	n := &enumInfo{byName: map[string]*Case{}}
	for i := range e.Cases {
		n.byName[e.Cases[i].Name] = &e.Cases[i]
		n.sorted = append(n.sorted, &e.Cases[i])
	}
	sort.Slice(n.sorted, func(i, j int) bool { return n.sorted[i].Value.Cmp(n.sorted[j].Value) < 0 })
	base, _ := e.Base.Type.Interval()
	full := interval{base.Lo, base.Hi}
	switch {
	case e.Open:
		n.in = full
	case e.Flags:
		n.in = interval{bigZero, new(big.Int).SetUint64(e.Mask)}
	default:
		n.in = interval{n.sorted[0].Value, n.sorted[len(n.sorted)-1].Value}
	}
	return n
}

// names lists the cases, for suggestions.
func (e *enumInfo) names() []string {
	var out []string
	for _, k := range e.sorted {
		out = append(out, k.Name)
	}
	return out
}

// casesFrom lists the cases of values from lo on, by value.
func (e *enumInfo) casesFrom(lo *big.Int) []*Case {
	return e.sorted[sort.Search(len(e.sorted), func(i int) bool { return e.sorted[i].Value.Cmp(lo) >= 0 }):]
}

// anyIn says whether a case has its value in in.
func (e *enumInfo) anyIn(in interval) bool {
	from := e.casesFrom(in.lo)
	return len(from) > 0 && in.contains(from[0].Value)
}
