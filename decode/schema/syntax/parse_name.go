package syntax

import "strings"

// reserved are the words that name nothing.
var reserved = map[string]bool{
	"if": true, "else": true, "switch": true, "within": true, "let": true, "require": true, "align": true,
	"reserved": true, "check": true, "default": true, "in": true, "until": true, "while": true, "rest": true,
	"true": true, "false": true,
}

// IsReserved reports whether a word names nothing.
func IsReserved(word string) bool { return reserved[word] }

// take consumes the current token as a name.
func (p *parser) take() Ident {
	id := Ident{p.span(p.i), p.source(p.i)}
	p.advance()
	return id
}

// name reads a name: any word that is not reserved. what describes it for a message, like "a field's name".
func (p *parser) name(what string) Ident {
	switch word := p.word(); {
	case p.kind == tokName:
		p.complain(p.span(p.i), "write `"+clip(snake(p.source(p.i)))+"`", "%s is in snake_case", what)
	case word == "":
		p.want(what)
		return Ident{Span: p.gap()}
	case p.isReserved(what):
		return Ident{Span: p.span(p.i)}
	default:
		p.checkSnake(what)
	}
	return p.take()
}

// isReserved refuses a reserved word as a name.
func (p *parser) isReserved(what string) bool {
	word := p.word()
	switch {
	case reserved[word]:
		p.refuse("call it `"+word+"_`", "want %s, got `%s`, which is a reserved word", what, word)
	default:
		return false
	}
	return true
}

// checkSnake complains about capitals in a word that is a name.
func (p *parser) checkSnake(what string) {
	if text := p.word(); text != strings.ToLower(text) {
		p.complain(p.span(p.i), "write `"+clip(snake(text))+"`", "%s is in snake_case", what)
	}
}

// upper reads a NAME.
func (p *parser) upper(what string) Ident {
	switch {
	case p.kind == tokName:
	case p.kind == tokWord && !p.lineEnds():
		p.complain(p.span(p.i), "write `"+clip(camel(p.word()))+"`", "%s is in UpperCamel", what)
	default:
		p.want(what)
		return Ident{Span: p.gap()}
	}
	return p.take()
}

// typeName reads the NAME after `struct`, `enum` or `flags`, which many languages let one leave out.
func (p *parser) typeName(kind string) Ident {
	switch p.kind {
	case tokLBrace, tokColon, tokLParen:
		p.complain(p.gap(), "write `"+kind+" Name`", "the %s has no name", article(kind))
		return Ident{Span: p.gap()}
	}
	return p.upper("a type's name")
}

// article is what a declaration is called: "flags" alone would read oddly.
func article(kind string) string {
	if kind == "flags" {
		return "flags type"
	}
	return kind
}

func isCapital(c byte) bool { return c >= 'A' && c <= 'Z' }

// snake turns playerCount, PlayerCount and MAX_COUNT into player_count and max_count.
func snake(s string) string {
	b := make([]byte, 0, len(s)+4)
	for i := range len(s) {
		c := s[i]
		if isCapital(c) {
			if i > 0 && s[i-1] != '_' && (!isCapital(s[i-1]) || i+1 < len(s) && s[i+1] >= 'a' && s[i+1] <= 'z') {
				b = append(b, '_')
			}
			c += 'a' - 'A'
		}
		b = append(b, c)
	}
	return string(b)
}

// camel turns player_count and playerCount into PlayerCount.
func camel(s string) string {
	b := make([]byte, 0, len(s))
	up := true
	for i := range len(s) {
		c := s[i]
		if c == '_' {
			up = true
			continue
		}
		if up && c >= 'a' && c <= 'z' {
			c -= 'a' - 'A'
		}
		if len(b) == 0 && isDigit(c) {
			b = append(b, 'T')
		}
		up = false
		b = append(b, c)
	}
	if len(b) == 0 {
		return "Name"
	}
	return string(b)
}
