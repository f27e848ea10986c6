package importer

import (
	"bytes"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The tokens of both languages: words, numbers, texts, marks, and the lines of a preprocessor. Comments hang on the
// tokens beside them.

type tokenKind uint8

const (
	tokenEnd tokenKind = iota
	tokenWord
	tokenNumber
	tokenText      // with its quotes
	tokenMark      // operators and brackets, as long as they can be
	tokenDirective // a line that begins with `#`
)

type token struct {
	kind tokenKind
	text string
	span syntax.Span
	nl   bool     // it is the first of its line
	lead []string // comments above it, a "" for an empty line
	tail string   // the comment after it on its line
}

// is reports whether the token is this mark or word.
func (t token) is(text string) bool {
	return t.text == text && (t.kind == tokenMark || t.kind == tokenWord)
}

// shown is the token as messages have it.
func (t token) shown() string {
	if t.kind == tokenEnd {
		return "the end of the file"
	}
	const most = 40
	if len(t.text) > most {
		return fmt.Sprintf("%q…", t.text[:most])
	}
	return fmt.Sprintf("`%s`", t.text)
}

// marks are those of more than one byte, the longest first.
var marks = []string{"...", "<<=", ">>=", "..", "::", "->", "<=", ">=", "==", "!=", "&&", "||", "<<", ">>", "++", "--", "+=", "-=", "*=", "/=", "|=", "&=", "^="}

// scanner makes the tokens of one file.
type scanner struct {
	src        []byte
	at         int
	line       int32
	lineStart  int
	base       int32
	out        []token
	lead       []string
	nl         bool
	directives bool
	bad        string // what is wrong, or ""
	badAt      syntax.Span
}

// scan makes the tokens of a file; the last is the end. Without directives a `#` is a mistake.
func (d *draft) scan(f *syntax.File, directives bool) []token {
	s := &scanner{src: f.Src, line: 1, base: f.Base, nl: true, directives: directives}
	if !utf8.Valid(f.Src) {
		s.fail(0, "the file is not UTF-8")
	}
	for s.bad == "" && s.skip() {
		s.next()
	}
	if s.bad != "" {
		d.fail(s.badAt, "%s", s.bad)
	}
	s.add(tokenEnd, s.at, min(s.at, len(s.src)))
	return s.out
}

func (s *scanner) pos(at int) syntax.Pos {
	return syntax.Pos{Off: s.base + int32(at), Line: s.line, Col: int32(at-s.lineStart) + 1}
}

func (s *scanner) fail(at int, message string) {
	if s.bad == "" {
		s.bad = message
		s.badAt = syntax.Span{Pos: s.pos(at), End: s.pos(min(at+1, len(s.src)))}
	}
}

func (s *scanner) newline() {
	s.line++
	s.lineStart = s.at
	s.nl = true
}

// skip passes blanks and comments; false is the end.
func (s *scanner) skip() bool {
	empty := 0
	for s.at < len(s.src) {
		switch c := s.src[s.at]; {
		case c == '\n':
			s.at++
			s.newline()
			if empty++; empty == 2 && len(s.lead) > 0 {
				s.lead = append(s.lead, "")
			}
		case c == ' ' || c == '\t' || c == '\r':
			s.at++
		case c == '\\' && s.directives && s.at+1 < len(s.src) && s.src[s.at+1] == '\n':
			s.at++
		case s.begins("//"):
			end := s.at
			for end < len(s.src) && s.src[end] != '\n' {
				end++
			}
			s.comment(string(s.src[s.at+2 : end]))
			s.at, empty = end, 0
		case s.begins("/*"):
			n := bytes.Index(s.src[s.at+2:], []byte("*/"))
			if n < 0 {
				s.fail(s.at, "a comment that does not end: want */")
				return false
			}
			text := string(s.src[s.at+2 : s.at+2+n])
			for line := range strings.Lines(text) {
				s.comment(strings.TrimLeft(strings.TrimSpace(line), "*"))
			}
			for end := s.at + n + 4; s.at < end; {
				s.at++
				if s.src[s.at-1] == '\n' {
					s.newline()
				}
			}
			empty = 0
		default:
			return true
		}
	}
	return false
}

func (s *scanner) begins(text string) bool {
	return strings.HasPrefix(string(s.src[s.at:min(s.at+len(text), len(s.src))]), text)
}

// comment keeps one line: after the token on its line, or above the next one.
func (s *scanner) comment(text string) {
	text = strings.TrimSpace(syntax.EscapeText(strings.TrimRight(text, "\r")))
	if last := len(s.out) - 1; !s.nl && last >= 0 && s.out[last].tail == "" {
		s.out[last].tail = text
		return
	}
	if text != "" {
		s.lead = append(s.lead, text)
	}
}

func (s *scanner) add(kind tokenKind, from, to int) {
	t := token{kind: kind, text: string(s.src[from:to]), nl: s.nl, lead: s.lead}
	t.span.Pos = s.pos(from)
	t.span.End = s.pos(to)
	s.out = append(s.out, t)
	s.at, s.nl, s.lead = to, false, nil
}

func isLetter(c byte) bool { return c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

func (s *scanner) next() {
	c, end := s.src[s.at], s.at+1
	switch {
	case isLetter(c):
		for end < len(s.src) && (isLetter(s.src[end]) || isDigit(s.src[end])) {
			end++
		}
		s.add(tokenWord, s.at, end)
	case isDigit(c) || c == '.' && end < len(s.src) && isDigit(s.src[end]):
		s.add(tokenNumber, s.at, s.numberEnd(end))
	case c == '"' || c == '\'':
		for end < len(s.src) && s.src[end] != c && s.src[end] != '\n' {
			if s.src[end] == '\\' && end+1 < len(s.src) && s.src[end+1] != '\n' {
				end++
			}
			end++
		}
		if end >= len(s.src) || s.src[end] != c {
			s.fail(s.at, "a text that does not end on its line")
			return
		}
		s.add(tokenText, s.at, end+1)
	case c == '#' && s.directives && s.nl:
		s.directive()
	case c < ' ' || c >= 0x7F:
		s.fail(s.at, fmt.Sprintf("a byte 0x%02x that no name has", c))
	default:
		for _, mark := range marks {
			if s.begins(mark) {
				end = s.at + len(mark)
				break
			}
		}
		s.add(tokenMark, s.at, end)
	}
}

// numberEnd finds the end of a number that has digits up to at: with a fraction, an exponent with its sign, and the
// letters of C++. Two dots are no fraction.
func (s *scanner) numberEnd(at int) int {
	hex := s.begins("0x") || s.begins("0X")
	for at < len(s.src) {
		c := s.src[at]
		before := s.src[at-1] | 0x20
		switch {
		case isLetter(c), isDigit(c), c == '\'' && at+1 < len(s.src) && isDigit(s.src[at+1]):
		case c == '.' && (at+1 >= len(s.src) || s.src[at+1] != '.') && s.src[at-1] != '.':
		case (c == '+' || c == '-') && !hex && before == 'e':
		default:
			return at
		}
		at++
	}
	return at
}

// directive adds a line of the preprocessor, with the lines that it is continued on, up to a comment.
func (s *scanner) directive() {
	from, end := s.at, s.at
	for end < len(s.src) && (s.src[end] != '\n' || s.src[end-1] == '\\') && !bytes.HasPrefix(s.src[end:], []byte("//")) {
		end++
	}
	s.add(tokenDirective, from, end)
	for i := from; i < end; i++ {
		if s.src[i] == '\n' {
			s.line++
			s.lineStart = i + 1
		}
	}
}
