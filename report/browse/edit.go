package browse

import (
	"slices"
	"unicode"
)

// line is a text that is being typed. at counts runes.
type line struct {
	text []rune
	at   int
}

func (l *line) set(text string) {
	l.text = []rune(text)
	l.at = len(l.text)
}

func (l *line) insert(text string) {
	for _, r := range text {
		if unicode.IsPrint(r) && len(l.text) < maxLine {
			l.text = slices.Insert(l.text, l.at, r)
			l.at++
		}
	}
}

// maxLine is the most runes of a line: filters of more than 4 KiB are refused.
const maxLine = 4096

// cut removes runes a..b.
func (l *line) cut(a, b int) {
	l.text = slices.Delete(l.text, a, b)
	l.at = a
}

func (l *line) move(by int) { l.at = min(max(l.at+by, 0), len(l.text)) }

// previous is where the word before the cursor begins, of words between blanks.
func (l *line) previous() int {
	i := l.at
	for i > 0 && l.text[i-1] == ' ' {
		i--
	}
	for i > 0 && l.text[i-1] != ' ' {
		i--
	}
	return i
}
