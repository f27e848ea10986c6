package results

import (
	"bytes"
	"encoding/json"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report"
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
		report.FitFindings(one.Findings, one.KnownMistakes)
		b = appendLine(b, one)
	}
	for _, one := range s.Campaigns {
		report.FitFindings(one.Findings, one.KnownMistakes)
		b = appendLine(b, one)
	}
	for _, one := range s.Findings {
		b = appendLine(b, one.file())
	}
	return b, nil
}

// appendLine appends an object and a line end. Nobody obeys a text in it.
func appendLine(b []byte, object any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // names of rules have < and >
	if err := e.Encode(object); err != nil {
		panic("pktscope: internal error: results as JSON: " + err.Error())
	}
	return schema.AppendEscapedJSON(b, out.Bytes())
}
