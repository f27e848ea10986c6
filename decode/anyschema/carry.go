package anyschema

import (
	"fmt"
	"math/big"
)

// carried makes items of which one reads what another was in the element before.
func (g *generator) carried(f *frame) []string {
	name, of := g.name(), g.name()
	lo := int64(g.draw(20)) - 10
	hi := lo + 40 + int64(g.draw(200))
	first := g.first(f, between(max(lo, 0), hi))
	let := func(name string, in span) *variable {
		v := number(name, in)
		v.let, v.loose, v.unsure = true, true, true
		f.see(v)
		return v
	}
	field := func(name string, bits size, behind place, in span) {
		f.put(bits, behind)
		v := number(name, in)
		v.plain = true
		f.see(v)
	}
	switch g.draw(5) {
	case 1: // a field
		w := int64(1 + g.draw(12))
		field(of, fixed(w), f.at.plus(w), span{zero, mask(int(w))})
		let(name, between(min(lo, 0), max(hi, int64(1)<<w)))
		return []string{fmt.Sprintf("%s bits(%d)", of, w), fmt.Sprintf("let %s = prev(%s, %s)", name, of, first)}
	case 2: // a number that comes later, and wraps
		n := int64(2 + g.draw(90))
		field(of, size{1, 1, 38}, place{how: anywhere}, span{one, mask(31)})
		f.vars[len(f.vars)-1].loose = true
		let(name, between(0, n-1))
		return []string{fmt.Sprintf("%s relative(prev(%s, %s))", of, name, first), fmt.Sprintf("let %s = %s %% %d", name, of, n)}
	case 3: // a bool
		w := int64(1)
		f.put(fixed(w), f.at.plus(w))
		for _, path := range []string{of, name} {
			v := boolean(path)
			v.let, v.loose, v.unsure = path == name, path == name, path == name
			f.see(v)
		}
		return []string{of + " bool", fmt.Sprintf("let %s = prev(%s, %s) == %s", name, of, g.firstTruth(f), of)}
	case 4: // two that are computed from each other
		both := fmt.Sprintf(" in %d..%d = ", lo, hi)
		let(name, between(lo, hi))
		let(of, between(lo, hi))
		return []string{"let " + name + both + "prev(" + of + ", " + first + ")", "let " + of + both + fmt.Sprintf("%s + %d", name, g.draw(3))}
	}
	step := g.constantIn(0, 9).text
	if vars := f.ints(); len(vars) > 0 && g.draw(4) > 0 {
		if v := recent(g, vars); v.in.lo.Sign() >= 0 {
			step = fmt.Sprintf("%s %% %s", v.path, big.NewInt(1+int64(g.draw(30))))
		}
	}
	let(name, between(lo, hi))
	return []string{fmt.Sprintf("let %s in %d..%d = prev(%s, %s) + %s", name, lo, hi, name, first, step)}
}

// after may make an item that reads what the last element of a list had.
func (g *generator) behind(f *frame, list string, v value) []string {
	var names []*variable
	for _, in := range v.lasts {
		if simpleName(in.path) && !in.blank {
			names = append(names, in)
		}
	}
	if len(names) == 0 || !g.once(2) {
		return nil
	}
	of, name := recent(g, names), g.name()
	first, last := g.constantIn(-3, 300), number(name, of.declared)
	text := first.text
	if last.in, last.bool = last.in.union(first.in), of.bool; of.bool {
		last.in, text = between(0, 1), pick(g, "false", "true")
	}
	if !last.in.fits() {
		return nil
	}
	last.declared, last.let, last.unsure, last.loose = last.in, true, true, true
	g.reads = append(g.reads, root(list))
	f.see(last)
	return []string{"let " + name + " = prev(" + list + "." + of.path + ", " + text + ")"}
}

// first is the first value of a `prev`, which is in an interval.
func (g *generator) first(f *frame, in span) string {
	if f.early != nil && g.draw(3) > 0 {
		defer g.earlier(f.early, len(g.reads))
		e := g.number(f.early, 1)
		if len(g.tables) > 0 && g.draw(2) == 0 {
			e, _ = g.lookup(e)
		}
		if e.in.inside(in) {
			return e.text
		}
		if e.in.lo.Sign() >= 0 && in.lo.Sign() >= 0 {
			n := new(big.Int).Add(in.width(), one)
			return fmt.Sprintf("%s %% %s + %s", e.paren(5), n, g.literal(in.lo).text)
		}
	}
	return g.literal(g.within(in)).text
}

func (g *generator) firstTruth(f *frame) string {
	if f.early != nil && g.draw(3) > 0 {
		defer g.earlier(f.early, len(g.reads))
		return g.condition(f.early, 1).text
	}
	return pick(g, "true", "false")
}

// earlier marks the parameters of a struct among what has been read since: they are wanted where the array around the
// struct begins.
func (g *generator) earlier(f *frame, since int) {
	if !f.params {
		return
	}
	for _, name := range g.reads[since:] {
		for _, v := range f.vars {
			if v.path == name {
				v.origin.early = true
			}
		}
	}
}
