package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report/scan"
)

// decoders is the decoder of what -p names, which has every datagram, else those of all built-ins, chosen by port.
func (p *program) decoders(cmd *cobra.Command, f *protocolFlags) (*scan.Decoders, error) {
	file, err := p.readKeys(f)
	if err != nil {
		return nil, err
	}
	if f.name == "" {
		return scan.Builtins().Open(file).Trust(f.trust), nil
	}
	d, err := p.load(cmd, f)
	if err != nil {
		return nil, err
	}
	return scan.Always(d).Open(file).Trust(f.trust), nil
}

// noPort is the error of datagrams that were all on no port of a built-in.
func noPort(datagrams int64, d *scan.Decoders) error {
	return fmt.Errorf("%s on no port of a built-in protocol: %s; name the protocol with -p, or draft one: pktscope infer", syntax.Count(datagrams, "datagram"), d)
}
