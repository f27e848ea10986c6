package report

import (
	"bytes"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// What text may do to a table, and what is done about it.

// appendCellText appends text from outside for a cell: escaped as for a terminal (a tab or a line's end among it, so
// that no text begins a cell or a row), with `\` doubled, so that nothing passes for an escape, and with `;` escaped:
// it separates the elements of a cell here, and the columns in the spreadsheets of half of Europe, where what follows
// it would begin a cell of its own.
func appendCellText(b, text []byte) []byte {
	for i := 0; i < len(text); {
		switch c := text[i]; {
		case c == '\\':
			b = append(b, `\\`...)
		case c == ';':
			b = append(b, `\x3b`...)
		case c >= ' ' && c < 0x7f && c != '[':
			b = append(b, c)
		default:
			_, n := utf8.DecodeRune(text[i:])
			b = syntax.AppendEscaped(b, string(text[i:i+n]))
			i += n
			continue
		}
		i++
	}
	return b
}

// isCommand reports whether a spreadsheet might compute a text instead of showing it, or a CI system obey it where it
// begins a line (`::error::`). An apostrophe in front is what spreadsheets themselves write for "this is text"; a text
// that has one gets another, so taking one off leads back.
func isCommand(text []byte) bool {
	if bytes.HasPrefix(text, []byte("::")) {
		return true
	}
	switch r, _ := utf8.DecodeRune(text); r {
	case '=', '+', '-', '@', '\'', '＝', '＋', '－', '＠':
		return true
	}
	return false
}

// isNumber reports whether a text is a plain decimal number.
func isNumber(text []byte) bool {
	digits, point := 0, false
	for i, c := range text {
		switch {
		case c >= '0' && c <= '9':
			digits++
		case c == '-' && i == 0:
		case c == '.' && !point && digits > 0:
			point = true
		default:
			return false
		}
	}
	return digits > 0
}
