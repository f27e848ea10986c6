package anyschema

import (
	"math/big"
	"sort"
)

// choice is a switch. Its labels are values that the tag may have for sure.
func (g *generator) choice(f *frame) string {
	name := g.name()
	g.stood++
	first := g.stood
	tag := g.tag(f)
	touch(tag)
	labels := g.labels(tag)
	text := name + " switch " + tag.text + " {\n"
	var all size
	end, start := place{}, f.at
	arms := len(labels)
	fallback := arms == 0 || g.draw(2) == 0
	if fallback {
		labels = append(labels, "default")
	}
	ate := false
	var number *variable // the switch as an integer; not where an arm is none
	for i, label := range labels {
		arm := "empty"
		s, at, v, on := size{}, start, value{}, onNothing
		if i != len(labels)-1 && g.once(6) || g.draw(4) > 0 {
			in := f.inner()
			if text, bits, ok := g.armSum(in); ok {
				v, on = value{text: text, size: fixed(bits), end: start, moves: true}, onField
			} else {
				v, on = g.value(in, name, need{}), onField
			}
			arm, s, at = v.text, v.size, v.end
			ate, f.moved = ate || v.ate, f.moved || !v.still()
		}
		if i == 0 {
			all, end = s, at
		} else {
			all, end = all.or(s), end.or(at)
		}
		if i == 0 && v.kind.counts() {
			number = &variable{path: name, in: v.in, unsure: true, loose: true, enum: v.enum}
		}
		if number != nil && !v.kind.counts() {
			number = nil
		} else if number != nil {
			number.in = number.in.union(v.in)
			if number.enum != v.enum {
				number.enum = nil
			}
		}
		line := label + ": " + arm + g.notes(f, v, on)
		text += "    " + indented(line) + "\n"
	}
	f.put(all, end)
	f.ate = f.ate || ate
	if number != nil && number.in.fits() {
		number.declared = number.in
		f.see(number)
	}
	f.mark(edge{path: name, first: start, last: f.at, from: first, to: g.stood}, nil)
	return text + "}" + g.notes(f, value{}, onSwitch)
}

// tag is what a switch asks.
func (g *generator) tag(f *frame) expression {
	switch ints, bools := f.ints(), f.bools(); {
	case g.once(8):
		return g.condition(f, 1)
	case g.once(6):
		return g.number(f, 1)
	case len(bools) > 0 && g.once(6):
		return g.read(recent(g, bools))
	case len(ints) > 0:
		for range 3 {
			if e := g.read(recent(g, ints)); !e.loose {
				return e
			}
		}
		return g.read(recent(g, ints))
	}
	return g.number(f, 0)
}

// labels are those of up to four arms; none where nothing is sure.
func (g *generator) labels(tag expression) []string {
	switch {
	case tag.bool:
		return [][]string{{"true"}, {"false"}, {"true", "false"}, {"false", "true"}}[g.draw(4)]
	case tag.loose:
		return nil
	case tag.enum != nil:
		return g.caseLabels(tag)
	}
	var out []string
	at := tag.in.lo
	if g.once(4) {
		at = g.within(tag.in)
	}
	for range 1 + g.draw(4) {
		text := ""
		for k := 0; k == 0 || k < 3 && g.once(3); k++ {
			top := new(big.Int).Add(at, big.NewInt(int64(g.draw(4)*g.draw(3))))
			if !tag.in.has(at) || !tag.in.has(top) {
				break
			}
			if k > 0 {
				text += ", "
			}
			text += g.literal(at).text
			if top.Cmp(at) > 0 || g.once(12) {
				text += ".." + g.literal(top).text
			}
			at = new(big.Int).Add(top, big.NewInt(int64(1+g.draw(3))))
		}
		if text == "" {
			break
		}
		out = append(out, text)
	}
	return out
}

// caseLabels names cases, bare or not, and stretches of them.
func (g *generator) caseLabels(tag expression) []string {
	var cases []constant
	for _, c := range tag.enum.cases {
		if tag.in.has(c.value) {
			cases = append(cases, c)
		}
	}
	sort.Slice(cases, func(i, j int) bool { return cases[i].value.Cmp(cases[j].value) < 0 })
	spell := func(c constant) string {
		if g.once(4) {
			return tag.enum.name + "." + c.name
		}
		if g.once(6) {
			return g.literal(c.value).text
		}
		return c.name
	}
	var out []string
	for i := 0; i < len(cases); i++ {
		if g.once(5) {
			continue
		}
		text := spell(cases[i])
		switch {
		case g.once(5) && i+1 < len(cases):
			i++
			text += ".." + spell(cases[i])
		case g.once(5) && i+1 < len(cases):
			i++
			text += ", " + spell(cases[i])
		}
		out = append(out, text)
	}
	return out
}
