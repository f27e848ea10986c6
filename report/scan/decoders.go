package scan

import (
	"net/netip"
	"slices"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
)

// Decoders are the decoders of a scan. They choose which has a datagram.
type Decoders struct {
	all    []*decode.Decoder
	byPort *[1 << 16]uint8 // 1 + index into all, 0 where no schema has the port; nil where the first has every datagram
	keys   *keys.File      // nil: what is sealed stays so
	trust  bool            // what flows hold is right
}

// Always is one decoder, which has every datagram.
func Always(d *decode.Decoder) *Decoders { return &Decoders{all: []*decode.Decoder{d}} }

// ByPort is decoders of which each has the datagrams from or to the ports of its schema, at most 255. The first that
// has a port keeps it. Datagrams on no port of them are counted and passed over.
func ByPort(all ...*decode.Decoder) *Decoders {
	c := &Decoders{all: all, byPort: new([1 << 16]uint8)}
	for i, d := range all {
		for _, port := range d.Schema().Ports {
			if c.byPort[port] == 0 {
				c.byPort[port] = uint8(i + 1)
			}
		}
	}
	return c
}

// All lists them. The list is not to be changed.
func (c *Decoders) All() []*decode.Decoder { return c.all }

// Ports reports whether the port chooses.
func (c *Decoders) Ports() bool { return c.byPort != nil }

// Index is which of All has a datagram; -1 for none. The receiver's port counts first.
func (c *Decoders) Index(src, dst netip.AddrPort) int {
	if c.byPort == nil {
		return 0
	}
	if i := c.byPort[dst.Port()]; i != 0 {
		return int(i) - 1
	}
	return int(c.byPort[src.Port()]) - 1
}

// String names the protocols that have ports, with these: `packets (4000), rtype (4124)`.
func (c *Decoders) String() string {
	var names []string
	for _, d := range c.all {
		if s := d.Schema(); len(s.Ports) > 0 {
			names = append(names, s.Name+" ("+s.PortList()+")")
		}
	}
	return strings.Join(names, ", ")
}

// Stateful reports whether what a packet brings depends on others.
func (c *Decoders) Stateful() bool { return slices.ContainsFunc(c.all, c.keeps) }

// keeps reports whether something is kept of a decoder's packets, if it has any: where ports choose, one without a port
// has none.
func (c *Decoders) keeps(d *decode.Decoder) bool {
	return (d.Stateful() || c.keys != nil && d.Seals()) && (c.byPort == nil || len(d.Schema().Ports) > 0)
}

// Open makes scans open what is sealed, with the keys of a file and those that flows tell. nil opens nothing.
func (c *Decoders) Open(file *keys.File) *Decoders {
	c.keys = file
	return c
}

// Trust makes scans refuse what is wrong by what its flow holds, as if no packet were missing that sets it.
func (c *Decoders) Trust(yes bool) *Decoders {
	c.trust = yes
	return c
}

// Of is which of All decoded a packet; -1 for none of them.
func (c *Decoders) Of(p *Packet) int {
	for i, d := range c.all {
		if d.Plan() == p.Plan {
			return i
		}
	}
	return -1
}
