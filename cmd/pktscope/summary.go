package main

import (
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// summarise prints what was met to stderr, after all that stdout has, unless -q.
func (p *program) summarise(c *scan.Counts, filtered bool) error {
	return p.afterOutput(report.AppendCounts(nil, c, filtered))
}

// tellUncounted says on stderr what is not in the statistics, unless -q.
func (p *program) tellUncounted(c *scan.Counts, filtered bool) error {
	var b []byte
	if filtered {
		b = report.AppendMatched(b, c)
	}
	return p.afterOutput(report.AppendSkipped(report.AppendMessages(b, &c.Messages), c))
}

// afterOutput writes text to stderr after all that stdout has, unless -q.
func (p *program) afterOutput(text []byte) error {
	if err := p.out.Flush(); err != nil || p.quiet {
		return err
	}
	_, err := p.stderr.Write(text)
	return err
}

// metFailure reports whether a scan met what --fail-on names.
func metFailure(on string, c *scan.Counts) bool {
	refused := c.Refused + c.Messages.Refused
	switch on {
	case "note":
		return refused+c.Noted > 0
	case "context":
		return refused+c.NeedsContext+c.Messages.Context+c.Messages.Incomplete()+c.Messages.Unopened() > 0
	}
	return on == "reject" && refused > 0
}
