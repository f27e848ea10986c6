package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/scan"
)

// AppendCounts appends what a scan met in one to five lines: the packets; how many a filter was true of, if there is
// one; the rejects by kind; the messages; what was skipped, by cause.
func AppendCounts(b []byte, c *scan.Counts, filtered bool) []byte {
	b = fmt.Appendf(b, "%s: %d accepted, %d rejected", syntax.Count(c.Packets, "packet"), c.Accepted, c.Refused)
	if c.Cut > 0 {
		b = fmt.Appendf(b, ", %d cut by the capture", c.Cut)
	}
	if c.NeedsContext > 0 {
		b = fmt.Appendf(b, ", %d need context", c.NeedsContext)
	}
	if c.Noted > 0 {
		b = fmt.Appendf(b, ", %d with notes", c.Noted)
	}
	b = append(b, '\n')
	if filtered {
		b = AppendMatched(b, c)
	}
	var list []string
	for _, k := range reject.Kinds() {
		if n := c.Kinds[k]; n > 0 {
			list = append(list, fmt.Sprintf("%d %s", n, k))
		}
	}
	if len(list) > 0 {
		b = fmt.Appendf(b, "rejected: %s\n", strings.Join(list, ", "))
	}
	if c.Merged > 0 {
		b = fmt.Appendf(b, "merged by offload: %d; `pktscope live -i DEVICE` cuts such packets, `ethtool -K DEVICE gso off gro off` keeps them apart\n", c.Merged)
	}
	b = AppendMessages(b, &c.Messages)
	return AppendSkipped(b, c)
}

// AppendMessages appends a line on the messages that the packets brought, and one on what they held sealed; none where
// there was nothing.
func AppendMessages(b []byte, c *flow.Counts) []byte {
	b = appendSealed(b, c)
	if c.Messages() == 0 && c.Pieces == 0 {
		return b
	}
	b = fmt.Appendf(b, "%s: %d accepted, %d rejected", syntax.Count(c.Messages(), "message"), c.Accepted, c.Refused)
	if c.Incomplete() > 0 {
		b = fmt.Appendf(b, ", %d incomplete (%d missing pieces, %d evicted, %d at the end)", c.Incomplete(), c.Lost[flow.Missing], c.Lost[flow.Evicted], c.Lost[flow.End])
	}
	if c.Context > 0 {
		b = fmt.Appendf(b, ", %d need context", c.Context)
	}
	if c.Resent > 0 {
		b = fmt.Appendf(b, ", %s resent", syntax.Count(c.Resent, "piece"))
	}
	if c.Conflicting > 0 {
		b = fmt.Appendf(b, ", %d conflicting", c.Conflicting)
	}
	return append(b, '\n')
}

// appendSealed appends a line on what was sealed in the packets and was to be opened; none where there was nothing.
func appendSealed(b []byte, c *flow.Counts) []byte {
	all := c.Unopened() + c.Sealed[decode.Opened]
	if all == 0 {
		return b
	}
	b = fmt.Appendf(b, "%s: %d opened", syntax.Count(all, "sealed text"), c.Sealed[decode.Opened])
	for why, n := range c.Sealed {
		if why := decode.Reason(why); why != decode.Opened && n > 0 {
			b = fmt.Appendf(b, ", %d %s", n, why)
		}
	}
	return append(b, '\n')
}

// AppendMatched appends a line on how many packets a filter was true of.
func AppendMatched(b []byte, c *scan.Counts) []byte {
	return fmt.Appendf(b, "matched: %d of %s\n", c.Matched, syntax.Count(c.Packets, "packet"))
}

// skippedList is what was skipped by cause, and what that was where it has a name: `15 not-udp (12 TCP, 3 ICMP)`.
func skippedList(c *scan.Counts) (list []string) {
	const most = 20 // of one cause
	named := map[pcap.Cause][]string{}
	for _, k := range slices.SortedFunc(maps.Keys(c.As), func(a, b pcap.Kind) int {
		return cmp.Or(cmp.Compare(c.As[b], c.As[a]), cmp.Compare(a, b))
	}) {
		if of := named[k.Cause()]; len(of) < most {
			named[k.Cause()] = append(of, fmt.Sprintf("%d %s", c.As[k], k))
		} else if len(of) == most {
			named[k.Cause()] = append(of, "and others")
		}
	}
	for i, n := range c.Skipped {
		if n == 0 {
			continue
		}
		text := fmt.Sprintf("%d %s", n, pcap.Cause(i))
		if kinds := named[pcap.Cause(i)]; len(kinds) > 0 {
			text += " (" + strings.Join(kinds, ", ") + ")"
		}
		list = append(list, text)
	}
	return list
}

// Seen is what was in a capture that has no datagram of a protocol at hand: its five largest flows, or what was skipped.
func Seen(c *scan.Counts) string {
	if c.NoPort > 0 {
		return c.Strange.Text(5)
	}
	return strings.Join(skippedList(c), ", ")
}

// AppendSkipped appends a line on what was no datagram of a protocol at hand, by cause; none when there was nothing.
func AppendSkipped(b []byte, c *scan.Counts) []byte {
	list := skippedList(c)
	if c.NoPort > 0 {
		list = append(list, fmt.Sprintf("%d on no built-in protocol's port", c.NoPort))
	}
	if len(list) == 0 {
		return b
	}
	return fmt.Appendf(b, "skipped: %s\n", strings.Join(list, ", "))
}
