package tables

import "strings"

// Comment makes a text harmless in a line comment of any of the languages: printable ASCII, on one line.
func Comment(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, text)
}
