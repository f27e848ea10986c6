package syntax

import (
	"fmt"
	"strconv"
	"strings"
)

// Literals: numbers, durations, strings and characters. A literal that is wrong still becomes a token of its kind, so
// that one mistake in it gives one message; what it is worth is computed by the parser (literal.go).

// number reads a number or a duration: everything that hangs together from a digit (or a point before one) on.
func (s *scanner) number() {
	off := s.off
	if s.text[off] == '.' {
		end := s.run(off + 1)
		s.complain(off, end, "a number needs a digit before its point", "write `0"+s.text[off:end]+"`")
		s.emit(tokFloat, off, end)
		return
	}
	end := s.run(off)
	kind := tokInt
	if end < len(s.text) && s.text[end] == '.' && !(end+1 < len(s.text) && s.text[end+1] == '.') {
		if end+1 == len(s.text) || !isDigit(s.text[end+1]) {
			s.complain(off, end+1, "a number needs a digit after its point", "write `"+s.text[off:end]+".0`")
			s.emit(tokFloat, off, end+1)
			return
		}
		kind = tokFloat
		end = s.run(end + 1)
	}
	// 1e-3: the sign belongs to what somebody meant as an exponent.
	if c := s.text[end-1]; (c == 'e' || c == 'E') && isDecimal(s.text[off:end-1]) &&
		end+1 < len(s.text) && (s.text[end] == '-' || s.text[end] == '+') && isDigit(s.text[end+1]) {
		end = s.run(end + 1)
	}
	text := s.text[off:end]
	if strings.ContainsAny(unitOf(text), "-+") {
		kind = tokFloat
	}
	if kind == tokInt && isDuration(text) {
		kind = tokDuration
	} else if message, fix := numberMistake(text); message != "" {
		s.complain(off, end, message, fix)
		if strings.HasSuffix(fix, durationUnits) || message == rateMessage {
			kind = tokDuration
		}
	}
	s.emit(kind, off, end)
}

// run is the end of the letters, digits and underscores from off on.
func (s *scanner) run(off int) int {
	for off < len(s.text) && (isLetter(s.text[off]) || isDigit(s.text[off])) {
		off++
	}
	return off
}

// rateMessage is about `20hz`.
const rateMessage = "a rate is given by its interval"

const durationUnits = "`ms`, `s` and `us`"

// unitOf is what follows the digits at the start of a number.
func unitOf(text string) string { return strings.TrimLeft(text, "0123456789_.") }

func isDuration(text string) bool {
	unit := unitOf(text)
	return (unit == "ms" || unit == "s" || unit == "us") && plainDigits(strings.TrimSuffix(text, unit), "0123456789")
}

func isDecimal(text string) bool { return text != "" && unitOf(text) == "" }

// plainDigits reports whether text is digits with single underscores between them.
func plainDigits(text, digits string) bool {
	return text != "" && text[0] != '_' && text[len(text)-1] != '_' && !strings.Contains(text, "__") &&
		strings.Trim(text, digits+"_") == ""
}

// mostDigits is how long a number may be that is written out in an advice.
const mostDigits = 40

// numberMistake says what is wrong with a number, "" when it is one.
func numberMistake(text string) (message, fix string) {
	const decimal = "0123456789"
	lower := strings.ToLower(text)
	switch {
	case strings.HasPrefix(lower, "0x"):
		if text[1] == 'x' && plainDigits(text[2:], decimal+"abcdefABCDEF") {
			return "", ""
		}
		return "malformed hexadecimal number `" + clip(text) + "`", "write it like `0x1F`"
	case strings.HasPrefix(lower, "0b"):
		if text[1] == 'b' && plainDigits(text[2:], "01") {
			return "", ""
		}
		return "malformed binary number `" + clip(text) + "`", "write it like `0b1010`"
	}
	whole, fraction, isFloat := strings.Cut(text, ".")
	unit := unitOf(text)
	switch {
	case unit == "" && !isFloat && plainDigits(whole, decimal):
		if len(whole) > 1 && whole[0] == '0' {
			return "a number has no leading zero", "there are no octal numbers: write `" + clip(trimZeros(whole)) + "`"
		}
		return "", ""
	case unit == "" && isFloat && plainDigits(whole, decimal) && plainDigits(fraction, decimal):
		if len(whole) > 1 && whole[0] == '0' {
			return "a number has no leading zero", ""
		}
		return "", ""
	case unit == "":
		return "malformed number `" + clip(text) + "`", "an underscore is between two digits"
	case unit[0] == 'e' || unit[0] == 'E':
		if n, ok := intValue(text); ok && n.Sign() > 0 {
			return "a number has no exponent", "write `" + n.String() + "`"
		}
		if _, v, ok := floatValue(text); ok && v != 0 {
			if digits := strconv.FormatFloat(v, 'f', -1, 64); len(digits) <= mostDigits {
				return "a number has no exponent", "write `" + digits + "`"
			}
		}
		return "a number has no exponent", "write all its digits"
	case strings.Trim(unit, "uUlLfF") == "":
		return "a number has no suffix", "remove `" + clip(unit) + "`"
	case isRate(unit):
		return rateMessage, intervalOf(whole)
	case unit == "ms" || unit == "s" || unit == "us":
		return "a duration is a whole number", "its units are " + durationUnits
	}
	return "malformed number `" + clip(text) + "`", "the units of a duration are " + durationUnits
}

// isRate reports whether a word after a number makes it one a second.
func isRate(unit string) bool {
	switch strings.ToLower(unit) {
	case "hz", "fps", "tps":
		return true
	}
	return false
}

// intervalOf is the advice for a rate that begins with the given digits: its interval.
func intervalOf(text string) string {
	n, err := strconv.ParseUint(strings.TrimRight(text, "hHzZfFpPtTsS"), 10, 64)
	switch {
	case err != nil || n == 0 || n > 1e6:
		return "write a duration like `50ms`"
	case 1e3%n == 0:
		return fmt.Sprintf("write `%dms`", 1000/n)
	}
	return fmt.Sprintf("write `%dus`", 1e6/n)
}

func trimZeros(digits string) string {
	digits = strings.TrimLeft(digits, "0_")
	if digits == "" {
		return "0"
	}
	return digits
}

// str reads a string, which ends with its line where the closing quote is missing.
func (s *scanner) str() {
	line := s.lineEnd()
	for end := s.off + 1; end < line; end++ {
		switch c := s.text[end]; {
		case c == '"':
			s.checkText(s.off, end)
			s.emit(tokString, s.off, end+1)
			return
		case c == '\\':
			n, ok := escapeLen(s.text[end:line], '"')
			if !ok {
				s.complain(end, min(end+2, line), "unknown escape in a string",
					"the escapes are `\\n` `\\r` `\\t` `\\0` `\\\\` `\\\"` and `\\xNN`")
			}
			end += n - 1
		case c < ' ' && c != 0 || c == 0x7f:
			s.complain(end, end+1, "a control character in a string", "write `\\xNN`")
		}
	}
	s.complain(s.off, line, "the string has no closing quote on its line", "end it with `\"`")
	s.swallowed += strings.Count(s.text[s.off:line], "}")
	s.emit(tokIllegal, s.off, line) // what else the line held is unknown
}

// char reads a character literal, which is a number.
func (s *scanner) char() {
	line := s.lineEnd()
	end := s.off + 1
	n, ok := 1, end < line && s.text[end] >= ' ' && s.text[end] < 0x7f && s.text[end] != '\''
	if ok && s.text[end] == '\\' {
		n, ok = escapeLen(s.text[end:line], '\'')
	}
	if ok && end+n < line && s.text[end+n] == '\'' {
		s.emit(tokInt, s.off, end+n+1)
		return
	}
	for end < line && s.text[end] != '\'' {
		end++
	}
	fix := "strings are in double quotes"
	if end == line {
		s.complain(s.off, line, "the character has no closing quote", "write it like `'A'`")
	} else {
		if end++; end-s.off > 3 && end-s.off <= 10 {
			fix += "; as a number these bytes are " + numberOf(s.text[s.off+1:end-1])
		}
		s.complain(s.off, end, "a character literal is one ASCII character", fix)
	}
	s.emit(tokInt, s.off, end)
}

// escapeLen is the length of the escape at the start of text, which begins with a backslash.
func escapeLen(text string, quote byte) (n int, ok bool) {
	if len(text) < 2 {
		return 1, false
	}
	switch c := text[1]; c {
	case 'n', 'r', 't', '0', '\\', quote:
		return 2, true
	case 'x':
		if len(text) >= 4 && isHex(text[2]) && isHex(text[3]) {
			return 4, true
		}
	}
	return 2, false
}

func isHex(c byte) bool { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }
