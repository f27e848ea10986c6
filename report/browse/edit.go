package browse

import (
	"slices"
	"strings"
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

// word is where the word before the cursor begins, of names as filters have them.
func (l *line) word() int {
	i := l.at
	for i > 0 {
		switch r := l.text[i-1]; {
		case unicode.IsLetter(r), unicode.IsDigit(r), strings.ContainsRune("_.$[]*", r):
			i--
			continue
		}
		break
	}
	return i
}

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

// complete is the words that the one before the cursor can become, from words in their order.
func (l *line) complete(words []string) (found []int) {
	begun := string(l.text[l.word():l.at])
	if begun == "" {
		return nil
	}
	for i, w := range words {
		if strings.HasPrefix(w, begun) {
			found = append(found, i)
		}
	}
	return found
}
