package stats

import (
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Counter counts the packets of a scan, of each protocol by itself. What is counted goes through one goroutine in the
// order of the capture, because a gap, a silence or an interval is between packets that follow each other; workers only
// sample.
type Counter struct {
	decoders *scan.Decoders
	stats    []*Stats // of each decoder
}

// NewCounter makes a Counter for the packets of decoders. Several scans, one after the other, are one capture in
// pieces.
func NewCounter(decoders *scan.Decoders) *Counter {
	c := &Counter{decoders: decoders}
	for _, d := range decoders.All() {
		c.stats = append(c.stats, New(d.Plan()))
	}
	return c
}

// Stage counts packets.
func (c *Counter) Stage() scan.Stage[Batch] {
	return scan.Stage[Batch]{
		New: func() func(*Batch, *scan.Packet) {
			samplers := make([]*Sampler, len(c.stats))
			for i, d := range c.decoders.All() {
				samplers[i] = NewSampler(d.Plan())
			}
			return func(b *Batch, p *scan.Packet) { samplers[c.decoders.Of(p)].Add(b, p) }
		},
		Drain: func(b *Batch) error {
			for _, one := range c.stats {
				one.Take(b)
			}
			b.Reset()
			return nil
		},
	}
}

// All is what was counted of each decoder's packets, in their order.
func (c *Counter) All() []*Stats { return c.stats }

// Met returns what was counted of a piece, without the protocols that had no packet; with one decoder, and of a piece
// of several, also those: a protocol that a piece does not have is counted, not missing. The Counter is not to be used
// any more.
func (c *Counter) Met(p saved.Piece) (list []*Segments) {
	for _, s := range c.stats {
		if len(c.stats) == 1 || p.Of > 1 || s.Packets() > 0 {
			list = append(list, NewSegments(p, s))
		}
	}
	return list
}
