package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/scan"
)

// One packet of a capture, or of the command line: `explain` and `diff` look at single ones.

// packetFlags name a packet.
type packetFlags struct {
	file   string // -r
	number int64  // -n
	hex    string // --hex
	isHex  bool   // it is given; "" is a packet of no bytes
	from   string // --from
	flow   flowFlags
}

func (p *packetFlags) check(cmd *cobra.Command) error {
	p.isHex = cmd.Flags().Changed("hex")
	switch {
	case p.isHex:
		return nil
	case p.file == "":
		return usagef(cmd, "which packet? want -r FILE -n N, or --hex")
	case !cmd.Flags().Changed("number"):
		return usagef(cmd, "which packet of %s? want its number, as decode prints it: -n N", p.file)
	}
	return nil
}

var directions = map[string]decode.Direction{"client": decode.Client, "server": decode.Server, "unknown": decode.FromUnknown}

// findPacket decodes the packet that the flags name into packet, whose trace is the caller's. name is what the user
// calls one in hexadecimal.
func (p *program) findPacket(name string, f *packetFlags, decoders *scan.Decoders, packet *scan.Packet) (*decode.Decoder, error) {
	if !f.isHex {
		return p.findInCapture(f, decoders, packet)
	}
	data, err := p.readHex(name, f.hex)
	if err != nil {
		return nil, err
	}
	if decoders.Ports() {
		return nil, fmt.Errorf("%s: a packet in hexadecimal has no port that tells its protocol: name it with -p", name)
	}
	d := decoders.At(0)
	_ = d.Decode(data, directions[f.from], packet.Trace) // its error is the trace's reject
	return d, nil
}

// findInCapture decodes a packet of a capture.
func (p *program) findInCapture(f *packetFlags, decoders *scan.Decoders, packet *scan.Packet) (*decode.Decoder, error) {
	name, n := f.file, f.number
	in, done, err := p.openCapture(name)
	if err != nil {
		return nil, err
	}
	defer done()
	which, err := scan.Find(p.readCapture(nil, in, in), n, name, decoders, f.flow.limits(), packet)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	case which < 0:
		return nil, fmt.Errorf("%s: packet %d is on no port of a built-in protocol: %s; name the protocol with -p, or draft one: pktscope infer", name, n, decoders)
	}
	return decoders.At(which), nil
}

// readHex reads a payload in hexadecimal that the user gave by some name; - is stdin.
func (p *program) readHex(name, text string) ([]byte, error) {
	if text == "-" {
		name = "stdin"
		b, err := io.ReadAll(io.LimitReader(p.stdin, corpus.MaxHex+1))
		if err != nil {
			return nil, fmt.Errorf("stdin: %s", reason(err))
		}
		text = string(b)
	}
	data, err := corpus.ParseHex(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, err)
	}
	return data, nil
}
