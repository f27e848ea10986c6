package syntax

import (
	"fmt"
	"strings"
)

// The formatter. It prints the tokens of the source, not the tree, so that none can be lost and each keeps its
// spelling; the tree only says what a token is for (format_marks.go). Comments stay after the token that they stood
// after. What the author decides: where a line breaks inside an item, and whether a body is on one line. All else
// has one style: spaces (format_space.go), four of them for each level, one item to a line, columns (format_align.go).

// Format prints a source in the one style of the language. A source with syntax errors is refused: the text is nil and
// the diagnostics say why; names and types are not checked. The result parses to the same tree with the same comments
// in the same order (less the blanks at their ends), and formatting it again changes nothing.
//
// A source whose text would grow beyond MaxSource by its indentation and columns is refused as well: a stranger's name
// of half a megabyte above ten thousand short ones would make gigabytes of blanks.
func Format(name string, src []byte) ([]byte, []Diagnostic) {
	f, diags := Parse(name, src)
	if HasErrors(diags) {
		return nil, diags
	}
	l := &layout{scanner: scan(string(src), 0)}
	l.marks, l.partner = markTokens(f, l.scanner)
	l.lay()
	out, ok := l.print()
	if !ok {
		start := Pos{Off: 0, Line: 1, Col: 1}
		return nil, append(diags, Diagnostic{Span: Span{start, start},
			Message: fmt.Sprintf("formatted, the file would have more than the %d bytes that a schema may have", MaxSource)})
	}
	return out, nil
}

// layout turns the tokens into rows of text.
type layout struct {
	*scanner
	marks   []mark  // of each token
	partner []int32 // of each opening bracket: the token that closes it
	said    int     // comments placed so far

	buf  []byte // the text of all rows, one after the other, without comments
	rows []row
	open bool // the last row takes more tokens

	stack []bracket
	line  int32 // source line of the last token or comment placed
	// afterBlock: the last token closed a block of several lines, so that an `else` goes on its line.
	afterBlock bool
	fresh      bool // a block was opened and nothing has been placed in it: no blank line there
}

// row is one line of the result. Cells begin at offsets in layout.buf; 0 where a row has no such cell.
type row struct {
	indent       int
	from, to     int
	value, notes int    // the second and third cell
	subset, list int    // the first `subset(…)` and the `[` after it
	depth        int    // of the bracket stack where the row began
	item         bool   // begins with an item
	blank        bool   // an empty line is above
	alone        bool   // a comment and nothing else
	comment      string // with its `//`
}

// bracket is an open bracket.
type bracket struct {
	block  bool // of items; otherwise parentheses, square brackets or a set's braces
	multi  bool // a block over several lines
	indent int  // of the row that it is on
}

// lay makes the rows.
func (l *layout) lay() {
	prev := -1
	for i := range l.toks {
		if l.toks[i].kind == tokNewline {
			continue
		}
		for l.said < len(l.comments) && l.comments[l.said].Pos.Off < l.toks[i].off {
			l.place(&l.comments[l.said], i)
			l.said++
		}
		if l.toks[i].kind == tokEOF {
			return
		}
		l.token(i, prev)
		prev = i
		l.line = l.toks[i].line
	}
}

// place puts a comment after the text of its line, or on a row of its own above token next.
func (l *layout) place(c *Comment, next int) {
	text := commentText(l.raw(c))
	l.finish(next)
	if c.Trailing && l.open {
		l.rows[len(l.rows)-1].comment = text
		l.open = false
	} else {
		between := l.begins(next) || l.closes(next) || l.toks[next].kind == tokEOF
		indent := l.indentOf(next)
		if n := len(l.stack); n > 0 && isCloser(l.toks[next].kind) {
			indent = l.stack[n-1].indent + 1
		}
		l.rows = append(l.rows, row{indent: indent, from: len(l.buf), to: len(l.buf), alone: true, comment: text,
			blank: between && c.Pos.Line-l.line > 1 && !l.fresh && len(l.rows) > 0})
		l.open, l.fresh = false, false
	}
	l.line = c.Pos.Line
}

// raw is a comment as the source writes it.
func (l *layout) raw(c *Comment) string { return l.slice(c.Pos, c.End) }

// commentText is a comment without blanks at its end, and with one in front where a word touches the slashes: `//---`
// stays what it is. A carriage return at the end would be taken for half a line end when the result is read.
func commentText(s string) string {
	s = strings.TrimRight(s, " \t\r\v\f")
	if len(s) > 2 && (isLetter(s[2]) || isDigit(s[2])) {
		return "// " + s[2:]
	}
	return s
}

// top is the innermost bracket; at the top level a block that needs no indentation.
func (l *layout) top() bracket {
	if n := len(l.stack); n > 0 {
		return l.stack[n-1]
	}
	return bracket{block: true, multi: true, indent: -1}
}

// begins reports whether a declaration or an item begins at token i.
func (l *layout) begins(i int) bool { return l.marks[i]&markItem != 0 }

// closes reports whether token i ends a block.
func (l *layout) closes(i int) bool { return l.toks[i].kind == tokRBrace && l.top().block }

// indentOf is the indentation of a row that begins with token i.
func (l *layout) indentOf(i int) int {
	top := l.top()
	switch {
	case isCloser(l.toks[i].kind):
		return top.indent
	case !top.block, l.begins(i), l.toks[i].kind == tokEOF, l.isElse(i):
		return top.indent + 1
	}
	return top.indent + 2
}

func isCloser(k Token) bool { return k == tokRParen || k == tokRBracket || k == tokRBrace }

func (l *layout) isElse(i int) bool { return l.toks[i].kind == tokWord && l.source(i) == "else" }

func (l *layout) source(i int) string { return l.text[l.toks[i].off:l.toks[i].end] }

// token puts token i, which follows token prev, onto the last row or a new one.
func (l *layout) token(i, prev int) {
	t := l.toks[i]
	if t.kind == tokComma && l.top().block && l.separates(i) {
		if next := l.next(i); !l.top().multi && l.toks[next].kind != tokRBrace {
			l.buf = append(l.buf, ',')
			l.rows[len(l.rows)-1].to = len(l.buf)
		}
		return
	}
	r := l.rowFor(i, prev)
	if r.from < r.to && spaceBetween(l.toks[prev].kind, l.marks[prev], t.kind, l.marks[i]) {
		l.buf = append(l.buf, ' ')
	}
	at := len(l.buf)
	if r.item && r.depth == len(l.stack) {
		switch m := l.marks[i]; {
		case m&markValue != 0:
			r.value = at
		case m&markNotes != 0:
			r.notes = at
		}
	}
	if m := l.marks[i]; m&markSubset != 0 && r.subset == 0 && r.list == 0 {
		r.subset = at
	} else if m&markList != 0 && r.subset != 0 && r.list == 0 {
		r.list = at
	}
	l.buf = append(l.buf, l.source(i)...)
	r.to = len(l.buf)
	l.fresh = false
	l.afterBlock = t.kind == tokRBrace && l.top().block && l.top().multi
	switch t.kind {
	case tokLBrace, tokLParen, tokLBracket:
		block := l.marks[i]&markBlock != 0
		multi := block && l.toks[l.partner[i]].line != t.line
		l.stack = append(l.stack, bracket{block, multi, r.indent})
		l.fresh = multi
	case tokRBrace, tokRParen, tokRBracket:
		l.stack = l.stack[:len(l.stack)-1]
	}
}

// rowFor is the row that token i belongs on.
func (l *layout) rowFor(i, prev int) *row {
	n := len(l.rows)
	item := l.begins(i) && l.top().multi
	ends := l.closes(i) && l.top().multi
	broken := prev >= 0 && l.toks[i].line != l.toks[prev].line && !(l.isElse(i) && l.afterBlock)
	if l.open && !item && !ends && !broken {
		return &l.rows[n-1]
	}
	l.finish(i)
	r := row{indent: l.indentOf(i), from: len(l.buf), to: len(l.buf), depth: len(l.stack), item: item,
		blank: item && n > 0 && l.toks[i].line-l.line > 1 && !l.fresh}
	l.rows = append(l.rows, r)
	l.open = true
	return &l.rows[n]
}

// finish ends the last row before token next. Where the item that began on it goes on, the row has no columns.
func (l *layout) finish(next int) {
	if !l.open {
		return
	}
	r := &l.rows[len(l.rows)-1]
	if len(l.stack) != r.depth || !l.begins(next) && !l.closes(next) && l.toks[next].kind != tokEOF {
		r.value, r.notes = 0, 0
	}
}

// next is the token after token i that is no newline.
func (l *layout) next(i int) int {
	for i++; l.toks[i].kind == tokNewline; i++ {
	}
	return i
}

// separates reports whether the comma at token i is between items, not between the labels of an arm.
func (l *layout) separates(i int) bool {
	next := l.next(i)
	return len(l.stack) > 0 && (l.begins(next) || l.toks[next].kind == tokRBrace)
}
