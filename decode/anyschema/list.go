package anyschema

import (
	"fmt"
	"math/big"
	"slices"
)

// list puts a prefix before a value: the arrays, the optional, the subsets. It is false where none was made.
func (g *generator) list(f *frame, name string, want need) (value, bool) {
	ef := f.inner()
	ef.at = atStart
	ef.home, ef.win, ef.ends, ef.early = &extent{start: place{how: anywhere}}, nil, nil, f.begins()
	v := value{kind: opaque, moves: true}
	elem := func(need need) value {
		e := g.value(ef, name, need)
		v.inner, v.ate, v.lasts = e.inner, v.ate || e.ate, e.lasts
		if e.kind == group {
			v.lasts = e.fields
		}
		return e
	}
	repeat := func(head string, at place, s size, e value) {
		v.text, v.end, v.size = head+e.text, at.times(e.end), s
	}
	switch k := g.draw(12); k {
	case 0, 1: // [k]T
		k := g.constantIn(0, 5)
		e := elem(need{})
		n := k.in.lo.Int64()
		if e.ate && n > 1 {
			return v, false // the second finds nothing
		}
		v.array, v.moves = true, !e.still() || e.ate
		repeat("["+k.text+"]", f.at, e.size.times(n, n, n), e)
		switch {
		case n > 0 && e.end.how != fromStart:
			v.end = e.end
		case e.end.how == fromStart:
			v.end = f.at.plus(n * e.end.n)
		}
	case 2, 3: // [e]T, [e, max n]T
		if e := g.number(f, 1); k == 3 && !e.konst && !e.loose && e.in.hi.Sign() >= 0 && e.in.lo.Cmp(big.NewInt(20)) <= 0 {
			n := g.constantIn(max(e.lowest(), 1), 40)
			el := elem(need{bits: 1})
			if el.ate && e.lowest() > 1 {
				return v, false
			}
			hi := least(n.in.lo, e.in.hi).Int64()
			repeat("["+e.text+", max "+n.text+"]", f.at, el.size.times(e.lowest(), e.lowest(), hi), el)
			break
		}
		k := g.countUpTo(f, int64(pick(g, 4, 20, 300)))
		e := elem(need{bits: 1})
		if e.ate && k.lowest() > 1 {
			return v, false
		}
		repeat("["+k.text+"]", f.at, e.size.times(k.lowest(), k.atMostLowest(), k.in.hi.Int64()), e)
	case 4, 5: // [..n]T and [a..b]T
		hi := g.constantIn(1, 9)
		lo := int64(0)
		text := "[.." + hi.text + "]"
		if g.draw(2) == 1 {
			lo = int64(g.draw(int(hi.in.lo.Int64()) + 1))
			text = "[" + g.small(lo).text + ".." + hi.text + "]"
		}
		n := hi.in.lo.Int64()
		e := elem(need{bits: 1})
		if e.ate && lo > 1 {
			return v, false
		}
		repeat(text, f.at.plus(bitsFor(n-lo)), fixed(bitsFor(n-lo)).plus(e.size.times(lo, lo, n)), e)
	case 6: // [rest, max n]T
		if f.bits && g.once(2) { // of any bits
			e := elem(need{bits: 1})
			n := g.constantIn(1, 40)
			repeat("[rest, max "+n.text+"]", place{how: anywhere}, e.size.times(0, 0, n.in.lo.Int64()), e)
			v.ate, v.end = true, place{how: anywhere}
			break
		}
		if f.at != onByte && !want.first {
			return v, false
		}
		ef.at, ef.home.start = onByte, onByte
		e := elem(need{bits: 8, bytes: true})
		n := g.constantIn(1, 40)
		v.onByte = true
		repeat("[rest, max "+n.text+"]", onByte, e.size.times(0, 0, n.in.lo.Int64()), e)
		v.ate, v.end = true, onByte
	case 7: // [until e, max n]T
		e := elem(need{bits: 1, plain: true})
		seen := e.fields
		if e.kind == integer || e.kind == truth || e.kind == listed {
			it := number(name, e.in)
			it.bool, it.enum = e.bool, e.enum
			seen = []*variable{it}
		}
		asked := slices.DeleteFunc(slices.Clone(seen), func(v *variable) bool { return v.blank })
		if len(asked) == 0 {
			return v, false
		}
		cf := f.inner()
		it := asked[g.draw(len(asked))]
		var c expression
		if it.bool {
			c = g.read(it)
		} else {
			c = g.relation(cf, it)
		}
		if g.once(4) {
			cf.vars = append(cf.vars, seen...)
			d := g.condition(cf, 1)
			c.text = c.paren(3) + " " + pick(g, "||", "&&") + " " + d.paren(3)
		}
		n := g.constantIn(1, 20)
		repeat("[until "+c.text+", max "+n.text+"]", f.at, e.size.times(1, 1, n.in.lo.Int64()), e)
	case 8: // [while e, max n]T
		c := expression{text: "rest > " + g.small(int64(g.draw(6))).text}
		v.ate = true
		if g.once(3) {
			n := int64(1 + g.draw(12))
			c.text = fmt.Sprintf("%s(%d) %s %d", pick(g, "peek", "tail"), n, pick(g, "!=", "<", "=="), g.draw(3))
			v.ate = false
		}
		if g.once(4) {
			c.text += " && " + g.condition(f, 1).paren(3)
			v.ate = false
		}
		e := elem(need{bits: 1})
		n := g.constantIn(1, 20)
		repeat("[while "+c.text+", max "+n.text+"]", f.at, e.size.times(0, 0, n.in.lo.Int64()), e)
	case 9: // optional T
		ef.home, ef.win, ef.ends, ef.early = f.home, f.win, f.ends[:len(f.ends):len(f.ends)], f.early
		if f.at.plus(1) == onByte && g.once(2) {
			if text, bits, ok := g.sum(f); ok {
				v.text, v.end, v.size = "optional "+text, place{how: anywhere}, size{1, 1, 1 + bits}
				break
			}
		}
		e := elem(need{})
		v.text, v.lasts = "optional "+e.text, nil // it is no list
		at := f.at.plus(1)
		v.end = at.or(at.then(e.end))
		v.size = size{1, 1, 1 + e.size.most}
	default:
		g.subset(f, &v, elem)
	}
	return v, true
}

func (g *generator) subset(f *frame, v *value, elem func(need) value) {
	n := int64(pick(g, 5, 1, 2, 9, 31, 64, 130, 300))
	word := pick(g, "bitmap", "index", "sentinel", "relative")
	e := elem(need{bits: 1})
	any := ""
	if (word == "index" || word == "sentinel") && g.once(3) {
		any = " any"
	}
	v.text = fmt.Sprintf("subset(%s%s) [%s]%s", word, any, g.small(n).text, e.text)
	v.end = place{how: anywhere}
	all := satTimes(e.size.most, n)
	switch word {
	case "bitmap":
		v.size = size{n, n, n + all}
	case "index":
		v.size = size{bitsFor(n), bitsFor(n), bitsFor(n) + n*bitsFor(n-1) + all}
	case "sentinel":
		v.size = size{bitsFor(n), bitsFor(n), (n+1)*bitsFor(n) + all}
	case "relative":
		v.size = size{1, 20, 2*(n+1) + all}
	}
}
