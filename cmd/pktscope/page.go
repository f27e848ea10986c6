package main

import (
	"bytes"

	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
)

// pageOf is the page of what one command found: result is what it writes as JSON, and inputs are its captures.
func pageOf(title string, result []byte, inputs ...string) ([]byte, error) {
	set, err := results.Read(bytes.NewReader(result), title, results.Limits{Bytes: maxSaved})
	if err != nil {
		return nil, err
	}
	set.Merge()
	return written(&page.Report{Title: title, Results: set}, inputs)
}

// pageOfDifferences is the page of `diff`.
func pageOfDifferences(d *page.Differences) ([]byte, error) {
	return written(&page.Report{Title: "pktscope diff", Differences: d}, d.Names[:])
}

func written(r *page.Report, inputs []string) ([]byte, error) {
	r.Tool = version()
	for _, name := range inputs {
		r.Sources = append(r.Sources, page.Source{Name: name, Kind: "capture"})
	}
	var b bytes.Buffer
	err := page.Write(&b, r)
	return b.Bytes(), err
}
