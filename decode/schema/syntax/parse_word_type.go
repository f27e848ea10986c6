package syntax

import (
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// wordType reads the types that begin with a word of the language, which is the current token.
func (p *parser) wordType(form typeForm) TypeExpr {
	pos, word := p.here(), p.word()
	p.advance()
	switch form {
	case formSimple, formFixed:
		if p.kind == tokLParen {
			p.complain(p.span(p.i), p.rangeAdvice(word), "`%s` takes no arguments", word)
			p.skip()
		}
		return &SimpleType{p.from(pos), word}
	case formCrc:
		return p.crcType(pos, word)
	case formQuat:
		if p.acceptWord("smallest3") {
			if p.kind != tokLParen {
				p.refuse("write `quat smallest3(10)`", "`smallest3` needs the bits of a component")
			}
			t := &Smallest3Type{Bits: p.badExpr()}
			p.inside(tokRParen, func() { t.Bits = p.arith() })
			t.Span = p.from(pos)
			return t
		}
	}
	if p.kind != tokLParen {
		return p.unsized(pos, word)
	}
	return p.parenType(pos, word, form)
}

// rangeAdvice is what to write instead of `word(…)` at the parenthesis, where the word takes none: a range is a rule.
func (p *parser) rangeAdvice(word string) string {
	behind, ok := p.skipBrackets(p.i)
	inner := ""
	for i := p.i + 1; ok && i < behind-1; i++ {
		if p.at(i).kind == tokDotDot {
			inner = clip(p.between(p.i+1, behind-1))
		}
	}
	switch {
	case inner == "" || strings.HasPrefix(word, "bool"):
		return "remove the parentheses"
	case strings.HasPrefix(word, "float"):
		return "write `" + word + " in " + inner + "`"
	}
	return "write `" + word + " in " + inner + "` or `int(" + inner + ")`"
}

// unsized complains about a type word without its parentheses.
func (p *parser) unsized(pos Pos, word string) TypeExpr {
	at, row := p.from(pos), typeWords[word]
	fix := "write " + row.example
	if p.kind == tokLBracket {
		if behind, ok := p.skipBrackets(p.i); ok && behind-p.i == 3 {
			fix = "write `" + word + "(" + clip(p.source(p.i+1)) + ")`"
		}
		p.complain(at, fix, "`%s` needs %s in parentheses", word, row.need)
		p.skip()
	} else {
		p.complain(at, fix, "`%s` needs %s", word, row.need)
	}
	return &BadType{at}
}

// skip goes past the brackets that open at the current token, if they close on this line.
func (p *parser) skip() {
	if behind, ok := p.skipBrackets(p.i); ok && !p.stopped {
		p.prev = behind - 1
		p.set(behind)
	}
}

// parenType reads the types that have something in parentheses, of which the first is the current token.
func (p *parser) parenType(pos Pos, word string, form typeForm) (t TypeExpr) {
	switch form {
	case formBits:
		x := &SizedType{Word: word}
		p.inside(tokRParen, func() { x.Size = p.expr() })
		x.Span, t = p.from(pos), x
	case formSized:
		x := &SizedType{Word: word}
		p.inside(tokRParen, func() { x.Size = p.arith() })
		x.Span, t = p.from(pos), x
	case formInt:
		x := &IntRangeType{}
		p.inside(tokRParen, func() { x.Lo, x.Hi = p.typeRange(word) })
		x.Span, t = p.from(pos), x
	case formFloat:
		x := &QuantizedType{}
		p.inside(tokRParen, func() {
			x.Lo, x.Hi = p.typeRange(word)
			if p.kind == tokRParen {
				p.complain(p.gap(), "write `float(0..1, 0.01)`", "`float` needs its step")
				x.Step = p.badExpr()
				return
			}
			p.expect(tokComma)
			x.Step = p.arith()
		})
		x.Span, t = p.from(pos), x
	case formVec, formQuat:
		x := &VectorType{N: 4, Quat: form == formQuat}
		if !x.Quat {
			x.N = int(word[3] - '0')
		}
		if p.enter() {
			p.inside(tokRParen, func() { x.Elem = p.value() })
		}
		p.leave()
		if x.Elem == nil {
			x.Elem = p.badValue()
		}
		x.Span, t = p.from(pos), x
	case formBytes:
		x := &BlobType{}
		p.inside(tokRParen, func() {
			x.Size = p.expr()
			x.Max = p.maxBound("bytes(n, max 100)")
		})
		x.Span, t = p.from(pos), x
	case formRelative:
		x := &LadderType{}
		p.inside(tokRParen, func() { x.Path = p.fieldPath() })
		x.Span, t = p.from(pos), x
	}
	return t
}

// typeRange reads the `a..b` of int and float.
func (p *parser) typeRange(word string) (lo, hi Expr) {
	lo = p.arith()
	switch {
	case p.kind == tokDotDot:
	case p.kind == tokComma:
		at := p.span(p.i)
		p.advance()
		hi = p.arith()
		text := clip(p.exprText(lo)) + ".." + clip(p.exprText(hi))
		if word == "float" { // its step follows
			text += p.rest()
		}
		p.complain(at, "write `"+word+"("+text+")`", "a range is written with `..`")
		return lo, hi
	case p.kind == tokRParen && word == "int":
		n := clip(p.exprText(lo))
		p.complain(lo.Place(), "write `int(0.."+n+")`, or `bits("+n+")` for a width", "`int` takes a range")
		return lo, p.badExpr()
	default:
		p.want("`..`")
		return lo, p.badExpr()
	}
	p.advance()
	return lo, p.arith()
}

// rest is the source from the current token to before the next `)`, where that stands on the same line.
func (p *parser) rest() string {
	for i := p.i; !p.ends(i) || p.at(i).kind == tokComma; i++ {
		if p.at(i).kind == tokRParen {
			return clip(p.text[p.at(p.i).off:p.at(i).off])
		}
	}
	return ""
}

// exprText is an expression as the source writes it.
func (p *parser) exprText(e Expr) string { return p.text[e.Place().Pos.Off:e.Place().End.Off] }

// crcType reads the options of a checksum.
func (p *parser) crcType(pos Pos, word string) TypeExpr {
	t := &ChecksumType{Algorithm: wire.AlgorithmNamed(word)}
	if p.kind == tokLParen {
		p.inside(tokRParen, func() {
			for {
				p.crcOption(t)
				if !p.accept(tokComma) {
					break
				}
			}
		})
	}
	t.Span = p.from(pos)
	return t
}

// crcOption reads CrcOpt.
func (p *parser) crcOption(t *ChecksumType) {
	switch p.word() {
	case "prefix":
		if t.Prefix != nil {
			p.refuse("", "`prefix` stands here twice")
			return
		}
		p.advance()
		t.Prefix = p.arith()
		if !p.accept(tokColon) {
			p.refuse("write `prefix "+clip(p.exprText(t.Prefix))+" : uint32`", "want `:` and the prefix's type, got %s", p.got())
			return
		}
		switch p.word() {
		case "uint32":
			t.PrefixWidth = 32
		case "uint64":
			t.PrefixWidth = 64
		default:
			p.refuse("", "a prefix is a `uint32` or a `uint64`, got %s", p.got())
			return
		}
		p.advance()
		t.PrefixEndian = p.endian()
	case "over":
		if t.OverRest {
			p.refuse("", "`over` stands here twice")
			return
		}
		p.advance()
		if !p.acceptWord("rest") {
			p.refuse("write `over rest`", "want `rest` behind `over`, got %s", p.got())
		}
		t.OverRest = true
	default:
		fix := ""
		if p.kind == tokName || p.kind == tokInt {
			fix = "write `" + t.Algorithm.Name + "(prefix " + clip(p.source(p.i)) + " : uint32)`"
		}
		p.refuse(fix, "want `prefix` or `over`, got %s", p.got())
	}
}
