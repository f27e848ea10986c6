package process

import (
	"errors"
	"fmt"
	"strings"
)

// Split splits a command line into words as a shell does, and does nothing else that a shell does: no variables, no
// globs, no pipes, no second command. Words are separated by blanks; '…' keeps all in it, "…" all but \" and \\, and \
// keeps the next character. Who wants a shell says so: sh -c '…'.
func Split(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	inWord := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n':
			if inWord {
				words, inWord = append(words, word.String()), false
				word.Reset()
			}
			continue
		case '\'':
			n := strings.IndexByte(line[i+1:], '\'')
			if n < 0 {
				return nil, fmt.Errorf("command %q: ' without its end", line)
			}
			word.WriteString(line[i+1 : i+1+n])
			i += 1 + n
		case '"':
			for i++; ; i++ {
				if i >= len(line) {
					return nil, fmt.Errorf(`command %q: " without its end`, line)
				}
				if line[i] == '"' {
					break
				}
				if line[i] == '\\' && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\\') {
					i++
				}
				word.WriteByte(line[i])
			}
		case '\\':
			if i++; i == len(line) {
				return nil, fmt.Errorf(`command %q: \ with nothing behind it`, line)
			}
			word.WriteByte(line[i])
		case 0:
			return nil, fmt.Errorf("command %q: a NUL", line)
		default:
			word.WriteByte(c)
		}
		inWord = true
	}
	if inWord {
		words = append(words, word.String())
	}
	if len(words) == 0 || words[0] == "" {
		return nil, errors.New("the command is empty")
	}
	return words, nil
}
