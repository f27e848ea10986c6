package results

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/stats"
)

// AppendJSON appends everything as Read reads it, an object a line.
func (s *Set) AppendJSON(b []byte) ([]byte, error) {
	s.Merge()
	s.keepTrouble()
	var err error
	unmet := slices.DeleteFunc(slices.Clone(s.unmet), (*stats.Segments).Complete)
	for _, one := range slices.Concat(s.Statistics, unmet) {
		if b, err = one.AppendJSON(b); err != nil {
			return b, err
		}
	}
	unmetBudgets := slices.DeleteFunc(slices.Clone(s.unmetBudgets), complete)
	for _, one := range slices.Concat(s.Budgets, unmetBudgets) {
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

// complete reports whether nothing is missing of what a budget was counted of.
func complete(b *budget.Budget) bool {
	_, missing, _ := b.Pieces().Missing()
	return missing == 0
}

// AppendCounted appends what was counted of captures as AppendStatistics does, each with the rejects of its protocol.
func AppendCounted(b []byte, counted []*stats.Segments, refused []*rejects.Result) (_ []byte, err error) {
	why := map[string]*rejects.Result{}
	for _, one := range refused {
		why[one.Protocol] = one
	}
	for _, one := range counted {
		if b, err = AppendStatistics(b, one, why[one.Protocol()]); err != nil {
			return b, err
		}
	}
	return b, nil
}

// AppendStatistics appends statistics as Set.AppendJSON does, with why packets were refused by rule, nil for none,
// under the key by_rule.
func AppendStatistics(b []byte, one *stats.Segments, rejects *rejects.Result) ([]byte, error) {
	start := len(b)
	b, err := one.AppendJSON(b)
	if err != nil || rejects == nil {
		return b, err
	}
	rejects.Incomplete.Add(one.Incomplete()...)
	b = bytes.TrimSuffix(b, []byte("}\n"))
	if len(b) == start {
		panic("pktscope: internal error: statistics are no object")
	}
	b = append(appendLine(append(b, `,"by_rule":`...), rejects), "}\n"...)
	return slices.Delete(b, len(b)-3, len(b)-2), nil // the line end of the inner one
}

// appendLine appends an object and a line end. Nobody obeys a text in it.
func appendLine(b []byte, object any) []byte {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // names of rules have < and >
	if err := e.Encode(object); err != nil {
		panic("pktscope: internal error: results as JSON: " + err.Error())
	}
	return syntax.AppendEscapedJSON(b, out.Bytes())
}
