package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// MaxSource is the most bytes that a schema may have, with all that it imports: it can come from a stranger.
const MaxSource = 1 << 20

// maxName is the longest name: each is shown once per packet and element, and a packet has half a million.
const maxName = 128

// MaxErrors is how many complaints one file gets before "too many errors".
const MaxErrors = 100

// tok is a token in the source. A token never spans lines, so its line and its offsets give both ends.
type tok struct {
	kind           Token
	off, end, line int32
}

// scanner turns a source into tokens in one pass. All of them are kept: 16 bytes a token, at most one token a byte,
// which buys the parser free lookahead for its advice and linear recovery.
//
// Newlines are dropped here where one token decides it: in front, in runs, after a token that cannot end an item, and
// before `)`, `]` and `else`. Those inside parentheses and set braces are dropped by the parser, which after an error
// knows that a bracket was forgotten and takes the line ends seriously again.
type scanner struct {
	text      string
	base      int32 // the offset of its first byte (see File.Base)
	off       int
	line      int32
	lines     []int32 // offset of the first byte of each line
	toks      []tok
	comments  []Comment
	behind    []int32 // for each comment the index of the last token before it, -1 for none
	unclosed  []int32 // indexes of the `{` not closed so far, ascending
	extra     int32   // index of the last `}` that closes nothing, -1 for none
	diags     []Diagnostic
	spoilt    int32 // the line with an illegal token last: nothing more is said about it
	swallowed int   // how many `}` are in strings that are not closed, and may have been meant as such
	arrows    bool  // `->` is a token
}

// scan reads all of text, which has at most MaxSource bytes and whose first has offset base. The last token is the end
// of the file. After maxErrors complaints it stops early.
func scan(text string, base int32) *scanner { return newScanner(text, base).all() }

func newScanner(text string, base int32) *scanner {
	return &scanner{text: text, base: base, line: 1, lines: []int32{0}, extra: -1}
}

// all scans to the end.
func (s *scanner) all() *scanner {
	s.start()
	for s.off < len(s.text) && len(s.diags) <= MaxErrors {
		s.next()
	}
	s.emit(tokEOF, s.off, s.off)
	return s
}

// start refuses the marks that editors put before a text, and what begins as captures do, compressed ones, too.
func (s *scanner) start() {
	begin := s.text[:min(len(s.text), 8)]
	switch {
	case strings.HasPrefix(s.text, "\xef\xbb\xbf"):
		s.complain(0, 3, "the file starts with a byte order mark", "save it as UTF-8 without one")
		s.off = 3
	case strings.HasPrefix(s.text, "\xff\xfe"), strings.HasPrefix(s.text, "\xfe\xff"):
		s.complain(0, 2, "the file is UTF-16", "save it as UTF-8")
		s.off = len(s.text) // every further byte would be a complaint
	case strings.Contains(begin, "\x00"), strings.HasPrefix(begin, "\x1f\x8b"), strings.HasPrefix(begin, "\x28\xb5\x2f\xfd"):
		s.complain(0, 1, "the file is no text: is it a capture?", "")
		s.off = len(s.text)
	}
}

func (s *scanner) pos(off int) Pos {
	return Pos{Off: s.base + int32(off), Line: s.line, Col: int32(off) - s.lines[s.line-1] + 1}
}

// slice is the source between two places.
func (s *scanner) slice(from, to Pos) string { return s.text[from.Off-s.base : to.Off-s.base] }

func (s *scanner) complain(off, end int, message, fix string) {
	if s.spoilt == s.line {
		return
	}
	s.diags = append(s.diags, Diagnostic{Span: Span{s.pos(off), s.pos(end)}, Message: message, Fix: fix})
}

// emit adds the token [off, end) and goes on after it.
func (s *scanner) emit(kind Token, off, end int) {
	switch kind {
	case tokLBrace:
		s.unclosed = append(s.unclosed, int32(len(s.toks)))
	case tokRBrace:
		if n := len(s.unclosed); n > 0 {
			s.unclosed = s.unclosed[:n-1]
		} else {
			s.extra = int32(len(s.toks))
		}
	case tokRParen, tokRBracket:
		s.dropNewline()
	case tokIllegal:
		s.spoilt = s.line
	}
	s.toks = append(s.toks, tok{kind, int32(off), int32(end), s.line})
	s.off = end
}

// dropNewline takes back the newline before a token that continues the line above.
func (s *scanner) dropNewline() {
	if n := len(s.toks); n > 0 && s.toks[n-1].kind == tokNewline {
		s.toks = s.toks[:n-1]
	}
}

// endItem adds a newline token where one means something.
func (s *scanner) endItem(off int) {
	if n := len(s.toks); n > 0 && !s.toks[n-1].kind.continues() {
		s.emit(tokNewline, off, off)
	}
}

// newLine goes on after the line feed at s.off.
func (s *scanner) newLine() {
	s.off++
	s.line++
	s.lines = append(s.lines, int32(s.off))
}

// peek gives the byte n after the current one, 0 after the end.
func (s *scanner) peek(n int) byte {
	if s.off+n < len(s.text) {
		return s.text[s.off+n]
	}
	return 0
}

func (s *scanner) next() {
	c := s.text[s.off]
	switch {
	case c == ' ' || c == '\t':
		s.off++
	case c == '\n':
		s.endItem(s.off)
		s.newLine()
	case c == '\r' && s.peek(1) == '\n':
		s.off++
	case c == '/' && s.peek(1) == '/':
		s.comment()
	case c == '/' && s.peek(1) == '*':
		s.blockComment()
	case c == '#':
		s.hash()
	case isLetter(c):
		s.word()
	case isDigit(c) || c == '.' && isDigit(s.peek(1)) && !s.inPath():
		s.number()
	case c == '"':
		s.str()
	case c == '\'':
		s.char()
	default:
		s.operator(c)
	}
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// inPath reports whether the point at s.off touches the name before it.
func (s *scanner) inPath() bool {
	n := len(s.toks)
	return n > 0 && int(s.toks[n-1].end) == s.off && (s.toks[n-1].kind == tokWord || s.toks[n-1].kind == tokName)
}

// lineEnd is the offset of the next line feed or of the carriage return before it, or of the end of the file.
func (s *scanner) lineEnd() int {
	end := len(s.text)
	if n := strings.IndexByte(s.text[s.off:], '\n'); n >= 0 {
		end = s.off + n
	}
	if end > s.off && s.text[end-1] == '\r' {
		end--
	}
	return end
}

func (s *scanner) comment() {
	end := s.lineEnd()
	s.checkText(s.off, end)
	last := len(s.toks) - 1
	if last >= 0 && s.toks[last].kind == tokNewline {
		last-- // a newline that stands for a `;` on this line
	}
	s.comments = append(s.comments, Comment{
		Span:     Span{s.pos(s.off), s.pos(end)},
		Text:     strings.TrimPrefix(strings.TrimPrefix(s.text[s.off+2:end], "/"), " "), // `///` is a habit of other languages
		Trailing: last >= 0 && s.toks[last].line == s.line,
	})
	s.behind = append(s.behind, int32(last))
	s.off = end
}

// checkText complains about the first byte of a comment or a string that is not text.
func (s *scanner) checkText(off, end int) bool {
	for off < end {
		r, n := utf8.DecodeRuneInString(s.text[off:end])
		if r == 0 || r == utf8.RuneError && n == 1 {
			s.illegal(off, n, r)
			return false
		}
		off += n
	}
	return true
}

// hash reads past a line of C's preprocessor, or what somebody took for a comment.
func (s *scanner) hash() {
	end := s.off + 1
	for end < len(s.text) && isLetter(s.text[end]) {
		end++
	}
	message, fix := "there is no preprocessor", "remove the line"
	switch s.text[s.off+1 : end] {
	case "include", "import":
		fix = "write `import \"stun.pks\"`, of a file in the schema's directory"
	case "define":
		fix = "a constant is `const Name = value`"
	case "pragma", "if", "ifdef", "ifndef", "elif", "else", "endif", "undef", "error", "line":
	default:
		end = s.off + 1
		message, fix = "`#` starts no comment", "comments start with `//`"
	}
	s.complain(s.off, end, message, fix)
	s.off = s.lineEnd()
}

func (s *scanner) blockComment() {
	s.complain(s.off, s.off+2, "`/*` starts no comment", "comments start with `//` and end with the line")
	for s.off += 2; s.off < len(s.text); {
		switch {
		case s.text[s.off] == '\n':
			s.endItem(s.off)
			s.newLine()
		case s.text[s.off] == '*' && s.peek(1) == '/':
			s.off += 2
			return
		default:
			s.off++
		}
	}
}

func (s *scanner) word() {
	end := s.off + 1
	for end < len(s.text) && (isLetter(s.text[end]) || isDigit(s.text[end])) {
		end++
	}
	kind := tokWord
	if c := s.text[s.off]; c >= 'A' && c <= 'Z' {
		kind = tokName
	}
	if s.text[s.off:end] == "else" {
		s.dropNewline()
	}
	if end-s.off > maxName {
		s.complain(s.off, end, fmt.Sprintf("a name has at most %d characters, this one has %d", maxName, end-s.off), "")
	}
	s.emit(kind, s.off, end)
}

// operators holds what is made of two characters before what is made of one.
var operators = []struct {
	text string
	kind Token
}{
	{"..", tokDotDot}, {"<<", Shl}, {">>", Shr}, {"==", EqEq}, {"!=", NotEq}, {"<=", LessEq}, {">=", GreaterEq},
	{"&&", AndAnd}, {"||", OrOr},
	{"(", tokLParen}, {")", tokRParen}, {"[", tokLBracket}, {"]", tokRBracket}, {"{", tokLBrace}, {"}", tokRBrace},
	{",", tokComma}, {":", tokColon}, {".", tokDot}, {"@", tokAt}, {"=", tokAssign},
	{"-", Minus}, {"!", Not}, {"+", Plus}, {"*", Star}, {"/", Slash}, {"%", Percent}, {"&", Amp}, {"|", Pipe},
	{"^", Caret}, {"<", Less}, {">", Greater},
}

const semicolonMessage = "no semicolons: the end of the line ends an item"

// foreignOperators are those of other languages. Each becomes the token that was meant, or tokIllegal.
var foreignOperators = []struct {
	text, message, fix string
	kind               Token
}{
	{"...", "a range has two dots", "write `a..b`; both ends are included", tokDotDot},
	{"..=", "the upper end of a range is always included", "write `a..b`", tokDotDot},
	{"..<", "the upper end of a range is always included", "write `a..b` with b one less", tokDotDot},
	{"&^", "there is no operator `&^`", "", tokIllegal},
	{"=>", "there is no `=>`", "an arm is written `A: T`", tokColon},
	{"->", "there is no `->`", "an arm is written `A: T`", tokColon},
	{";", semicolonMessage, "remove the `;`", tokNewline},
	{"::", "there are no namespaces", "a case is written `Kind.Hello`", tokDot},
	{"?", "there is no operator `?`", "a value that may be missing is `optional T`", tokIllegal},
	{"~", "there is no operator `~`", "`x ^ 0xff` turns the bits of a byte over", tokIllegal},
}

func (s *scanner) operator(c byte) {
	rest := s.text[s.off:]
	if s.arrows && strings.HasPrefix(rest, "->") {
		s.emit(tokArrow, s.off, s.off+2)
		return
	}
	for i := range foreignOperators {
		op := &foreignOperators[i]
		if strings.HasPrefix(rest, op.text) {
			end := s.off + len(op.text)
			fix := op.fix
			if op.kind == tokNewline {
				fix = s.separator(end, fix)
			}
			s.complain(s.off, end, op.message, fix)
			if op.kind == tokNewline {
				s.endItem(s.off)
				s.off = end
				return
			}
			s.emit(op.kind, s.off, end)
			return
		}
	}
	for i := range operators {
		op := &operators[i]
		if strings.HasPrefix(rest, op.text) {
			s.emit(op.kind, s.off, s.off+len(op.text))
			return
		}
	}
	r, n := utf8.DecodeRuneInString(rest)
	s.illegal(s.off, n, r)
	s.emit(tokIllegal, s.off, s.off+n)
}

// separator is what to write instead of the `;` that ends at off: something where another item follows on the line.
func (s *scanner) separator(off int, fix string) string {
	rest := strings.TrimLeft(s.text[off:min(off+maxExcerpt, len(s.text))], " \t\r;")
	switch {
	case rest == "" || rest[0] == '\n' || rest[0] == '}' || strings.HasPrefix(rest, "//"):
		return fix
	case len(s.unclosed) == 0:
		return "begin a new line instead"
	}
	return "write `,` or a new line between items"
}

// illegal complains about the character r of n bytes at off, which no text of the language holds there.
func (s *scanner) illegal(off, n int, r rune) {
	if s.spoilt == s.line {
		return
	}
	message, fix := fmt.Sprintf("unexpected character `%s`", EscapeText(s.text[off:off+n])), ""
	switch {
	case r == utf8.RuneError && n == 1:
		message = fmt.Sprintf("the byte 0x%02x is not UTF-8", s.text[off])
		fix = "save the file as UTF-8"
	case r == 0:
		message = "a NUL byte: this is no text"
	case r == '\r':
		message = "a carriage return without a line feed"
	case r == '\ufeff':
		message, fix = "a byte order mark inside the file", "remove it"
	case r >= utf8.RuneSelf:
		fix = "names are made of ASCII letters, digits and `_`"
	case r == '$' || r == '\\' || r == '`':
		fix = "remove it"
	}
	s.complain(off, off+n, message, fix)
}
