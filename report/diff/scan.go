package diff

import (
	"hash/maphash"

	"github.com/pktscope/pktscope/report/scan"
)

// Indexed is a datagram on its way to its Capture.
type Indexed struct {
	flow   Flow
	record Record
}

// Stage adds the packets of a scan, of which decoders chose the protocol. Captures that are matched have one seed.
func (c *Capture) Stage(decoders *scan.Decoders, seed maphash.Seed) scan.Stage[[]Indexed] {
	return scan.Stage[[]Indexed]{
		New: func() func(*[]Indexed, *scan.Packet) {
			return func(b *[]Indexed, p *scan.Packet) {
				r := Record{N: p.N, Hash: maphash.Bytes(seed, p.Payload), Size: len(p.Payload), Cut: p.Cut}
				r.Seq, r.Modulus, r.HasSeq = Sequence(p.Trace)
				*b = append(*b, Indexed{Flow{Src: p.Src, Dst: p.Dst, From: p.From, Protocol: decoders.Of(p)}, r})
			}
		},
		Drain: func(b *[]Indexed) error {
			for i := range *b {
				if err := c.Add((*b)[i].flow, (*b)[i].record); err != nil {
					return err
				}
			}
			*b = (*b)[:0]
			return nil
		},
	}
}
