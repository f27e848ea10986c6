package syntax

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxExcerpt is the most cells that a source line takes in a rendering; longer lines are cut around the caret.
const maxExcerpt = 120

// tabCells is what a tab counts for when a line is measured. It is shown as a tab, with a tab in the line of carets
// under it, so that the carets fit whatever a terminal makes of it.
const tabCells = 8

// AppendLine appends the diagnostic as one line without a line end: `file:line:column: error: message; fix`. file is
// shown as given; nothing in the line is obeyed by a terminal (see AppendEscaped).
func (d Diagnostic) AppendLine(b []byte, file string) []byte {
	b = d.appendHead(b, file)
	if d.Fix != "" {
		b = append(b, "; "...)
		b = AppendEscaped(b, d.Fix)
	}
	return b
}

func (d Diagnostic) appendHead(b []byte, file string) []byte {
	b = AppendLineStart(b, file)
	if d.Pos.IsValid() {
		b = fmt.Appendf(b, ":%s", d.Pos)
	}
	b = fmt.Appendf(b, ": %s: ", d.Severity)
	return AppendEscaped(b, d.Message)
}

// AppendText appends the diagnostic as a terminal shows it, with a line end after each line:
//
//	file.pks:12:9: error: unknown type `unit8`
//	    health unit8
//	           ^^^^^
//	help: did you mean `uint8`?
//
// src is the source that was parsed; where it does not hold the place, the source line and the carets are left out. No
// colour, no byte that a terminal obeys but tab and newline.
func (d Diagnostic) AppendText(b []byte, file string, src []byte) []byte {
	b = d.appendHead(b, file)
	b = append(b, '\n')
	if line, carets := d.Excerpt(src); carets != "" {
		b = append(b, line...)
		b = append(b, '\n')
		b = append(b, carets...)
		b = append(b, '\n')
	}
	if d.Fix != "" {
		b = append(b, "help: "...)
		b = AppendEscaped(b, d.Fix)
		b = append(b, '\n')
	}
	return b
}

// Excerpt gives the source line of the diagnostic, escaped (see AppendEscaped) but for its tabs, and the line of carets
// to put under it. A line wider than 120 cells is cut around the caret, with `…` where something is missing. Both are
// "" where src does not hold the place.
func (d Diagnostic) Excerpt(src []byte) (line, carets string) {
	off, start := int(d.Pos.Off), int(d.Pos.Off-d.Pos.Col+1)
	if !d.Pos.IsValid() || start < 0 || off < start || off > len(src) {
		return "", ""
	}
	end := start
	for end < len(src) && src[end] != '\n' {
		end++
	}
	if end > start && src[end-1] == '\r' {
		end--
	}
	off = min(off, end)
	stop := min(max(int(d.End.Off), off), end)
	if d.End.Line > d.Pos.Line {
		stop = end
	}
	first, last := cutAround(src[start:end], off-start)
	first, last = first+start, last+start

	var text, marks []byte
	if first > start {
		text, marks = append(text, "…"...), append(marks, ' ')
	}
	marked := false
	command := bytes.HasPrefix(bytes.TrimSpace(src[first:last]), []byte("::")) // see AppendLineStart
	for i := first; i < last; {
		r, n := utf8.DecodeRune(src[i:last])
		cell, mark := " ", i >= off && i < stop || i == off
		was := len(text)
		cells := 1
		if r == '\t' {
			text = append(text, '\t')
			cell = "\t"
		} else {
			if command && r == ':' {
				text, command = append(text, `\x3a`...), false
			} else {
				text = appendRune(text, r, string(src[i:i+n]))
			}
			if cells = columns(r); len(text)-was != n {
				cells = len(text) - was // escaped: ASCII
			}
		}
		if mark && r != '\t' {
			cell, marked = "^", true
		}
		for range cells {
			marks = append(marks, cell...)
		}
		i += n
	}
	if last < end {
		text = append(text, "…"...)
	}
	if !marked {
		marks = append(marks, '^') // after the end of the line
	}
	for n := len(marks); n > 0 && (marks[n-1] == ' ' || marks[n-1] == '\t'); n-- {
		marks = marks[:n-1]
	}
	return string(text), string(marks)
}

// cutAround gives the part of line to show so that the byte at is in it: all of a line that is narrow enough, else
// about maxExcerpt cells, a third of them in front.
func cutAround(line []byte, at int) (first, last int) {
	first, last = at, at
	for room := maxExcerpt / 3; first > 0; {
		r, n := utf8.DecodeLastRune(line[:first])
		if room -= cellsOf(r, n); room < 0 {
			break
		}
		first -= n
	}
	used := 0
	for i := first; i < at; {
		r, n := utf8.DecodeRune(line[i:at])
		used += cellsOf(r, n)
		i += n
	}
	room := maxExcerpt - used
	for last < len(line) {
		r, n := utf8.DecodeRune(line[last:])
		if room -= cellsOf(r, n); room < 0 {
			return first, last
		}
		last += n
	}
	for first > 0 { // the line ends here: what is left over goes to the front
		r, n := utf8.DecodeLastRune(line[:first])
		if room -= cellsOf(r, n); room < 0 {
			break
		}
		first -= n
	}
	return first, last
}

// cellsOf is how many cells a character of n bytes takes in an excerpt.
func cellsOf(r rune, n int) int {
	if r == '\t' {
		return tabCells
	}
	var raw [utf8.UTFMax]byte
	b := appendRune(nil, r, string(raw[:n]))
	if len(b) != n {
		return len(b)
	}
	return columns(r)
}
