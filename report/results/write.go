package results

import (
	"bytes"
	"encoding/json"
	"fmt"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendJSON appends everything as Read reads it, an object a line.
func (s *Set) AppendJSON(b []byte) ([]byte, error) {
	s.Merge()
	var err error
	for _, one := range s.Statistics {
		if b, err = one.AppendJSON(b); err != nil {
			return b, err
		}
	}
	for _, one := range s.Budgets {
		b = one.AppendJSON(b)
	}
	for _, one := range s.Rejects {
		b = appendLine(b, one)
	}
	for _, one := range s.Audits {
		b = appendLine(b, one)
	}
	for _, one := range s.Campaigns {
		b = appendLine(b, one)
	}
	for _, one := range s.Findings {
		b = appendLine(b, one.file())
	}
	return b, nil
}

// appendLine appends an object and a line end. What a terminal would obey is written as \u escapes, which mean the same to a
// JSON reader.
func appendLine(b []byte, object any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // names of rules have < and >
	if err := e.Encode(object); err != nil {
		panic("pktscope: internal error: results as JSON: " + err.Error())
	}
	for line := out.Bytes(); len(line) > 0; {
		r, n := utf8.DecodeRune(line)
		if r == '\n' || r < 0x7f || unicode.IsPrint(r) {
			b = append(b, line[:n]...)
		} else {
			for _, unit := range utf16.Encode([]rune{r}) {
				b = fmt.Appendf(b, "\\u%04x", unit)
			}
		}
		line = line[n:]
	}
	return b
}
