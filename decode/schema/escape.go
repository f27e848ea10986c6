package schema

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// AppendEscaped appends s so that a terminal shows it and obeys none of it: control characters, bidi and other
// invisible marks, combining marks (which pile up over the lines above), line separators and bytes that are not UTF-8
// become `\x1b`, `\u202e` or `\U000e0001`. A backslash stays as it is, so escaping twice changes nothing.
func AppendEscaped(b []byte, s string) []byte {
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		b = appendRune(b, r, s[i:i+n])
		i += n
	}
	return b
}

// EscapeText is AppendEscaped for a string.
func EscapeText(s string) string { return string(AppendEscaped(nil, s)) }

// appendRune appends the escaped form of r, which the source writes as raw.
func appendRune(b []byte, r rune, raw string) []byte {
	switch {
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
