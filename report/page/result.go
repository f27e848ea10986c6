package page

import (
	"bytes"
	"io"

	"github.com/pktscope/pktscope/report/results"
)

// Result makes a page of what one command writes as JSON: of `diff`, whose lines it keeps up to a bound, or of any other
// whose results are saved so. Its text may be hostile.
type Result struct {
	to      io.Writer
	report  Report
	diff    *Differences // nil of others
	results bytes.Buffer
}

// NewResult makes a Result that writes its page to to, once it is closed. captures are what was read: of "pktscope diff"
// the two that it compares.
func NewResult(to io.Writer, title, tool string, captures ...string) *Result {
	r := &Result{to: to, report: Report{Title: title, Tool: tool}}
	for _, name := range captures {
		r.report.Sources = append(r.report.Sources, Source{Name: name, Kind: "capture"})
	}
	if title == "pktscope diff" {
		r.diff = &Differences{}
		copy(r.diff.Names[:], captures)
	}
	return r
}

// Write takes a part of the JSON.
func (r *Result) Write(b []byte) (int, error) {
	if r.diff != nil {
		return r.diff.Write(b)
	}
	return r.results.Write(b)
}

// Close writes the page. The error is the writer's, or that it was given no results.
func (r *Result) Close() error {
	if r.report.Differences = r.diff; r.diff == nil {
		set, err := results.Read(&r.results, r.report.Title, results.Limits{})
		if err != nil {
			return err
		}
		set.Merge()
		r.report.Results = set
	}
	return Write(r.to, &r.report)
}
