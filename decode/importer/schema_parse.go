package importer

import (
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The grammar of .schema files (SPEC.md of mas-bandwidth/schema, 4.2), of today and with the spelling `[<= N]` of earlier
// counts. A line end ends a field; it is seen as the first token of the next line.

// schemaDecl is a declaration: const, enum, flags, type, table, message, object, union or contexts.
type schemaDecl struct {
	word     string
	name     token
	attrs    []attribute
	variants []token      // of enum and flags
	items    []schemaItem // of what has a body; a variant of a union is a field
	value    *expr        // of a const
	lead     []string
	tail     string // after the brace that opens it, or after the const

	out     string // its name in the draft
	checked bool
	bitless bool
	open    bool      // it is being computed: to meet it again is a circle
	number  *constant // the value, once it is known
}

// schemaItem is one line of a body.
type schemaItem struct {
	word      string // field, const, reserved, align, if
	at        token  // the name of a field, of an `if` the field that decides
	typ       schemaType
	attrs     []attribute
	initial   []token // after `=`
	a, b      *expr   // of const(a, b) and reserved(a)
	not       bool
	then, els []schemaItem
	lead      []string
	tail      string
}

// schemaType is a type with the bound before it.
type schemaType struct {
	array    bool
	from, to *expr // both in [a..b]; to alone in [..b]; from alone in [a]
	word     token
	args     []*expr
}

type attribute struct {
	key   token
	value *expr // nil without a value, and where it is a text
}

// expr is a constant expression. op is a mark, "-" with one side as well; a leaf has none.
type expr struct {
	op   string
	x, y *expr
	leaf token
	of   token // after the dot: Max or Count
	span syntax.Span
}

// maxNesting is how deep blocks and expressions nest.
const maxNesting = 64

// parser reads tokens. After a mistake it is at the end of the file, where every loop stops.
type parser struct {
	d      *draft
	toks   []token
	at     int
	depth  int
	behind token // the token before
}

func (p *parser) peek() token { return p.toks[p.at] }

func (p *parser) next() token {
	t := p.toks[p.at]
	if t.kind != tokenEnd {
		p.at++
	}
	p.behind = t
	return t
}

// fail says what is wrong with the next token, and stops.
func (p *parser) fail(want string) {
	p.d.fail(p.peek().span, "want %s, got %s", want, p.peek().shown())
	p.stop()
}

func (p *parser) stop() { p.at = len(p.toks) - 1 }

// accept passes a mark or word, if it is the next.
func (p *parser) accept(text string) bool {
	if p.peek().is(text) {
		p.next()
		return true
	}
	return false
}

func (p *parser) want(text string) token {
	if !p.peek().is(text) {
		p.fail("`" + text + "`")
	}
	return p.next()
}

func (p *parser) word(what string) token {
	if p.peek().kind != tokenWord {
		p.fail(what)
	}
	return p.next()
}

func (p *parser) ended() bool { return p.peek().kind == tokenEnd }

// nested runs f one level deeper.
func (p *parser) nested(f func()) {
	if p.depth++; p.depth > maxNesting {
		p.d.fail(p.peek().span, "nested more than %d deep", maxNesting)
		p.stop()
	}
	f()
	p.depth--
}

// declarations reads one file.
func (p *parser) declarations() (pkg token, decls []*schemaDecl) {
	for !p.ended() {
		t := p.word("a declaration")
		decl := &schemaDecl{word: t.text, lead: t.lead}
		switch t.text {
		case "package":
			pkg = p.word("the name of the package")
			continue
		case "const":
			decl.name = p.word("the name of the constant")
			if p.peek().kind == tokenWord {
				p.next() // its type is that of what the generated code exports
			}
			p.want("=")
			decl.value = p.expression()
		case "enum", "flags":
			decl.name = p.word("a name")
			decl.attrs = p.attributes()
			decl.variants = p.variants()
		case "contexts":
			decl.name, decl.variants = t, p.variants()
		case "union":
			decl.name = p.word("the name of the union")
			p.want("{")
			for !p.ended() && !p.peek().is("}") {
				item := schemaItem{word: "field", at: p.word("the name of a variant")}
				item.lead = item.at.lead
				item.typ.word = p.word("the type of the variant")
				item.tail = p.behind.tail
				decl.items = append(decl.items, item)
			}
			p.want("}")
		case "type", "table", "message", "object":
			decl.name = p.word("a name")
			decl.attrs = p.attributes()
			decl.tail = p.peek().tail
			decl.items = p.block()
		default:
			p.at--
			p.fail("const, enum, flags, type, table, message, object, union or contexts")
		}
		if decl.tail == "" {
			decl.tail = p.behind.tail
		}
		p.lineEnds()
		decls = append(decls, decl)
	}
	return pkg, decls
}

// lineEnds wants the end of a line, or of the block.
func (p *parser) lineEnds() {
	if t := p.peek(); !t.nl && !t.is("}") && !p.ended() {
		p.fail("the end of the line")
	}
}

func (p *parser) variants() (out []token) {
	p.want("{")
	for !p.ended() && !p.peek().is("}") {
		out = append(out, p.word("the name of a variant"))
		if !p.accept(",") {
			break
		}
	}
	p.want("}")
	return out
}

func (p *parser) attributes() (out []attribute) {
	if p.peek().nl || !p.accept("[") {
		return nil
	}
	for !p.ended() {
		a := attribute{key: p.word("the name of an attribute")}
		if p.accept("=") {
			if p.peek().kind == tokenText {
				p.next()
			} else {
				a.value = p.expression()
			}
		}
		out = append(out, a)
		if !p.accept(",") {
			break
		}
	}
	p.want("]")
	return out
}

func (p *parser) block() (items []schemaItem) {
	p.nested(func() {
		p.want("{")
		for !p.ended() && !p.peek().is("}") {
			items = append(items, p.item())
		}
		p.want("}")
	})
	return items
}

func (p *parser) item() schemaItem {
	t := p.word("a field")
	i := schemaItem{word: "field", at: t, lead: t.lead}
	switch {
	case t.text == "if":
		i.word = "if"
		i.not = p.accept("!")
		i.at = p.word("the bool that decides")
		i.then = p.block()
		if p.accept("else") {
			i.els = p.block()
		}
	case t.text == "align":
		i.word = "align"
	case t.text == "reserved", t.text == "const":
		i.word = t.text
		p.want("(")
		i.a = p.expression()
		if t.text == "const" {
			p.want(",")
			i.b = p.expression()
		}
		p.want(")")
	default:
		i.typ = p.fieldType()
		i.attrs = p.attributes()
		if !p.peek().nl && p.accept("=") {
			for !p.ended() && !p.peek().nl && !p.peek().is("}") {
				i.initial = append(i.initial, p.next())
			}
		}
	}
	i.tail = p.behind.tail
	p.lineEnds()
	return i
}

func (p *parser) fieldType() (t schemaType) {
	if p.accept("[") {
		t.array = true
		switch {
		case p.accept("<="), p.accept(".."):
			t.to = p.expression()
		default:
			t.from = p.expression()
			if p.accept("..") {
				t.to = p.expression()
			}
		}
		p.want("]")
	}
	t.word = p.word("a type")
	if !p.peek().nl && p.accept("(") {
		for !p.ended() {
			t.args = append(t.args, p.expression())
			if !p.accept(",") {
				break
			}
		}
		p.want(")")
	}
	return t
}

// levels are the operators by how they bind.
var levels = [][]string{{"+", "-"}, {"*", "/", "%"}}

func (p *parser) expression() *expr { return p.binary(0) }

func (p *parser) binary(level int) *expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for n := 0; ; n++ {
		t := p.peek()
		known := false
		for _, op := range levels[level] {
			known = known || t.is(op)
		}
		if !known || t.nl {
			return x
		}
		if n > maxNesting {
			p.d.fail(t.span, "more than %d terms", maxNesting)
			p.stop()
			return x
		}
		p.next()
		y := p.binary(level + 1)
		x = &expr{op: t.text, x: x, y: y, span: syntax.Span{Pos: x.span.Pos, End: y.span.End}}
	}
}

func (p *parser) unary() (x *expr) {
	p.nested(func() {
		t := p.peek()
		switch {
		case t.is("-"):
			p.next()
			x = &expr{op: "-", x: p.unary(), span: t.span}
		case t.is("("):
			p.next()
			x = p.expression()
			p.want(")")
		case t.kind == tokenNumber || t.kind == tokenWord:
			p.next()
			x = &expr{leaf: t, span: t.span}
			if t.kind == tokenWord && p.accept(".") {
				x.of = p.word("Max or Count")
			}
		default:
			p.fail("a number")
			x = &expr{leaf: t, span: t.span}
		}
	})
	return x
}
