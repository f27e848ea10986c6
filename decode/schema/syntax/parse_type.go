package syntax

import (
	"fmt"
	"math/big"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// value reads Value. It is never nil.
func (p *parser) value() *ValueExpr {
	v := &ValueExpr{}
	pos := p.here()
	depth := p.depth
	for !p.stopped {
		var x *Prefix
		switch {
		case p.kind == tokLBracket:
			x = p.arrayPrefix()
		case p.word() == "optional":
			x = &Prefix{Kind: PrefixOptional, Span: p.span(p.i)}
			if p.advance(); p.kind == Less {
				p.noAngles("")
			}
		case p.word() == "subset":
			x = p.subsetPrefix()
		}
		if x == nil {
			break
		}
		v.Prefixes = append(v.Prefixes, x)
		p.enter()
	}
	v.Type = p.typeExpr()
	p.depth = depth
	if _, bad := v.Type.(*BadType); bad && !p.stopped && p.afterBadType() {
		p.stop()
	}
	if p.atNamespace() {
		v.Type = &BadType{v.Type.Place()}
		p.stop()
	}
	p.endianOf(v)
	v.Rule = p.rule()
	v.Span = p.from(pos)
	return v
}

// noAngles refuses `optional<T>`, after which a name may follow as in other languages.
func (p *parser) noAngles(name string) {
	end, line := p.i+1, p.at(p.i).line
	for !p.ends(end) && p.at(end).line == line && p.at(end).kind != Greater && p.at(end).kind != Shr {
		end++
	}
	typ := strings.ReplaceAll(p.between(p.i+1, end), "<", " ")
	if k := p.at(p.i + 1).kind; k != tokWord && k != tokName || p.at(end).kind != Greater && p.at(end).kind != Shr {
		typ = "T"
	} else if p.at(end+1).line != line { // a `>` ends no line elsewhere
		p.resume = end + 1
	}
	p.refuse("write `"+clip(name+"optional "+typ)+"`", "want a type, got `<`")
}

// afterBadType reports whether the current token cannot be after a type: after one that was complained about it
// belongs to the same mistake.
func (p *parser) afterBadType() bool {
	if p.word() != "" {
		return !p.behindType(p.i)
	}
	switch p.kind {
	case tokRParen, tokRBracket, tokComma, tokAt, EqEq, NotEq:
		return false
	}
	return !p.itemEnds()
}

// arrayPrefix reads `[Extent]`.
func (p *parser) arrayPrefix() *Prefix {
	x := &Prefix{Kind: PrefixCount}
	pos := p.here()
	p.inside(tokRBracket, func() { p.extent(x) })
	x.Span = p.from(pos)
	return x
}

func (p *parser) extent(x *Prefix) {
	switch {
	case p.kind == tokRBracket:
		p.complain(p.gap(), "write `[n]T`, `[..n]T` to send the count, or `[rest, max n]T`", "an array has a count")
		x.A = p.badExpr()
	case p.word() == "until" || p.word() == "while":
		x.Kind = PrefixUntil
		word := p.word()
		if word == "while" {
			x.Kind = PrefixWhile
		}
		p.advance()
		x.A = p.expr()
		x.B = p.maxBound("[" + word + " e, max n]T")
		if x.B == nil {
			p.refuse("write `["+word+" e, max n]T`", "the array has no bound")
			x.B = p.badExpr()
		}
	case p.kind == tokDotDot:
		x.Kind = PrefixRange
		p.advance()
		x.B = p.arith()
	default:
		x.A = p.arith()
		if p.kind == tokDotDot {
			x.Kind = PrefixRange
			p.advance()
			x.B = p.arith()
		} else if x.B = p.maxBound("[rest, max n]T"); x.B != nil {
			x.Kind = PrefixMax
		}
	}
}

// maxBound reads `, max n`, nil where there is none. form shows how it is written.
func (p *parser) maxBound(form string) Expr {
	switch {
	case p.kind == tokComma:
		p.advance()
		if !p.acceptWord("max") && !p.halfTyped() {
			p.refuse("write `"+form+"`", "want `max` after the comma, got %s", p.got())
		}
		return p.arith()
	case p.word() == "max":
		p.complain(p.gap(), "write `"+form+"`", "missing `,` before `max`")
		p.advance()
		return p.arith()
	}
	return nil
}

var subsetWords = map[string]SubsetKind{"bitmap": SubsetBitmap, "index": SubsetIndex, "sentinel": SubsetSentinel,
	"relative": SubsetRelative}

// subsetPrefix reads `subset(kind) [n]`.
func (p *parser) subsetPrefix() *Prefix {
	x := &Prefix{Kind: PrefixSubset, A: p.badExpr()}
	pos := p.here()
	p.advance()
	if p.kind != tokLParen {
		p.refuse("write `subset(bitmap) [n]T`", "want `(` after `subset`, got %s", p.got())
	}
	p.inside(tokRParen, func() {
		word := p.word()
		if x.Subset = subsetWords[word]; x.Subset == SubsetNone {
			if word == "" {
				p.want("`bitmap`, `index`, `sentinel` or `relative`")
				return
			}
			if p.halfTyped() {
				return
			}
			fix := "the subsets are `bitmap`, `index`, `sentinel` and `relative`"
			if s := Suggest(word, []string{"bitmap", "index", "sentinel", "relative"}); s != "" {
				fix = "did you mean `" + s + "`?"
			}
			p.complain(p.span(p.i), fix, "unknown subset `%s`", clip(word))
		}
		p.advance()
		at := p.span(p.i)
		if x.Any = p.acceptWord("any"); x.Any && (x.Subset == SubsetBitmap || x.Subset == SubsetRelative) {
			p.complain(at, "remove it", "a %s has one order: `any` is for index and sentinel", word)
		}
	})
	if p.kind != tokLBracket {
		p.refuse("write `subset(bitmap) [n]T`", "a subset is of an array, got %s", p.got())
	}
	p.inside(tokRBracket, func() { x.A = p.arith() })
	x.Span = p.from(pos)
	return x
}

// endianOf reads the byte order of v.
func (p *parser) endianOf(v *ValueExpr) {
	at := p.span(p.i)
	if e := p.endian(); e != EndianNone {
		v.Endian, v.EndianAt = e, at
	}
}

// endian reads `le` or `be`.
func (p *parser) endian() Endian {
	switch word := p.word(); {
	case word == "le":
		p.advance()
		return LittleEndian
	case word == "be":
		p.advance()
		return BigEndian
	case p.kind == tokWord || p.kind == tokName:
		text := strings.ToLower(p.source(p.i))
		e, ok := foreignEndians[text]
		if ok && !p.lineEnds() {
			p.complain(p.span(p.i), "write `"+e.String()+"`", "a byte order is `le` or `be`")
			p.advance()
			return e
		}
	}
	return EndianNone
}

// rule reads Rule, nil where there is none.
func (p *parser) rule() *RuleExpr {
	r := &RuleExpr{}
	pos := p.here()
	switch word := p.word(); {
	case word == "in":
		p.advance()
		r.Kind, r.Set = RuleIn, p.spanSet()
	case p.kind == EqEq, p.kind == NotEq, p.kind == tokAssign:
		r.Kind = RuleEq
		if p.kind == NotEq {
			r.Kind = RuleNe
		}
		if p.kind == tokAssign {
			p.complain(p.span(p.i), "write `==` for a field that always has this value",
				"a field is given no value or number with `=`")
			p.advance()
			p.literal()
			return nil // a default or a number was meant: what follows of the value would all be wrong
		}
		p.advance()
		r.Value = p.literal()
	case word == "finite":
		p.advance()
		r.Kind = RuleFinite
	case wire.EncodingOf(word) != wire.EncodingNone:
		p.advance()
		r.Kind, r.Encoding = RuleEncoding, wire.EncodingOf(word)
	case p.kind.isComparison():
		p.refuse("write `in a..b`, or a `require` on a line of its own", "a rule is `in`, `==`, `!=`, `finite` or an encoding as `utf8`")
		return nil
	default:
		return nil
	}
	switch {
	case r.Kind == RuleEncoding && (p.kind == EqEq || p.kind == NotEq) && p.after(1) == tokString:
		p.complain(p.span(p.i), "write `"+clip(p.between(p.i, p.i+2))+"` alone; `@text` shows bytes as text", "a field has one rule: an encoding, or a text")
		p.advance()
		p.advance()
	case p.kind == OrOr && (r.Kind == RuleIn || r.Kind == RuleEq):
		if more := p.alternatives(); more != "" {
			at := p.slice(pos, p.span(p.prev).End)[2:]
			p.refuse("write `in {"+clip(strings.Trim(at, " {}")+more)+"}`", "a field has one simple rule")
		}
	}
	if p.kind == AndAnd || p.kind == OrOr || p.kind.isComparison() || p.word() == "and" || p.word() == "or" {
		p.refuse("write a `require` on a line of its own", "a field has one simple rule")
	}
	r.Span = p.from(pos)
	return r
}

// alternatives are the values after `||` up to the end of the item, each after a comma; "" where something else is
// there.
func (p *parser) alternatives() string {
	text, i := "", p.i
	for p.at(i).kind == OrOr {
		start := i + 1
		for i = start; p.at(i).kind == tokInt || p.at(i).kind == tokName || p.at(i).kind == tokDotDot || p.at(i).kind == Minus; i++ {
		}
		if i == start {
			return ""
		}
		text += ", " + p.between(start, i)
	}
	if !p.ends(i) {
		return ""
	}
	return text
}

// intType reads IntType.
func (p *parser) intType() *ValueExpr {
	pos := p.here()
	word := p.word()
	form := typeWords[word].form
	if form != 0 && form != formFixed && word != "bits" && word != "varint" && word != "int" {
		p.complain(p.span(p.i), "write `uint8`, `bits(n)`, `varint(n)` or `int(a..b)`",
			"a base type is an integer, not `%s`", word)
	}
	if t := widthType(word); strings.HasPrefix(t, "sbits") || strings.HasPrefix(t, "bytes") { // right for fields only
		fix := "the widest are `uint64` and `int64`"
		if n := uint(widthOf(word)); n <= 64 {
			lo := new(big.Int).Lsh(big.NewInt(-1), n-1)
			fix = fmt.Sprintf("write `int(%s..%s)`", lo, new(big.Int).Not(lo))
		}
		p.complain(p.span(p.i), fix, "unknown type `%s`", word)
		p.advance()
		return &ValueExpr{Span: p.from(pos), Type: &BadType{p.from(pos)}}
	}
	v := &ValueExpr{Type: p.typeExpr()}
	p.endianOf(v)
	v.Span = p.from(pos)
	if t, ok := v.Type.(*NamedType); ok {
		p.complain(t.Name.Span, "write `uint8`, `bits(n)`, `varint(n)` or `int(a..b)`",
			"a base type is an integer, not `%s`", clip(t.Name.Text))
	}
	if form != formFixed && word != "bits" && word != "varint" && word != "int" {
		v.Type = &BadType{v.Span}
	}
	return v
}

// typeExpr reads Type.
func (p *parser) typeExpr() TypeExpr {
	switch {
	case p.kind == tokLBrace:
		return BodyType{p.body()}
	case p.lineEnds() && p.kind != tokStopped:
		p.want("a type")
	case p.kind == tokName && p.sumOfName() != "":
		at := p.span(p.i)
		p.slip(at, "did you mean `"+p.sumOfName()+"`?", "unknown type `%s`", clip(p.source(p.i)))
		p.advance()
		p.skip()
		return &BadType{at}
	case p.kind == tokName:
		return p.namedType()
	case p.kind == tokWord:
		if form := typeWords[p.word()].form; form != 0 {
			return p.wordType(form)
		}
		if p.word() == "crc" && p.after(1) == tokLParen { // alone it is no type, and a usual name
			return p.wordType(formSum)
		}
		if p.halfTyped() {
			break
		}
		return p.unknownType()
	case p.kind == tokLParen:
		fix := "write the type without parentheses"
		if word := p.wordAt(p.i - 1); asType(word) == word && word != "" {
			fix = "write a name before `" + word + "`"
		}
		p.refuse(fix, "want a type, got `(`")
	default:
		p.noType()
	}
	return p.badType()
}

func (p *parser) badType() TypeExpr { return &BadType{p.gap()} }

// namedType reads `Name` or `Name(args)`.
func (p *parser) namedType() TypeExpr {
	t := &NamedType{}
	pos := p.here()
	t.Name = p.take()
	if p.kind == tokLParen && p.after(1) == tokRParen {
		p.complain(p.span(p.i), "write `"+clip(t.Name.Text)+"`, or what it takes between them", "nothing is between the parentheses")
		t.Args = []Expr{&BadExpr{p.span(p.i)}}
		p.skip()
	} else if p.kind == tokLParen {
		p.inside(tokRParen, func() {
			for {
				t.Args = append(t.Args, p.expr())
				if !p.accept(tokComma) {
					break
				}
			}
		})
	}
	t.Span = p.from(pos)
	return t
}
