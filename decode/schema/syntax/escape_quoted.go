package syntax

import (
	"unicode"
	"unicode/utf8"
)

// AppendQuoted appends text from a packet in quotes, so that a terminal shows it and obeys none of it (see
// AppendEscaped for what becomes \x1b and the like). A quote or a backslash of the text gets a backslash, so text
// cannot end its quotes, nor pass for an escape.
func AppendQuoted(b, text []byte) []byte {
	b = append(b, '"')
	from := 0
	for i, c := range text {
		if c == '"' || c == '\\' {
			b = AppendEscaped(b, string(text[from:i]))
			b = append(b, '\\', c)
			from = i + 1
		}
	}
	b = AppendEscaped(b, string(text[from:]))
	return append(b, '"')
}

const hexDigits = "0123456789abcdef"

// AppendJSON appends a JSON string. What a terminal would obey is written as \u escapes, which means the same to a
// JSON reader; a byte that is not UTF-8 becomes U+FFFD.
func AppendJSON[T string | []byte](b []byte, s T) []byte {
	b = append(b, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			i++
			switch {
			case c == '"' || c == '\\':
				b = append(b, '\\', c)
			case c == '[' && EndsInHashes(b):
				b = append(b, `\u005b`...)
			case c == '\n':
				b = append(b, `\n`...)
			case c < ' ' || c == 0x7f:
				b = append(b, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
			default:
				b = append(b, c)
			}
			continue
		}
		r, n := decodeRune(s[i:])
		i += n
		switch {
		case unicode.IsPrint(r) && !unicode.IsMark(r):
			b = utf8.AppendRune(b, r)
		case r < 0x10000:
			b = appendUnit16(b, uint16(r))
		default:
			r -= 0x10000
			b = appendUnit16(b, uint16(0xd800+r>>10))
			b = appendUnit16(b, uint16(0xdc00+r&0x3ff))
		}
	}
	return append(b, '"')
}

func appendUnit16(b []byte, u uint16) []byte {
	return append(b, '\\', 'u', hexDigits[u>>12], hexDigits[u>>8&15], hexDigits[u>>4&15], hexDigits[u&15])
}

// decodeRune is utf8.DecodeRune for both kinds of text, without a copy.
func decodeRune[T string | []byte](s T) (rune, int) {
	var room [utf8.UTFMax]byte
	return utf8.DecodeRune(room[:copy(room[:], s)])
}
