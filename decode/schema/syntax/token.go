package syntax

// Token is the kind of a lexical element. The operators are exported because the tree names them (UnaryExpr.Op,
// BinaryExpr.Op); the rest is between the scanner and the parser.
type Token uint8

// The operators of expressions. Minus is both the unary and the binary one.
const (
	Minus Token = iota + 1
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

	tokEOF
	tokNewline
	tokWord     // player_count, type, if: most words of the language may also name a field
	tokName     // MaxPlayers
	tokInt      // 42, 0x2A, 0b1, 1_000, 'A'
	tokFloat    // 0.01
	tokString   // "px"
	tokDuration // 50ms
	tokIllegal  // no token: the scanner has complained about it, so the parser stays silent

	tokLParen
	tokRParen
	tokLBracket
	tokRBracket
	tokLBrace
	tokRBrace
	tokComma
	tokColon
	tokDot
	tokDotDot
	tokAt
	tokAssign
	tokArrow // -> of a dialogue; a schema has none

	// tokStopped is what the parser sees from an error to the end of the item: it fits no production, so all of
	// them return at once and no second message comes of the same mistake.
	tokStopped

	tokenCount
)

var tokenText = [tokenCount]string{
	Minus: "-", Not: "!", Plus: "+", Star: "*", Slash: "/", Percent: "%", Amp: "&", Pipe: "|", Caret: "^",
	Shl: "<<", Shr: ">>", EqEq: "==", NotEq: "!=", Less: "<", LessEq: "<=", Greater: ">", GreaterEq: ">=",
	AndAnd: "&&", OrOr: "||",
	tokEOF: "end of file", tokNewline: "end of line", tokWord: "word", tokName: "name", tokInt: "number",
	tokFloat: "number", tokString: "string", tokDuration: "duration", tokIllegal: "unreadable text",
	tokLParen: "(", tokRParen: ")", tokLBracket: "[", tokRBracket: "]", tokLBrace: "{", tokRBrace: "}",
	tokComma: ",", tokColon: ":", tokDot: ".", tokDotDot: "..", tokAt: "@", tokAssign: "=", tokArrow: "->",
	tokStopped: "nothing",
}

// String gives an operator or a bracket as the source writes it, and a description of every other token.
func (t Token) String() string {
	if t == 0 || t >= tokenCount {
		return "?"
	}
	return tokenText[t]
}

// isOperator reports whether t is in expressions: a line does not end after one.
func (t Token) isOperator() bool { return t >= Minus && t <= OrOr }

// isComparison reports whether t compares two numbers.
func (t Token) isComparison() bool { return t >= EqEq && t <= GreaterEq }

// continues reports whether a line cannot end after t, so that the newline there is dropped.
func (t Token) continues() bool {
	switch t {
	case tokLBrace, tokLParen, tokLBracket, tokComma, tokColon, tokAssign, tokArrow, tokDotDot, tokNewline:
		return true
	}
	return t.isOperator()
}
