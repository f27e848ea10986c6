package oracle

import (
	"fmt"
	"unicode"
	"unicode/utf8"
)

// Printable refuses text that a terminal would obey, or that turns the direction of writing.
func Printable(text []byte) error {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n == 1 || unicode.IsControl(r) || unicode.Is(unicode.Cf, r) || r == '\u2028' || r == '\u2029' {
			return fmt.Errorf("%q holds %U", text, r)
		}
		i += n
	}
	return nil
}
