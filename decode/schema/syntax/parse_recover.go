package syntax

import "slices"

// Recovery: how the parser goes on after a mistake. The aim is one message for one mistake and none for what is right
// below it. A complaint costs at most a walk over the rest of the file, and there are at most maxErrors of them; what
// is skipped without one must use resyncLine, which never walks over the same token twice.

// stop makes every production return at once, up to the list of items that calls resync.
func (p *parser) stop() {
	p.stopped, p.kind = true, tokStopped
}

// close consumes the bracket that ends what token open began. A forgotten one is complained about and taken as
// written: the lines below it are not to blame.
func (p *parser) close(open int, closer Token) {
	switch {
	case p.stopped:
	case p.kind == closer:
		p.advance()
	case p.lineEnds() || p.kind == tokLBrace || p.kind == tokRBrace:
		if n := len(p.diags); n == p.scanned || p.diags[n-1].Pos != p.gap().Pos { // one for `((`
			p.unclosedAt(open, closer)
		}
		p.set(p.prev + 1)
	default:
		p.want("`" + closer.String() + "`")
	}
}

func (p *parser) unclosedAt(open int, closer Token) {
	p.complain(p.gap(), "", "missing `%s`: the `%s` at %s is not closed", closer, p.at(open).kind, p.span(open).Pos)
}

// halfTyped complains where an item that has begun needs more, and the current token begins the next one on a line of
// its own: it is called where that token is none of what may follow.
func (p *parser) halfTyped() bool {
	if p.stopped || !p.lineOver() || !p.beginsLine(p.i) {
		return false
	}
	if p.open < 0 {
		p.complain(p.gap(), "", "want a value, got the end of the line")
	} else {
		closers := map[Token]Token{tokLParen: tokRParen, tokLBracket: tokRBracket, tokLBrace: tokRBrace}
		p.unclosedAt(p.open, closers[p.at(p.open).kind])
	}
	p.resume = p.i
	p.stop()
	return true
}

// beginsLine reports whether token i is a field's name and a type follows, or a word that begins an item and names
// nothing.
func (p *parser) beginsLine(i int) bool {
	if p.at(i).kind != tokWord {
		return false
	}
	switch word, next := p.wordAt(i), p.wordAt(i+1); {
	case reserved[word]:
		return slices.Contains(ItemWords, word) && word != "else"
	case p.at(i+1).kind == tokName, p.at(i+1).kind == tokLBracket, slices.Contains(ValueWords, next):
		return true
	case p.at(i+2).kind == tokLParen:
		return typeWords[next].form != 0 || next == "crc"
	case next == "quat":
		return p.wordAt(i+2) == "smallest3"
	default:
		form := typeWords[next].form
		return form == formSimple || form == formFixed || form == formSum
	}
}

// resync ends a stop: it goes from the token that was refused to the end of the item that began with token start, that
// is to a newline, the `}` of the enclosing body, or a comma after which begins sees a new item. Brackets that the
// item has opened are closed first; where one is never closed, the item ends with the line of the last good token.
func (p *parser) resync(start int, begins func(i int) bool) {
	if !p.stopped {
		return
	}
	p.stopped = false
	resume := p.resume
	p.resume = -1
	switch {
	case p.done:
		p.set(len(p.toks) - 1)
		return
	case resume > start && (begins(resume) || p.declares(resume)):
		p.set(resume)
		return
	}
	p.stack = p.stack[:0]
	for i := start; i < p.i; i++ {
		p.track(p.toks[i].kind)
	}
	for i := p.i; ; i++ {
		k := p.toks[i].kind
		if len(p.stack) == 0 && (k == tokNewline || k == tokRBrace || k == tokEOF || k == tokComma && begins(i+1)) {
			p.set(i)
			return
		}
		if k == tokEOF || !p.track(k) {
			break
		}
	}
	p.resyncLine(max(start, p.prev+1))
}

// resyncLine goes from token i to the end of its line, past whole `{ … }`.
func (p *parser) resyncLine(i int) {
	for depth := 0; ; i++ {
		switch k := p.toks[i].kind; {
		case k == tokEOF, depth == 0 && (k == tokNewline || k == tokRBrace):
			p.set(i)
			return
		case k == tokLBrace:
			depth++
		case k == tokRBrace:
			depth--
		}
	}
}

// resyncBlock goes to token i and past the `{ … }` that opens there.
func (p *parser) resyncBlock(i int) {
	depth := 0
	for ; ; i++ {
		switch p.at(i).kind {
		case tokLBrace:
			depth++
		case tokRBrace:
			depth--
		case tokEOF:
			depth = 0
		}
		if depth <= 0 {
			break
		}
	}
	if p.at(i).kind == tokRBrace {
		i++
	}
	p.prev = i - 1
	p.set(i)
}

// track keeps the stack of open brackets over a token of kind k. It reports false for a `}` that closes nothing on the
// stack; a stray `)` or `]` means nothing.
func (p *parser) track(k Token) bool {
	top := Token(0)
	if n := len(p.stack); n > 0 {
		top = p.stack[n-1]
	}
	switch {
	case k == tokLParen || k == tokLBracket || k == tokLBrace:
		p.stack = append(p.stack, k)
	case k == tokRParen && top == tokLParen, k == tokRBracket && top == tokLBracket, k == tokRBrace && top == tokLBrace:
		p.stack = p.stack[:len(p.stack)-1]
	case k == tokRBrace:
		return false
	}
	return true
}

// skipBrackets gives the index after the bracket that closes the one at token i, on the same line; ok is false where
// there is none.
func (p *parser) skipBrackets(i int) (behind int, ok bool) {
	for depth := 0; ; i++ {
		switch p.at(i).kind {
		case tokLParen, tokLBracket, tokLBrace:
			depth++
		case tokRParen, tokRBracket, tokRBrace:
			if depth--; depth == 0 {
				return i + 1, true
			}
		case tokNewline, tokEOF:
			return i, false
		}
	}
}

// assumeBrace complains about a missing `{`. Where the file has a `}` too many after it, what follows the line is
// taken for the body if it is indented, and the line's end for the brace.
func (p *parser) assumeBrace() bool {
	stopped := p.stopped
	p.want("`{`")
	if stopped || p.done || int(p.extra) < p.i {
		return false
	}
	i := p.i
	for !p.ends(i) {
		i++
	}
	if p.at(i).kind != tokNewline || p.indent(i+1) <= p.indent(i) {
		return false
	}
	p.stopped = false
	p.set(i)
	return p.kind == tokNewline // not where newlines mean nothing
}

// indent is the column of the first token on the line of token i.
func (p *parser) indent(i int) int32 {
	line := p.at(i).line
	for i > 0 && p.at(i-1).line == line {
		i--
	}
	return p.span(i).Pos.Col
}

// trailing complains about what is after a good item on its line, and goes on with it if it is an item.
func (p *parser) trailing(begins func(i int) bool) {
	if p.kind == tokIllegal || !begins(p.i) {
		p.want("the end of the line")
		return
	}
	if slices.Contains(elseWords, p.source(p.i)) {
		return // what it is meant for may follow
	}
	p.complain(p.current(), "put it on a line of its own, or after a `,`", "`%s` follows on the same line", clip(p.source(p.i)))
}

// forgotten reports whether the body opened by token open ends here without a `}`: nothing closes it up to the end of
// the file, and the current token starts a declaration at the margin.
func (p *parser) forgotten(open int) bool {
	if p.kind != tokWord || p.toks[p.i].off != p.lines[p.toks[p.i].line-1] || !p.declares(p.i) {
		return false
	}
	if _, found := slices.BinarySearch(p.unclosed, int32(open)); !found {
		return false
	}
	if p.saidAt != p.i {
		p.missingBrace(open)
	}
	return true
}

// missingBrace complains that the `{` of token open is not closed before the current token, unless the `}` went into a
// string without an end.
func (p *parser) missingBrace(open int) {
	p.saidAt = p.i
	if p.swallowed > 0 {
		p.swallowed--
		return
	}
	p.complain(p.gap(), "", "missing `}`: the `{` at %s is not closed", p.span(open).Pos)
}

// declares reports whether a declaration that no item looks like begins at token i.
func (p *parser) declares(i int) bool {
	word, next, third := p.wordAt(i), p.at(i+1).kind, p.at(i+2)
	switch word {
	case "struct":
		return next == tokName && (third.kind == tokLBrace || third.kind == tokLParen || p.wordAt(i+2) == "order")
	case "enum", "flags":
		return next == tokName && third.kind == tokColon
	case "open":
		return p.wordAt(i+1) == "enum" || p.wordAt(i+1) == "flags"
	case "packet":
		return next == tokLBrace
	case "message":
		return next == tokName && (p.wordAt(i+2) == "max" || third.kind == tokLBrace)
	case "flow":
		return p.wordAt(i+1) == "by"
	case "state":
		return next == tokLBrace
	case "const", "param":
		return next == tokName && third.kind == tokAssign
	case "expect":
		return next == tokWord && third.kind == tokDuration
	}
	return false
}
