package syntax_test

import (
	"fmt"
	"math/rand/v2"
)

// randomSource is a schema made from a seed: it always parses, and passes the checker more often than not.
func randomSource(seed uint64) string {
	g := &generator{scribbler: scribbler{Rand: rand.New(rand.NewPCG(seed, 7))}}
	g.crlf, g.messy, g.plain = g.chance(2), g.IntN(8), g.chance(5)
	g.file()
	return g.b.String()
}

// generator makes declarations of which the later use the earlier.
type generator struct {
	scribbler
	names   int
	consts  []string
	enums   []enumDecl
	structs []string
	depth   int
	scope   []scoped
	plain   bool // only what has a plan
}

type enumDecl struct {
	name  string
	flags bool
	cases []string
}

// scoped is a field that expressions may name.
type scoped struct {
	name string
	bool bool
	enum *enumDecl
	max  int
}

func (g *generator) fresh(prefix string) string {
	g.names++
	return fmt.Sprint(prefix, g.names)
}

func (g *generator) line(tokens ...string) {
	g.t(tokens...)
	g.end()
}

// end writes what ends a declaration.
func (g *generator) end() {
	g.lines()
	g.prev = "\n"
}

func (g *generator) file() {
	for g.chance(3) {
		g.comment()
		g.newline()
	}
	g.line("protocol", g.pick("p", "game", "if"))
	g.line("order", g.pick("lsb", "msb", "bousk"))
	if g.chance(3) {
		g.line("port", "4000", ",", "0x1000")
	}
	if g.chance(3) {
		g.line("max", "datagram", "60_000")
	}
	for range g.IntN(3) {
		name := g.fresh("C")
		g.consts = append(g.consts, name)
		if g.chance(3) {
			g.line("param", name, "=", "3", "in", "1", "..", "9")
		} else {
			g.line("const", name, "=", g.pick("4", "0x7", "0b101", "1_0", "'\\t'"))
		}
	}
	for range g.IntN(3) {
		g.enum()
	}
	for range g.IntN(4) {
		g.scope = nil
		name := g.fresh("S")
		g.t("struct", name)
		g.depth = 0
		g.body(1 + g.IntN(6))
		g.end()
		g.structs = append(g.structs, name)
	}
	g.scope = nil
	g.t("packet")
	g.body(1 + g.IntN(9))
	if g.chance(3) {
		g.end()
		g.t("flow", "by", "address")
		g.end()
		g.t("message", "Whole", "max", "1", "+", "4095")
		g.scope = nil
		g.body(1 + g.IntN(4))
	}
	if g.chance(3) {
		g.end()
		g.t("expect", "timeout", "2000ms")
	}
	if g.chance(8) {
		g.lines()
	}
}

func (g *generator) enum() {
	e := enumDecl{name: g.fresh("E"), flags: g.chance(4)}
	if g.chance(3) {
		g.t("open")
	}
	word := "enum"
	if e.flags {
		word = "flags"
	}
	g.t(word, e.name, ":")
	g.t([][]string{{"uint8"}, {"uint16", "le"}, {"bits", "(", "7", ")"}, {"uint32", "be"}}[g.IntN(4)]...)
	n := 1 + g.IntN(4)
	for i := range n {
		e.cases = append(e.cases, fmt.Sprintf("%c%s", 'A'+i, g.pick("", "x", "longer")))
	}
	g.block(n, func(i int) {
		g.t(e.cases[i], "=")
		if g.chance(2) {
			g.t("0", "+")
		}
		g.t(fmt.Sprintf(g.pick("%d", "0x%x", "0b%b"), 1<<i))
	})
	g.end()
	g.enums = append(g.enums, e)
}

// body writes a body; what is declared in it is gone after it.
func (g *generator) body(n int) {
	scope := g.scope
	g.depth++
	g.block(n, func(int) { g.item() })
	g.depth--
	g.scope = scope
}

func (g *generator) item() {
	k := g.IntN(20)
	if g.depth > 3 {
		k += 8
	}
	switch k {
	case 0:
		g.t("if")
		g.boolean(2)
		g.body(g.IntN(3))
		for g.chance(3) {
			g.t("else", "if")
			g.boolean(1)
			g.body(g.IntN(3))
		}
		if g.chance(5) {
			g.t("else")
			g.body(g.IntN(3))
		}
	case 1:
		g.t("let", g.fresh("v"))
		if g.chance(3) {
			g.t("in", "0", "..", "9")
		}
		g.t("=")
		g.number(2)
		if g.chance(3) {
			g.t("@unit", "(", `"px"`, ")")
		}
	case 2:
		g.t("require")
		g.boolean(2)
	case 3:
		g.t("align")
		if g.chance(5) {
			g.t("(", "32", ")")
		}
		if g.chance(5) {
			g.t("any")
		}
	case 4:
		g.t("reserved", "(", "3", ")")
		if g.chance(5) {
			g.t("any")
		}
	case 5:
		g.t("check", g.pick("0x12345678", `"end // of"`, `"é \" { "`))
	case 6, 7:
		g.choice()
	default:
		g.field()
	}
}

// choice writes a switch over a field, a plain field where none is in scope.
func (g *generator) choice() {
	tag := ""
	for _, v := range g.scope {
		if v.max == 9 {
			tag = v.name
		}
	}
	if tag == "" {
		g.field()
		return
	}
	g.t(g.fresh("sw"), "switch", tag)
	n := 1 + g.IntN(3)
	scope := g.scope
	g.block(n+1, func(i int) {
		if i == n {
			g.t("default", ":")
		} else {
			g.t(fmt.Sprint(10 * i))
			if g.chance(3) {
				g.t(",", fmt.Sprint(10*i+2), "..", fmt.Sprint(10*i+4))
			}
			g.t(":")
		}
		switch g.IntN(3) {
		case 0:
			g.t("empty")
		default:
			g.value()
		}
		if g.chance(3) {
			g.t("@", "from", "(", "client", ")")
		}
		if g.chance(2) {
			g.t("@", "every", "(", "50ms", ")")
		}
	})
	g.scope = scope
}

func (g *generator) field() {
	name := g.fresh(g.pick("f", "type", "a_longer_name_", "x", "max"))
	g.t(name)
	switch k := g.IntN(8); {
	case k == 0:
		g.t("bool")
		g.scope = append(g.scope, scoped{name: name, bool: true})
	case k < 3:
		g.t("uint8", "in", "0", "..", "9")
		g.scope = append(g.scope, scoped{name: name, max: 9})
	case k == 3:
		g.t("int", "(", "0", "..", "7", ")")
		g.scope = append(g.scope, scoped{name: name, max: 7})
	case k == 4 && len(g.enums) > 0:
		e := &g.enums[g.IntN(len(g.enums))]
		g.t(e.name)
		if !e.flags && g.chance(4) {
			g.t("in", "{")
			for i, c := range e.cases {
				if i > 0 {
					g.t(",")
				}
				g.t(c)
			}
			g.t("}")
		}
		g.scope = append(g.scope, scoped{name: name, enum: e})
	default:
		g.value()
	}
	if n := len(g.scope); g.chance(3) && n > 0 && g.scope[n-1].name == name && g.scope[n-1].max > 0 {
		g.t("@", "unit", "(", `"µ // s"`, ")")
	}
	if g.chance(1) {
		g.t("@", "secret")
	}
	if g.chance(1) {
		g.t("@", "budget", "(", "60000", "bytes", ")")
	}
}

// value writes a type with prefixes and a rule.
func (g *generator) value() {
	if g.depth < 4 && g.chance(3) {
		k := g.IntN(6)
		if g.plain {
			k %= 2
		}
		switch k {
		case 0:
			g.t("[", "3", "]")
		case 5:
			g.t("[", "1", "..", g.small(), "]")
		case 2:
			g.t("[", "..", "4", "]")
		case 1:
			g.t("[")
			g.number(0)
			g.t("]")
		case 4:
			g.t("optional")
		case 3:
			g.t("subset", "(", g.pick("bitmap", "index", "sentinel", "relative"), ")", "[", "5", "]")
		}
		if g.chance(2) {
			g.t("[", "2", "]")
		}
	}
	if g.depth < 4 && g.chance(2) {
		g.body(1 + g.IntN(3))
		return
	}
	if len(g.structs) > 0 && g.chance(3) {
		g.t(g.structs[g.IntN(len(g.structs))])
		return
	}
	if g.plain {
		g.t(simple[g.IntN(planned)]...)
		return
	}
	g.t(simple[g.IntN(len(simple))]...)
}

func (g *generator) small() string {
	if len(g.consts) > 0 && g.chance(4) {
		return g.consts[g.IntN(len(g.consts))]
	}
	return g.pick("5", "0x6", "0b111", "1_0")
}

// simple are types of one word; the first so many have a plan.
var simple = [][]string{
	{"bool"}, {"bool8"}, {"bool8", "==", "true"}, {"bits", "(", "13", ")"}, {"sbits", "(", "2", "+", "3", ")"},
	{"uint16", "le"}, {"uint32", "be", "in", "{", "1", ",", "4", "..", "0xF_F", "}"}, {"int64"}, {"int8", "!=", "0"},
	{"int", "(", "-", "5", "..", "5", ")"}, {"float32"}, {"float64", "finite"}, {"float32", "in", "-", "1.5", "..", "1.5"},
	{"float", "(", "-", "10", "..", "10", ",", "0.5", ")"}, {"char", "(", "8", ")", "utf8"},
	{"bytes", "(", "4", ")"}, {"bytes", "(", "4", ")", "==", `"ab\x00\""`},
	{"bytes", "(", "2", "*", "(", "1", "+", "1", ")", ",", "max", "9", ")"},
	{"varint", "(", "32", ")"}, {"zigzag", "(", "14", ")"},
	{"vec3", "(", "float", "(", "0", "..", "1", ",", "0.25", ")", ")"}, {"vec2", "(", "uint8", "in", "0", "..", "3", ")"},
	{"quat", "(", "float32", ")"}, {"quat", "smallest3", "(", "9", ")"}, {"string", "(", "16", ")"},
	{"wstring", "(", "4", ")"}, {"cstring", "(", "8", ")"}, {"dnsname"},
	{"vec2", "(", "bits", "(", "3", ")", ")"},
}

const planned = 18

// number writes an integer expression whose value is small.
func (g *generator) number(depth int) {
	var ints []scoped
	for _, v := range g.scope {
		if v.max > 0 {
			ints = append(ints, v)
		}
	}
	if depth > 0 && g.chance(5) {
		group := g.chance(5)
		if group {
			g.t("(")
		}
		g.number(depth - 1)
		g.t(g.pick("+", "-", "*", "|", "^", "&"))
		if g.chance(1) {
			g.t("-")
		}
		g.number(0)
		if group {
			g.t(")")
		}
		return
	}
	if len(ints) > 0 && g.chance(8) {
		g.t(ints[g.IntN(len(ints))].name)
	} else {
		g.t(g.small())
	}
}

// boolean writes a relation.
func (g *generator) boolean(depth int) {
	if depth > 0 && g.chance(4) {
		g.boolean(depth - 1)
		g.t(g.pick("&&", "||"))
		g.boolean(0)
		return
	}
	for g.chance(1) {
		g.t("!")
	}
	if depth > 0 && g.chance(2) {
		g.t("(")
		g.boolean(depth - 1)
		g.t(")")
		return
	}
	if len(g.scope) > 0 {
		switch v := g.scope[g.IntN(len(g.scope))]; {
		case v.bool:
			g.t(v.name)
			return
		case v.enum != nil && v.enum.flags:
			g.t(v.name, ".", v.enum.cases[0])
			return
		case v.enum != nil:
			g.t("(", v.name, g.pick("==", "!="), v.enum.name, ".", v.enum.cases[0], ")")
			return
		case g.chance(4):
			g.t("(", v.name, "in", "{", "1", ",", "3", "..", "5", "}", ")")
			return
		}
	}
	if g.chance(3) {
		g.t("from", "(", g.pick("client", "server"), ")")
		return
	}
	g.t("(")
	g.number(1)
	g.t(g.pick("==", "!=", "<", "<=", ">", ">="))
	g.number(1)
	g.t(")")
}
