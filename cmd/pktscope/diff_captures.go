package main

import (
	"errors"
	"fmt"
	"runtime/debug"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// diffCaptures compares two captures.
func (p *program) diffCaptures(flags *diffFlags, decoders *scan.Decoders, a, b string) error {
	to := result(p.out, flags.format, "pktscope diff", a, b)
	c := &report.Captures{
		Decoders: decoders, Files: [2]string{a, b}, Out: to, Text: report.TextOptions{Colour: p.coloured(p.stdout)},
		JSON: flags.format != "text", ByMessages: flags.by == "message", Most: flags.count, Fields: flags.fields, Quiet: p.quiet,
	}
	c.Open = func(side int, take func(pcap.PacketSource) error) error {
		in, done, err := p.openCapture(c.Files[side])
		if err != nil {
			return err
		}
		defer done()
		err = take(p.readCapture(nil, in, in))
		if source := new(report.SourceError); errors.As(err, &source) {
			return inputError(source.File, source.Err)
		}
		return err
	}
	// The records of two captures live until the end and hold no pointers: collect often, and not at the usual limit.
	defer limitMemory(limitMemory(1 << 62))
	defer debug.SetGCPercent(debug.SetGCPercent(10))
	if err := c.Match(); isInterrupted(err) {
		return fmt.Errorf("%w; nothing was compared", err)
	} else if err != nil {
		return err
	}
	for side, name := range c.Files {
		if err := unmatched(c.Counts(side), decoders); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	err := c.Show()
	ended := isInterrupted(err)
	if ended {
		p.complain("%s", err)
	} else if err != nil {
		return err
	}
	if c.JSON {
		if _, err := to.Write(c.AppendSummaryJSON(nil)); err != nil {
			return err
		}
	}
	if err := to.Close(); err != nil {
		return err
	}
	if err := p.afterOutput(c.AppendSummary(nil, ended)); err != nil {
		return err
	}
	switch {
	case ended:
		return told{}
	case c.Differ():
		return findings{}
	}
	return nil
}
