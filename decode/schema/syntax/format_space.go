package syntax

// spaceBetween reports whether a blank is between two tokens on one line: a blank everywhere but inside brackets,
// before what closes or separates, around dots, after a sign, and before the parenthesis of something that takes
// arguments.
func spaceBetween(prev Token, before mark, kind Token, marks mark) bool {
	switch {
	case before&markSign != 0:
		return false
	case prev == tokLParen, prev == tokLBracket, prev == tokRBracket, prev == tokDot, prev == tokDotDot, prev == tokAt:
		return false // `[4]uint8`: an extent touches its element
	case prev == tokLBrace:
		return before&markBlock != 0 && kind != tokRBrace // `{ a bool }`, `{1, 2}`, `{}`
	}
	switch kind {
	case tokComma, tokRParen, tokRBracket, tokDot:
		return false
	case tokRBrace:
		return marks&markBlock != 0
	case tokColon:
		return marks&markLabel == 0
	case tokLParen, tokDotDot: // `over ..b`
		return marks&markGroup != 0
	}
	return true
}
