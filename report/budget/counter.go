package budget

import "github.com/pktscope/pktscope/report/scan"

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
				c.workers = append(c.workers, make([]*Budget, len(c.decoders.All())))
			}
			list := c.workers[next]
			next++
			return func(_ *struct{}, p *scan.Packet) {
				which := c.decoders.Of(p)
				if list[which] == nil {
					list[which] = New(p.Plan, c.maxPacket)
				}
				list[which].Add(p)
			}
		},
		Drain: func(*struct{}) error { return nil },
	}
}

// Budgets returns Met. With one decoder it returns that one's Budget, even with no packet.
func (c *Counter) Budgets() ([]*Budget, error) {
	list, err := c.Met()
	if all := c.decoders.All(); err == nil && len(list) == 0 && len(all) == 1 {
		list = append(list, New(all[0].Plan(), c.maxPacket))
	}
	return list, err
}

// Met is the budgets of the protocols that had packets, in the order of the decoders. The Counter is not to be used any
// more.
func (c *Counter) Met() ([]*Budget, error) {
	var list []*Budget
	for which := range c.decoders.All() {
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
		if all != nil {
			list = append(list, all)
		}
	}
	return list, nil
}
