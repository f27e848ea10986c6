package syntax

import "math/big"

// The kinds of tokens that a language beside .pks meets; operators are exported by their names. Two end what they are
// in: TokenEnd is the last of a source, and TokenLine is where a line ends an item. TokenBad is text about which the
// scanner has complained.
const (
	TokenEnd      = tokEOF
	TokenLine     = tokNewline
	TokenWord     = tokWord // lower case: me, send
	TokenName     = tokName // upper case: JoinGame
	TokenInt      = tokInt
	TokenFloat    = tokFloat
	TokenString   = tokString
	TokenDuration = tokDuration
	TokenBad      = tokIllegal
	TokenLParen   = tokLParen
	TokenRParen   = tokRParen
	TokenLBracket = tokLBracket
	TokenRBracket = tokRBracket
	TokenLBrace   = tokLBrace
	TokenRBrace   = tokRBrace
	TokenComma    = tokComma
	TokenDot      = tokDot
	TokenAt       = tokAt
	TokenAssign   = tokAssign
	TokenArrow    = tokArrow
)

// Lexeme is a token of a source in a language that shares the scanner of .pks: its comments, its literals and its line
// ends. Text is as written.
type Lexeme struct {
	Span
	Kind Token
	Text string
}

// Scan reads a source into lexemes, of which the last has Kind TokenEnd. At most MaxErrors complaints come with them, in
// source order. Of a source longer than MaxSource the caller gets one complaint and no text.
func Scan(src []byte) ([]Lexeme, []Diagnostic) {
	if len(src) > MaxSource {
		return []Lexeme{{Kind: TokenEnd}}, []Diagnostic{{Message: "the source has more than 1 MiB"}}
	}
	s := newScanner(string(src), 0)
	s.arrows = true
	s.all()
	all := make([]Lexeme, len(s.toks))
	for i, t := range s.toks {
		start := s.lines[t.line-1]
		all[i] = Lexeme{Span{Pos{t.off, t.line, t.off - start + 1}, Pos{t.end, t.line, t.end - start + 1}}, t.kind, s.text[t.off:t.end]}
	}
	return all, s.diags[:min(len(s.diags), MaxErrors)]
}

// Int is what an integer or a character is worth; ok is false above 2^64-1.
func (l Lexeme) Int() (value *big.Int, ok bool) { return intValue(l.Text) }

// Float is a number with a point; ok is false where no float64 holds it.
func (l Lexeme) Float() (value float64, ok bool) {
	_, value, ok = floatValue(l.Text)
	return value, ok
}

// Unquoted is a string without its quotes, its escapes resolved.
func (l Lexeme) Unquoted() string { return unquote(l.Text) }

// Nanos is a duration in nanoseconds; ok is false where an int64 does not hold it.
func (l Lexeme) Nanos() (nanos int64, ok bool) { return durationValue(l.Text) }
