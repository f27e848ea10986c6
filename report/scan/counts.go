package scan

import (
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/flow"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/pcap"
)

// Counts is what a scan met.
type Counts struct {
	Tally
	Captured uint64               // packets of the capture, whatever they are
	Skipped  [256]uint64          // those without a datagram, by pcap.Cause
	As       map[pcap.Kind]uint64 // those of them that have a kind
	Strange  Flows                // those of the datagrams on no decoder's port, where no other came
}

// Tally is the datagrams that a scan met.
type Tally struct {
	Packets, Accepted, Refused, Cut int64 // decoded; Packets is the sum of these and NeedsContext
	NeedsContext                    int64 // refused by what their flows held, or merged
	Merged                          int64 // of those, what offload has merged
	Noted                           int64 // with notes
	Matched                         int64 // those that the Options ask for
	NoPort                          int64 // datagrams on no decoder's port
	Kinds                           [reject.OverBudget + 1]int64
	Messages                        flow.Counts // that the packets brought, where a schema has any
}

// Add adds what another scan met.
func (c *Counts) Add(o *Counts) {
	c.Tally.add(&o.Tally)
	c.Captured += o.Captured
	for cause, n := range o.Skipped {
		c.Skipped[cause] += n
	}
	c.kinds(o.As)
	c.Strange.join(&o.Strange)
}

func (c *Counts) kinds(of map[pcap.Kind]uint64) {
	if c.As == nil {
		c.As = map[pcap.Kind]uint64{}
	}
	for kind, n := range of {
		c.As[kind] += n
	}
}

// Unmatched reports whether there were packets, but no datagram on a decoder's port, where ports choose.
func (c *Counts) Unmatched(d *Decoders) bool { return c.Captured > 0 && c.Packets == 0 && d.Ports() }

func (c *Counts) capture(from pcap.Counts) {
	c.Captured += from.Packets
	for cause, n := range from.All() {
		c.Skipped[cause] += n
	}
	c.kinds(from.Kinds)
}

func (t *Tally) add(o *Tally) {
	t.Packets += o.Packets
	t.Accepted += o.Accepted
	t.Refused += o.Refused
	t.Cut += o.Cut
	t.NeedsContext += o.NeedsContext
	t.Merged += o.Merged
	t.Noted += o.Noted
	t.Matched += o.Matched
	t.NoPort += o.NoPort
	t.Messages.Add(&o.Messages)
	for kind, n := range o.Kinds {
		t.Kinds[kind] += n
	}
}

func (t *Tally) packet(p *Packet, verdict decode.Verdict, notes int) {
	t.Packets++
	switch verdict {
	case decode.Accepted:
		t.Accepted++
	case decode.Refused:
		t.Refused++
		t.Kinds[p.Reject().Kind]++
	case decode.Cut:
		t.Cut++
	case decode.NeedsContext:
		if t.NeedsContext++; p.Merged != 0 {
			t.Merged++
		}
	}
	if notes > 0 {
		t.Noted++
	}
}
