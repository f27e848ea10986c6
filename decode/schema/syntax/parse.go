package syntax

import "fmt"

// maxNesting is how deep bodies, parentheses, prefixes, signs and `else if`s may be inside each other, and how many
// parts a path may have. It bounds the recursion of everything that walks the tree.
const maxNesting = 64

// maxOperators is how many operators one expression may have: `a + b + c + …` makes a tree as deep as it is long.
const maxOperators = 256

// Parse reads one file; name is for the diagnostics only. Offsets count from 0. It never fails: the tree holds what could be read, with Bad
// nodes where that was nothing, and the diagnostics, in source order, say what could not. At most 100 complaints are
// made. Time and memory are linear in the source, of which more than 1 MiB is not looked at.
//
// Recursive descent, one function for each production of the grammar, in parse_decl.go, parse_item.go, parse_type.go
// and parse_expr.go. A mistake whose meaning is plain (`uint8[4]`, `case A:`) is complained about and read as what it
// means. Any other stops the parser (see stop) until the item is over.
func Parse(name string, src []byte) (*File, []Diagnostic) { return ParseAt(name, src, 0) }

// ParseAt is Parse of a file that is after others: the offset of its first byte is base.
func ParseAt(name string, src []byte, base int32) (*File, []Diagnostic) {
	p := &parser{prev: -1, open: -1, resume: -1, saidAt: -1, refused: -1, file: &File{Name: name, Src: src, Base: base}}
	if len(src) > MaxSource {
		start := Pos{Off: base, Line: 1, Col: 1}
		return p.file, []Diagnostic{{Span: Span{start, start},
			Message: fmt.Sprintf("the file has %d bytes, more than the %d that a schema may have", len(src), MaxSource)}}
	}
	p.scanner = scan(string(src), base)
	p.file.Comments = p.comments
	p.claimed = make([]bool, len(p.comments))
	p.scanned = len(p.diags)
	p.set(0)
	p.parseFile()
	p.file.Lost = len(p.diags) > p.mistyped
	SortDiagnostics(p.diags)
	if len(p.diags) > MaxErrors {
		last := p.diags[MaxErrors]
		p.diags = append(p.diags[:MaxErrors:MaxErrors], Diagnostic{Span: last.Span, Message: "too many errors"})
	}
	return p.file, p.diags
}

type parser struct {
	*scanner
	file    *File
	i       int   // index of the current token
	kind    Token // its kind, tokStopped while the parser is stopped
	prev    int   // index of the last token consumed, -1 before the first
	flat    bool  // newlines mean nothing: inside parentheses, brackets and set braces
	open    int   // index of the bracket that flat is for, -1 for none
	resume  int   // index of the token that begins the next item (see halfTyped), -1 for none
	stopped bool
	scanned int // how many of the diagnostics are the scanner's
	// mistyped is how many are of unknown types: after those nothing else is lost, the field's name least of all.
	mistyped int

	depth     int // of nesting, at most maxNesting
	exprDepth int // how many expressions contain the current one
	ops       int // operators in the outermost expression so far

	done     bool   // enough was complained about
	saidAt   int    // index of the token before which something missing was complained about, -1 for none
	refused  int    // index of the token that stopped the parser last, -1 for none
	lost     bool   // the last declaration was none, so that what is indented below it is none either
	armless  bool   // the last item was an arm of no switch
	claimed  []bool // for each comment, whether it documents something
	stack    []Token
	worded   bool            // a label that is a string was refused
	sizeless map[string]bool // types that were refused since they had no size
	declared []string        // names of the types of the file, nil before they are needed
}

// set makes i the current token, or the first after it that means something.
func (p *parser) set(i int) {
	for p.flat && p.toks[i].kind == tokNewline {
		i++
	}
	p.i = i
	if !p.stopped {
		p.kind = p.toks[i].kind
	}
}

// advance consumes the current token.
func (p *parser) advance() {
	if p.stopped || p.kind == tokEOF {
		return
	}
	p.prev = p.i
	p.set(p.i + 1)
}

// at gives token i, the end of the file after the last.
func (p *parser) at(i int) tok { return p.toks[min(i, len(p.toks)-1)] }

// after gives the kind of the token n after the current one, newlines included.
func (p *parser) after(n int) Token { return p.at(p.i + n).kind }

// ahead gives the kind of the token after the current one, past a newline that means nothing.
func (p *parser) ahead() Token {
	if k := p.after(1); k != tokNewline || !p.flat {
		return k
	}
	return p.after(2) // the scanner leaves no two newlines in a row
}

// source is what token i looks like in the source.
func (p *parser) source(i int) string {
	t := p.at(i)
	return p.text[t.off:t.end]
}

// word is the text of the current token where it is a word, else "".
func (p *parser) word() string {
	if p.kind == tokWord {
		return p.source(p.i)
	}
	return ""
}

// wordAt is the text of token i where it is a word, else "".
func (p *parser) wordAt(i int) string {
	if p.at(i).kind == tokWord {
		return p.source(i)
	}
	return ""
}

func (p *parser) place(line, off int32) Pos {
	return Pos{Off: p.base + off, Line: line, Col: off - p.lines[line-1] + 1}
}

// span is the place of token i.
func (p *parser) span(i int) Span {
	t := p.at(i)
	return Span{p.place(t.line, t.off), p.place(t.line, t.end)}
}

// here is the start of the current token.
func (p *parser) here() Pos { return p.span(p.i).Pos }

// from is the span from start to the end of the last consumed token. It is never negative.
func (p *parser) from(start Pos) Span {
	if p.prev < 0 {
		return Span{start, start}
	}
	end := p.span(p.prev).End
	if end.Off < start.Off {
		end = start
	}
	return Span{start, end}
}

// gap is the place after the last consumed token, where something is missing.
func (p *parser) gap() Span {
	if p.prev < 0 {
		return Span{p.here(), p.here()}
	}
	end := p.span(p.prev).End
	return Span{end, end}
}

// complain reports a mistake that the parser reads past. While it is stopped there is nothing new to say.
func (p *parser) complain(at Span, fix, format string, args ...any) {
	if p.stopped || p.done {
		return
	}
	p.diags = append(p.diags, Diagnostic{Span: at, Message: fmt.Sprintf(format, args...), Fix: fix})
	if len(p.diags)-p.scanned > MaxErrors { // the file is no schema: leave it
		p.done = true
		p.stop()
	}
}

// slip complains about something after which nothing is lost: all names are still known.
func (p *parser) slip(at Span, fix, format string, args ...any) {
	before := len(p.diags)
	p.complain(at, fix, format, args...)
	p.mistyped += len(p.diags) - before
}

// refuse reports a mistake at the current token and stops. Over an illegal token the scanner has complained.
func (p *parser) refuse(fix, format string, args ...any) {
	if p.kind != tokIllegal {
		p.complain(p.current(), fix, format, args...)
	}
	if !p.stopped {
		p.refused = p.i
	}
	p.stop()
}

// current is where to complain about the current token: after the last one where the line has ended.
func (p *parser) current() Span {
	if p.prev < 0 {
		return p.span(p.i)
	}
	last, t := p.toks[p.prev], p.toks[p.i]
	closes := t.kind == tokRBrace || t.kind == tokRParen || t.kind == tokRBracket
	if p.lineEnds() || closes && last.kind != tokNewline && last.kind != tokLBrace && last.line != t.line {
		return p.gap()
	}
	return p.span(p.i)
}

// lineEnds reports whether no token follows the last consumed one on its line.
func (p *parser) lineEnds() bool {
	k := p.toks[p.i].kind
	return k == tokNewline || k == tokEOF ||
		p.prev >= 0 && !p.toks[p.prev].kind.continues() && p.toks[p.prev].line != p.toks[p.i].line
}

// got describes the current token for a message.
func (p *parser) got() string {
	if p.toks[p.i].kind == tokEOF {
		return "the end of the file"
	}
	if p.lineEnds() {
		return "the end of the line"
	}
	if p.toks[p.i].kind == tokString {
		return "a string"
	}
	return "`" + clip(p.source(p.i)) + "`"
}

// want refuses the current token in favour of what the grammar asks for.
func (p *parser) want(what string) { p.refuse("", "want %s, got %s", what, p.got()) }

// expect consumes a token of the given kind.
func (p *parser) expect(kind Token) bool {
	if p.kind != kind {
		p.want("`" + kind.String() + "`")
		return false
	}
	p.advance()
	return true
}

// accept consumes the current token if it is of the given kind.
func (p *parser) accept(kind Token) bool {
	if p.kind != kind {
		return false
	}
	p.advance()
	return true
}

// acceptWord consumes the current token if it is the given word.
func (p *parser) acceptWord(word string) bool {
	if p.word() != word {
		return false
	}
	p.advance()
	return true
}

// enter goes one level down; leave comes back up, whether or not enter refused.
func (p *parser) enter() bool {
	p.depth++
	if p.depth > maxNesting {
		p.refuse("", "nested more than %d deep", maxNesting)
		p.saidAt = len(p.toks) - 1 // nobody counts the brackets after this
		return false
	}
	return !p.stopped
}

func (p *parser) leave() { p.depth-- }

// inside parses what is between a bracket, which is the current token, and its partner. Newlines mean nothing
// there, unless a body opens inside.
func (p *parser) inside(closer Token, content func()) {
	if p.stopped {
		return
	}
	open, flat, around := p.i, p.flat, p.open
	p.flat, p.open = true, open
	p.advance()
	content()
	p.flat, p.open = flat, around
	p.close(open, closer)
}

// block parses `{ … }`: item is called at the start of each item and consumes at least a token or stops; begins tells
// where an item may start after a comma. The rest of a line after an item that was good is complained about once.
func (p *parser) block(item func(), begins func(i int) bool) {
	if p.kind == tokNewline && p.after(1) == tokLBrace {
		p.complain(p.span(p.i+1), "put it on the line above", "the `{` is at the end of the line that it belongs to")
		p.set(p.i + 1)
	}
	if p.kind != tokLBrace && !p.assumeBrace() {
		return
	}
	if !p.enter() {
		p.leave()
		return
	}
	open, flat, around := p.i, p.flat, p.open
	p.flat, p.open = false, -1
	p.advance()
	for !p.stopped && p.kind != tokRBrace && p.kind != tokEOF && !p.forgotten(open) {
		start := p.i
		item()
		if !p.stopped && !p.itemEnds() {
			p.trailing(begins)
		}
		p.resync(start, begins)
		if p.kind == tokNewline || p.kind == tokComma {
			p.advance()
		}
	}
	p.leave()
	p.flat, p.open = flat, around
	switch {
	case p.kind == tokRBrace:
		p.advance()
	case p.kind == tokEOF && p.saidAt != p.i:
		p.missingBrace(open)
	}
}

func (p *parser) itemEnds() bool {
	switch p.kind {
	case tokNewline, tokComma, tokRBrace, tokEOF:
		return true
	}
	return p.i == p.saidAt || p.lineOver() && p.word() == "else" // its newline was dropped
}

// lineOver reports whether the current token is on a later line than the last consumed one.
func (p *parser) lineOver() bool { return p.prev >= 0 && p.toks[p.prev].line < p.toks[p.i].line }
