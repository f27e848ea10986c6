package budget

import (
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// Counter counts the packets of a scan, of each protocol by itself. Each worker has budgets of its own, which merge:
// the order of packets does not matter.
type Counter struct {
	decoders  *scan.Decoders
	maxPacket int
	workers   [][]*Budget // of each worker and decoder; nil until a packet comes
}

// NewCounter makes a Counter for the packets of decoders. maxPacket is as New takes it.
func NewCounter(decoders *scan.Decoders, maxPacket int) *Counter {
	return &Counter{decoders: decoders, maxPacket: maxPacket}
}

// Stage counts packets. Scans of one Counter run one after the other.
func (c *Counter) Stage() scan.Stage[struct{}] {
	next := 0
	return scan.Stage[struct{}]{
		New: func() func(*struct{}, *scan.Packet) {
			if next == len(c.workers) {
				c.workers = append(c.workers, make([]*Budget, c.decoders.Len()))
			}
			list := c.workers[next]
			next++
			return func(_ *struct{}, p *scan.Packet) {
				which := p.Which()
				if list[which] == nil {
					list[which] = New(p.Plan, c.maxPacket)
				}
				list[which].Add(p)
			}
		},
		Drain: func(*struct{}) error { return nil },
	}
}

// Met is the budgets of a piece, in the order of the decoders, without the protocols that had no packet; with one
// decoder, and of a piece of several, also those: a protocol that a piece does not have is counted, not missing. The
// Counter is not to be used any more.
func (c *Counter) Met(p saved.Piece) ([]*Budget, error) {
	var list []*Budget
	for which := range c.decoders.Len() {
		var all *Budget
		for _, worker := range c.workers {
			switch one := worker[which]; {
			case one == nil:
			case all == nil:
				all = one
			default:
				if err := all.Merge(one); err != nil {
					return nil, err
				}
			}
		}
		if all == nil && (c.decoders.Len() == 1 || p.Of > 1) {
			all = New(c.decoders.At(which).Plan(), c.maxPacket)
		}
		if all != nil {
			all.SetPiece(p)
			list = append(list, all)
		}
	}
	return list, nil
}
