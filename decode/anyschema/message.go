package anyschema

import "fmt"

// mostHeld is how many messages a schema has at most, which bounds how deep they are in each other.
const mostHeld = 3

// leastWhole is the least that `max` of a message is drawn as.
const leastWhole = 64

// holds is the @message or the @fragment of a field: of a message that no other above it holds, or of a new one. It is
// nothing where there can be none.
func (g *generator) holds(f *frame) string {
	name := ""
	if n := len(g.held) - g.above; n > 0 && (len(g.held) == mostHeld || g.draw(2) == 0) {
		name = g.held[g.above+g.draw(n)]
	} else if len(g.held) == mostHeld {
		return ""
	} else {
		name = g.upper("Whole")
		g.held = append(g.held, name)
	}
	if g.draw(2) == 0 {
		return "@message(" + name + ")"
	}
	in := f.inner()
	in.still, in.state = true, nil // what is computed after the field looks at nothing
	number := func() (expression, bool) {
		e := g.number(in, 1)
		return e, e.in.lo.Sign() >= 0
	}
	id := g.number(in, 1)
	at, ok := number()
	if !ok {
		at = g.literal(one)
	}
	form, size, most := "index", "count", 1000
	if g.once(2) {
		form, size, most = "offset", "total", leastWhole-1
	}
	whole := fmt.Sprintf("%s %d", size, 1+g.draw(9))
	if g.draw(2) == 0 {
		whole = "last " + g.condition(in, 1).text
	} else if e, ok := number(); ok {
		whole = fmt.Sprintf("%s %s %% %d + 1", size, e.paren(5), most)
	}
	return fmt.Sprintf("@fragment(%s, %s%s, %s %s, %s)", name, pick(g, "", "id "), id.text, form, at.text, whole)
}

// messages declares those that fields hold. Each may hold later ones; none has a named struct, which may be of the
// packet and hold any.
func (g *generator) messages() (decls []string) {
	g.structs = nil
	for i := 0; i < len(g.held); i++ {
		g.above = i + 1
		g.budget = max(g.budget, 3)
		f := g.bodyOf(&frame{order: g.order, at: onByte, packet: true, home: &extent{start: onByte, packet: true}})
		head := "message " + g.held[i]
		order := ""
		if g.once(4) {
			f.order = pick(g, "lsb", "msb", "bousk")
			order = "order " + f.order + " "
		}
		var lines []string
		for !f.ate && g.spend() {
			lines = g.item(f, lines)
		}
		if least := (f.size.atMostLeast + 7) / 8; least > g.room {
			lines = []string{"tag uint8"}
		}
		most := max(leastWhole, (f.size.atMostLeast+7)/8)
		if g.draw(2) == 0 || most > g.room {
			most = max(g.room, leastWhole)
		}
		decls = append(decls, fmt.Sprintf("%s max %d %s%s", head, most, order, g.block(lines)))
	}
	return decls
}
