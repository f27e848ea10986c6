package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
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

// unmatched is the error of a capture whose datagrams, if it has any, were all on no port of a built-in; nil of others.
func unmatched(c *scan.Counts, d *scan.Decoders) error {
	switch seen := report.Seen(c); {
	case !c.Unmatched(d):
		return nil
	case c.NoPort > 0:
		return fmt.Errorf("%s on no port of a built-in protocol (pktscope protocols): %s; name the protocol with -p, or draft one: pktscope infer",
			syntax.Count(c.NoPort, "datagram"), seen)
	default:
		return fmt.Errorf("no UDP datagram in %s: %s; capture UDP, and that of a tunnel at its end", syntax.Count(int64(c.Captured), "packet"), seen)
	}
}
