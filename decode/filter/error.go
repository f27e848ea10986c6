package filter

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// Error is why a filter or a path was refused, with its place in the text. Both can come from a stranger: what renders
// them escapes them (see syntax.AppendEscaped).
type Error struct {
	Diagnostic schema.Diagnostic
	Src        string // the whole text
}

// Error is the message in one line, with line and column: `filter:1:6: error: …; did you mean …?`.
func (e *Error) Error() string { return string(e.Diagnostic.AppendLine(nil, "filter")) }

// AppendText appends the message with the line of the filter and a caret under the place, each line ended.
func (e *Error) AppendText(b []byte) []byte {
	return e.Diagnostic.AppendText(b, "filter", []byte(e.Src))
}

// newError makes an Error about src[off:end].
func newError(src string, off, end int, fix, message string) *Error {
	off = min(max(off, 0), len(src))
	end = min(max(end, off), len(src))
	return &Error{Src: src, Diagnostic: schema.Diagnostic{
		Span: schema.Span{Pos: position(src, off), End: position(src, end)}, Severity: schema.Error, Message: message, Fix: fix,
	}}
}

func position(src string, off int) schema.Pos {
	before := src[:off]
	line := strings.Count(before, "\n")
	return schema.Pos{Off: int32(off), Line: int32(line + 1), Col: int32(off - strings.LastIndexByte(before, '\n'))}
}

// quote shows a piece of the text in a message; it is as long as its writer likes.
func quote(s string) string {
	const most = 48
	if len(s) > most {
		cut := most
		for cut > 0 && !utf8.RuneStart(s[cut]) {
			cut--
		}
		s = s[:cut] + "…"
	}
	return "`" + s + "`"
}

// meant is the fix for a misspelt word, "" when none is near.
func meant(prefix, word string, among []string) string {
	if best := syntax.Suggest(word, among); best != "" {
		return fmt.Sprintf("did you mean `%s%s`?", prefix, best)
	}
	return ""
}
