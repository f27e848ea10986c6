package scan

import (
	"net/netip"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
)

// Decoders are the decoders of a scan. They choose which has a datagram.
type Decoders struct {
	known  []known
	made   []atomic.Pointer[decode.Decoder] // nil until it is asked for
	making sync.Mutex
	byPort *[1 << 16]uint8 // 1 + index into made, 0 where no schema has the port; nil where the first has every datagram
	keys   *keys.File      // nil: what is sealed stays so
	trust  bool            // what flows hold is right
}

// known is what is known of a decoder before it is made.
type known struct {
	name  string // of its protocol
	ports []uint16
}

// Always is one decoder, which has every datagram.
func Always(d *decode.Decoder) *Decoders { return compiled(d) }

// ByPort is decoders of which each has the datagrams from or to the ports of its schema, at most 255. The first that
// has a port keeps it. Datagrams on no port of them are counted and passed over.
func ByPort(all ...*decode.Decoder) *Decoders { return compiled(all...).choose() }

// Builtins is ByPort of all built-in protocols. One is compiled when it is first asked for, since most scans meet one or
// two of them.
func Builtins() *Decoders {
	c := &Decoders{}
	for _, name := range protocols.Names() {
		c.known = append(c.known, known{name, protocols.Ports(name)})
	}
	c.made = make([]atomic.Pointer[decode.Decoder], len(c.known))
	return c.choose()
}

// compiled are decoders that are there.
func compiled(all ...*decode.Decoder) *Decoders {
	c := &Decoders{known: make([]known, len(all)), made: make([]atomic.Pointer[decode.Decoder], len(all))}
	for i, d := range all {
		c.known[i] = known{d.Schema().Name, d.Schema().Ports}
		c.made[i].Store(d)
	}
	return c
}

// choose makes the port choose.
func (c *Decoders) choose() *Decoders {
	c.byPort = new([1 << 16]uint8)
	for i, one := range c.known {
		for _, port := range one.ports {
			if c.byPort[port] == 0 {
				c.byPort[port] = uint8(i + 1)
			}
		}
	}
	return c
}

// Len is how many there are.
func (c *Decoders) Len() int { return len(c.made) }

// At is decoder number i. Any goroutine may call it.
func (c *Decoders) At(i int) *decode.Decoder {
	if d := c.made[i].Load(); d != nil {
		return d
	}
	return c.compile(i)
}

func (c *Decoders) compile(i int) *decode.Decoder {
	c.making.Lock()
	defer c.making.Unlock()
	if d := c.made[i].Load(); d != nil {
		return d
	}
	d, err := protocols.Load(c.known[i].name)
	if err != nil {
		panic("pktscope: internal error: built-in " + c.known[i].name + ": " + err.Error())
	}
	c.made[i].Store(d)
	return d
}

// All lists them, for what is about the fields of each protocol: it compiles what no datagram has asked for.
func (c *Decoders) All() []*decode.Decoder {
	all := make([]*decode.Decoder, c.Len())
	for i := range all {
		all[i] = c.At(i)
	}
	return all
}

// AllPorts lists the ports of all, sorted; nil where a datagram of theirs may be on any.
func (c *Decoders) AllPorts() (ports []uint16) {
	for _, one := range c.known {
		if len(one.ports) == 0 && !c.Ports() {
			return nil
		}
		ports = append(ports, one.ports...)
	}
	slices.Sort(ports)
	return slices.Compact(ports)
}

// Ports reports whether the port chooses.
func (c *Decoders) Ports() bool { return c.byPort != nil }

// Index is which of them has a datagram; -1 for none. The receiver's port counts first.
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
	for _, one := range c.known {
		if len(one.ports) > 0 {
			names = append(names, one.name+" ("+schema.PortList(one.ports)+")")
		}
	}
	return strings.Join(names, ", ")
}

// Stateful reports whether what a packet brings depends on others.
func (c *Decoders) Stateful() bool {
	for i := range c.made {
		if c.keeps(i) {
			return true
		}
	}
	return false
}

// keeps reports whether something is kept of a decoder's packets, if it has any: where ports choose, one without a port
// has none. Nothing is kept of a built-in protocol that has a port, compiled or not: a test holds them to that.
func (c *Decoders) keeps(i int) bool {
	d := c.made[i].Load()
	return d != nil && (d.Stateful() || c.keys != nil && d.Seals()) && (c.byPort == nil || len(c.known[i].ports) > 0)
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
