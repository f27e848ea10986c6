package syntax

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pktscope/pktscope/decode/wire"
)

// What the parser sees of other languages (their words are in parse_foreign.go), so that it can say how pks writes the
// same thing. None of it decides what is accepted.

// asType is the type of this language that a word means, "" for none.
func asType(word string) string {
	if typeWords[word].form != 0 {
		return word
	}
	low := strings.ToLower(word)
	if t := foreignTypes[low]; t != "" {
		return t
	}
	if t := widthType(low); t != "" {
		return t
	}
	for _, e := range []string{"le", "be"} {
		base := strings.TrimSuffix(strings.TrimSuffix(low, e), "_")
		if base == low || base == "" {
			continue
		}
		if t := foreignTypes[base]; t != "" && typeWords[t].form == formFixed {
			return t + " " + e
		}
		if typeWords[base].form == formFixed {
			return base + " " + e
		}
		if n, t := widthOf(base), widthType(base); t != "" && n%8 == 0 && n < 64 {
			return t + " " + e
		}
	}
	return ""
}

// widthOf is the n of a word like uintN, intN, uN or iN (the short ones with two digits), 0 for any other.
func widthOf(word string) int {
	for i, prefix := range []string{"uint", "int", "u", "i", "s"} {
		digits, ok := strings.CutPrefix(word, prefix)
		if !ok || i >= 2 && len(digits) != 2 {
			continue
		}
		if n, err := strconv.Atoi(digits); err == nil && n <= 1024 && plainDigits(digits, "0123456789") && digits[0] != '0' {
			return n
		}
	}
	return 0
}

// widthType is what a fixed type of a width that the language has no word for is written as, "" for any other word.
func widthType(word string) string {
	n := widthOf(word)
	switch {
	case n == 0 || typeWords[word].form != 0:
		return ""
	case n > 64 && n%8 == 0:
		return fmt.Sprintf("bytes(%d)", n/8)
	case n > 64:
		return ""
	case word[0] == 'u':
		return fmt.Sprintf("bits(%d)", n)
	}
	return fmt.Sprintf("sbits(%d)", n)
}

// wholeType is a type of the language with an example of what it needs, for the word t.
func wholeType(t string) string {
	switch typeWords[t].form {
	case formBits, formSized, formBytes:
		return t + "(16)"
	case formInt:
		return "int32"
	case formFloat:
		return "float32"
	case formVec, formQuat:
		return t + "(float32)"
	}
	return t
}

// allTypeWords are the words of typeWords in one order, so that advice is always the same.
var allTypeWords []string // made once those of checksums are among them, see words.go

// unknownType complains about the word at a type's place, and reads it as a type.
func (p *parser) unknownType() TypeExpr {
	at, word := p.span(p.i), p.word()
	fix := ""
	switch {
	case word == "struct" && p.after(1) == tokLBrace:
		p.complain(at, "write `name { … }`", "an inline struct has no word in front")
		p.advance()
		return BodyType{p.body()}
	case foreignForms[word] != "":
		p.refuse(foreignForms[word], "want a type, got `%s`", word)
		return &BadType{at}
	case reserved[word]:
		p.noType()
		return &BadType{at}
	case slices.Contains(foreignGaps, word):
		p.refuse(p.gapAdvice(p.i), "want a type, got `%s`", word)
		return &BadType{at}
	case slices.Contains(halfFloats, strings.ToLower(word)):
		fix = "there are no half floats: write `uint16` with `@scale`, or `float(a..b, step)`"
	case sumAdvice(word) != "":
		fix = sumAdvice(word)
	case word == "bit" && p.after(1) == tokLParen:
		fix = "did you mean `bits`?"
	case widthless[word] != "" && p.bitWidth(p.i+1) != "":
		fix = "did you mean `" + ofWidth(widthless[word], p.bitWidth(p.i+1)) + "`?"
	case asType(word) != "":
		fix = "did you mean `" + asType(word) + "`?"
	case slices.Contains(p.types(), camel(word)):
		fix = "did you mean `" + clip(camel(word)) + "`?"
	default:
		if s := Suggest(strings.ToLower(word), allTypeWords); s != "" {
			fix = "did you mean `" + s + "`?"
		} else if s := Suggest(camel(word), p.types()); s != "" {
			fix = "did you mean `" + s + "`?"
		} else {
			fix = "a type is like `uint8`, `bits(4)`, `int(0..9)`, `float32`, `string(16)` or `bytes(4)`, or declared in the file"
		}
	}
	if p.source(p.i+1) != "::" { // the scanner has complained
		before := len(p.diags)
		p.complain(at, fix, "unknown type `%s`", clip(word))
		p.mistyped += len(p.diags) - before
	}
	p.advance()
	if p.kind == tokLParen {
		p.skip()
	} else if p.atBitField() {
		p.skipBitField()
	}
	return &BadType{at}
}

// bitWidth is n of the `(n)` or `:n` at token i, "" where there is none.
func (p *parser) bitWidth(i int) string {
	if p.at(i+1).kind == tokInt && (p.at(i).kind == tokColon || p.at(i).kind == tokLParen && p.at(i+2).kind == tokRParen) {
		return p.source(i + 1)
	}
	return ""
}

// atBitField reports whether the current token begins the `: n` of a bit-field.
func (p *parser) atBitField() bool { return p.kind == tokColon && p.after(1) == tokInt }

// skipBitField reads past `: n`.
func (p *parser) skipBitField() {
	p.advance()
	p.advance()
}

// noType refuses what is at a type's place, after the name that it would be the type of.
func (p *parser) noType() {
	name, literal, fix := p.wordAt(p.i-1), p.kind == tokInt || p.kind == tokString, ""
	switch {
	case p.kind == Less && name == "optional":
		called := "name"
		for i := p.i; !p.ends(i) && p.at(i).line == p.at(p.i).line; i++ {
			called = cmp.Or(p.wordAt(i), called)
		}
		p.noAngles(called + " ")
		return
	case p.word() == "check":
		fix = "write `check VALUE` on a line of its own, without a name"
	case p.kind == tokInt && slices.Contains(foreignGaps, name):
		fix = p.gapAdvice(p.i - 1)
	case literal && slices.ContainsFunc(foreignChecks, func(part string) bool { return strings.Contains(name, part) }):
		fix = "write `check " + clip(p.source(p.i)) + "`, without a name"
	}
	p.refuse(fix, "want a type, got %s", p.got())
}

func foreignSum(word string) bool {
	base, _, _ := strings.Cut(joinedSum(word), "_") // `crc16_ccitt` is one, too
	return foreignSums[base] != ""
}

// joinedSum is a word with the number of a CRC right after it, where `_` is between them.
func joinedSum(word string) string { return strings.Replace(strings.ToLower(word), "crc_", "crc", 1) }

// sumOfName is the checksum that the name here was meant for, with its options after it; "" where it may be a type of
// the file, or of another.
func (p *parser) sumOfName() string {
	if p.after(1) != tokLParen || !slices.Contains(SumWords, p.wordAt(p.i+2)) {
		return ""
	}
	switch p.after(3) {
	case tokInt, tokName, tokWord, tokDotDot:
	default:
		return ""
	}
	if word := p.wordAt(p.i + 3); word == "in" || word == "and" || word == "or" {
		return "" // an expression
	}
	if word := joinedSum(p.source(p.i)); typeWords[word].form == formSum {
		return word
	} else if s := Suggest(word, allTypeWords); typeWords[s].form == formSum {
		return s
	}
	return ""
}

// types are the names that the file declares as types.
func (p *parser) types() []string {
	if p.declared == nil {
		p.declared = []string{}
		for i := range p.toks {
			if w := p.wordAt(i); (w == "struct" || w == "enum" || w == "flags") && p.at(i+1).kind == tokName {
				p.declared = append(p.declared, p.source(i+1))
			}
		}
	}
	return p.declared
}

// typeFirst refuses a field written in the order of C: `uint8 id`, `char name[16]`, `repeated uint32 ids`.
func (p *parser) typeFirst() bool {
	word := p.word()
	i := p.i + 1
	if lead, ok := modifiers[word]; ok {
		inner := p.at(i).kind == tokName || asType(p.wordAt(i)) != ""
		quat := p.wordAt(i) == "quat" && p.wordAt(i+1) == "smallest3" // one type of two words: `struct` is a name here
		if inner && !quat && p.at(i+1).kind == tokWord && !p.behindType(i+1) && typeWords[p.wordAt(i+1)].form == 0 {
			t := asType(p.source(i))
			if t == "" {
				t = p.source(i)
			}
			if word == "unsigned" && t == "int" {
				t = "uint32"
			}
			p.nameLater(i+1, lead+t)
			return true
		}
		if inner && (word == "struct" || word == "enum") && (p.at(i+1).kind == tokLBrace || p.at(i+1).kind == tokColon) {
			p.refuse("move it there, or write `name { … }` for an inline struct",
				"a named %s is declared at the top level", word)
			return true
		}
	}
	t := asType(word)
	if t == "" {
		return false
	}
	exact := typeWords[t].form == formFixed || typeWords[word].form == 0 && typeWords[t].form != formSum // `crc` is a usual name
	text := wholeType(t)
	if p.at(i).kind == tokLParen {
		behind, ok := p.skipBrackets(i)
		if !ok {
			return false
		}
		text = t + p.between(i, behind)
		i, exact = behind, true
	}
	if p.at(i).kind == tokLBracket {
		behind, ok := p.skipBrackets(i)
		if !ok || !exact {
			return false
		}
		text = p.between(i, behind) + text
		i = behind
	}
	name := p.wordAt(i)
	if name == "" || reserved[name] || asType(name) != "" || name == "optional" || name == "subset" ||
		foreignSum(name) && typeWords[word].form == 0 { // `crc crc16`: the name is first
		return false
	}
	if p.behindType(i) && !p.ends(i+1) || !exact && Suggest(name, allTypeWords) != "" {
		return false
	}
	p.nameLater(i, text)
	return true
}

// nameFirst refuses a field that starts with a type of the file: `PlayerState player`.
func (p *parser) nameFirst() bool {
	i := p.i + 1
	text := p.source(p.i)
	for p.at(i).kind == tokLParen || p.at(i).kind == tokLBracket {
		behind, ok := p.skipBrackets(i)
		if !ok {
			return false
		}
		if p.at(i).kind == tokLParen {
			text += p.between(i, behind)
		} else {
			text = p.between(i, behind) + text
		}
		i = behind
	}
	name := p.wordAt(i)
	if typ := p.source(p.i); name == "" && p.ends(i) && slices.Contains(p.types(), typ) {
		p.refuse("write `"+clip(snake(typ)+" "+text)+"`", "the field has no name")
		return true
	}
	if name == "" || reserved[name] || asType(name) != "" || name == "optional" || name == "subset" ||
		Suggest(name, allTypeWords) != "" && !slices.Contains(p.types(), p.source(p.i)) {
		return false
	}
	p.nameLater(i, text)
	return true
}

// ofWidth is an integer type of n bits that is signed where typ is; bool stays what it is.
func ofWidth(typ, n string) string {
	switch {
	case typ == "bool" && n == "1":
		return typ
	case strings.HasPrefix(typ, "int") || strings.HasPrefix(typ, "sbits"):
		return "sbits(" + clip(n) + ")"
	}
	return "bits(" + clip(n) + ")"
}

// nameLater refuses the item, whose name is token i after a type.
func (p *parser) nameLater(i int, typ string) {
	if p.at(i+1).kind == tokColon && p.bitWidth(i+1) != "" {
		typ = ofWidth(typ, p.bitWidth(i+1))
	}
	if p.at(i+1).kind == tokLBracket {
		if behind, ok := p.skipBrackets(i + 1); ok && (strings.HasPrefix(typ, "char") || strings.HasPrefix(typ, "bytes")) {
			inner := p.between(i+1, behind)
			typ = strings.TrimSuffix(typ, "(16)") + "(" + inner[1:len(inner)-1] + ")"
		} else if ok {
			typ = p.between(i+1, behind) + typ
		}
	}
	if p.takeSemicolon(p.at(i).line, p.at(i).end) {
		p.refuse("write `"+clip(snake(p.source(i))+" "+typ)+"`", "the name comes first, and no `;` comes after a field")
		return
	}
	p.refuse("write `"+clip(snake(p.source(i))+" "+typ)+"`", "the name comes first")
}

// takeSemicolon takes back the first complaint about a `;` on a line from off on: it belongs to another one.
func (p *parser) takeSemicolon(line, off int32) bool {
	for i, d := range p.diags[:p.scanned] {
		if d.Pos.Line == line && d.Pos.Off >= p.base+off && d.Message == semicolonMessage {
			p.diags = slices.Delete(p.diags, i, i+1)
			p.scanned--
			return true
		}
	}
	return false
}

// between is the source of tokens i to after-1, "" of none.
func (p *parser) between(i, behind int) string {
	if behind <= i {
		return ""
	}
	return p.text[p.at(i).off:p.at(behind-1).end]
}

// behindType reports whether token i is a word that may be after a type.
func (p *parser) behindType(i int) bool {
	switch p.wordAt(i) {
	case "le", "be", "in", "finite":
		return true
	}
	return wire.EncodingOf(p.wordAt(i)) != wire.EncodingNone
}

// ends reports whether an item may end before token i.
func (p *parser) ends(i int) bool {
	switch p.at(i).kind {
	case tokNewline, tokComma, tokRBrace, tokEOF:
		return true
	}
	return false
}

// beginsRange reports whether `a..` is here, a being a number or a constant.
func (p *parser) beginsRange() bool {
	i := p.i
	if p.kind == Minus {
		i++
	}
	return (p.at(i).kind == tokInt || p.at(i).kind == tokFloat || p.at(i).kind == tokName) && p.at(i+1).kind == tokDotDot
}

// behindValue reads past what is after a value and its annotations by mistake. It gives the annotations that
// follow after all.
func (p *parser) behindValue(v *ValueExpr, noted bool) (notes []*Annotation) {
	for !p.stopped && !p.itemEnds() {
		word := p.word()
		switch {
		case p.kind == tokLBracket:
			behind, ok := p.skipBrackets(p.i)
			if !ok {
				p.want("the end of the line")
				return notes
			}
			p.complain(p.span(p.i), "write `"+clip(p.between(p.i, behind)+p.slice(v.Pos, v.End))+"`",
				"the count of an array comes before its type")
			p.skip()
		case p.atBitField():
			p.complain(p.span(p.i), "write `"+ofWidth(p.slice(v.Pos, v.End), p.bitWidth(p.i))+"`", "the number of bits is in parentheses")
			p.skipBitField()
		case word == "optional":
			p.complain(p.span(p.i), "write `optional "+clip(p.slice(v.Pos, v.End))+"`", "`optional` comes before the type")
			p.advance()
		case (word == "le" || word == "be") && v.Rule != nil:
			p.complain(p.span(p.i), "", "`%s` comes right after the type", word)
			p.endianOf(v)
		case word == "if" || word == "when":
			p.refuse("write `if e { … }` around the field", "a field has no condition after it")
		case v.Rule != nil && !noted && (p.behindType(p.i) || p.kind == EqEq || p.kind == NotEq):
			p.refuse("write a `require` on a line of its own for the other", "a field has one rule")
		case p.behindType(p.i) || p.kind == EqEq || p.kind == NotEq || p.kind == tokAssign:
			p.complain(p.span(p.i), "", "a rule comes before the annotations")
			if word == "le" || word == "be" {
				p.endianOf(v)
			} else {
				v.Rule = p.rule()
			}
		case p.kind == tokAt:
			notes = append(notes, p.notes()...)
		case v.Rule == nil && !noted && p.beginsRange():
			start := p.here()
			r := p.spanExpr()
			p.complain(r.Span, "write `in "+clip(p.slice(start, r.End))+"`", "a range comes after `in`")
			v.Rule = &RuleExpr{Span: r.Span, Kind: RuleIn, Set: []RangeExpr{r}}
		case p.kind == tokInt || p.kind == tokString || p.kind == tokDotDot:
			p.want("the end of the line")
		default:
			return notes
		}
	}
	return notes
}

// itemText is the source from token i to the end of the item.
func (p *parser) itemText(i int) string {
	end := i
	for !p.ends(end) {
		behind, ok := end+1, true
		if kind := p.at(end).kind; kind == tokLParen || kind == tokLBracket {
			behind, ok = p.skipBrackets(end)
		}
		if !ok {
			break
		}
		if end = behind; p.at(end-1).kind == tokLBrace {
			break
		}
	}
	return p.between(i, end)
}

// noColon reads past a `:` between a name and its type.
func (p *parser) noColon(name Ident) {
	if p.atNamespace() {
		p.stop()
		return
	}
	if p.kind == tokColon {
		p.complain(p.span(p.i), "write `"+clip(name.Text+" "+p.itemText(p.i+1))+"`", "no `:` between a name and its type")
		p.advance()
	}
}

// noTransport reads past the `udp` of `port udp 5`.
func (p *parser) noTransport() {
	if word := strings.ToLower(p.source(p.i)); (word == "udp" || word == "tcp") && p.after(1) == tokInt {
		p.complain(p.span(p.i), "write `port "+clip(p.source(p.i+1))+"`", "all ports are of UDP")
		p.advance()
	}
}
