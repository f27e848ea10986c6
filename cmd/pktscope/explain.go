package main

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/filter"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// explainFlags are the flags of `explain`.
type explainFlags struct {
	protocol protocolFlags
	packet   packetFlags
	format   string // -T
	bits     string // --bits
	field    string // --field
	width    int    // --width
}

func newExplain(p *program) *cobra.Command {
	var flags explainFlags
	cmd := &cobra.Command{
		Use:   "explain {-r FILE -n N | --hex HEX}",
		Short: "show every bit of one packet, with its field, code, value and range",
		Long: `Explain draws one packet as a ruler: its bits, and under them the label of the field that
each bit belongs to. A legend below has each field's first bit and width, its path, raw code
and value, what it may hold, and how many codes no valid packet uses ("155 unused").

A number is drawn as it is written, with its highest bit at the left, also where a field
crosses bytes. In order lsb, which fills a byte from its lowest bit, rows therefore run from
right to left: byte 0 is rightmost, and its rightmost bit is read first. In msb rows run
from left to right. In bousk they do too, but a number leaves 8 bits at a time, the lowest
first, which no drawing puts right: the legend says which bits of the code are where ("bits
4..0, 7..5"). It says the same of a number whose bytes run the other way (le, be). A field
that continues in the next row has its label there again, after a line.

What lies after the end of a within(… zeros) has no bits: the legend calls it cut off.

In a packet that was refused ▲ marks the refused bits, with the field, what was wanted and
what the packet had; the bits after them were not read. Dots stand for what a schema calls
@secret. The middle of anything longer than 64 bytes is left out; --bits draws it.

With --section the bits are those of the message NAME that packet N of a capture completes,
and lines above tell which packets brought which of them. A packet in hexadecimal, or one
that PROTOCOL refuses, is then the whole message.

The packet is number N of FILE, as decode counts (a capture; - is stdin), or a payload in
hexadecimal, whose sender --from names. Without -p the port of a capture's packet chooses
among the built-in protocols.`,
		Example: `  pktscope explain -r game.pcap -n 12
  pktscope explain -r game.pcap -n 12 --field body.players[2]
  pktscope explain -r game.pcap -n 12 --bits 290..330
  pktscope explain -p my.pks -r game.pcap -n 41 --section Game
  pktscope explain -p my.pks --hex "05 a2 da 9d 7b 00"
  pktscope explain -p my.pks --from client --hex - < packet.hex
  pktscope explain -r game.pcap -n 12 -T json | jq -c '.pieces[] | select(.unused > 0)'`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "%q: explain takes no arguments; a capture is -r FILE, a packet --hex HEX", args[0])
			}
			return p.explain(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	flags.protocol.addKeys(cmd, true)
	flags.protocol.addTrust(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.packet.file, "read", "r", "", "the capture `FILE` that has the packet")
	numberVar(cmd, &flags.packet.number, "number", "n", 0, 1, math.MaxInt64, "the `N`umber of the packet in FILE, as decode prints it", "")
	f.StringVar(&flags.packet.hex, "hex", "", "the packet itself in `HEX`adecimal; - is stdin")
	flags.packet.flow.add(cmd)
	choiceVar(cmd, &flags.packet.from, "from", "", "unknown", "`WHO` sent what --hex has", senders)
	excludes(cmd, "--hex is the packet itself", "hex", "read", "number")
	needs(cmd, "from", "hex", ": the ports of a capture say who sent its packets")
	choiceVar(cmd, &flags.format, "format", "T", "text", "print as `FORMAT`", textOrJSON)
	f.StringVar(&flags.bits, "bits", "", "draw only the bits `A..B` of the packet, both included")
	f.StringVar(&flags.field, "field", "", "draw only the field `PATH` and the fields in it; [*] is every element")
	numberVar(cmd, &flags.width, "width", "", 0, report.MinExplainWidth, math.MaxInt, "draw lines of `CELLS` (usually COLUMNS, the terminal's width, or 80)", "")
	completeFieldPaths(cmd, &flags.protocol)
	mustComplete(cmd.RegisterFlagCompletionFunc("read", completeExtensions("pcap", "pcapng", "cap")))
	return cmd
}

func (p *program) explain(cmd *cobra.Command, flags *explainFlags) error {
	opts := report.ExplainOptions{Width: flags.width, Last: -1, Field: flags.field}
	if cmd.Flags().Changed("bits") {
		var err error
		if opts.First, opts.Last, err = bitRange(cmd, flags.bits); err != nil {
			return err
		}
	}
	if err := flags.packet.check(cmd); err != nil {
		return err
	}
	whole := flags.protocol
	if !flags.packet.isHex { // the message is in the packets of a capture
		whole.section = ""
	}
	decoders, err := p.decoders(cmd, &whole)
	if err != nil {
		return err
	}
	var trace decode.Trace
	packet := scan.Packet{Trace: &trace}
	d, err := p.findPacket("--hex", &flags.packet, decoders, &packet)
	if err != nil {
		return err
	}
	if flags.protocol.section != "" && !flags.packet.isHex {
		if d, err = messageOf(&packet, d, flags.protocol.section, &opts); err != nil {
			return err
		}
	}
	if opts.Field != "" {
		if err := filter.CheckPath(d.Plan(), opts.Field); err != nil {
			return err
		}
	}
	found := true
	if flags.format == "json" {
		found, err = report.NewExplainJSON(d.Plan(), opts).Write(p.out, &packet)
	} else {
		opts.Colour = p.coloured(p.stdout)
		if opts.Width == 0 {
			opts.Width = lineWidth(p.stdout)
		}
		found, err = report.NewExplain(d.Plan(), opts).Write(p.out, &packet)
	}
	switch {
	case err != nil:
		return err
	case !found && opts.Field != "":
		return fmt.Errorf("%s: not in this packet, or not in the bits asked for", opts.Field)
	case !found && opts.Last >= 0:
		return fmt.Errorf("--bits %s: the packet has %d bits", flags.bits, packet.Kept())
	}
	return nil
}

// messageOf makes a packet the message of a section that it completes; or, in a capture of messages, that it is.
func messageOf(packet *scan.Packet, d *decode.Decoder, name string, opts *report.ExplainOptions) (*decode.Decoder, error) {
	section, err := d.Section(name)
	if err != nil {
		return nil, fmt.Errorf("--section %w", err)
	}
	m := report.MessageIn(packet, section)
	switch {
	case m == nil && packet.Rejected():
		d, err := d.Alone(name)
		if err == nil {
			_ = d.Decode(packet.Payload, packet.From, packet.Trace) // the reject is in the trace
		}
		return d, err
	case m == nil:
		return nil, fmt.Errorf("packet %d completes no %s: see message in decode -T json", packet.N, name)
	case m.Secret:
		return nil, fmt.Errorf("packet %d: the %s is a secret", packet.N, name)
	}
	packet.Trace, opts.Pieces = m.Trace, m.Pieces
	return section, nil
}

// bitRange parses --bits: A..B, or A alone.
func bitRange(cmd *cobra.Command, text string) (first, last int, err error) {
	a, b, ok := strings.Cut(text, "..")
	if !ok {
		b = a
	}
	lo, err1 := strconv.ParseUint(a, 10, 31)
	hi, err2 := strconv.ParseUint(b, 10, 31)
	if err := errors.Join(err1, err2); err != nil || hi < lo {
		return 0, 0, usagef(cmd, "--bits %q: want A..B with A not above B, such as --bits 290..330", text)
	}
	return int(lo), int(hi), nil
}
