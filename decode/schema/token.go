package schema

// Token is the kind of a lexical element. Operators and brackets have a kind each; a word of the language is an Ident
// with its text, since most of them may also name a field.
type Token uint8

// The tokens.
const (
	EOF Token = iota
	Newline
	Word     // player_count, type, if
	Name     // MaxPlayers
	Int      // 42, 0x2A, 0b1, 1_000, 'A'
	Float    // 0.01
	String   // "px"
	Duration // 50ms
	Illegal  // a stretch of source that is no token; the scanner has complained about it

	LParen
	RParen
	LBracket
	RBracket
	LBrace
	RBrace
	Comma
	Colon
	Dot
	DotDot
	At
	Assign
	Semicolon // no token of the language: kept so that the parser can say so once

	Minus
	Not
	Plus
	Star
	Slash
	Percent
	Amp
	Pipe
	Caret
	Shl
	Shr
	EqEq
	NotEq
	Less
	LessEq
	Greater
	GreaterEq
	AndAnd
	OrOr

	tokenCount
)

var tokenText = [tokenCount]string{
	EOF: "end of file", Newline: "end of line", Word: "name", Name: "Name", Int: "number", Float: "number",
	String: "string", Duration: "duration", Illegal: "unreadable text",
	LParen: "(", RParen: ")", LBracket: "[", RBracket: "]", LBrace: "{", RBrace: "}", Comma: ",", Colon: ":",
	Dot: ".", DotDot: "..", At: "@", Assign: "=", Semicolon: ";",
	Minus: "-", Not: "!", Plus: "+", Star: "*", Slash: "/", Percent: "%", Amp: "&", Pipe: "|", Caret: "^",
	Shl: "<<", Shr: ">>", EqEq: "==", NotEq: "!=", Less: "<", LessEq: "<=", Greater: ">", GreaterEq: ">=",
	AndAnd: "&&", OrOr: "||",
}

// String gives an operator or a bracket as the source writes it, and a description of every other token.
func (t Token) String() string {
	if t < tokenCount {
		return tokenText[t]
	}
	return "?"
}
