package anyschema

import (
	"fmt"
	"io"
	"strings"
)

// Stateful is Source of a schema with registers that steer, which most of its expressions read.
func Stateful(r io.ByteReader, size int) string {
	g := &generator{r: r, budget: max(size, 1), used: map[string]bool{}, stateful: true}
	return g.file()
}

// register is what a flow keeps.
type register struct {
	*variable
	each bool
}

// state declares registers; nothing where the schema has none.
func (g *generator) state() []string {
	if !g.stateful {
		return nil
	}
	var lines []string
	for range 1 + g.draw(3) {
		name := strings.ToLower(g.upper("R"))
		r := register{each: g.draw(2) == 0}
		text := name
		if r.each {
			text = "each " + name
		}
		if g.once(4) {
			r.variable = boolean("state." + name)
			text += " bool once"
		} else {
			lo := int64(g.draw(5)) - 1
			hi := lo + 1 + int64(g.draw(20))
			r.variable = number("state."+name, between(lo, hi))
			text += fmt.Sprintf(" int(%d..%d) once", lo, hi)
		}
		g.registers = append(g.registers, r)
		lines = append(lines, "    "+text)
		sides := []string{""}
		if r.each {
			sides = []string{"", ".peer", ".client", ".server"}
		}
		for _, side := range sides {
			v, has := *r.variable, boolean("has "+r.path+side)
			v.path += side
			v.loose, v.unsure, has.loose, has.unsure = true, true, true, true
			g.seen = append(g.seen, &v, has)
		}
	}
	return []string{"state {\n" + strings.Join(lines, "\n") + "\n}"}
}

// keep sets a register, or empties them all.
func (g *generator) keep(f *frame) string {
	if g.once(5) {
		return "let state = none"
	}
	r := g.registers[g.draw(len(g.registers))]
	path := r.path
	if r.each {
		path += pick(g, "", ".peer", ".client", ".server")
	}
	return "let " + path + " = " + g.argument(f, r.variable)
}
