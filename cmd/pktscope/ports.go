package main

import (
	"fmt"
	"strings"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
)

// portTable chooses the built-in protocol of a datagram by its ports.
type portTable struct {
	decoders []*decode.Decoder
	byPort   [1 << 16]uint8 // 1 + index into decoders, 0 where no built-in has the port
}

// newPortTable compiles all built-ins. Where two have a port in common, the first by name has it.
func newPortTable() *portTable {
	t := &portTable{}
	for _, name := range protocols.Names() {
		d, err := protocols.Load(name)
		if err != nil {
			panic("pktscope: internal error: built-in " + name + ": " + err.Error())
		}
		t.decoders = append(t.decoders, d)
		for _, port := range d.Schema().Ports {
			if t.byPort[port] == 0 {
				t.byPort[port] = uint8(len(t.decoders))
			}
		}
	}
	return t
}

// choose gives the index of the decoder for a datagram, -1 when neither port is a built-in's. The receiver's port
// counts first.
func (t *portTable) choose(src, dst uint16) int {
	if i := t.byPort[dst]; i != 0 {
		return int(i) - 1
	}
	return int(t.byPort[src]) - 1
}

// list names the built-ins with their ports: `packets (4000), rtype (4124)`.
func (t *portTable) list() string {
	var names []string
	for _, d := range t.decoders {
		s := d.Plan().Schema
		names = append(names, fmt.Sprintf("%s (%s)", s.Name, portList(s.Ports)))
	}
	return strings.Join(names, ", ")
}

func portList(ports []uint16) string {
	if len(ports) == 0 {
		return "no port"
	}
	var b []byte
	for i, p := range ports {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = fmt.Appendf(b, "%d", p)
	}
	return string(b)
}
