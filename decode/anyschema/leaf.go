package anyschema

import "fmt"

func (g *generator) float(f *frame) value {
	if g.once(2) {
		return g.quantized(f)
	}
	v := value{text: "float32", kind: float, inner: float, width: 32}
	if g.once(2) {
		v.text, v.width = "float64", 64
	}
	v.size, v.end = fixed(v.width), f.at.plus(v.width)
	return v
}

// quantized is float(a..b, step) with at most a million steps, which float32 can tell apart.
func (g *generator) quantized(f *frame) value {
	lo, range_ := int64(g.draw(64))-32, int64(1+g.draw(100))
	steps := []struct {
		text string
		per  float64
	}{{"1.0", 1}, {"0.5", 2}, {"0.25", 4}, {"0.1", 10}, {"0.01", 100}, {"0.001", 1000}, {"0.3", 0}, {"0.0625", 16}, {"1000.0", -1}}
	step := steps[g.draw(len(steps))]
	a, b := fmt.Sprint(lo), fmt.Sprint(lo+range_)
	n := int64(0)
	switch {
	case step.per < 0: // one step, of the whole range
		n = 1
	case step.per > 0:
		n = int64(float64(range_) * step.per)
	default:
		b, n = fmt.Sprint(lo+3), 10
	}
	if g.once(3) {
		a += ".0"
	}
	if len(g.floats) > 0 && step.per > 0 && g.once(3) { // its value is below every a
		a = "-" + g.floats[g.draw(len(g.floats))]
		b, n = fmt.Sprint(range_), -1
	}
	v := value{text: fmt.Sprintf("float(%s..%s, %s)", a, b, step.text), kind: quantized, inner: quantized, end: place{how: anywhere}}
	if w := bitsFor(n); n > 0 {
		v.size = fixed(w)
		// ceil(delta / step) is taken in float32: where the step is no binary fraction it may be one more.
		if n&(n+1) != 0 || step.per == 1 || step.per == 2 || step.per == 4 || step.per == 16 {
			v.end = f.at.plus(w)
		} else {
			v.size = size{w, w + 1, w + 1}
		}
		return v
	}
	v.size = size{1, 24, 24}
	return v
}

func (g *generator) vector(f *frame) value {
	if g.once(4) {
		n := int64(2 + g.draw(22))
		return value{text: fmt.Sprintf("quat smallest3(%d)", n), size: fixed(2 + 3*n), end: f.at.plus(2 + 3*n)}
	}
	n := int64(2 + g.draw(4))
	word := fmt.Sprintf("vec%d", n)
	var elem value
	if n == 5 {
		n, word = 4, "quat"
		elem = g.float(f)
	} else if g.once(2) {
		elem = g.float(f)
	} else {
		elem = g.integer(f)
	}
	if elem.kind == integer && g.once(4) || elem.kind == float && g.once(4) {
		if elem.width > 0 && g.once(3) {
			elem.text += " " + pick(g, "le", "be")
			elem.width = 0
		}
		before := elem.text
		g.rule(f, &elem)
		if elem.text != before { // a rule may not stand twice
			elem.kind = opaque
		}
	}
	v := value{text: fmt.Sprintf("%s(%s)", word, elem.text), kind: vector, inner: elem.inner, width: elem.width, in: elem.in, unsure: elem.unsure,
		size: elem.size.times(n, n, n), end: place{how: anywhere}, element: &elem}
	if elem.size.isFixed() && elem.end.how != anywhere {
		v.end = f.at.plus(n * elem.size.least)
	}
	return v
}

func (g *generator) string(f *frame) value {
	if f.packet && f.order != "bousk" && g.once(3) { // in lists names add up to more steps than are allowed
		return value{text: "dnsname", kind: opaque, size: f.padding().plus(size{8, 8, 8 * 256}), end: f.aligned(f.at)}
	}
	n := int64(1 + g.draw(12))
	if g.once(10) {
		n = int64(1 + g.draw(256))
	}
	v := value{kind: text, n: n}
	length := bitsFor(n - 1)
	switch v.word = pick(g, "char", "cstring", "string", "wstring"); v.word {
	case "char":
		v.size, v.end = f.padding().plus(fixed(8*n)), f.aligned(f.at)
	case "cstring":
		v.size, v.end = f.padding().plus(size{8, 8, 8 * n}), f.aligned(f.at)
	case "string":
		v.size, v.end = fixed(length).plus(f.padding()).plus(size{0, 0, 8 * (n - 1)}), f.aligned(f.at.plus(length))
	case "wstring":
		v.size, v.end = fixed(length).plus(size{0, 0, 32 * (n - 1)}), f.at.plus(length)
	}
	v.text = fmt.Sprintf("%s(%s)", v.word, g.small(n).text)
	return v
}

// bytes is bytes(e), bytes(e, max n) and bytes(rest, max n).
func (g *generator) bytes(f *frame) value {
	v := value{kind: blob, inner: blob, end: f.aligned(f.at)}
	if g.once(4) {
		n := 1 + g.wide(1+g.draw(2))
		if f.still {
			n = 1 + n%200
		}
		v.text, v.ate, v.n = fmt.Sprintf("bytes(rest, max %s)", g.small(int64(n)).text), true, int64(n)
		v.size = f.padding().plus(size{0, 0, 8 * int64(n)})
		return v
	}
	e := g.countUpTo(f, int64(pick(g, 8, 40, 300, 70000)))
	if g.once(6) { // of the size of an address
		e = g.small(int64(pick(g, 4, 6, 16)))
	}
	v.low, v.n, v.vague = e.lowest(), e.in.hi.Int64(), e.loose
	v.text = "bytes(" + e.text
	if g.once(3) {
		least := max(v.low, 1)
		if e.loose {
			least = max(v.n, 1)
		}
		most := least + int64(g.draw(30))
		v.text += fmt.Sprintf(", max %s", g.small(most).text)
		v.n = min(v.n, most)
	}
	v.text += ")"
	v.size = f.padding().plus(size{8 * v.low, min(8*e.atMostLowest(), 8*v.n), 8 * v.n})
	return v
}
