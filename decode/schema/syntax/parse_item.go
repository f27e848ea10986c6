package syntax

import (
	"fmt"
	"slices"
)

// body reads Body. It is never nil.
func (p *parser) body() *Body {
	b := &Body{Span: Span{p.here(), p.here()}}
	if p.stopped {
		return b
	}
	p.block(func() {
		if it := p.item(); it != nil {
			b.Items = append(b.Items, it)
		}
	}, p.beginsItem)
	b.Span = p.from(b.Pos)
	return b
}

// beginsItem reports whether an item may start at token i: it decides what a comma after a broken item separates.
func (p *parser) beginsItem(i int) bool {
	if p.at(i).kind != tokWord {
		return false
	}
	switch p.at(i + 1).kind {
	case tokWord, tokName, tokLBracket, tokLBrace, tokLParen:
		return true
	}
	return false
}

// beginsValue reports whether what is after a field's name may start at token i.
func (p *parser) beginsValue(i int) bool {
	switch p.at(i).kind {
	case tokName, tokLBracket, tokLBrace, tokNewline, tokColon:
		return true
	}
	word := p.wordAt(i)
	return asType(word) != "" || word == "optional" || word == "subset" || word == "switch"
}

// item reads Item; nil where there is nothing to keep.
func (p *parser) item() ItemNode {
	if p.kind == tokAt && p.after(1) != tokWord && p.after(1) != tokName {
		p.refuse(itemAdvice, "want an item, got %s", p.got())
		return nil
	}
	if p.kind == tokAt {
		p.complain(p.span(p.i), "write it after the field's type", "an annotation comes after what it is about")
		p.notes()
		if p.itemEnds() {
			return nil
		}
	}
	start, pos := p.i, p.here()
	switch p.word() {
	case "if":
		return p.ifItem()
	case "within":
		return p.withinItem()
	case "let":
		it := &LetItem{}
		p.advance()
		if p.word() == "state" && p.after(1) == tokDot {
			it.State = p.fieldPath()
			p.assign("a register is set by `let state.name = …`")
			it.Value = p.expr()
			it.Span, it.Doc = p.from(pos), p.doc(start)
			return it
		}
		it.Name = p.name("a name")
		if p.acceptWord("in") {
			if p.kind == tokLBrace {
				p.complain(p.span(p.i), "write one range, and `require` after it", "the range of a `let` is `a..b`")
				p.spanSet()
			} else {
				r := p.spanExpr()
				it.Range = &r
			}
		}
		p.assign("a computed value is `let name = …`")
		it.Value = p.expr()
		it.Annotations = p.notes()
		it.Span, it.Doc = p.from(pos), p.doc(start)
		return it
	case "require":
		it := &RequireItem{}
		p.advance()
		it.Cond = p.expr()
		it.Span, it.Doc = p.from(pos), p.doc(start)
		return it
	case "align":
		it := &AlignItem{}
		p.advance()
		it.Bits = p.itemBits("align")
		it.Any = p.acceptWord("any")
		it.Span, it.Doc = p.from(pos), p.doc(start)
		return it
	case "reserved":
		it := &ReservedItem{}
		p.advance()
		if it.Bits = p.itemBits("reserved"); it.Bits == nil {
			p.refuse("write `reserved(n)`", "`reserved` has a number of bits")
			it.Bits = &BadExpr{p.gap()}
		}
		it.Any = p.acceptWord("any")
		it.Span, it.Doc = p.from(pos), p.doc(start)
		return it
	case "check":
		it := &CheckItem{}
		p.advance()
		it.Value = p.checkValue()
		it.Span, it.Doc = p.from(pos), p.doc(start)
		return it
	}
	if p.noItem() {
		return nil
	}
	return p.field()
}

// itemBits reads the `(n)` after align and reserved, nil where there is none.
func (p *parser) itemBits(word string) (n Expr) {
	switch p.kind {
	case tokLParen:
		p.inside(tokRParen, func() { n = p.arith() })
	case tokInt, tokName:
		p.complain(p.span(p.i), "write `"+word+"("+clip(p.source(p.i))+")`", "the number of bits is in parentheses")
		n = p.arith()
	}
	return n
}

// checkValue reads what is after `check`.
func (p *parser) checkValue() Expr {
	switch {
	case p.kind == tokInt:
		return p.intLit()
	case p.kind == tokString:
		return p.stringLit()
	case p.kind == tokLParen && (p.after(1) == tokInt || p.after(1) == tokString) && p.after(2) == tokRParen:
		p.complain(p.span(p.i), "write `check "+clip(p.source(p.i+1))+"`", "no parentheses after `check`")
		p.advance()
		e := p.checkValue()
		p.advance()
		return e
	}
	p.refuse("write `check 0x12345678` or `check \"label\"`", "want a number or a string after `check`, got %s", p.got())
	return &BadExpr{p.gap()}
}

// noItem refuses what no item begins with.
func (p *parser) noItem() bool {
	word := p.word()
	switch word {
	case "else":
		p.refuse("", "`else` without an `if`")
	case "switch":
		p.refuse("write `body switch …`", "a switch has a name in front")
	case "while", "until":
		p.refuse("a loop is an array: `name [while e, max n]T`", "`%s` is no item", word)
	}
	if p.stopped {
		return true
	}
	if word == "default" || p.kind == tokInt && p.beginsArm(p.i) {
		if !p.armless { // for all the arms of a switch whose head was broken
			p.complain(p.current(), "", "an arm outside a switch")
		}
		p.armless = true
		p.resyncLine(p.i)
		return true
	}
	p.armless = false
	switch {
	case word == "for" && !p.beginsValue(p.i+1):
		p.refuse("an array is `name [count]T`", "there are no loops")
	case p.isBreak():
		for p.takeSemicolon(p.at(p.i).line, 0) {
		}
		p.refuse("remove it", "there is no `%s`: a body ends by itself", word)
	case slices.Contains(elseWords, word) && !p.beginsValue(p.i+1):
		p.refuse("write `else if`", "unknown word `%s`", word)
	case slices.Contains(foreignGaps, word) && p.after(1) == tokLParen:
		p.refuse(p.gapAdvice(p.i), "`%s` is no item", word)
	case p.kind == tokWord:
		return p.isReserved("a field's name")
	case p.kind == tokName:
		return p.nameFirst()
	case p.kind == tokLBracket || p.kind == tokLBrace:
		p.refuse("write `name` in front", "a field starts with its name, got %s", p.got())
	case p.kind == tokInt && p.prev >= 0 && p.toks[p.prev].kind == tokComma:
		p.refuse("several values of a rule are in braces: `in {1, 2}`", "want an item, got %s", p.got())
	case p.kind == tokString:
		text := unquote(p.source(p.i))
		p.refuse(fmt.Sprintf("a fixed text is a field with a rule: `magic bytes(%d) == %s`", len(text), clip(p.source(p.i))),
			"want an item, got %s", p.got())
	default:
		p.refuse(itemAdvice, "want an item, got %s", p.got())
	}
	return p.stopped
}

const itemAdvice = "an item is a field, like `id uint8`, or starts with `if`, `within`, `let`, `require`, `align`, `reserved` or `check`"

// isBreak reports whether here is what ends an arm in other languages.
func (p *parser) isBreak() bool {
	word := p.word()
	return (word == "break" || word == "return" || word == "fallthrough") && p.ends(p.i+1)
}

// noBreak reads past the word that isBreak has seen, with the `;` on its line.
func (p *parser) noBreak(fix, why string) {
	for p.takeSemicolon(p.at(p.i).line, 0) {
	}
	p.complain(p.span(p.i), fix, "there is no `%s`: %s", p.word(), why)
	p.advance()
}

// ifItem reads `if`, with all of its else-ifs.
func (p *parser) ifItem() *IfItem {
	it := &IfItem{}
	pos := p.here()
	p.advance()
	it.Cond = p.expr()
	it.Then = p.body()
	if p.acceptWord("else") {
		it.Else = &ElseNode{}
		if p.word() == "if" {
			if p.enter() {
				it.Else.If = p.ifItem()
			} else {
				it.Else.Body = p.body()
			}
			p.leave()
		} else {
			it.Else.Body = p.body()
		}
	}
	it.Span = p.from(pos)
	return it
}

func (p *parser) withinItem() ItemNode {
	it := &WithinItem{Size: &BadExpr{p.gap()}}
	pos := p.here()
	p.advance()
	if p.kind == tokLParen {
		p.inside(tokRParen, func() {
			it.Size = p.expr()
			it.Bits = p.acceptWord("bits")
			if !it.Bits {
				it.Zeros = p.acceptWord("zeros")
			} else if p.word() == "zeros" {
				p.complain(p.span(p.i), "remove it", "a window of bits is not filled with zeros")
				p.advance()
			}
			if p.word() == "bytes" {
				p.complain(p.span(p.i), "remove it", "a window is in bytes unless it says `bits`")
				p.advance()
			}
		})
	} else {
		start := p.i
		if p.kind == tokInt || p.kind == tokWord && p.word() != "bits" {
			it.Size = p.expr()
		}
		text := "size"
		if p.i > start {
			text = clip(p.between(start, p.i))
		}
		if p.kind != tokLBrace {
			p.set(start)
			p.refuse("write `within(size) {`", "want `(` after `within`, got %s", p.got())
		}
		p.slip(p.span(start), "write `within("+text+") {`", "want `(` after `within`, got `%s`", clip(p.source(start)))
	}
	it.Body = p.body()
	it.Span = p.from(pos)
	return it
}

// field reads `name value` or `name switch …`, with its annotations.
func (p *parser) field() ItemNode {
	it := &FieldItem{}
	start, pos := p.i, p.here()
	if p.typeFirst() {
		return nil
	}
	it.Name = p.name("a field's name")
	p.noColon(it.Name)
	early := p.kind == tokAt
	if early {
		p.complain(p.span(p.i), "write it after the type", "an annotation comes after the field's type")
		it.Annotations = p.notes()
	}
	switch {
	case p.word() == "switch":
		it.Switch = p.switchExpr()
		it.Annotations = append(it.Annotations, p.notes()...)
	case p.stopped:
		it.Value = p.badValue()
	case p.kind == tokAssign:
		p.refuse("a computed value is `let "+clip(it.Name.Text)+" = …`", "the field `%s` has no type", clip(it.Name.Text))
		it.Value = p.badValue()
	case p.kind == Minus && p.after(1) == tokWord:
		p.refuse("write `"+clip(it.Name.Text)+"_"+clip(p.source(p.i+1))+"`", "a name has `_`, not `-`")
		it.Value = p.badValue()
	case p.itemEnds():
		p.refuse("write `"+clip(it.Name.Text)+" uint8`", "the field `%s` has no type", clip(it.Name.Text))
		it.Value = p.badValue()
	default:
		it.Value = p.value()
		it.Annotations = append(it.Annotations, p.notes()...)
		it.Annotations = append(it.Annotations, p.behindValue(it.Value, len(it.Annotations) > 0)...)
	}
	it.Span, it.Doc = p.from(pos), p.doc(start)
	return it
}

// atNamespace reports whether a `::` is here, about which the scanner has complained.
func (p *parser) atNamespace() bool { return p.kind == tokDot && p.source(p.i) == "::" }

func (p *parser) badValue() *ValueExpr {
	return &ValueExpr{Span: p.gap(), Type: &BadType{p.gap()}}
}

func (p *parser) switchExpr() *SwitchExpr {
	s := &SwitchExpr{}
	pos := p.here()
	p.advance()
	s.Tag = p.expr()
	if p.kind == tokComma && s.Tag != nil {
		i := p.i
		for !p.ends(i+1) && p.at(i+1).kind != tokLBrace {
			i++
		}
		fix := "remove the `,`"
		if i > p.i {
			fix = "nest two switches, or write `let tag = " + clip(p.exprText(s.Tag)) + " << 12 | " + clip(p.between(p.i+1, i+1)) + "` and `switch tag`"
		}
		p.complain(p.span(p.i), fix, "a switch has one tag")
		p.resyncBlock(i + 1)
		s.Tag = p.badExpr()
		s.Span = p.from(pos)
		return s
	}
	p.block(func() {
		if a := p.arm(); a != nil {
			s.Arms = append(s.Arms, a)
		}
	}, p.beginsArm)
	for _, a := range s.Arms {
		if len(a.Labels) > 0 && isString(a.Labels[0].Lo) { // the parser has complained about the first
			s.Tag = p.badExpr()
		}
	}
	s.Span = p.from(pos)
	return s
}

func isString(e Expr) bool {
	_, ok := e.(*StringLit)
	return ok
}

// beginsArm reports whether an arm may start at token i: a label or two before a `:`.
func (p *parser) beginsArm(i int) bool {
	operand := false
	for n := range 8 {
		switch p.at(i + n).kind {
		case tokColon:
			return operand
		case tokWord, tokName, tokInt:
			if operand {
				return false
			}
			operand = true
		case tokDot, tokDotDot, Minus:
			operand = false
		default:
			return false
		}
	}
	return false
}

// labels reads what is before the colon of an arm or a row.
func (p *parser) labels() (other bool, labels []RangeExpr) {
	switch word := p.word(); {
	case word == "default":
		p.advance()
		return true, nil
	case word == "else" && p.after(1) == tokColon:
		p.complain(p.span(p.i), "write `default:`", "the arm for all other values is `default`")
		p.advance()
		return true, nil
	}
	for {
		if p.kind == tokString {
			if !p.worded {
				p.complain(p.span(p.i), "a word is a tag as a number: `switch peek(n)`, or a field `bits(n)`, with "+numberOf(unquote(p.source(p.i))), "a label is a number, not a string")
			}
			p.worded = true
			labels = append(labels, RangeExpr{Span: p.span(p.i), Lo: p.refusedString()})
		} else {
			labels = append(labels, p.spanExpr())
		}
		if !p.accept(tokComma) {
			return false, labels
		}
	}
}

// namedArm complains about a field where an arm holds a type.
func (p *parser) namedArm() bool {
	word, next := p.word(), p.wordAt(p.i+1)
	if word == "" || reserved[word] || asType(word) != "" || word == "optional" || word == "subset" || word == "crc" || typeWords[next].form == 0 {
		return false
	}
	i := p.i + 1
	for !p.ends(i) && p.at(i).kind != tokLBrace {
		i++
	}
	p.complain(p.span(p.i), "write `{ "+clip(p.between(p.i, i))+" }`", "an arm holds a type, not a field")
	return true
}

// arm reads Arm, nil where there is nothing to keep.
func (p *parser) arm() *ArmNode {
	a := &ArmNode{}
	start, pos := p.i, p.here()
	if p.isBreak() {
		p.noBreak("remove it", "an arm ends by itself")
		return nil
	}
	if next := p.after(1); p.word() == "case" && (next == tokWord || next == tokName || next == tokInt) {
		p.complain(p.span(p.i), "write `"+clip(p.source(p.i+1))+": …`", "an arm is written without `case`")
		p.advance()
	}
	a.Default, a.Labels = p.labels()
	switch {
	case p.kind == tokColon:
		p.advance()
	case p.kind == tokWord || p.kind == tokName || p.kind == tokLBrace || p.kind == tokLBracket:
		p.complain(p.gap(), "an arm is `A: T`", "missing `:` before what the arm holds")
	default:
		p.refuse("an arm is `A: T`", "want `:` after the label, got %s", p.got())
	}
	switch {
	case p.word() == "empty":
		a.Empty = true
		p.advance()
	case p.isBreak():
		p.noBreak("write `empty`", "an arm that holds nothing says so")
		a.Empty = true
	case slices.Contains(refusals, p.word()) && p.ends(p.i+1):
		what := "arm"
		if a.Default {
			what = "default"
		}
		p.complain(p.span(p.i), "leave the "+what+" out: what no arm takes is refused", "there is no `%s`", p.word())
		p.advance()
		a.Empty = true
	case p.kind == tokRBrace || p.kind == tokInt && p.at(p.prev).line != p.at(p.i).line || p.beginsArm(p.i) || p.word() == "default":
		p.complain(p.gap(), "write `empty` where nothing is sent", "the arm holds nothing")
		a.Empty = true
		p.saidAt = p.i // the newline was dropped after the `:`, so the next arm seems to follow on the same line
	default:
		if p.namedArm() {
			p.advance()
		}
		a.Value = p.value()
	}
	a.Annotations = p.notes()
	if a.Value != nil {
		a.Annotations = append(a.Annotations, p.behindValue(a.Value, len(a.Annotations) > 0)...)
	}
	if p.isBreak() && !p.lineOver() {
		p.noBreak("remove it", "an arm ends by itself")
	}
	a.Span, a.Doc = p.from(pos), p.doc(start)
	return a
}
