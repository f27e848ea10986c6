package syntax

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendEscaped appends s so that a terminal shows it and obeys none of it: control characters, bidi and other
// invisible marks, combining marks (which pile up over the lines above), line separators and bytes that are not UTF-8
// become `\x1b`, `\u202e` or `\U000e0001`. A backslash stays as it is, so escaping twice changes nothing. Nor does a CI
// system obey it: the bracket of `##[error]` or `##vso[`, which GitHub and Azure look for anywhere in a line, becomes
// `\x5b`. What begins a line needs AppendLineStart.
func AppendEscaped[T string | []byte](b []byte, s T) []byte {
	for i := 0; i < len(s); {
		plain := i // most of a text is, and goes in one piece
		for i < len(s) && s[i] >= ' ' && s[i] < 0x7f && s[i] != '[' {
			i++
		}
		b = append(b, s[plain:i]...)
		if i < len(s) {
			r, n := decodeRune(s[i:])
			b = appendRune(b, r, string(s[i:i+n]))
			i += n
		}
	}
	return b
}

// AppendLineStart is AppendEscaped for text with which a line begins, or begins after spaces: that is where GitHub
// looks for `::error::`. The first colon becomes `\x3a`.
func AppendLineStart(b []byte, s string) []byte {
	if text := strings.TrimLeftFunc(s, unicode.IsSpace); strings.HasPrefix(text, "::") {
		b = AppendEscaped(b, s[:len(s)-len(text)])
		b = append(b, `\x3a`...)
		s = text[1:]
	}
	return AppendEscaped(b, s)
}

// AppendEscapedLines is AppendEscaped for text of many lines, of which a terminal shall obey the line ends and tabs,
// and nothing else. The last line gets an end if it has none.
func AppendEscapedLines(b []byte, text string) []byte {
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\n"), "\n") {
		for i, part := range strings.Split(line, "\t") {
			if i > 0 {
				b = append(b, '\t')
			}
			b = AppendEscaped(b, part)
		}
		b = append(b, '\n')
	}
	return b
}

// AppendEscapedJSON appends encoded JSON in which nobody obeys a text, with \u escapes, which mean the same to a JSON
// reader: what AppendEscaped escapes. Outside of strings JSON has none of it.
func AppendEscapedJSON(b, encoded []byte) []byte {
	for len(encoded) > 0 {
		r, n := utf8.DecodeRune(encoded)
		switch {
		case r == '[' && EndsInHashes(b):
			b = append(b, `\u005b`...)
		case r == '\n' || r < 0x7f || unicode.IsPrint(r) && !unicode.IsMark(r):
			b = append(b, encoded[:n]...)
		default:
			for _, unit := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, `\u%04x`, unit)
			}
		}
		encoded = encoded[n:]
	}
	return b
}

// EndsInHashes reports whether a bracket after b would begin a command to a CI system: `##[` and `##vso[` do.
func EndsInHashes(b []byte) bool {
	i := len(b)
	for i > 0 && (b[i-1]|0x20 >= 'a' && b[i-1]|0x20 <= 'z') {
		i--
	}
	return i >= 2 && b[i-1] == '#' && b[i-2] == '#'
}

// EscapeText is AppendEscaped for a string.
func EscapeText(s string) string { return string(AppendEscaped(nil, s)) }

// appendRune appends the escaped form of r, which the source writes as raw.
func appendRune(b []byte, r rune, raw string) []byte {
	switch {
	case r == '[' && EndsInHashes(b):
		return append(b, `\x5b`...)
	case r >= ' ' && r < 0x7f:
		return append(b, byte(r))
	case r == utf8.RuneError && len(raw) == 1:
		return fmt.Appendf(b, `\x%02x`, raw[0])
	case unicode.IsPrint(r) && !unicode.IsMark(r):
		return append(b, raw...)
	case r < utf8.RuneSelf:
		return fmt.Appendf(b, `\x%02x`, r)
	case r < 0x10000:
		return fmt.Appendf(b, `\u%04x`, r)
	}
	return fmt.Appendf(b, `\U%08x`, r)
}

// clip shortens what a message quotes from the source: it is as long as its writer likes.
func clip(s string) string {
	const most = 40
	if len(s) <= most {
		return EscapeText(s)
	}
	cut := most
	for cut > 0 && !utf8.RuneStart(s[cut]) {
		cut--
	}
	return EscapeText(s[:cut]) + "…"
}

// columns is how many cells of a terminal a printable character takes: the scripts of East Asia and emoji take two.
func columns(r rune) int {
	switch {
	case r < 0x1100:
		return 1
	case r <= 0x115f, r >= 0x2e80 && r <= 0xa4cf, r >= 0xac00 && r <= 0xd7a3, r >= 0xf900 && r <= 0xfaff,
		r >= 0xfe30 && r <= 0xfe6f, r >= 0xff00 && r <= 0xff60, r >= 0xffe0 && r <= 0xffe6,
		r >= 0x1f300 && r <= 0x1faff, r >= 0x20000 && r <= 0x3fffd:
		return 2
	}
	return 1
}
