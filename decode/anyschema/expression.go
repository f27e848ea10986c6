package anyschema

import (
	"fmt"
	"math/big"
)

// expression is one that may be somewhere: its text and what is known of it.
type expression struct {
	text  string
	bind  int // how tightly its operator binds: 1 || 2 && 3 == 4 + 5 * 6 unary 7 atom
	in    span
	bool  bool
	konst bool
	path  bool // a plain path
	enum  *enum
	loose bool        // the checker may know it better than in says
	reads []*variable // all variables in it
	// yes and no are what is known when it holds and when it does not.
	yes, no []fact
	// never and always: a bool that is the same for every packet.
	never, always bool
}

// settled is what a comparison of numbers in a and b gives, where that is always the same.
func settled(op string, a, b span) (never, always bool) {
	below, above := a.hi.Cmp(b.lo), a.lo.Cmp(b.hi)
	switch op {
	case "==", "!=":
		never, always = below < 0 || above > 0, below == 0 && above == 0
		if op == "!=" {
			never, always = always, never
		}
	case "<":
		never, always = above >= 0, below < 0
	case "<=":
		never, always = above > 0, below <= 0
	case ">":
		never, always = below <= 0, above > 0
	case ">=":
		never, always = below < 0, above >= 0
	}
	return never, always
}

func (e expression) paren(bind int) string {
	if e.bind < bind {
		return "(" + e.text + ")"
	}
	return e.text
}

// literal spells a number.
func (g *generator) literal(v *big.Int) expression {
	e := expression{in: single(v), konst: true, bind: 7, text: v.String()}
	if v.Sign() < 0 {
		e.bind = 6
		return e
	}
	switch {
	case g.once(6):
		e.text = fmt.Sprintf("0x%X", v)
	case g.once(12) && v.BitLen() < 10:
		e.text = fmt.Sprintf("0b%b", v)
	case g.once(12) && v.IsInt64() && v.Int64() > ' ' && v.Int64() < 127 && v.Int64() != '\'' && v.Int64() != '\\':
		e.text = fmt.Sprintf("'%c'", rune(v.Int64()))
	case len(e.text) > 3 && g.once(2):
		n := len(e.text) - 3
		e.text = e.text[:n] + "_" + e.text[n:]
	}
	return e
}

func (g *generator) small(n int64) expression { return g.literal(big.NewInt(n)) }

// constantIn is a constant of lo..hi.
func (g *generator) constantIn(lo, hi int64) expression {
	if hi < lo {
		hi = lo
	}
	if g.once(4) {
		for _, c := range g.consts {
			if c.value.IsInt64() && c.value.Int64() >= lo && c.value.Int64() <= hi && g.once(2) {
				return expression{in: single(c.value), konst: true, bind: 7, text: c.name}
			}
		}
	}
	n := lo
	if d := hi - lo; d > 0 && d < 256 {
		n += int64(g.draw(int(d + 1)))
	} else if d > 0 {
		n += int64(g.wide(4)) % (d + 1)
	}
	if n > lo && g.once(8) && lo >= 0 {
		a := int64(g.draw(int(min(n, 255))))
		return expression{in: single(big.NewInt(n)), konst: true, bind: 4, text: fmt.Sprintf("%d + %d", a, n-a)}
	}
	return g.small(n)
}

func (g *generator) read(v *variable) expression {
	g.reads = append(g.reads, root(v.path))
	return expression{text: v.path, bind: 7, in: v.in, bool: v.bool, enum: v.enum, path: true, loose: v.loose, reads: []*variable{v},
		never: v.bool && v.in.hi.Sign() == 0, always: v.bool && v.in.lo.Sign() > 0}
}

// ints and bools are the variables of a kind in scope.
func (f *frame) ints() []*variable  { return f.some(false) }
func (f *frame) bools() []*variable { return f.some(true) }

func (f *frame) some(bools bool) []*variable {
	hidden := f.hidden()
	var out []*variable
	for i, v := range f.vars {
		if v.bool == bools && !v.blank && !hidden[i] {
			out = append(out, v)
		}
	}
	for _, v := range f.state {
		if v.bool == bools {
			out = append(out, v)
		}
	}
	return out
}

// recent prefers what was declared last.
func recent(g *generator, vars []*variable) *variable {
	if n := len(vars); g.draw(2) == 0 {
		return vars[n-1-g.draw(min(n, 3))]
	} else {
		return vars[g.draw(n)]
	}
}

// number makes an integer expression, over variables where there are any.
func (g *generator) number(f *frame, depth int) expression {
	if depth > 0 && g.once(3) {
		return g.operation(f, depth)
	}
	vars := f.ints()
	if len(g.tables) > 0 && depth > 0 && g.once(3) {
		if e, ok := g.lookup(g.number(f, depth-1)); ok {
			return e
		}
	}
	switch k := g.draw(10); {
	case k < 7 && len(vars) > 0:
		return g.read(recent(g, vars))
	case k == 7 && len(g.enums) > 0:
		e := g.enums[g.draw(len(g.enums))]
		c := e.cases[g.draw(len(e.cases))]
		return expression{text: e.name + "." + c.name, bind: 7, in: single(c.value), konst: true, enum: e}
	case k == 8 && f.still:
		return g.constantIn(0, 9)
	case k == 8 && g.once(2):
		g.looks++
		n := int64(1 + g.draw(16))
		return expression{text: fmt.Sprintf("%s(%d)", pick(g, "peek", "tail"), n), bind: 7, in: between(0, 1<<n-1)}
	case k == 8:
		g.looks++
		return expression{text: "rest", bind: 7, in: between(0, g.room), loose: true}
	case k == 9:
		return g.constantIn(-20, 300)
	}
	return g.constantIn(0, 9)
}

// operation is an operator over two numbers, or its left one where the operator does not go there.
func (g *generator) operation(f *frame, depth int) expression {
	a := g.number(f, depth-1)
	if g.once(10) {
		in := span{new(big.Int).Neg(a.in.hi), new(big.Int).Neg(a.in.lo)}
		if !in.fits() {
			return a
		}
		return expression{text: "-" + a.paren(7), bind: 6, in: in, konst: a.konst, loose: a.loose, reads: a.reads}
	}
	op := pick(g, "+", "-", "*", "&", "%", "/", ">>", "<<", "|", "^")
	var b expression
	switch op {
	case "%", "/":
		if b = g.number(f, depth-1); b.in.has(zero) {
			b = g.constantIn(1, 12)
		}
	case "<<", ">>":
		if b = g.number(f, 0); !b.in.inside(between(0, 63)) {
			b = g.constantIn(0, 7)
		}
	case "*":
		b = g.constantIn(1, 9)
	default:
		b = g.number(f, depth-1)
	}
	in := apply(op, a.in, b.in, a.konst && b.konst)
	if !in.fits() {
		return a
	}
	bind := 5
	if op == "+" || op == "-" || op == "|" || op == "^" {
		bind = 4
	}
	e := expression{bind: bind, in: in, konst: a.konst && b.konst, loose: a.loose || b.loose,
		reads: append(a.reads[:len(a.reads):len(a.reads)], b.reads...)}
	if (op == "&" || op == "|") && (a.in.lo.Sign() < 0 || b.in.lo.Sign() < 0) {
		e.loose = true // the bound here is a rough one
	}
	space := " "
	if g.once(6) {
		space = ""
	}
	e.text = a.paren(bind) + space + op + space + b.paren(bind+1)
	if b.text[0] == '-' && b.bind > bind && space == "" {
		e.text = a.paren(bind) + op + " " + b.paren(bind+1)
	}
	if g.once(10) {
		e.text, e.bind = "("+e.text+")", 7
	}
	return e
}

// countUpTo is an expression for a count or a size of 0..hi, of variables where there are any. It may turn out
// negative.
func (g *generator) countUpTo(f *frame, hi int64) expression {
	if len(f.ints()) == 0 || g.once(5) {
		return g.constantIn(0, min(hi, 6))
	}
	e := g.number(f, 1)
	limit := big.NewInt(hi)
	if e.in.hi.Cmp(limit) > 0 {
		switch bind := 5; {
		case g.draw(2) == 0 && e.in.lo.Sign() >= 0:
			m := int64(1)<<(bitsFor(hi+1)-1) - 1
			e = expression{text: e.paren(bind) + " & " + g.small(m).text, bind: bind, in: apply("&", e.in, between(m, m), e.konst), konst: e.konst, loose: e.loose, reads: e.reads}
		default:
			e = expression{text: e.paren(bind) + " % " + g.small(hi+1).text, bind: bind, in: apply("%", e.in, between(hi+1, hi+1), e.konst), konst: e.konst, loose: e.loose, reads: e.reads}
		}
	}
	if e.in.hi.Sign() < 0 || e.in.hi.Cmp(limit) > 0 || e.loose && e.in.lo.Sign() < 0 || e.konst && e.in.lo.Sign() < 0 || e.text == "rest" || e.in.lo.Cmp(big.NewInt(300)) > 0 {
		return g.constantIn(0, min(hi, 6))
	}
	return e
}

// lowest is the least that a size of e counts: a negative one is refused when a packet is read.
func (e expression) lowest() int64 {
	if e.in.lo.Sign() < 0 {
		return 0
	}
	return e.in.lo.Int64()
}

// atMostLowest is how large the checker may know the least to be.
func (e expression) atMostLowest() int64 {
	if e.loose {
		return e.in.hi.Int64()
	}
	return e.lowest()
}

// condition makes a bool.
func (g *generator) condition(f *frame, depth int) expression {
	if depth > 0 && g.once(4) {
		a := g.condition(f, depth-1)
		switch op := pick(g, "&&", "||", "!", "=="); op {
		case "!":
			return expression{text: "!" + a.paren(6), bind: 6, in: between(0, 1), bool: true, reads: a.reads, yes: a.no, no: a.yes, konst: a.konst, never: a.always, always: a.never}
		case "==":
			b := g.condition(f, 0)
			op := pick(g, "==", "!=")
			e := expression{text: a.paren(4) + " " + op + " " + b.paren(4), bind: 3, in: between(0, 1), bool: true,
				reads: append(a.reads[:len(a.reads):len(a.reads)], b.reads...), loose: true}
			if (a.never || a.always) && (b.never || b.always) {
				e.always = (a.always == b.always) == (op == "==")
				e.never = !e.always
			}
			return e
		default:
			bind := 2
			if op == "||" {
				bind = 1
			}
			b := g.condition(f, depth-1)
			e := expression{text: a.paren(bind) + " " + op + " " + b.paren(bind+1), bind: bind, in: between(0, 1), bool: true,
				reads: append(a.reads[:len(a.reads):len(a.reads)], b.reads...), loose: true}
			if op == "&&" {
				e.never, e.always = a.never || b.never, a.always && b.always
				e.yes = append(a.yes[:len(a.yes):len(a.yes)], b.yes...)
			} else {
				e.never, e.always = a.never && b.never, a.always || b.always
				e.no = append(a.no[:len(a.no):len(a.no)], b.no...)
			}
			return e
		}
	}
	vars, bools := f.ints(), f.bools()
	switch k := g.draw(8); {
	case k < 2 && len(bools) > 0:
		return g.read(recent(g, bools))
	case k < 6 && len(vars) > 0:
		return g.relation(f, recent(g, vars))
	case k == 6:
		return expression{text: "from(" + pick(g, "client", "server") + ")", bind: 7, in: between(0, 1), bool: true}
	case k == 7 && depth > 0:
		return g.comparison(g.number(f, depth), g.number(f, depth))
	case len(vars) > 0:
		return g.relation(f, recent(g, vars))
	case len(bools) > 0:
		return g.read(recent(g, bools))
	}
	return pick(g, expression{text: "true", bind: 7, in: between(1, 1), bool: true, konst: true, always: true},
		expression{text: "false", bind: 7, in: between(0, 0), bool: true, konst: true, never: true})
}

func (g *generator) comparison(a, b expression) expression {
	op := pick(g, "<=", ">=", "<", ">", "!=", "==")
	e := expression{text: a.paren(4) + " " + op + " " + b.paren(4), bind: 3, in: between(0, 1), bool: true,
		reads: append(a.reads[:len(a.reads):len(a.reads)], b.reads...), loose: true}
	e.never, e.always = settled(op, a.in, b.in)
	return e
}

// relation compares a variable with constants: a flag of it, a set, or a bound, of which more is known then.
func (g *generator) relation(f *frame, v *variable) expression {
	g.reads = append(g.reads, root(v.path))
	e := expression{bind: 3, in: between(0, 1), bool: true, reads: []*variable{v}, loose: true}
	if v.enum != nil && g.draw(3) > 0 {
		c := v.enum.cases[g.draw(len(v.enum.cases))]
		if v.enum.flags {
			e.text, e.bind = v.path+"."+c.name, 7
			return e
		}
		op := pick(g, "!=", "==")
		e.text = v.path + " " + op + " " + v.enum.name + "." + c.name
		e.never, e.always = settled(op, v.in, single(c.value))
		return e
	}
	c := g.within(v.in)
	if g.once(4) {
		d := g.within(v.in)
		lo, hi := least(c, d), most(c, d)
		e.text = v.path + " in "
		if g.draw(2) == 0 {
			e.text += g.literal(lo).text + ".." + g.literal(hi).text
			e.yes = []fact{{v, span{lo, hi}}}
		} else {
			e.text += "{" + g.literal(hi).text + ", " + g.literal(lo).text + "}"
		}
		return e
	}
	var lower, upper span // what < and >= leave
	op := pick(g, "<=", ">", "<", ">=", "==", "!=")
	e.never, e.always = settled(op, v.in, single(c))
	switch op {
	case "<=", ">":
		lower, upper = span{v.in.lo, c}, span{new(big.Int).Add(c, one), v.in.hi}
	case "<", ">=":
		lower, upper = span{v.in.lo, new(big.Int).Sub(c, one)}, span{c, v.in.hi}
	default:
		e.text = v.path + " " + op + " " + g.literal(c).text
		return e
	}
	e.text = v.path + " " + op + " " + g.literal(c).text
	about := func(s span) []fact {
		if s.lo.Cmp(s.hi) > 0 {
			return nil
		}
		return []fact{{v, s}}
	}
	if op[0] == '<' {
		e.yes, e.no = about(lower), about(upper)
	} else {
		e.yes, e.no = about(upper), about(lower)
	}
	return e
}

// within is a number of s, near its ends more often than not.
func (g *generator) within(s span) *big.Int {
	w := s.width()
	switch g.draw(4) {
	case 0:
		n := big.NewInt(int64(g.draw(4)))
		return new(big.Int).Add(s.lo, least(n, w))
	case 1:
		n := big.NewInt(int64(g.draw(4)))
		return new(big.Int).Sub(s.hi, least(n, w))
	case 2:
		n := big.NewInt(int64(g.draw(100)))
		return new(big.Int).Add(s.lo, least(n, w))
	}
	n := new(big.Int).SetUint64(g.wide(8))
	return n.Add(s.lo, n.Mod(n, new(big.Int).Add(w, one)))
}

// touch marks what was compared: from here on the checker may know more of it.
func touch(e expression) {
	for _, v := range e.reads {
		v.loose = true
	}
}
