package dialogue

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Parse reads a .pkd source; name is for the diagnostics only. The file holds what could be read. A line with a mistake
// is complained about once, with its place and what is wanted, and left out.
func Parse(name string, src []byte) (*File, []syntax.Diagnostic) {
	f := &File{Name: name, Src: src}
	if len(src) > MaxSource {
		return f, []syntax.Diagnostic{{Message: fmt.Sprintf("a dialogue has at most %d bytes, this one has %d", MaxSource, len(src))}}
	}
	lexemes, diags := syntax.Scan(src)
	p := &parser{file: f, lexemes: lexemes, diags: diags}
	p.all()
	syntax.SortDiagnostics(p.diags)
	return f, p.diags
}

// parser is recursive descent, one line at a time: after a mistake it goes on with the next line.
type parser struct {
	file    *File
	lexemes []syntax.Lexeme
	at      int
	diags   []syntax.Diagnostic
	fields  int
	steps   int
	depth   int
}

// mistake is what stops the parsing of a line.
type mistake struct{}

// words are those that a line begins with, with what reads the rest of it.
var words = []struct {
	word string
	read func(*parser, *Line)
	verb Verb // 0 of what is no Line
}{
	{"param", (*parser).param, 0},
	{"identity", (*parser).identity, 0},
	{"automatic", (*parser).automatic, Automatic},
	{"send", (*parser).send, Send},
	{"expect", (*parser).expect, Expect},
	{"state", (*parser).state, State},
	{"keep", (*parser).keep, Keep},
	{"on", (*parser).on, On},
	{"alive", (*parser).alive, Alive},
	{"end", (*parser).end, End},
	{"before", (*parser).before, Before},
	{"attack", (*parser).attack, Attack},
}

func (p *parser) all() {
	p.line(func() {
		p.want("dialogue", "a file begins with `dialogue NAME`")
		p.file.Title = p.ident("the dialogue's name")
	})
	for p.skipLines(); p.peek().Kind != syntax.TokenEnd && len(p.diags) < syntax.MaxErrors; p.skipLines() {
		p.line(p.statement)
	}
}

// line reads one line, and goes to the next whatever was wrong with it.
func (p *parser) line(read func()) {
	begun := p.at
	defer func() {
		if r := recover(); r != nil {
			if _, ok := r.(mistake); !ok {
				panic(r)
			}
			p.recover(begun)
		}
	}()
	p.skipLines()
	read()
	if k := p.peek().Kind; k != syntax.TokenLine && k != syntax.TokenEnd {
		p.fail("want the end of the line, got %s", p.text())
	}
}

// recover goes after the line at hand, and all that its braces hold.
func (p *parser) recover(begun int) {
	p.at, p.depth = max(p.at, begun), 0
	open := 0
	for _, l := range p.lexemes[begun:p.at] {
		open += brackets(l.Kind)
	}
	for ; p.peek().Kind != syntax.TokenEnd; p.at++ {
		l := p.peek()
		if open <= 0 && l.Kind == syntax.TokenLine {
			return
		}
		open += brackets(l.Kind)
	}
}

func brackets(k syntax.Token) int {
	switch k {
	case syntax.TokenLBrace, syntax.TokenLBracket, syntax.TokenLParen:
		return 1
	case syntax.TokenRBrace, syntax.TokenRBracket, syntax.TokenRParen:
		return -1
	}
	return 0
}

func (p *parser) statement() {
	l := p.peek()
	for i := range words {
		w := &words[i]
		if l.Text != w.word {
			continue
		}
		p.at++
		line := &Line{Span: l.Span, Verb: w.verb}
		w.read(p, line)
		if line.End = p.lexemes[p.at-1].End; w.verb == 0 {
			return
		}
		if p.steps++; p.steps > MaxSteps {
			p.failAt(l.Span, "", "a dialogue has at most %d steps", MaxSteps)
		}
		p.file.Lines = append(p.file.Lines, line)
		return
	}
	var all []string
	for i := range words {
		all = append(all, words[i].word)
	}
	fix := "a line begins with " + strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
	if near := syntax.Suggest(l.Text, all); near != "" {
		fix = "did you mean `" + near + "`?"
	}
	p.failAt(l.Span, fix, "no line begins with %s", p.text())
}

func (p *parser) peek() syntax.Lexeme { return p.lexemes[min(p.at, len(p.lexemes)-1)] }

func (p *parser) is(word string) bool {
	l := p.peek()
	return l.Text == word && l.Kind != syntax.TokenString
}

// accept takes a word or a sign.
func (p *parser) accept(word string) bool {
	if p.is(word) {
		p.at++
		return true
	}
	return false
}

func (p *parser) want(word, fix string) {
	if !p.accept(word) {
		p.failAt(p.peek().Span, fix, "want `%s`, got %s", word, p.text())
	}
}

// text is the token at hand as messages show it.
func (p *parser) text() string {
	switch l := p.peek(); l.Kind {
	case syntax.TokenEnd, syntax.TokenLine:
		return "the " + l.Kind.String()
	default:
		return "`" + syntax.EscapeText(l.Text) + "`"
	}
}

func (p *parser) fail(format string, args ...any) { p.failAt(p.peek().Span, "", format, args...) }

func (p *parser) failAt(at syntax.Span, fix, format string, args ...any) {
	if p.peek().Kind != syntax.TokenBad { // of which the scanner has complained
		p.diags = append(p.diags, syntax.Diagnostic{Span: at, Message: fmt.Sprintf(format, args...), Fix: fix})
	}
	panic(mistake{})
}

func (p *parser) skipLines() {
	for p.peek().Kind == syntax.TokenLine {
		p.at++
	}
}

func (p *parser) ident(what string) syntax.Ident {
	l := p.peek()
	if l.Kind != syntax.TokenWord && l.Kind != syntax.TokenName {
		p.fail("want %s, got %s", what, p.text())
	}
	p.at++
	return syntax.Ident{Span: l.Span, Text: l.Text}
}

// caseName is the name of a case.
func (p *parser) caseName() syntax.Ident { return p.ident("the name of a case") }

func (p *parser) number(what string, lo, hi int64) int {
	l := p.peek()
	if l.Kind != syntax.TokenInt {
		p.fail("want %s, got %s", what, p.text())
	}
	n, ok := l.Int()
	if !ok || !n.IsInt64() || n.Int64() < lo || n.Int64() > hi {
		p.fail("want %s, %d..%d, got %s", what, lo, hi, p.text())
	}
	p.at++
	return int(n.Int64())
}

// duration is a time between 1 ms and MaxStart.
func (p *parser) duration() time.Duration {
	l := p.peek()
	if l.Kind != syntax.TokenDuration {
		p.fail("want a duration such as 200ms, got %s", p.text())
	}
	n, _ := l.Nanos()
	if d := time.Duration(n); d >= time.Millisecond && d <= MaxStart {
		p.at++
		return d
	}
	p.fail("want 1ms..%v, got %s", MaxStart, p.text())
	return 0
}

var uints = []string{"uint8", "uint16", "uint32", "uint64"}

// typ is uint8, uint16, uint32, uint64, bytes(n) or string(n).
func (p *parser) typ(kinds ...TypeKind) Type {
	l := p.peek()
	t := Type{Span: l.Span}
	if i := slices.Index(uints, l.Text); i >= 0 {
		p.at++
		t.Kind, t.Size = Uint, 8<<i
	} else if l.Text == "bytes" || l.Text == "string" {
		p.at++
		p.want("(", "")
		t.Kind, t.Size = Bytes, p.number("a number of bytes", 1, 1200)
		if l.Text == "string" {
			t.Kind = Text
		}
		p.want(")", "")
		t.End = p.lexemes[p.at-1].End
	}
	if !slices.Contains(kinds, t.Kind) {
		want := "uint8, uint16, uint32, uint64 or bytes(n)"
		if slices.Contains(kinds, Text) {
			want = "uint8, uint16, uint32, uint64, bytes(n) or string(n)"
		}
		p.failAt(l.Span, "", "want a type, %s, got `%s`", want, syntax.EscapeText(l.Text))
	}
	return t
}

func (p *parser) param(line *Line) {
	q := &Param{Span: line.Span, Name: p.ident("the param's name")}
	if p.lexemes[p.at-1].Kind != syntax.TokenName {
		p.failAt(q.Name.Span, "", "the name of a param begins with a capital letter")
	}
	q.Type = p.typ(Uint, Bytes, Text)
	if p.accept("@") {
		p.want("secret", "the one annotation is @secret")
		q.Secret = true
	}
	if slices.ContainsFunc(p.file.Params, func(o *Param) bool { return o.Name.Text == q.Name.Text }) {
		p.failAt(q.Name.Span, "", "there is a param %s already", q.Name.Text)
	}
	p.file.Params = append(p.file.Params, q)
}

func (p *parser) identity(line *Line) {
	if p.file.settled {
		p.failAt(line.Span, "", "the identity is said already")
	}
	p.file.settled = true
	switch {
	case p.accept("keep"):
	case p.accept("fresh"):
		p.file.Fresh = true
	default:
		p.fail("want keep or fresh, got %s", p.text())
	}
}

func (p *parser) automatic(line *Line) { line.Fields = p.braces(false) }

func (p *parser) send(line *Line) {
	p.packet(line)
	for {
		switch {
		case p.accept("every"):
			line.Every = p.duration()
		case p.accept("within"):
			line.Within = p.duration()
		case p.accept("until"):
			until := p.caseName()
			line.Until = &until
		default:
			return
		}
	}
}

// packet is CASE {…}.
func (p *parser) packet(line *Line) {
	line.Case = p.caseName()
	if p.is("{") {
		line.Fields = p.braces(false)
	}
}

func (p *parser) expect(line *Line) {
	line.Case = p.caseName()
	for p.is("{") {
		line.Fields = append(line.Fields, p.braces(true)...)
	}
	for {
		switch {
		case p.accept("within"):
			line.Within = p.duration()
		case p.accept("from"):
			p.want("new", "the one source is `from new port`")
			p.want("port", "the one source is `from new port`")
			line.Port = true
		default:
			return
		}
	}
}

func (p *parser) state(line *Line) { line.Name = p.ident("the state's name") }

func (p *parser) keep(line *Line) {
	p.packet(line)
	p.want("every", "say how often: `keep HeartBeat every 500ms`")
	line.Every = p.duration()
}

func (p *parser) on(line *Line) {
	line.Case = p.caseName()
	for p.is("{") {
		line.Fields = append(line.Fields, p.braces(true)...)
	}
	p.want("send", "say what is sent: `on Data send Ack { … }`")
	line.Reply = &Line{Span: p.peek().Span, Verb: Send}
	p.packet(line.Reply)
}

func (p *parser) alive(line *Line) {
	if line.Any = p.accept("any"); !line.Any {
		line.Cases = p.cases(false)
	}
}

func (p *parser) end(line *Line) {
	p.packet(line)
	if line.Times = 1; p.accept("times") {
		line.Times = p.number("how often", 1, 100)
	}
}

func (p *parser) before(line *Line) {
	line.Name = p.ident("the name of a state")
	p.want("only", "say what may come: `before Joined only JoinGame`")
	line.Cases = p.cases(false)
}

func (p *parser) attack(line *Line) { line.Cases = p.cases(true) }

// cases is a list of cases, with braces where fields may be.
func (p *parser) cases(fields bool) []Choice {
	var all []Choice
	for {
		c := Choice{Section: fields && p.accept("section")}
		if c.Section {
			c.Case = p.ident("the name of a message")
		} else {
			c.Case = p.caseName()
		}
		if fields && !c.Section && p.is("{") {
			c.Fields = p.braces(false)
		}
		all = append(all, c)
		if !p.accept(",") {
			return all
		}
		if p.skipLines(); len(all) > maxFields {
			p.fail("a list has at most %d cases", maxFields)
		}
	}
}

// braces reads { path = value, … }, or of an expectation { path == value, path -> name, … }. A comma or a new line
// parts entries.
func (p *parser) braces(expectation bool) []*Field {
	p.want("{", "")
	if p.depth++; p.depth > maxDepth {
		p.fail("values nest at most %d deep", maxDepth)
	}
	var all []*Field
	for p.skipLines(); !p.accept("}"); p.skipLines() {
		if p.fields++; p.fields > maxFields {
			p.fail("a dialogue has at most %d values", maxFields)
		}
		all = append(all, p.field(expectation))
		if !p.accept(",") && !p.is("}") && p.peek().Kind != syntax.TokenLine {
			p.fail("want `,` or `}`, got %s", p.text())
		}
	}
	p.depth--
	return all
}

func (p *parser) field(expectation bool) *Field {
	f := &Field{Span: p.peek().Span, Path: p.path()}
	switch {
	case expectation && p.accept("->"):
		into := p.ident("a name")
		f.Into = &into
	case expectation:
		for _, op := range comparisons {
			if p.accept(op.String()) {
				f.Op, f.Value = op, p.expr()
				f.End = p.lexemes[p.at-1].End
				return f
			}
		}
		p.failAt(p.peek().Span, "", "want `->` and a name, or a comparison, got %s", p.text())
	default:
		p.want("=", "")
		f.Value = p.expr()
		if p.accept("->") {
			into := p.ident("a name")
			f.Into = &into
		}
	}
	f.End = p.lexemes[p.at-1].End
	return f
}

var comparisons = []syntax.Token{syntax.EqEq, syntax.NotEq, syntax.Less, syntax.LessEq, syntax.Greater, syntax.GreaterEq}

// path is a.b[0].c
func (p *parser) path() []syntax.Ident {
	path := []syntax.Ident{p.ident("a field")}
	for len(path) <= maxDepth {
		switch {
		case p.accept("."):
			path = append(path, p.ident("a field"))
		case p.is("["):
			p.at++
			l := p.peek()
			n := p.number("the number of an element", 0, 65535)
			p.want("]", "")
			path = append(path, syntax.Ident{Span: l.Span, Text: fmt.Sprint(n)})
		default:
			return path
		}
	}
	p.fail("a path has at most %d parts", maxDepth)
	return nil
}
