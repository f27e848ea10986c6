package dialogue

import (
	"math/big"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/message"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// expr is a sum.
func (p *parser) expr() Expr {
	if p.depth++; p.depth > maxDepth {
		p.fail("values nest at most %d deep", maxDepth)
	}
	x := p.product()
	for n := 0; p.is("+") || p.is("-"); n++ {
		x = p.operation(x, n, p.product)
	}
	p.depth--
	return x
}

func (p *parser) product() Expr {
	x := p.operand()
	for n := 0; p.is("%"); n++ {
		x = p.operation(x, n, p.operand)
	}
	return x
}

func (p *parser) operation(x Expr, n int, right func() Expr) Expr {
	if n == maxDepth {
		p.fail("a sum has at most %d operators", maxDepth)
	}
	op := p.peek().Kind
	p.at++
	y := right()
	return &sum{syntax.Span{Pos: x.Place().Pos, End: y.Place().End}, op, x, y}
}

// call is a value with an argument in parentheses.
type call interface {
	Expr
	close(end syntax.Pos)
}

// calls are the functions of values.
var calls = map[string]func(p *parser, at syntax.Span) call{
	"next":  func(p *parser, at syntax.Span) call { return &next{span: span{at}, typ: p.typ(Uint)} },
	"fresh": func(p *parser, at syntax.Span) call { return &fresh{span: span{at}, typ: p.typ(Uint, Bytes)} },
	"target": func(p *parser, at syntax.Span) call {
		l := p.peek()
		if l.Text != "ipv4" && l.Text != "port" {
			p.fail("want ipv4 or port, got %s", p.text())
		}
		p.at++
		return &target{span: span{at}, part: l.Text}
	},
	"now": func(p *parser, at syntax.Span) call {
		l := p.peek()
		unit, ok := map[string]time.Duration{"s": time.Second, "ms": time.Millisecond, "us": time.Microsecond, "ns": 1}[l.Text]
		if !ok {
			p.fail("want s, ms, us or ns, got %s", p.text())
		}
		p.at++
		return &now{span: span{at}, unit: unit}
	},
}

func (p *parser) operand() Expr {
	l := p.peek()
	at := l.Span
	switch l.Kind {
	case syntax.TokenInt:
		n, ok := l.Int()
		if !ok {
			p.fail("want a number below 2^64, got %s", p.text())
		}
		p.at++
		return integer(at, n)
	case syntax.Minus:
		p.at++
		number := p.peek()
		n, ok := number.Int()
		if number.Kind == syntax.TokenFloat {
			p.at++
			return &literal{Span: at, v: message.Value{Kind: message.Number, Data: []byte("-" + number.Text)}}
		}
		if number.Kind != syntax.TokenInt || !ok {
			p.fail("want a number, got %s", p.text())
		}
		p.at++
		return integer(at, new(big.Int).Neg(n))
	case syntax.TokenFloat:
		p.at++
		return &literal{Span: at, v: message.Value{Kind: message.Number, Data: []byte(strings.ReplaceAll(l.Text, "_", ""))}}
	case syntax.TokenString:
		p.at++
		return &literal{Span: at, v: message.Value{Kind: message.Text, Data: []byte(l.Unquoted())}}
	case syntax.TokenLBracket:
		return p.list(at)
	case syntax.TokenLBrace:
		fields := p.braces(false)
		return &object{syntax.Span{Pos: at.Pos, End: p.lexemes[p.at-1].End}, fields}
	case syntax.TokenLParen:
		p.at++
		x := p.expr()
		p.want(")", "")
		return x
	case syntax.TokenWord, syntax.TokenName:
		return p.named(l)
	}
	p.fail("want a value, got %s", p.text())
	return nil
}

// named is what begins with a word: true, last CASE.field, next(uint16), a name.
func (p *parser) named(l syntax.Lexeme) Expr {
	p.at++
	switch {
	case l.Text == "true" || l.Text == "false":
		v := message.Value{Kind: message.Bool}
		if l.Text == "true" {
			v.Code = 1
		}
		return &literal{Span: l.Span, v: v}
	case (l.Text == "last" || l.Text == "first") && p.peek().Kind == syntax.TokenName:
		s := &seen{Span: l.Span, first: l.Text == "first", of: p.caseName()}
		p.want(".", "name a field: `last Ack.block`")
		s.path = p.path()
		s.End = p.lexemes[p.at-1].End
		return s
	case p.is("("):
		call := calls[l.Text]
		if call == nil {
			p.failAt(l.Span, "", "no function %s: want next, now, fresh or target", l.Text)
		}
		p.at++
		x := call(p, l.Span)
		p.want(")", "")
		x.close(p.lexemes[p.at-1].End)
		return x
	}
	return &nameRef{Span: l.Span, name: l.Text}
}

func (p *parser) list(at syntax.Span) Expr {
	p.at++
	x := &list{Span: at}
	for p.skipLines(); !p.accept("]"); p.skipLines() {
		if p.fields++; p.fields > maxFields {
			p.fail("a dialogue has at most %d values", maxFields)
		}
		x.items = append(x.items, p.expr())
		if !p.accept(",") && !p.is("]") && p.peek().Kind != syntax.TokenLine {
			p.fail("want `,` or `]`, got %s", p.text())
		}
	}
	x.End = p.lexemes[p.at-1].End
	return x
}

func integer(at syntax.Span, n *big.Int) Expr {
	return &literal{Span: at, n: n, v: message.Value{Kind: message.Number, Data: []byte(n.String())}}
}
