package main

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// counts is what a run met.
type counts struct {
	packets, accepted, refused, cut int64 // decoded; packets is the sum of the others
	odd                             int64 // with notes
	noPort                          int64 // datagrams on no built-in's port
	kinds                           [reject.OverBudget + 1]int64
}

// captureCounts is what the captures held beside datagrams.
type captureCounts struct {
	captured uint64      // packets, whatever they are
	skipped  [256]uint64 // those without a datagram, by pcap.Cause
}

func (c *counts) add(p *report.Packet, verdict report.Verdict, notes int) {
	c.packets++
	switch verdict {
	case report.Accepted:
		c.accepted++
	case report.Refused:
		c.refused++
		c.kinds[p.Trace.Reject().Kind]++
	case report.Cut:
		c.cut++
	}
	if notes > 0 {
		c.odd++
	}
}

// merge adds what another part of the run met.
func (c *counts) merge(o *counts) {
	c.packets += o.packets
	c.accepted += o.accepted
	c.refused += o.refused
	c.cut += o.cut
	c.odd += o.odd
	c.noPort += o.noPort
	for k, n := range o.kinds {
		c.kinds[k] += n
	}
}

// skip adds what a capture had beside datagrams.
func (c *captureCounts) skip(from pcap.Counts) {
	c.captured += from.Packets
	for cause, n := range from.All() {
		c.skipped[cause] += n
	}
}

// summary is the counts in one to three lines: the packets; the rejects by kind; what was skipped, by cause.
func (v *view) summary() string {
	c := &v.counts
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d accepted, %d rejected", plural(c.packets, "packet"), c.accepted, c.refused)
	if c.cut > 0 {
		fmt.Fprintf(&b, ", %d cut by the capture", c.cut)
	}
	if c.odd > 0 {
		fmt.Fprintf(&b, ", %d with notes", c.odd)
	}
	b.WriteByte('\n')
	b.WriteString(v.matchedLine())
	var list []string
	for _, k := range reject.Kinds() {
		if n := c.kinds[k]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, k))
		}
	}
	if len(list) > 0 {
		fmt.Fprintf(&b, "rejected: %s\n", strings.Join(list, ", "))
	}
	b.WriteString(v.skippedLine())
	return b.String()
}

// matchedLine is how many packets -Y was true of, "" without it.
func (v *view) matchedLine() string {
	if v.flags.filter == "" {
		return ""
	}
	return fmt.Sprintf("matched: %d of %s\n", v.shown, plural(v.counts.packets, "packet"))
}

// skippedLine is what was no datagram of a protocol at hand, by cause, "" when there was nothing.
func (v *view) skippedLine() string {
	c := &v.counts
	var list []string
	for cause, n := range v.captures.skipped {
		if n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, pcap.Cause(cause)))
		}
	}
	if c.noPort > 0 {
		list = append(list, fmt.Sprintf("%d on no built-in protocol's port", c.noPort))
	}
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("skipped: %s\n", strings.Join(list, ", "))
}

func plural(n int64, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// summarise prints the counts to stderr, behind all that stdout has, unless -q.
func (p *program) summarise(v *view) error {
	if err := p.out.Flush(); err != nil {
		return err
	}
	if p.quiet {
		return nil
	}
	_, err := p.stderr.WriteString(v.summary())
	return err
}
