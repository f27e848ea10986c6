package syntax

import (
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// parseFile reads File: the header and the declarations.
func (p *parser) parseFile() {
	p.header()
	for p.kind != tokEOF {
		start := p.i
		if d := p.decl(); d != nil {
			p.file.Decls = append(p.file.Decls, d)
			p.lost = false
		}
		if p.kind != tokNewline && p.kind != tokEOF && p.i != p.saidAt {
			p.declTrailing()
		}
		p.resync(start, func(int) bool { return false })
		if p.kind == tokRBrace { // resync stops there for the sake of bodies; here nothing is open
			p.stray()
		}
		p.accept(tokNewline)
	}
}

// stray complains about a `}` that closes nothing.
func (p *parser) stray() {
	if p.i != p.refused && !p.lost {
		p.complain(p.span(p.i), "", "this `}` closes nothing")
	}
	p.lost = true
	for p.kind == tokRBrace {
		p.advance()
	}
	if p.kind != tokNewline && p.kind != tokEOF {
		p.resyncLine(p.i)
	}
}

func (p *parser) declTrailing() {
	switch {
	case p.kind == tokRBrace:
		p.stray()
	case p.kind == tokWord && p.declares(p.i):
		p.complain(p.current(), "put it on a line of its own", "`%s` follows on the same line", p.word())
	default:
		p.want("the end of the line")
	}
}

// header reads the line `protocol name`.
func (p *parser) header() {
	if p.word() != "protocol" {
		if p.kind == tokIllegal || p.kind == tokEOF && p.scanned > 0 { // the scanner has said why
			return
		}
		for i := range p.toks { // not lost, only late: decl will say so
			if p.wordAt(i) == "protocol" && i > 0 && p.toks[i-1].kind == tokNewline && p.at(i+1).kind == tokWord {
				return
			}
		}
		at := p.span(p.i)
		if p.kind == tokEOF {
			at = Span{p.place(1, 0), p.place(1, 0)}
		}
		word := p.word()
		if Suggest(word, []string{"protocol"}) != "" {
			p.complain(at, "did you mean `protocol`?", "unknown declaration `%s`", clip(word))
		} else {
			p.complain(at, "begin it with a line like `protocol example`", "the file does not say its protocol")
		}
		if !slices.Contains(DeclWords, word) {
			p.resyncLine(p.i)
			p.accept(tokNewline)
		}
		return
	}
	start := p.i
	p.protocol()
	p.file.Doc = p.doc(start)
	if p.kind != tokNewline && p.kind != tokEOF {
		p.want("the end of the line")
	}
	p.resync(start, func(int) bool { return false })
	p.accept(tokNewline)
}

// protocol reads the name after `protocol`. Unlike any other name it may be a reserved word.
func (p *parser) protocol() {
	p.advance()
	switch text := p.source(p.i); {
	case p.lineEnds():
		p.want("the protocol's name")
		return
	case p.kind == tokName:
		p.complain(p.span(p.i), "write `"+clip(snake(text))+"`", "the protocol's name is in lower case")
	case p.kind == tokWord:
		p.checkSnake("the protocol's name")
	case p.kind == tokString:
		p.complain(p.span(p.i), "remove the quotes", "the protocol's name has no quotes")
		p.file.Protocol = Ident{p.span(p.i), unquote(text)}
		p.advance()
		return
	default:
		p.want("the protocol's name")
		return
	}
	p.file.Protocol = p.take()
	if p.kind == Minus {
		p.refuse("", "a name has `_`, not `-`")
	}
}

// decl reads Decl; nil where there is nothing to keep.
func (p *parser) decl() Decl {
	start, word := p.i, p.word()
	pos := p.here()
	switch word {
	case "import":
		return p.importDecl(pos)
	case "order":
		d := &OrderDecl{}
		p.advance()
		p.noAssign("order")
		d.Kind = p.orderKind()
		d.Span = p.from(pos)
		return d
	case "port":
		return p.portDecl(pos)
	case "max":
		return p.maxDecl(pos)
	case "const":
		return p.constDecl(start, pos)
	case "param":
		return p.paramDecl(start, pos)
	case "open", "enum", "flags":
		return p.enumDecl(start, pos)
	case "struct":
		return p.structDecl(start, pos)
	case "packet":
		return p.packetDecl(start, pos)
	case "message":
		return p.messageDecl(start, pos)
	case "flow":
		return p.flowDecl(pos)
	case "state":
		return p.stateDecl(start, pos)
	case "expect":
		return p.expectDecl(pos)
	}
	p.noDecl()
	return nil
}

// noDecl refuses what is no declaration.
func (p *parser) noDecl() {
	word := p.word()
	if p.lost && p.here().Col > 1 {
		p.resyncLine(p.i)
		return
	}
	switch {
	case word == "protocol" && p.file.Protocol.Text == "" && p.after(1) == tokWord:
		p.complain(p.current(), "move it to the top", "the `protocol` line comes first")
		p.protocol()
	case word == "protocol":
		p.refuse("", "a file describes one protocol, and says so once")
	case p.kind == tokAt:
		p.refuse("write it after the field's type", "annotations belong to fields and arms")
	case p.kind == tokRBrace:
		p.stray()
	case word == "" && p.kind != tokName:
		p.want("a declaration")
	default:
		p.lost = true
		text := p.source(p.i)
		if advice, ok := foreignDecls[strings.ToLower(text)]; ok {
			p.refuse(advice, "unknown declaration `%s`", clip(text))
		} else if s := Suggest(text, DeclWords); s != "" {
			p.refuse("did you mean `"+s+"`?", "unknown declaration `%s`", clip(text))
		} else if p.after(1) == tokWord || p.after(1) == tokName || p.after(1) == tokLBracket {
			p.refuse("fields are inside `struct Name { … }` or `packet { … }`", "unknown declaration `%s`", clip(text))
		} else {
			p.refuse("", "unknown declaration `%s`", clip(text))
		}
	}
}

// noAssign reads past a `=` or `:` where somebody wrote a declaration as an assignment.
func (p *parser) noAssign(word string) {
	if p.kind == tokAssign || p.kind == tokColon {
		p.complain(p.span(p.i), "remove it", "no `%s` after `%s`", p.kind, word)
		p.advance()
		if p.lineOver() {
			p.stop()
		}
	}
}

// orderKind reads OrderKind.
func (p *parser) orderKind() OrderRef {
	word := p.word()
	if (word == "" && p.kind != tokName) || p.lineEnds() {
		p.want("`lsb`, `msb` or `bousk`")
		return OrderRef{Span: p.gap()}
	}
	r := OrderRef{Span: p.span(p.i)}
	if r.Order, r.Known = wire.ParseOrder(word); !r.Known {
		text := p.source(p.i)
		fix := foreignOrders[strings.ToLower(text)]
		if fix == "" {
			fix = Suggest(text, OrderWords)
		}
		if fix != "" {
			fix = "did you mean `" + fix + "`?"
		} else {
			fix = "the orders are `lsb`, `msb` and `bousk`"
		}
		p.complain(r.Span, fix, "unknown order `%s`", clip(text))
	}
	p.advance()
	return r
}

// importDecl reads `import "x.pks"`.
func (p *parser) importDecl(pos Pos) Decl {
	d := &ImportDecl{}
	p.advance()
	p.noAssign("import")
	if p.kind != tokString || p.lineEnds() {
		p.refuse("write `import \"stun.pks\"`", "want the name of a file in quotes, got %s", p.got())
	} else {
		d.File = Ident{p.span(p.i), unquote(p.source(p.i))}
		p.advance()
		if p.kind == tokComma {
			p.refuse("write a line for each: `import \"stun.pks\"`", "an `import` names one file")
		}
	}
	d.Span = p.from(pos)
	return d
}

func (p *parser) portDecl(pos Pos) Decl {
	d := &PortDecl{}
	p.advance()
	p.noAssign("port")
	p.noTransport()
	for {
		d.Ports = append(d.Ports, p.spanExpr())
		if p.accept(tokComma) {
			continue
		}
		if p.kind != tokInt && p.kind != tokName || p.lineOver() {
			break
		}
		p.complain(p.gap(), "write `port "+clip(p.slice(d.Ports[0].Place().Pos, p.gap().Pos))+", "+clip(p.source(p.i))+"`",
			"a `,` is between two ports")
	}
	d.Span = p.from(pos)
	return d
}

func (p *parser) maxDecl(pos Pos) Decl {
	d := &MaxDecl{}
	p.advance()
	limits := []string{"datagram", "fields", "steps"}
	word := p.word()
	if word == "" || p.lineEnds() {
		p.refuse("write `max datagram 1200`", "want `datagram`, `fields` or `steps`, got %s", p.got())
		d.What = Ident{Span: p.gap()}
	} else {
		if word != limits[0] && word != limits[1] && word != limits[2] {
			fix := "the limits are `datagram`, `fields` and `steps`"
			if s := Suggest(word, limits); s != "" {
				fix = "did you mean `" + s + "`?"
			}
			p.complain(p.span(p.i), fix, "unknown limit `%s`", clip(word))
		}
		d.What = p.take()
		p.noAssign("max " + d.What.Text)
	}
	d.Limit = p.arith()
	d.Span = p.from(pos)
	return d
}

func (p *parser) constDecl(start int, pos Pos) Decl {
	d := &ConstDecl{}
	p.advance()
	d.Name = p.upper("a constant's name")
	p.assign("a constant is `const Name = value`")
	if p.word() == "switch" {
		d.Value = p.table()
	} else {
		d.Value = p.literal()
	}
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// table reads the rows of a table of constants.
func (p *parser) table() Expr {
	t := &TableExpr{}
	pos := p.here()
	p.advance()
	if p.kind != tokLBrace && !p.itemEnds() {
		p.refuse("write `switch { 0: 50, 1: 124 }`, and `Name(e)` where it is asked", "a table has no tag")
	}
	p.block(func() { t.Rows = append(t.Rows, p.tableRow()) }, p.beginsArm)
	t.Span = p.from(pos)
	return t
}

func (p *parser) tableRow() *TableRow {
	r := &TableRow{Value: p.badExpr()}
	pos := p.here()
	r.Default, r.Labels = p.labels()
	if p.kind == tokColon {
		p.advance()
		r.Value = p.arith()
	} else {
		p.refuse("a row is `A: v`", "want `:` after the label, got %s", p.got())
	}
	r.Span = p.from(pos)
	return r
}

func (p *parser) paramDecl(start int, pos Pos) Decl {
	d := &ParamDecl{}
	p.advance()
	d.Name = p.upper("a parameter's name")
	p.assign("a parameter is `param Name = value in a..b`")
	d.Value = p.arith()
	if !p.acceptWord("in") {
		p.refuse("write `in a..b` after the value", "a parameter has a range that the command line must keep to")
	}
	d.Range = p.spanExpr()
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// assign reads `=`, or a `==` or `:` in its place.
func (p *parser) assign(form string) {
	switch p.kind {
	case tokAssign:
		p.advance()
	case EqEq, tokColon:
		p.complain(p.span(p.i), "write `=`", "%s", form)
		p.advance()
	default:
		p.refuse("", "%s; got %s", form, p.got())
	}
}

func (p *parser) structDecl(start int, pos Pos) Decl {
	d := &StructDecl{}
	p.advance()
	d.Name = p.typeName("struct")
	if p.kind == tokLParen {
		p.inside(tokRParen, func() {
			for {
				d.Params = append(d.Params, p.paramItem())
				if !p.accept(tokComma) {
					break
				}
			}
		})
	}
	d.Order = p.bodyOrder()
	d.Body = p.body()
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// bodyOrder reads the `order` of a struct or a packet, nil where there is none.
func (p *parser) bodyOrder() *OrderRef {
	if p.kind == tokColon {
		p.refuse("a struct may hold another one in a field", "there is no inheritance")
	}
	if !p.acceptWord("order") {
		return nil
	}
	r := p.orderKind()
	return &r
}

func (p *parser) packetDecl(start int, pos Pos) Decl {
	d := &PacketDecl{}
	p.advance()
	if p.kind == tokName || p.kind == tokWord && p.word() != "order" {
		p.complain(p.span(p.i), "write `packet {`", "the packet has no name: there is one in a file")
		p.advance()
	}
	d.Order = p.bodyOrder()
	d.Body = p.body()
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

func (p *parser) messageDecl(start int, pos Pos) Decl {
	d := &MessageDecl{Max: p.badExpr()}
	p.advance()
	d.Name = p.typeName("message")
	if p.acceptWord("max") {
		d.Max = p.arith()
	} else {
		name := clip(d.Name.Text)
		p.complain(p.gap(), "write `message "+name+" max 4096 {`, or `struct "+name+" {` for a part of a packet", "a `message` says how many bytes it has at most")
	}
	d.Order = p.bodyOrder()
	d.Body = p.body()
	d.Span, d.Doc = p.from(pos), p.doc(start)
	return d
}

// flowDecl reads `flow by address, peer_id`.
func (p *parser) flowDecl(pos Pos) Decl {
	d := &FlowDecl{}
	p.advance()
	if !p.acceptWord("by") {
		p.refuse("write `flow by address`, or `flow by address, peer_id`", "want `by` after `flow`, got %s", p.got())
	}
	for {
		at := p.here()
		k := &PathExpr{Parts: p.fieldPath()}
		k.Span = p.from(at)
		d.Keys = append(d.Keys, k)
		if !p.accept(tokComma) {
			break
		}
	}
	d.Span = p.from(pos)
	return d
}

func (p *parser) paramItem() *ParamItem {
	m := &ParamItem{}
	pos := p.here()
	m.Name = p.name("a parameter's name")
	p.noColon(m.Name)
	switch {
	case p.acceptWord("bool"):
		m.Bool = true
	case p.acceptWord("in"):
		r := p.spanExpr()
		m.Range = &r
	case p.kind == tokWord && typeWords[p.word()].form != 0:
		p.refuse("write `"+clip(m.Name.Text)+" in a..b` or `"+clip(m.Name.Text)+" bool`",
			"a parameter has a range, not a type")
	default:
		p.want("`in a..b` or `bool` after the parameter")
	}
	m.Span = p.from(pos)
	return m
}

func (p *parser) expectDecl(pos Pos) Decl {
	d := &ExpectDecl{}
	p.advance()
	d.What = p.name("`timeout`")
	p.noAssign("expect " + d.What.Text)
	d.Duration = p.duration()
	d.Span = p.from(pos)
	return d
}

// duration reads a DURATION.
func (p *parser) duration() DurationLit {
	d := DurationLit{Span: p.span(p.i)}
	switch p.kind {
	case tokDuration:
		d.Bad = !isDuration(p.source(p.i)) // the scanner has complained
		ok := false
		if d.Nanos, ok = durationValue(p.source(p.i)); !ok {
			p.complain(d.Span, "", "the duration is too long")
		}
		p.advance()
	case tokInt:
		unit := p.wordAt(p.i + 1)
		if unit == "ms" || unit == "s" || unit == "us" {
			p.refuse("write `"+clip(p.source(p.i))+unit+"`", "no blank between a duration and its unit")
			return d
		}
		if isRate(unit) {
			p.refuse(intervalOf(p.source(p.i)), rateMessage)
			return d
		}
		p.complain(d.Span, "write `"+clip(p.source(p.i))+"ms`", "a duration has a unit: `ms`, `s` or `us`")
		p.advance()
	default:
		p.want("a duration like `50ms`")
		d.Span = p.gap()
	}
	return d
}
