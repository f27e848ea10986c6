package page

import (
	"github.com/pktscope/pktscope/report/scan"
)

// Packets picks packets of a scan for the lists of a page, of each protocol by itself.
type Packets struct {
	decoders   *scan.Decoders
	most       int
	collectors []*Collector // of each decoder; nil until a packet comes
}

// Looked is a packet on its way to its Collector.
type Looked struct {
	which   int // of the decoders
	look    Look
	packet  scan.Packet
	payload []byte
	size    int
}

// NewPackets makes a Packets that lists at most so many packets of each protocol; 0 is MaxPackets.
func NewPackets(decoders *scan.Decoders, most int) *Packets {
	return &Packets{decoders: decoders, most: most, collectors: make([]*Collector, decoders.Len())}
}

// Stage picks packets.
func (c *Packets) Stage() scan.Stage[[]Looked] {
	return scan.Stage[[]Looked]{
		New: func() func(*[]Looked, *scan.Packet) {
			return func(b *[]Looked, p *scan.Packet) {
				*b = append(*b, Looked{p.Which(), NewLook(p), scan.Packet{Envelope: p.Envelope}, p.Payload, p.Size})
			}
		},
		Drain: func(b *[]Looked) error {
			for i := range *b {
				l := &(*b)[i]
				if c.collectors[l.which] == nil {
					c.collectors[l.which] = NewCollector(c.decoders.At(l.which).Plan(), c.most)
				}
				c.collectors[l.which].Take(&l.look, &l.packet, l.payload, l.size)
			}
			*b = (*b)[:0]
			return nil
		},
	}
}

// Collectors are those of the protocols that had packets.
func (c *Packets) Collectors() (list []*Collector) {
	for _, one := range c.collectors {
		if one != nil {
			list = append(list, one)
		}
	}
	return list
}
