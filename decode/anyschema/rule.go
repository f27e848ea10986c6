package anyschema

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"unicode/utf16"
)

// rule may put a constraint after a value.
func (g *generator) rule(f *frame, v *value) {
	if !g.once(4) {
		return
	}
	switch v.kind {
	case integer:
		g.integerRule(f, v)
	case truth:
		v.text += " " + pick(g, "==", "!=") + " " + pick(g, "true", "false")
	case listed:
		g.enumRule(v)
	case float:
		g.floatRule(v)
	case text:
		g.textRule(v)
	case blob:
		g.blobRule(v)
	case vector:
		switch v.element.kind {
		case integer:
			in := *v
			g.integerRule(f, &in)
			v.text = in.text
		case float:
			g.floatRule(v)
		}
	}
}

// integerRule keeps v.in what the checker makes of it.
func (g *generator) integerRule(f *frame, v *value) {
	if v.unsure { // what is written may lie outside of what the checker knows
		return
	}
	if vars := f.ints(); len(vars) > 0 && g.once(4) {
		g.bounds(v, recent(g, vars))
		return
	}
	a, b := g.within(v.in), g.within(v.in)
	lo, hi := least(a, b), most(a, b)
	switch g.draw(4) {
	case 0:
		v.text += fmt.Sprintf(" in %s..%s", g.literal(lo).text, g.literal(hi).text)
		v.in = span{lo, hi}
	case 1:
		if lo.Cmp(hi) == 0 {
			v.text += fmt.Sprintf(" in {%s}", g.literal(lo).text)
		} else if next := new(big.Int).Add(lo, one); next.Cmp(hi) < 0 && g.draw(2) == 0 {
			v.text += fmt.Sprintf(" in {%s..%s, %s}", g.literal(lo).text, g.literal(next).text, g.literal(hi).text)
		} else {
			v.text += fmt.Sprintf(" in {%s, %s}", g.literal(hi).text, g.literal(lo).text)
		}
		v.in = span{lo, hi}
	case 2:
		v.text += " == " + g.literal(a).text
		v.in = single(a)
	case 3:
		if isSingle(v.in) {
			return
		}
		v.text += " != " + g.literal(a).text
		g.unequal(v, a)
	}
}

// bounds is a range of which a variable gives the upper end, the lower or both, where it is known for sure that some
// value can be there.
func (g *generator) bounds(v *value, by *variable) {
	if by.loose || by.unsure {
		return
	}
	hi, lo := g.read(by), g.literal(v.in.lo)
	if g.once(3) {
		hi.text, hi.in = hi.text+" + 7", apply("+", hi.in, between(7, 7), false)
	}
	switch g.draw(4) {
	case 1:
		lo = g.literal(g.within(v.in))
	case 2:
		lo, hi = g.read(by), g.literal(v.in.hi)
	case 3:
		lo = g.read(by)
	}
	in, ok := v.in.meet(span{lo.in.lo, hi.in.hi})
	if !ok || !hi.in.fits() {
		return
	}
	v.text += fmt.Sprintf(" in %s..%s", lo.text, hi.text)
	v.in = in
}

func (g *generator) unequal(v *value, a *big.Int) {
	switch {
	case a.Cmp(v.in.lo) == 0:
		v.in.lo = new(big.Int).Add(a, one)
	case a.Cmp(v.in.hi) == 0:
		v.in.hi = new(big.Int).Sub(a, one)
	}
}

// enumRule names cases, bare or by their number.
func (g *generator) enumRule(v *value) {
	c := v.enum.cases[g.draw(len(v.enum.cases))]
	d := v.enum.cases[g.draw(len(v.enum.cases))]
	spell := func(c constant) string {
		switch g.draw(4) {
		case 0:
			return v.enum.name + "." + c.name
		case 1:
			return g.literal(c.value).text
		}
		return c.name
	}
	switch g.draw(4) {
	case 0:
		v.text += " == " + spell(c)
		v.in = single(c.value)
	case 1:
		if isSingle(v.in) {
			return
		}
		v.text += " != " + spell(c)
		g.unequal(v, c.value)
	default:
		lo, hi := c, d
		if lo.value.Cmp(hi.value) > 0 {
			lo, hi = hi, lo
		}
		if g.draw(2) == 0 || lo.name == hi.name {
			v.text += " in {" + spell(lo)
			if lo.name != hi.name {
				v.text += ", " + spell(hi)
			}
			v.text += "}"
		} else {
			v.text += " in " + spell(lo) + ".." + spell(hi)
		}
		v.in = span{lo.value, hi.value}
	}
}

func (g *generator) floatRule(v *value) {
	switch g.draw(4) {
	case 0:
		v.text += " finite"
	case 1:
		v.text += fmt.Sprintf(" in %s..%d.5", pick(g, "0", "-1.5", "-1000.0", "0.0"), 1+g.draw(200))
	case 2:
		v.text += fmt.Sprintf(" %s %s", pick(g, "!=", "=="), pick(g, "0.0", "0", "1.5", "-0.25"))
	case 3:
		v.text += " in {-1.0, 0.5..2, 4.0}"
	}
}

var textsOf = []string{"", "a", "PKTS", "é", "\"q\"", "𝄞", "tab\t", "日本", "a longer text"}

func (g *generator) textRule(v *value) {
	if (v.word == "char" || v.word == "cstring") && g.draw(2) == 0 {
		v.text += " " + pick(g, "utf8", "utf8", "ascii", "latin1")
		return
	}
	s := textsOf[g.draw(len(textsOf))]
	spelled := ""
	if len(g.strings) > 0 && g.once(3) {
		c := g.strings[g.draw(len(g.strings))]
		s, spelled = c.text, c.name
	}
	length, room := int64(len(s)), v.n-1
	switch v.word {
	case "char":
		room = v.n
	case "wstring":
		length = int64(len(utf16.Encode([]rune(s))))
	}
	if length > room {
		s, spelled = "", ""
	}
	if spelled == "" {
		spelled = quoted(s)
	}
	v.text += " " + pick(g, "!=", "==") + " " + spelled
}

func (g *generator) blobRule(v *value) {
	if g.draw(2) == 0 {
		encoding := pick(g, "utf8", "ascii", "latin1", "utf16", "le utf16", "be utf16")
		if v.vague || v.low == v.n && v.n%2 != 0 { // a constant size of UTF-16 is even
			encoding = "utf8"
		}
		v.text += " " + encoding
		return
	}
	if v.vague {
		return
	}
	low := v.low
	n := low + int64(g.draw(4))
	if n > v.n || n > 20 {
		if n = low; n > 20 {
			return
		}
	}
	s := make([]byte, n)
	for i := range s {
		s[i] = byte(pick(g, 'a', 'b', 0, 255, '"', '\\', '\n'))
	}
	v.text += " " + pick(g, "!=", "==") + " " + quoted(string(s))
}

// quoted is a string of the language: its escapes are fewer than Go's.
func quoted(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '"' || c == '\\':
			b.WriteString(`\` + string(rune(c)))
		case c == '\n':
			b.WriteString(`\n`)
		case c == '\t':
			b.WriteString(`\t`)
		case c == 0:
			b.WriteString(`\0`)
		case c < ' ' || c > '~':
			b.WriteString(`\x` + strconv.FormatInt(0x100+int64(c), 16)[1:])
		default:
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}
