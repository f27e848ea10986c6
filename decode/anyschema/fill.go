package anyschema

import "fmt"

// filled appends a length and a window of that size that is filled with zeros: what is inside has a constant size.
func (g *generator) filled(f *frame, lines []string) []string {
	length := value{text: "uint8", kind: integer, inner: integer, in: between(0, 255), width: 8, size: fixed(8), end: f.at.plus(8)}
	if g.once(3) {
		length.text, length.in = "uint8 in 0..40", between(0, 40)
	}
	name := g.name()
	f.put(length.size, length.end)
	in := f.inner() // what is inside does not ask for the length, which a writer finds behind it
	in.bits, in.at = false, f.aligned(f.at)
	mark := len(f.vars)
	body := g.constants(in, 1+g.draw(4))
	if g.once(3) {
		body = append(body, fmt.Sprintf("%s bytes(rest, max %d)", g.name(), 1+g.draw(60)))
	}
	f.put(f.padding(), f.aligned(f.at))
	f.size = f.size.plus(size{0, 0, 8 * 255})
	f.declare(name, length)
	f.vars = append(f.vars, in.vars[mark:]...)
	return append(lines, name+" "+length.text, fmt.Sprintf("within(%s zeros) %s", name, g.block(body)))
}

// constants makes items of constant sizes, the first of which takes bits.
func (g *generator) constants(f *frame, n int) []string {
	var lines []string
	for i := range n {
		k := g.draw(9)
		if i == 0 {
			k %= 7
		}
		name := g.name()
		switch k {
		case 0, 1:
			v := g.simple(f, 8<<g.draw(4), g.once(2))
			if v.in.lo.Sign() == 0 {
				v.text = "u" + v.text
			}
			if g.once(2) {
				v.text += " " + pick(g, "le", "be")
			}
			lines = append(lines, name+" "+v.text)
			f.declare(name, v)
		case 2:
			v := g.simple(f, 1+g.draw(20), false)
			lines = append(lines, fmt.Sprintf("%s bits(%d)", name, v.width))
			f.declare(name, v)
		case 3:
			lines = append(lines, name+" "+pick(g, "float32", "float64 le", "vec3(float(-1..1, 0.25))", "quat smallest3(5)", "vec2(uint8 in 0..9)"))
		case 4:
			lines = append(lines, fmt.Sprintf("%s %s(%d)", name, pick(g, "char", "bytes"), 1+g.draw(6)))
		case 5:
			lines = append(lines, fmt.Sprintf("%s [%d]%s", name, 1+g.draw(3), pick(g, "bool", "int16", "{ a uint8, b bits(3) }", "int(0..9)")))
		case 6:
			lines = append(lines, fmt.Sprintf("reserved(%d)", 1+g.draw(70)))
		default:
			c := g.condition(f, 1)
			touch(c)
			lines = append(lines, fmt.Sprintf("if %s { %s uint16 } else { %s bytes(3) }", c.text, name, g.name()))
		}
	}
	return lines
}
