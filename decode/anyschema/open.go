package anyschema

import "fmt"

// open appends something that the end of the packet or of a window decides, with something of a known size after it,
// which is the last of its body.
func (g *generator) open(f *frame, lines []string) []string {
	f.moved = true
	k := int64(1 + g.draw(8))
	switch g.draw(6) {
	case 0: // what older versions lack
		n := int64(g.draw(3))
		lines = append(lines, fmt.Sprintf("if rest > %d { %s uint8 }", n, g.name()))
		f.put(size{0, 0, 8}, f.at)
		return lines
	case 1: // a length that includes what is after it
		total := g.name()
		lines = append(lines, total+" uint16")
		f.put(fixed(16), f.at)
		v := number(total, between(0, 65535))
		v.loose = true
		f.see(v)
		side := fmt.Sprintf("rest + %d", g.draw(9))
		if g.once(2) {
			side = fmt.Sprintf("rest * %d", 1+g.draw(3))
		}
		if g.once(2) {
			return append(lines, fmt.Sprintf("require %s == %s", side, total))
		}
		return append(lines, fmt.Sprintf("require %s == %s", total, side))
	case 2: // a list before a trailer
		lines = append(lines, fmt.Sprintf("%s [while rest > %d, max %d]uint8", g.name(), k, 1+g.draw(20)))
		f.put(size{0, 0, 8 * 20}, f.at)
		return g.trailer(f, lines, k)
	case 3: // a window before a trailer
		in := f.inner()
		in.depth, in.at = f.depth+1, f.aligned(f.at)
		in.win = &opening{from: g.stood + 1, bytes: in.at == onByte}
		body := g.items(in, 1+g.draw(2))
		in.win.closed, in.win.to = true, g.stood
		if !in.ate {
			body = append(body, fmt.Sprintf("%s bytes(rest, max %d)", g.name(), 1+g.draw(40)))
		}
		lines = append(lines, fmt.Sprintf("within(rest - %d) %s", k, g.block(body)))
		f.put(f.padding(), f.aligned(f.at))
		f.put(size{0, in.size.atMostLeast, sizeMax}, f.at)
		return g.trailer(f, lines, k)
	case 4: // the size by a name
		left := g.name()
		lines = append(lines, fmt.Sprintf("let %s = rest", left))
		if f.order != "bousk" && f.at != onByte {
			lines = append(lines[:len(lines)-1], "align", lines[len(lines)-1])
			f.put(size{0, 0, 7}, onByte)
		}
		lines = append(lines, fmt.Sprintf("%s bytes(%s - %d, max %d)", g.name(), left, k, 1+g.draw(40)))
	default:
		lines = append(lines, fmt.Sprintf("%s bytes(rest - %d, max %d)", g.name(), k, 1+g.draw(40)))
	}
	f.put(f.padding(), f.aligned(f.at))
	f.put(size{0, 0, 8 * 41}, f.at)
	return g.trailer(f, lines, k)
}

// trailer appends k bytes, after which nothing is left.
func (g *generator) trailer(f *frame, lines []string, k int64) []string {
	f.ate = true
	f.put(size{8 * k, 8 * k, 8*k + 7}, f.at)
	switch name := g.name(); {
	case (k == 1 || k == 2 || k == 4 || k == 8) && g.once(2):
		return append(lines, fmt.Sprintf("%s uint%d", name, 8*k))
	default:
		return append(lines, fmt.Sprintf("%s bytes(%d)", name, k))
	}
}
