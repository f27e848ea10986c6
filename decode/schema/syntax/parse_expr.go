package syntax

import "math/big"

// expr reads Expr.
func (p *parser) expr() Expr {
	p.beginExpr()
	x := p.and()
	for p.kind == OrOr || p.word() == "or" {
		x = p.binary(x, OrOr, p.and)
	}
	p.exprDepth--
	return x
}

// beginExpr counts operators from here on if no other expression is around this one.
func (p *parser) beginExpr() {
	if p.exprDepth == 0 {
		p.ops = 0
	}
	p.exprDepth++
}

// binary reads the operator at the current token, which means op, and its right side.
func (p *parser) binary(x Expr, op Token, right func() Expr) Expr {
	if p.kind != op {
		p.complain(p.span(p.i), "write `"+op.String()+"`", "there is no operator `%s`", p.source(p.i))
	}
	p.countOp()
	b := &BinaryExpr{Op: op, OpPos: p.here(), X: x}
	p.advance()
	b.Y = right()
	b.Span = Span{x.Place().Pos, b.Y.Place().End}
	return b
}

func (p *parser) countOp() {
	if p.ops++; p.ops > maxOperators {
		p.refuse("use `let`", "an expression has at most %d operators", maxOperators)
	}
}

func (p *parser) and() Expr {
	x := p.test()
	for p.kind == AndAnd || p.word() == "and" {
		x = p.binary(x, AndAnd, p.test)
	}
	return x
}

func (p *parser) test() Expr {
	x := p.arith()
	switch {
	case p.kind.isComparison():
		x = p.binary(x, p.kind, p.arith)
	case p.kind == tokAssign:
		p.complain(p.span(p.i), "write `==`", "a comparison is written `==`")
		p.kind = EqEq
		x = p.binary(x, EqEq, p.arith)
	case p.word() == "in":
		in := &InExpr{X: x}
		p.countOp()
		p.advance()
		in.Set = p.spanSet()
		in.Span = p.from(x.Place().Pos)
		return in
	case p.word() == "not":
		p.refuse("write `!(x in …)`", "there is no operator `not`")
	}
	switch {
	case p.kind.isComparison():
		p.refuse("write `a < b && b < c`, or `b in a..c`", "comparisons do not chain")
	case p.kind == tokDotDot && isComparison(x):
		p.refuse("write `x in a..b`", "a range comes after `in`")
	}
	return x
}

func isComparison(x Expr) bool {
	b, ok := x.(*BinaryExpr)
	return ok && b.Op.isComparison()
}

func (p *parser) arith() Expr {
	p.beginExpr()
	x := p.term()
	for p.kind == Plus || p.kind == Minus || p.kind == Pipe || p.kind == Caret {
		x = p.binary(x, p.kind, p.term)
	}
	p.exprDepth--
	return x
}

func (p *parser) term() Expr {
	x := p.unary()
	for p.kind == Star || p.kind == Slash || p.kind == Percent || p.kind == Amp || p.kind == Shl || p.kind == Shr {
		x = p.binary(x, p.kind, p.unary)
	}
	return x
}

func (p *parser) unary() Expr {
	op := p.kind
	next := p.wordAt(p.i + 1)
	if p.word() == "not" && (p.after(1) == tokName || next != "" && !reserved[next] && next != "bits" && next != "bytes") {
		p.complain(p.span(p.i), "write `!`", "there is no operator `not`")
		op = Not
	}
	if op != Minus && op != Not {
		return p.atom()
	}
	u := &UnaryExpr{Op: op}
	pos := p.here()
	if !p.enter() {
		p.leave()
		return p.badExpr()
	}
	p.advance()
	u.X = p.unary()
	p.leave()
	u.Span = p.from(pos)
	return u
}

func (p *parser) badExpr() Expr { return &BadExpr{p.gap()} }

// stringLit reads a STRING, which is the current token.
func (p *parser) stringLit() Expr {
	s := &StringLit{Span: p.span(p.i), Value: unquote(p.source(p.i))}
	p.advance()
	return s
}

// refusedString is stringLit where the parser has complained.
func (p *parser) refusedString() Expr {
	s := p.stringLit()
	s.(*StringLit).Refused = true
	return s
}

// atom reads Atom.
func (p *parser) atom() Expr {
	at, pos := p.span(p.i), p.here()
	switch p.kind {
	case tokInt:
		return p.intLit()
	case tokFloat:
		f := &FloatLit{Span: at}
		ok := false
		if f.Text, f.Value, ok = floatValue(p.source(p.i)); !ok {
			p.complain(at, "", "the number is too large for a float64")
		}
		p.advance()
		return f
	case tokLParen:
		paren := &ParenExpr{X: p.badExpr()}
		if p.enter() {
			p.inside(tokRParen, func() { paren.X = p.expr() })
		}
		p.leave()
		paren.Span = p.from(pos)
		return paren
	case tokName:
		if p.ahead() == tokLParen {
			return p.call()
		}
		return p.path()
	case tokWord:
		return p.wordAtom()
	case tokDuration:
		p.refuse("", "a duration is in annotations and after `expect` only")
	case tokString:
		text := unquote(p.source(p.i))
		p.slip(at, "a text is compared by a rule after its type, `bytes(4) == \"…\"`; as a number it is "+numberOf(text), "want a value, got a string")
		return p.refusedString()
	default:
		p.want("a value")
	}
	return p.badExpr()
}

func (p *parser) intLit() Expr {
	n := &IntLit{Span: p.span(p.i), Value: new(big.Int)}
	ok := false
	if n.Value, ok = intValue(p.source(p.i)); !ok {
		p.complain(n.Span, "the largest is 2^64-1, 0xffffffffffffffff", "the number is too large")
	}
	p.advance()
	return n
}

// wordAtom reads the atoms that begin with a word.
func (p *parser) wordAtom() Expr {
	at, word := p.span(p.i), p.word()
	if p.halfTyped() {
		return p.badExpr()
	}
	switch word {
	case "true", "false":
		p.advance()
		return &BoolLit{at, word == "true"}
	case "rest":
		p.advance()
		return &RestExpr{at}
	}
	if p.isReserved("a value") {
		return p.badExpr()
	}
	if word == "has" && p.wordAt(p.i+1) == "state" && p.at(p.i+2).kind == tokDot {
		p.advance()
		has := &HasExpr{X: &PathExpr{}}
		inner := p.here()
		has.X.Parts = p.fieldPath()
		has.X.Span, has.Span = p.from(inner), p.from(at.Pos)
		return has
	}
	if p.ahead() != tokLParen {
		return p.path()
	}
	if typeWords[word].form != 0 {
		p.complain(at, "a size in the packet is a field of its own: `size int(0..12)`, then `[size]uint8`", "want a value, got the type `%s`", word)
		p.advance()
		p.skip()
		return &BadExpr{at}
	}
	p.checkSnake("a name")
	return p.call()
}

// call reads a name and what is between its parentheses.
func (p *parser) call() Expr {
	pos := p.here()
	call := &CallExpr{Name: p.take()}
	if p.enter() {
		p.inside(tokRParen, func() {
			for call.Args = append(call.Args, p.expr()); p.accept(tokComma); {
				call.Args = append(call.Args, p.expr())
			}
		})
	}
	if p.leave(); call.Args == nil {
		call.Args = []Expr{p.badExpr()}
	}
	call.Span = p.from(pos)
	return call
}

// path reads a name with its Dots.
func (p *parser) path() Expr {
	x := &PathExpr{}
	pos := p.here()
	for {
		if p.kind == tokWord {
			p.checkSnake("a name")
		}
		upper := p.kind == tokName
		x.Parts = append(x.Parts, p.take())
		if p.kind != tokDot {
			break
		}
		if upper && len(x.Parts) > 1 {
			p.refuse("", "a path ends with the case `%s`", clip(x.Parts[len(x.Parts)-1].Text))
			break
		}
		if len(x.Parts) == maxNesting {
			p.refuse("", "nested more than %d deep", maxNesting)
			break
		}
		p.advance()
		if p.kind == tokLBracket || p.kind == tokInt {
			p.refuse(arrayAdvice, "a path does not reach into an array")
			return p.badExpr()
		}
		if p.kind != tokWord && p.kind != tokName { // a newline is neither, where it means something
			p.want("a name after the `.`")
			break
		}
		if p.isReserved("a name after the `.`") {
			break
		}
	}
	if p.kind == tokLBracket && len(x.Parts) > 0 {
		p.refuse(arrayAdvice, "a path does not reach into an array")
		return p.badExpr()
	}
	x.Span = p.from(pos)
	return x
}

const arrayAdvice = "use the element inside the array, or declare it as a field of its own in front"

// literal reads Literal.
func (p *parser) literal() Expr {
	if p.kind == tokString {
		return p.stringLit()
	}
	return p.arith()
}

// spanExpr reads Span: `a` or `a..b`.
func (p *parser) spanExpr() RangeExpr {
	r := RangeExpr{}
	pos := p.here()
	r.Lo = p.arith()
	if p.kind == tokDotDot {
		p.advance()
		r.Hi = p.arith()
	}
	r.Span = p.from(pos)
	return r
}

// spanSet reads Set: `{1, 2, 4..8}` or a single span.
func (p *parser) spanSet() []RangeExpr {
	if p.kind != tokLBrace {
		r, list := p.inParens()
		if p.kind == tokLBracket || list {
			p.refuse("write `in {a, b}`, or `in a..b`", "a set is in braces")
		}
		if !r {
			return []RangeExpr{p.spanExpr()}
		}
		var set []RangeExpr
		behind, _ := p.skipBrackets(p.i)
		p.complain(p.span(p.i), "write `in "+clip(p.between(p.i+1, behind-1))+"`", "a range has no parentheses")
		p.inside(tokRParen, func() { set = append(set, p.spanExpr()) })
		return set
	}
	var set []RangeExpr
	p.inside(tokRBrace, func() {
		for {
			set = append(set, p.spanExpr())
			if !p.accept(tokComma) {
				break
			}
		}
	})
	return set
}

// inParens reports whether a range, or a list, is between the parentheses here.
func (p *parser) inParens() (r, list bool) {
	behind, ok := p.skipBrackets(p.i)
	if p.kind != tokLParen || !ok {
		return false, false
	}
	depth := 0
	for i := p.i; i < behind; i++ {
		switch p.at(i).kind {
		case tokLParen, tokLBracket, tokLBrace:
			depth++
		case tokRParen, tokRBracket, tokRBrace:
			depth--
		case tokDotDot:
			r = r || depth == 1
		case tokComma:
			list = list || depth == 1
		}
	}
	return r, list
}
