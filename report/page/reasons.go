package page

import (
	"cmp"
	"net/netip"
	"slices"

	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report"
)

// reasonKey is who was refused for what: statistics know the kinds, not the fields.
type reasonKey struct {
	sender netip.AddrPort
	kind   reject.Kind
	path   string // with * for indexes
}

// reason counts one.
type reason struct {
	reasonKey
	packets uint64
	first   report.Packet // the first, without its trace
	order   uint64
}

func (c *Collector) reason(l *Look, p *report.Packet) {
	key := reasonKey{p.Src, l.key.kind, l.path}
	r := c.reasons[key]
	if r == nil {
		if len(c.reasons) >= maxReasons {
			c.beyond++
			return
		}
		r = &reason{reasonKey: key, first: *p, order: c.seen}
		r.first.Trace = nil
		c.reasons[key] = r
	}
	r.packets++
}

// listReasons lists them, the most packets first.
func (c *Collector) listReasons() []*reason {
	var list []*reason
	for _, r := range c.reasons {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *reason) int {
		return cmp.Or(cmp.Compare(b.packets, a.packets), cmp.Compare(a.order, b.order))
	})
	return list
}

// place is the reason's field as it may be shown.
func (r *reason) place() string {
	if r.path == "" {
		return "packet"
	}
	return plain(r.path)
}
