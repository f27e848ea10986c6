package anyschema

import (
	"fmt"
	"math/big"
	"strings"
)

// constant is a name for a number, or for a text.
type constant struct {
	name  string
	value *big.Int
	text  string
}

// enum is an enum or flags.
type enum struct {
	name   string
	flags  bool
	cases  []constant
	in     span
	width  int64 // where `le` and `be` may be
	size   size
	varint bool
	used   bool
}

// structure is a named struct.
type structure struct {
	name     string
	params   []*variable
	fields   []*variable
	integers []string // what @ack may name
	ends     []*edge
	sums     int  // checksums in it, outside of arrays
	own      bool // an order of its own
	order    string
	size     size
	end      place // where it began at atStart, or with its own order on a byte
	ate      bool
	moved    bool // it has no place in a window that is filled with zeros
}

// file writes all of it: constants and enums before what uses them, structs anywhere.
func (g *generator) file() string {
	g.order = pick(g, "lsb", "msb", "bousk")
	g.room = int64(pick(g, 65507, 65507, 100, 300, 1200))
	var decls, structs []string
	for range g.draw(4) {
		decls = append(decls, g.constant())
	}
	for range g.draw(4) {
		decls = append(decls, g.enumeration())
	}
	decls = append(decls, g.state()...)
	budget := g.budget
	for range g.draw(4) {
		g.budget = min(g.budget, 1+budget/3)
		structs = append(structs, g.structure())
	}
	g.budget = budget
	packet := g.packet()
	least := (g.least + 7) / 8
	g.room = min(max(g.room, least), 65507)
	head := []string{"protocol " + pick(g, "p", "any_schema", "if", "packet"), "order " + g.order}
	if g.once(3) {
		head = append(head, pick(g, "port 4000", "port 1, 65_535", "port 0x10, 2 * 8 + 1", "port 27015..27030, 4000"))
	}
	if g.room != 65507 || g.once(6) {
		head = append(head, fmt.Sprintf("max datagram %d", g.room))
	}
	if g.once(8) {
		head = append(head, pick(g, "max steps 1_048_576", "max fields 0x100000"))
	}
	if g.once(4) {
		head = append(head, pick(g, "expect timeout 2000ms", "expect timeout 5s"))
	}
	if n := g.draw(len(structs) + 1); g.draw(2) == 0 {
		structs = append(structs[:n:n], append([]string{packet}, structs[n:]...)...)
	} else {
		structs = append(structs, packet)
	}
	structs = append(structs, g.messages()...)
	gap := "\n"
	if g.draw(2) == 0 {
		gap = "\n\n"
	}
	doc := ""
	if g.once(3) {
		doc = "// A protocol that nobody speaks.\n"
	}
	return doc + strings.Join(head, "\n") + "\n" + gap + strings.Join(append(decls, structs...), gap) + "\n"
}

func (g *generator) constant() string {
	switch k := g.draw(7); {
	case k == 6:
		return g.table()
	case k == 4:
		name := g.upper("Half")
		g.floats = append(g.floats, name)
		return "const " + name + " = " + pick(g, "10.5", "100.0", "64.25")
	case k == 5:
		name := g.upper("Magic")
		c := constant{name: name, text: pick(g, "PKTS", "a", "é")}
		g.strings = append(g.strings, c)
		return "const " + name + " = " + quoted(c.text)
	case k == 3:
		name, v := g.upper("Set"), int64(1+g.draw(9))
		g.consts = append(g.consts, constant{name: name, value: big.NewInt(v)})
		return fmt.Sprintf("param %s = %d in %d..%s", name, v, v-int64(g.draw(2)), g.small(v+int64(g.draw(9))).text)
	}
	e := g.constantIn(-3, 12)
	name := g.upper("Max")
	g.consts = append(g.consts, constant{name: name, value: e.in.lo})
	return "const " + name + " = " + e.text
}

// enumeration declares an enum or flags.
func (g *generator) enumeration() string {
	e := &enum{name: g.upper("Kind"), flags: g.once(3)}
	base := g.base(e)
	all := e.in
	text := ""
	if open := g.once(3); open {
		text = "open "
	} else {
		defer func() { // what fields may hold
			lo, hi := e.cases[0].value, e.cases[0].value
			bits := new(big.Int)
			for _, c := range e.cases {
				lo, hi = least(lo, c.value), most(hi, c.value)
				bits.Or(bits, c.value)
			}
			if e.in = (span{lo, hi}); e.flags {
				e.in = span{zero, bits}
			}
		}()
	}
	if e.flags {
		text += "flags "
	} else {
		text += "enum "
	}
	var lines []string
	seen := map[string]bool{}
	for i := range 1 + g.draw(5) {
		v := new(big.Int).Add(all.lo, big.NewInt(int64(i)))
		switch {
		case e.flags && g.draw(4) > 0:
			v = pow2(i)
		case g.once(3) || e.flags:
			v = g.within(all)
		}
		if e.flags && v.Sign() > 0 {
			v = pow2(v.BitLen() - 1)
		}
		if !all.has(v) || seen[v.String()] || e.flags && v.Sign() <= 0 {
			continue
		}
		seen[v.String()] = true
		c := constant{name: string(rune('A'+i)) + pick(g, "", "x", "longer_Name"), value: v}
		e.cases = append(e.cases, c)
		line := c.name + " = " + g.literal(v).text
		if g.once(8) {
			line += " // a case"
		}
		lines = append(lines, line)
	}
	if len(lines) == 0 {
		e.cases = []constant{{name: "Only", value: most(all.lo, one)}}
		if !all.has(e.cases[0].value) {
			e.cases[0].value = all.hi
		}
		lines = []string{"Only = " + g.literal(e.cases[0].value).text}
	}
	g.enums = append(g.enums, e)
	return text + e.name + " : " + base + " " + g.block(lines)
}

// base is the integer type of an enum; that of flags counts from 0 and has a bit.
func (g *generator) base(e *enum) string {
	signed := func(w int) span { return span{new(big.Int).Neg(pow2(w - 1)), mask(w - 1)} }
	plain := func(text string, w int, in span) string {
		e.in, e.size = in, fixed(int64(w))
		if w%8 == 0 {
			e.width = int64(w)
		}
		return text
	}
	switch k := g.draw(8); {
	case k == 1:
		w := 8 << g.draw(4)
		return plain(fmt.Sprint("uint", w, pick(g, "", " le", " be")), w, span{zero, mask(w)})
	case k == 2 && !e.flags:
		w := 8 << g.draw(4)
		return plain(fmt.Sprint("int", w), w, signed(w))
	case k == 3, k == 4:
		w := 1 + g.draw(20)
		return plain(fmt.Sprintf("bits(%d)", w), w, span{zero, mask(w)})
	case k == 5:
		w := 1 + g.draw(40)
		e.in, e.size, e.varint = span{zero, mask(w)}, size{8, 8, int64(w+6) / 7 * 8}, true
		return fmt.Sprintf("varint(%d)", w)
	case k == 6:
		lo, n := int64(0), int64(1+g.draw(20))
		if !e.flags {
			lo = int64(g.draw(9)) - 4
		}
		return plain(fmt.Sprintf("int(%d..%d)", lo, lo+n), int(bitsFor(n)), between(lo, lo+n))
	}
	return plain("uint8", 8, between(0, 255))
}

// structure declares a struct; it may use those before it.
func (g *generator) structure() string {
	s := &structure{name: g.upper("Part"), order: g.order}
	head := "struct " + s.name
	f := g.bodyOf(&frame{order: g.order, at: atStart, depth: 1, home: &extent{start: place{how: anywhere}}})
	if g.once(3) {
		var list []string
		for range 1 + g.draw(3) {
			name := g.name()
			if g.once(3) {
				v := boolean(name)
				s.params = append(s.params, v)
				list = append(list, name+" bool")
				continue
			}
			lo := int64(0)
			if g.once(3) {
				lo = int64(g.draw(20)) - 10
			}
			hi := lo + int64(g.draw(40))
			s.params = append(s.params, number(name, between(lo, hi)))
			list = append(list, fmt.Sprintf("%s in %d..%s", name, lo, g.small(hi).text))
		}
		for _, p := range s.params {
			f.see(p)
		}
		f.early = f.begins()
		f.early.params = true
		head += "(" + strings.Join(list, ", ") + ")"
	}
	if g.once(5) {
		s.own, s.order = true, pick(g, "msb", "lsb", "bousk")
		f.order, f.at = s.order, onByte
		head += " order " + s.order
	}
	lines := g.items(f, 1+g.draw(5))
	if s.own && f.at != onByte {
		lines = append(lines, "align")
		f.put(size{0, 0, 7}, onByte)
	}
	s.fields, s.size, s.end, s.ate, s.moved = f.vars[len(s.params):], f.size, f.at, f.ate, f.moved
	s.ends, s.sums = f.ends, len(f.home.sums)
	for _, v := range s.fields {
		if v.plain && simpleName(v.path) {
			s.integers = append(s.integers, v.path)
		}
	}
	g.structs = append(g.structs, s)
	doc := ""
	if g.once(4) {
		doc = "// A part.\n"
	}
	return doc + head + " " + g.block(lines)
}

// structOf uses a named struct, where it may be.
func (g *generator) structOf(f *frame, want need) (value, bool) {
	if len(g.structs) == 0 {
		return value{}, false
	}
	s := g.structs[g.draw(len(g.structs))]
	if len(f.home.sums)+s.sums > mostSums {
		return value{}, false
	}
	f.home.sums = append(f.home.sums, make([]covered, s.sums)...)
	v := value{text: s.name, kind: group, inner: group, fields: s.fields, ends: s.at(f.at, g.stood), size: s.size, end: f.at.then(s.end), ate: s.ate, moves: s.moved}
	if turns := s.own || s.order != f.order; turns {
		if onByte.then(s.end) != onByte || f.at != onByte && !want.first {
			return value{}, false
		}
		v.onByte, v.end = true, onByte
	}
	var args []string
	for _, p := range s.params {
		args = append(args, g.argument(f, p))
	}
	if len(args) > 0 {
		v.text += "(" + strings.Join(args, ", ") + ")"
	}
	return v, true
}

// argument is a value for a parameter: what is read of the packet is within its range.
func (g *generator) argument(f *frame, p *variable) string {
	if p.early && !f.home.packet { // it is wanted where the array around begins
		if f = f.early; f == nil {
			f = &frame{still: true}
		}
		defer g.earlier(f, len(g.reads))
	}
	if p.bool {
		return g.condition(f, 1).text
	}
	if vars := f.ints(); len(vars) > 0 && g.draw(4) > 0 {
		e := g.number(f, 1)
		if e.in.inside(p.declared) {
			return e.text
		}
		if w := new(big.Int).Add(p.declared.width(), one); e.in.lo.Sign() >= 0 {
			return fmt.Sprintf("%s %% %s + %s", e.paren(5), w, g.literal(p.declared.lo).text)
		}
	}
	return g.literal(g.within(p.declared)).text
}

func (g *generator) packet() string {
	f := g.bodyOf(&frame{order: g.order, at: onByte, packet: true, home: &extent{start: onByte, packet: true}})
	head := "packet "
	if g.once(8) {
		f.order = pick(g, "lsb", "msb", "bousk")
		head += "order " + f.order + " "
	}
	var lines []string
	for !f.ate && g.spend() {
		lines = g.item(f, lines)
	}
	g.least = f.size.atMostLeast
	if g.once(4) {
		head = "// The packet.\n" + head
	}
	return head + g.block(lines)
}
