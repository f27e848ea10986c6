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
	case formSum:
		return p.sumType(pos, word)
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
	if form == formSealed {
		return p.sealed(pos)
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
		if !p.sizeless[word] { // one mistake, made wherever the type is
			p.complain(at, fix, "`%s` needs %s", word, row.need)
		}
		if p.sizeless == nil {
			p.sizeless = map[string]bool{}
		}
		p.sizeless[word] = true
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
				p.complain(p.gap(), "write `float("+clip(p.exprText(x.Lo)+".."+p.exprText(x.Hi))+", 0.01)`", "`float` needs its step")
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
		p.inside(tokRParen, func() { x.Prev = p.expr() })
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
		fix := "write `int(0.." + n + ")`, or `bits(" + n + ")` for a width"
		if a, b, ok := strings.Cut(n, "-"); ok && strings.TrimSpace(a) == "" {
			fix = "write `int(" + n + "..0)`"
		} else if ok {
			fix = "write `int(" + strings.TrimSpace(a) + ".." + strings.TrimSpace(b) + ")`"
		}
		p.complain(lo.Place(), fix, "`int` takes a range")
		return lo, p.badExpr()
	default:
		p.want("`..`")
		return lo, p.badExpr()
	}
	p.advance()
	return lo, p.arith()
}

// rest is the source from the current token to before the next `)`, where that is on the same line.
func (p *parser) rest() string {
	for i := p.i; !p.ends(i) || p.at(i).kind == tokComma; i++ {
		if p.at(i).kind == tokRParen {
			return clip(p.text[p.at(p.i).off:p.at(i).off])
		}
	}
	return ""
}

// exprText is an expression as the source writes it.
func (p *parser) exprText(e Expr) string { return p.slice(e.Place().Pos, e.Place().End) }

// sumType reads a checksum: its word has been read.
func (p *parser) sumType(pos Pos, word string) TypeExpr {
	t := &ChecksumType{Algorithm: wire.AlgorithmNamed(word)}
	if p.kind == tokLParen {
		p.inside(tokRParen, func() {
			if t.Algorithm == nil {
				t.Parameters = p.crcParameters()
				if !p.accept(tokComma) {
					return
				}
			}
			for {
				p.sumOption(t, word)
				if !p.accept(tokComma) {
					break
				}
			}
		})
	}
	t.Span = p.from(pos)
	return t
}

// crcParameters reads the six of crc(…).
func (p *parser) crcParameters() *CRCParameters {
	x := &CRCParameters{}
	comma := func() {
		if !p.accept(tokComma) {
			p.refuse("write `crc(16, 0x1021, 0xFFFF, false, false, 0)`: width, polynomial, initial value, two reflections, final value",
				"`crc` has six parameters, got %s", p.got())
		}
	}
	truth := func() bool {
		yes := p.word() == "true"
		if !yes && p.word() != "false" {
			p.refuse("", "want `true` or `false`: whether bits are reflected, got %s", p.got())
			return false
		}
		p.advance()
		return yes
	}
	x.Width = p.arith()
	comma()
	x.Polynomial = p.arith()
	comma()
	x.Initial = p.arith()
	comma()
	x.RefIn = truth()
	comma()
	x.RefOut = truth()
	comma()
	x.Final = p.arith()
	return x
}

// sumOption reads SumOpt.
func (p *parser) sumOption(t *ChecksumType, name string) {
	twice := func(there bool) bool {
		if there {
			p.refuse("", "`%s` is here twice", p.word())
			return true
		}
		p.advance()
		return false
	}
	switch word := p.word(); word {
	case "prefix":
		p.advance()
		t.Prefix = append(t.Prefix, p.sumValue(word))
	case "suffix":
		p.advance()
		t.Suffix = append(t.Suffix, p.sumValue(word))
	case "xor":
		if !twice(t.Xor != nil) {
			t.Xor = p.arith()
		}
	case "check":
		if !twice(t.Check != nil) {
			t.Check = p.arith()
		}
	case "over":
		if !twice(t.Over != nil) {
			t.Over = p.sumOver()
		}
	default:
		if p.halfTyped() {
			return
		}
		fix := ""
		if p.kind == tokName || p.kind == tokInt {
			fix = "write `" + name + "(prefix " + clip(p.source(p.i)) + " : uint32)`"
		}
		p.refuse(fix, "want `prefix`, `suffix`, `over`, `xor` or `check`, got %s", p.got())
	}
}

// sumOver reads what is after `over`.
func (p *parser) sumOver() *SumOver {
	o := &SumOver{}
	pos := p.here()
	switch {
	case p.acceptWord("rest"), p.halfTyped():
		o.Rest = true
	case p.kind != tokWord && p.kind != tokDotDot:
		p.refuse("write `over a..b`, `over a..`, `over ..b`, `over before` or `over rest`", "want fields after `over`, got %s", p.got())
		o.Rest = true
	case p.kind == tokWord:
		o.From = p.fieldPath()
		fallthrough
	default:
		if o.Dots, o.Ranged = p.here(), p.accept(tokDotDot); o.Ranged && (o.From == nil || p.kind == tokWord) {
			o.To = p.fieldPath()
		}
	}
	o.Span = p.from(pos)
	return o
}

// fieldPath reads Path, which has no case at its end.
func (p *parser) fieldPath() []Ident {
	parts := []Ident{p.name("a field's name")}
	for p.kind == tokDot {
		if len(parts) == maxNesting {
			p.refuse("", "nested more than %d deep", maxNesting)
			break
		}
		p.advance()
		parts = append(parts, p.name("a field's name"))
	}
	return parts
}

// sumValue reads what is after `prefix` or `suffix`.
func (p *parser) sumValue(what string) SumValue {
	v := SumValue{Value: p.expr()}
	if !p.accept(tokColon) {
		p.refuse("write `"+what+" "+clip(p.exprText(v.Value))+" : uint32`", "want `:` and the %s's type, got %s", what, p.got())
		return v
	}
	if typeWords[p.word()].form != formFixed {
		p.refuse("", "the type of a %s is like `uint32`, got %s", what, p.got())
		return v
	}
	v.Type = p.word()
	p.advance()
	v.Endian = p.endian()
	return v
}
