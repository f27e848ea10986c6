package syntax_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// scribbler writes tokens as the worst typist would: blanks, tabs, line ends, empty lines and comments anywhere that
// the scanner allows them.
type scribbler struct {
	*rand.Rand
	b     strings.Builder
	prev  string
	flat  []bool // for each open bracket: line ends mean nothing inside
	tight int    // open blocks that are on one line
	crlf  bool
	messy int // of 10: how often something odd is in a gap
	notes int // comments written
}

func (s *scribbler) chance(of10 int) bool { return s.IntN(10) < of10 }

func (s *scribbler) pick(list ...string) string { return list[s.IntN(len(list))] }

var operators = " + - * / % & | ^ << >> == != < <= > >= && || ! "

// mayBreak reports whether a line may end before a token.
func (s *scribbler) mayBreak(next string) bool {
	switch {
	case s.prev == "":
		return true
	case s.tight > 0:
		return false
	}
	if n := len(s.flat); n > 0 && s.flat[n-1] {
		return true
	}
	switch s.prev {
	case "{", "(", "[", ",", ":", "=", "..":
		return true
	}
	return strings.Contains(operators, " "+s.prev+" ") || next == ")" || next == "]" || next == "else"
}

func (s *scribbler) blanks(least int) {
	n := least
	if s.chance(s.messy) {
		n = max(n, s.IntN(4))
	}
	for range n {
		s.b.WriteString(s.pick(" ", " ", " ", "\t"))
	}
}

func (s *scribbler) newline() {
	if s.crlf && s.chance(8) {
		s.b.WriteByte('\r')
	}
	s.b.WriteByte('\n')
}

func (s *scribbler) comment() {
	s.notes++
	s.b.WriteString("//" + s.pick("", " ", "  ") + s.pick("", "why", "a b  ", "-----", "/ x", "{ [ ( \"", "} , a uint8", "é ж 漢",
		"tab\there", "cr\rin it", "cr at its end\r", fmt.Sprint("note ", s.notes)) + s.pick("", "", " ", "\t"))
}

// lines writes line ends, with comments and empty lines between, of which at least the first is there.
func (s *scribbler) lines() {
	if s.chance(s.messy / 2) {
		s.blanks(0)
		s.comment()
	}
	s.newline()
	for s.chance(s.messy / 2) {
		if s.chance(5) {
			s.blanks(0)
			s.comment()
		}
		s.newline()
	}
}

// t writes tokens.
func (s *scribbler) t(tokens ...string) {
	for _, tok := range tokens {
		switch {
		case s.mayBreak(tok) && s.chance(s.messy/3):
			s.lines()
			s.blanks(0)
		case s.prev == "" || strings.ContainsAny(s.prev, "()[]{},@:\n") || strings.ContainsAny(tok, "()[]{},@"):
			s.blanks(0)
		default:
			s.blanks(1)
		}
		switch tok {
		case "(", "[":
			s.flat = append(s.flat, true)
		case "{":
			s.flat = append(s.flat, s.prev == "in")
		case ")", "]", "}":
			s.flat = s.flat[:len(s.flat)-1]
		}
		s.b.WriteString(tok)
		s.prev = tok
	}
}

// block writes `{ … }` of so many items; item is told which.
func (s *scribbler) block(n int, item func(i int)) {
	s.t("{")
	tight := s.tight > 0 || s.chance(3) && n < 5
	if tight {
		s.tight++
	}
	for i := range n {
		item(i)
		switch {
		case i+1 == n && s.chance(5):
		case s.tight > 0 || s.chance(2):
			s.t(",")
		default:
			s.lines()
			s.prev = "\n"
		}
	}
	if s.tight == 0 && s.prev == "{" && s.chance(s.messy) {
		s.lines()
	}
	s.t("}")
	if tight {
		s.tight--
	}
}
