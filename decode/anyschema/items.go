package anyschema

import (
	"fmt"
	"math/big"
	"strings"
)

// body is an inline struct, which sees what is around it.
func (g *generator) body(f *frame, want need) value {
	in := g.bodyOf(f.inner())
	if f.home.packet {
		in.early = f.begins()
	}
	lines := g.items(in, 1+g.draw(4))
	if want.bytes && in.at != onByte {
		lines = append(lines, "align")
		in.put(size{0, 0, 7}, onByte)
	}
	return value{text: g.block(lines), kind: group, inner: group, fields: in.vars[len(f.vars):], ends: in.ends[len(f.ends):], size: in.size, end: in.at, ate: in.ate, moves: in.moved}
}

// items makes the items of a body. What is learnt in it is forgotten again.
func (g *generator) items(f *frame, n int) []string {
	var lines []string
	mark := len(f.facts)
	defer f.forget(mark)
	for i := 0; i < n && !f.ate && g.spend(); i++ {
		if f.still {
			lines = g.stillItem(f, lines)
		} else {
			lines = g.item(f, lines)
		}
	}
	return lines
}

// item appends one, with what must be before it.
func (g *generator) item(f *frame, lines []string) []string {
	looks := g.looks
	defer func() { f.moved = f.moved || g.looks != looks }()
	if g.once(10) {
		lines = append(lines, pick(g, "// what it is for", "// é: not ASCII", "//", "// two\n// lines"))
	}
	if g.stateful && g.once(5) {
		lines = append(lines, g.keep(f))
	}
	switch g.draw(26) {
	case 14, 15:
		if f.depth < 5 {
			return append(lines, g.branch(f, 0))
		}
	case 16, 17:
		if f.depth < 5 {
			return append(lines, g.choice(f))
		}
	case 18:
		if f.depth < 4 {
			return append(lines, g.window(f))
		}
	case 19:
		if f.whole && g.once(3) {
			return append(lines, g.carried(f)...)
		}
		return append(lines, g.let(f))
	case 20:
		return append(lines, g.require(f))
	case 21:
		return append(lines, g.gap(f))
	case 22:
		return append(lines, g.check(f))
	case 23:
		if g.once(2) {
			return g.checksum(f, lines)
		}
	case 24, 25:
		if f.depth < 4 {
			return g.open(f, lines)
		}
	}
	return g.field(f, lines)
}

func (g *generator) field(f *frame, lines []string) []string {
	want := need{first: true}
	name, hides, done := "", false, func() {}
	if len(f.share) > 0 && g.draw(2) == 1 {
		want.shape, f.share = f.share[0], f.share[1:]
		name = want.shape.path
		if g.once(3) {
			return append(lines, g.letOf(f, name, want.shape.bool))
		}
	} else {
		name, hides, done = g.call(f)
	}
	g.stood++
	start, first := f.at, g.stood
	v := g.value(f, name, want)
	if done(); hides {
		blank := number(name, between(0, 0))
		blank.blank = true
		f.see(blank)
	}
	f.moved = f.moved || !v.still()
	if v.needsByte(start) {
		lines = append(lines, "align")
		f.put(size{0, 0, 7}, onByte)
		start = onByte
	}
	if v.pads(f) {
		start = onByte
	}
	f.put(v.size, v.end)
	f.ate = f.ate || v.ate
	f.declare(name, v)
	if want.shape == nil {
		f.mark(edge{path: name, first: start, last: f.at, from: first, to: g.stood}, v.ends)
	}
	line := name + " " + v.text + g.notes(f, v, onField)
	if g.once(12) {
		line += " // " + pick(g, "after it", "a { b", "\"", "é")
	}
	return append(append(lines, line), g.behind(f, name, v)...)
}

// needsByte says whether v was made for a byte boundary.
func (v *value) needsByte(start place) bool { return start != onByte && v.onByte }

// declare brings into scope what expressions may read of a field.
func (f *frame) declare(name string, v value) {
	switch v.kind {
	case integer, truth, listed:
		n := number(name, v.in)
		n.bool, n.enum, n.unsure, n.loose = v.bool, v.enum, v.unsure, v.unsure
		n.plain = v.kind == integer
		f.see(n)
	case group:
		for _, inner := range v.fields {
			f.see(inner.inside(name))
		}
	}
}

// branch is an `if` with what follows it.
func (g *generator) branch(f *frame, chain int) string {
	c := g.condition(f, 2)
	text := "if " + c.text + " "
	touch(c)
	then := f.inner()
	then.depth = f.depth + 1
	then.learn(c.yes)
	mark := len(f.vars)
	thenLines := g.items(then, 1+g.draw(3))
	then.forget(0)
	text += g.block(thenLines)
	if !g.once(2) {
		f.size = f.size.plus(size{0, 0, then.size.most})
		f.at = f.at.or(then.at)
		f.ate, f.moved = f.ate || then.ate, f.moved || then.moved
		return text
	}
	els := f.inner()
	els.depth = f.depth + 1
	for _, v := range then.vars[mark:] {
		if simpleName(v.path) && !v.blank {
			els.share = append(els.share, v)
		}
	}
	els.learn(c.no)
	if chain < 3 && g.once(3) {
		text += " else " + g.branch(els, chain+1)
	} else {
		text += " else " + g.block(g.items(els, 1+g.draw(3)))
	}
	els.forget(0)
	f.size = f.size.plus(then.size.or(els.size))
	f.at = then.at.or(els.at)
	f.ate, f.moved = f.ate || then.ate || els.ate, f.moved || then.moved || els.moved
	for _, a := range then.vars[mark:] {
		for _, b := range els.vars[mark:] {
			if a.path == b.path && !a.blank && !b.blank {
				both := number(a.path, a.declared.union(b.declared))
				both.bool, both.loose, both.unsure = a.bool, true, true
				if a.enum == b.enum { // else it is a plain integer
					both.enum = a.enum
				}
				if both.in.fits() {
					f.see(both)
				}
			}
		}
	}
	return text
}

func simpleName(path string) bool {
	for i := range len(path) {
		if path[i] == '.' {
			return false
		}
	}
	return true
}

func (g *generator) window(f *frame) string {
	if g.once(2) {
		if text, ok := g.filled(f); ok {
			return text
		}
	}
	f.moved = true
	in := f.inner()
	in.depth = f.depth + 1
	bits := g.once(4)
	in.bits = bits
	e := g.number(f, 1) // over what is before the window
	if !bits {
		in.at = f.aligned(f.at)
	}
	in.win = &opening{from: g.stood + 1, bytes: !bits && in.at == onByte}
	mark := len(f.vars)
	lines := g.items(in, 1+g.draw(3))
	in.win.closed, in.win.to = true, g.stood
	f.ends = append(f.ends, in.ends[len(f.ends):]...)
	unit, word := int64(8), ""
	if bits {
		unit, word = 1, " bits"
	}
	fits := (in.size.atMostLeast + unit - 1) / unit
	// A window that what is inside never fills refuses every packet.
	fullest := func(n, unit int64) int64 { return max(min(n, in.size.most/unit), fits) }
	// A size that is the attacker's: it reaches what is inside in any case.
	if e.konst || e.loose || e.in.hi.Cmp(big.NewInt(fits)) < 0 || e.in.lo.Cmp(big.NewInt(in.size.most/unit)) > 0 || g.draw(3) == 0 {
		if g.once(6) {
			e = expression{text: "rest", in: between(0, g.room)}
			if word != "" || g.room < fits {
				e = g.constantIn(fits, fullest(fits+3, unit))
			}
			f.ate = f.ate || e.text == "rest"
		} else {
			e = g.constantIn(fits, fullest(fits+int64(pick(g, 0, 0, 1, 4)), unit))
		}
	}
	start := f.at
	if !bits {
		f.put(f.padding(), f.aligned(f.at))
		start = f.at
	}
	most := least(new(big.Int).Mul(e.in.hi, big.NewInt(unit)), big.NewInt(sizeMax)).Int64()
	f.size = f.size.plus(size{max(in.size.least, 0), max(e.atMostLowest()*unit, in.size.atMostLeast), most})
	switch {
	case bits && e.konst:
		f.at = start.plus(e.in.lo.Int64())
	case bits:
		f.at = place{how: anywhere}
	}
	f.vars = append(f.vars, in.vars[mark:]...)
	return fmt.Sprintf("within(%s%s) %s", e.text, word, g.block(lines))
}

func (g *generator) let(f *frame) string {
	name, hides, done := g.call(f)
	defer done()
	if !hides && g.once(6) {
		name = "_" + name
	}
	return g.letOf(f, name, g.once(4))
}

// letOf is a `let` of a name, with a range and notes where it may have them.
func (g *generator) letOf(f *frame, name string, asks bool) string {
	var e expression
	if asks {
		e = g.condition(f, 1)
	} else {
		e = g.number(f, 2)
	}
	in := ""
	if !e.bool && !e.loose && g.once(3) { // the checker knows no better what is left of it
		lo, hi := g.within(e.in), g.within(e.in)
		e.in = span{least(lo, hi), most(lo, hi)}
		end := e.in.hi
		if beyond := new(big.Int).Add(end, one); g.once(6) && (span{e.in.lo, beyond}).fits() { // its end is no end of the value
			end = beyond
		}
		in = fmt.Sprintf(" in %s..%s", g.literal(e.in.lo).text, g.literal(end).text)
	}
	v := number(name, e.in)
	v.bool, v.enum, v.let, v.unsure, v.loose = e.bool, e.enum, true, e.loose, e.loose
	if e.bool {
		v.in = between(0, 1)
		switch {
		case e.never:
			v.in = between(0, 0)
		case e.always:
			v.in = between(1, 1)
		}
		v.declared = v.in
	}
	f.see(v)
	kind := integer
	switch {
	case e.bool:
		kind = truth
	case e.enum != nil:
		kind = listed
	}
	notes := ""
	if !strings.HasPrefix(name, "_") {
		notes = g.notes(f, value{inner: kind, in: e.in}, onLet)
	}
	return "let " + name + in + " = " + e.text + notes
}

func (g *generator) require(f *frame) string {
	c := g.condition(f, 2)
	touch(c)
	if c.never { // no packet would get through
		f.learn(c.no)
		return "require !" + c.paren(6)
	}
	f.learn(c.yes)
	return "require " + c.text
}

// gap is padding or reserved bits.
func (g *generator) gap(f *frame) string {
	text := "align"
	if g.draw(2) == 1 {
		n := int64(1 + g.draw(20))
		if g.once(8) {
			n = int64(1 + g.draw(200))
		}
		text = fmt.Sprintf("reserved(%s)", g.small(n).text)
		f.put(fixed(n), f.at.plus(n))
	} else {
		n := int64(8)
		if g.once(2) {
			n = int64(pick(g, 8, 16, 32, 64, 128))
			text = fmt.Sprintf("align(%d)", n)
			f.moved = f.moved || n > 8
		}
		f.put(size{0, 0, n - 1}, onByte)
	}
	if g.once(3) {
		text += " any"
		f.moved = true
	}
	return text
}

func (g *generator) check(f *frame) string {
	if g.draw(2) == 0 {
		f.put(fixed(32), f.at)
		return fmt.Sprintf("check 0x%08X", g.wide(4))
	}
	f.put(f.padding().plus(fixed(32)), f.aligned(f.at))
	return "check " + quoted(pick(g, "end of packet", "é", "a // b", "{"))
}
