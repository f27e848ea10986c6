package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report"
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
		Short: "show every bit of one packet: the field it is of, its code, its value, what is allowed",
		Long: `Explain draws one packet as a ruler: its bits, under them the label of the field that each
is of, and below a legend with the field's first bit and width, its path, raw code and value,
what it may hold, and how many codes nothing valid is sent as ("155 unused").

Numbers stand as they are written, their highest bit at the left, also where a field crosses
bytes. So in order lsb, which fills a byte from its lowest bit, rows run from right to left:
byte 0 is rightmost, and the bit read first is the rightmost of it. In msb they run from left
to right. In bousk they do too, but a number leaves 8 bits at a time, the lowest first, which
no drawing puts right: the legend says which bit of the code stands where ("bits 4..0, 7..5"),
as it does where the bytes of a number run the other way (le, be). A field that goes on in
the next row has its label there again, behind a line.

Of a packet that was refused ▲ marks the bits, with the field, what was wanted and what was
there; what lies behind was not read. What a schema calls @secret shows as dots. Of anything
longer than 64 bytes the middle is left out; --bits draws it.

The packet is the one that decode gives the number N in FILE (a capture; - is stdin), or the
payload in hexadecimal; --from says who sent that. Without -p the port of a capture's packet
chooses among the built-in protocols.`,
		Example: `  pktscope explain -r game.pcap -n 12
  pktscope explain -r game.pcap -n 12 --field body.players[2]
  pktscope explain -r game.pcap -n 12 --bits 290..330
  pktscope explain -p my.pks --hex "05 a2 da 9d 7b 00"
  pktscope explain -p my.pks --from client --hex - < packet.hex
  pktscope explain -r game.pcap -n 12 -T json | jq -c '.pieces[] | select(.unused > 0)'`,
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "%q: explain takes no arguments; a capture is -r FILE", args[0])
			}
			return p.explain(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	f.StringVarP(&flags.packet.file, "read", "r", "", "the capture `FILE` that has the packet")
	f.Int64VarP(&flags.packet.number, "number", "n", 0, "the packet's `N`umber in it, as decode prints it")
	f.StringVar(&flags.packet.hex, "hex", "", "the packet itself in `HEX`adecimal; - is stdin")
	f.StringVar(&flags.packet.from, "from", "unknown", "`WHO` sent what --hex has: client, server or unknown")
	f.StringVarP(&flags.format, "format", "T", "text", "`FORMAT`: text or json")
	f.StringVar(&flags.bits, "bits", "", "draw only the bits `A..B` of the packet, both included, and what is in them")
	f.StringVar(&flags.field, "field", "", "draw only the field `PATH` and what is in it; [*] is every element")
	f.IntVar(&flags.width, "width", 0, "`CELLS` of a line (COLUMNS, the terminal's, or 80)")
	completeWords(cmd, "format", explainFormats)
	completeWords(cmd, "from", senders)
	completeFieldPaths(cmd, &flags.protocol)
	mustComplete(cmd.RegisterFlagCompletionFunc("read", completeExtensions("pcap", "pcapng", "cap")))
	return cmd
}

var (
	explainFormats = []string{"text", "json"}
	senders        = []string{"client", "server", "unknown"}
)

func (p *program) explain(cmd *cobra.Command, flags *explainFlags) error {
	if err := oneOf(cmd, "-T", flags.format, explainFormats); err != nil {
		return err
	}
	opts := report.ExplainOptions{Width: flags.width, Last: -1, Field: flags.field}
	if cmd.Flags().Changed("bits") {
		var err error
		if opts.First, opts.Last, err = bitRange(cmd, flags.bits); err != nil {
			return err
		}
	}
	if cmd.Flags().Changed("width") && flags.width < report.MinExplainWidth {
		return usagef(cmd, "--width %d: want at least %d", flags.width, report.MinExplainWidth)
	}
	if err := flags.packet.check(cmd); err != nil {
		return err
	}
	finder, err := p.newFinder(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	var trace decode.Trace
	packet := report.Packet{Trace: &trace}
	d, err := p.findPacket("--hex", &flags.packet, finder, &packet)
	if err != nil {
		return err
	}
	if opts.Field != "" {
		if err := knownField(d.Plan(), opts.Field); err != nil {
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
