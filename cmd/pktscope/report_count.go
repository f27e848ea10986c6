package main

import (
	"bytes"
	"strings"

	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/page"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/scan"
)

// reportCounter counts captures for a report, in one pass: what `stats` counts, what `budget` counts, and the rejects
// by rule.
type reportCounter struct {
	scan    scan.Options
	counts  scan.Counts
	results *results.Counter
	packets *page.Packets // nil where no page lists them
}

// open makes the counter of captures, for the protocols that there are.
func (r *reportRun) open() error {
	if r.counter != nil {
		return nil
	}
	d, err := r.decoders(r.cmd, &r.flags.protocol)
	if err != nil {
		return err
	}
	r.counter = &reportCounter{scan: scan.Options{Decoders: d}, results: results.NewCounter(d, r.flags.maxPacket, version())}
	if r.page {
		r.counter.packets = page.NewPackets(d, r.flags.packets)
	}
	return nil
}

// capture counts one capture, up to its end or to where it broke.
func (r *reportCounter) capture(src pcap.PacketSource, name string) error {
	counted := r.results.Stage()
	if r.packets == nil {
		return scanCapture(src, name, r.scan, counted, &r.counts)
	}
	return scanCapture(src, name, r.scan, scan.Join(counted, r.packets.Stage()), &r.counts)
}

// finish puts what was counted of captures into the set.
func (r *reportRun) finish() error {
	c := r.counter
	if c == nil {
		return nil
	}
	if err := unmatched(&c.counts, c.scan.Decoders); err != nil && r.set.Empty() && !r.sharded() {
		return err
	}
	if err := c.results.AddTo(r.set, r.piece(), r.cut...); err != nil {
		return err
	}
	return r.tellUncounted(&c.counts, false)
}

// writePage writes the HTML page.
func writePage(r *reportRun, to *bytes.Buffer) error {
	out := page.Report{Tool: version(), Sources: r.sources, Remarks: r.set.Remarks(), Results: r.set, Against: r.against, AgainstName: r.flags.against,
		Protocol: r.flags.protocol.name, WantsTests: r.flags.failOn == "finding" || r.flags.failOn == "untested"}
	if r.counter != nil {
		if r.counter.packets != nil {
			out.Packets = r.counter.packets.Collectors()
		}
		if skipped := report.AppendSkipped(nil, &r.counter.counts); len(skipped) > 0 {
			out.Remarks = append(out.Remarks[:len(out.Remarks):len(out.Remarks)], strings.TrimSuffix(string(skipped), "\n"))
		}
	}
	return page.Write(to, &out)
}
