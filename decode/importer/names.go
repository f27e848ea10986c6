package importer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// reserved are the words of the language that are no name of a field.
var reserved = []string{"if", "else", "switch", "within", "let", "require", "align", "reserved", "check", "default", "in",
	"until", "while", "rest", "true", "false"}

// mostName is the most characters of a name that is taken over.
const mostName = 100

// fieldName is a name as fields have it: small letters, with a `_` where a word begins.
func fieldName(name string) string {
	var b []byte
	for i := range min(len(name), mostName) {
		c := name[i]
		if upper := c >= 'A' && c <= 'Z'; upper {
			small := i > 0 && (name[i-1] >= 'a' && name[i-1] <= 'z' || isDigit(name[i-1]))
			ends := i > 0 && i+1 < len(name) && name[i-1] != '_' && name[i+1] >= 'a' && name[i+1] <= 'z'
			if small || ends {
				b = append(b, '_')
			}
			c |= 0x20
		}
		b = append(b, c)
	}
	text := string(b)
	if text == "" || isDigit(text[0]) {
		text = "f" + text
	}
	if slices.Contains(reserved, text) {
		text += "_"
	}
	return text
}

// typeName is a name as types, cases and constants have it: the first letter is large.
func typeName(name string) string {
	if len(name) > mostName {
		name = name[:mostName]
	}
	bare := strings.TrimLeft(name, "_")
	switch {
	case bare == "" || isDigit(bare[0]):
		return "T" + name
	case bare[0] >= 'a' && bare[0] <= 'z':
		return string(bare[0]-0x20) + bare[1:]
	}
	return bare
}

// names are the names of one scope that are taken, each with the number that the next one of its kind gets.
type names map[string]int

// add takes a name, with a number after it where it is taken.
func (n names) add(name string) string {
	free := name
	for n[free] > 0 {
		n[name]++
		free = fmt.Sprintf("%s_%d", name, n[name])
	}
	n[free] = 1
	return free
}

// renamed is the note about a name that changed, or "".
func renamed(was, is string) string {
	if was == is {
		return ""
	}
	return "was " + syntax.EscapeText(was[:min(len(was), mostName)])
}
