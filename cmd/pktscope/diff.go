package main

import (
	"cmp"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/scan"
)

// diffFlags are the flags of `diff`.
type diffFlags struct {
	protocol protocolFlags
	format   string // -T
	from     string // --from
	by       string // --by
	count    int64  // -c
	fields   int    // --fields
}

func newDiff(p *program) *cobra.Command {
	var flags diffFlags
	cmd := &cobra.Command{
		Use:   "diff A B",
		Short: "compare two packets, or two captures of the same traffic",
		Long: `Diff compares what client and server saw. A and B are two packets, or two captures:

  game.pcap:12     packet 12 of a capture, as decode numbers it
  hex:05a2da9d7b   a packet in hexadecimal (with -p; --from names its sender)
  game.pcap        a whole capture

For two packets diff shows the first bit in which they differ, and its field; then every
field that differs, - for A and + for B, each with its first bit and width, raw code and
value. Fields are compared by path, so a field at another bit is still the same field;
elements of lists are compared by position. A field that only one packet has is one line.

The packets of two captures are matched first: by flow (sender and receiver), and within it
by the field that the schema calls @seq, counted on where it wraps. Without such a field,
and for packets that were refused before it, they are matched by payload, then by order. A
NAT, or a relay such as tap, changes addresses: flows whose addresses only one capture has
are paired by their payloads, by the messages that these bring where no payload tells, or else
if each capture has only one such flow in that direction. The summary lists these pairs, and
the flows that could not be paired. Times and packet numbers are not compared, and bytes that
one capture's snap length cut away are no difference. Diff shows the packets that only one
capture has, the fields in which the others differ, and a summary. For a field that the schema
calls @secret it says only that it differs.

A relay may cut messages into other pieces, number packets anew, or seal them anew (--keys):
then no packet of one capture is in the other, and --by message compares the messages alone.
They are matched within a flow by section and bytes, those that are equal one by one. It shows
the messages that only one capture has; a message that came twice in one and once in the
other is marked. Incomplete messages are in no capture.

With -T json each line is an object with its kind: differs, only, only_message, paired (two
flows that were taken for one, at most 1,000 of them), and last summary.

Exit codes: 0 nothing differs, 1 something does, 2 trouble.`,
		Example: `  pktscope diff client.pcap:12 server.pcap:9
  pktscope diff client.pcap server.pcap
  pktscope diff -q client.pcap server.pcap && echo same
  pktscope diff -p my.pks hex:05a2da9d7b00 hex:05a2da9d7b01
  pktscope diff -p my.pks --by message client.pcap relayed.pcap   # what a relay lost or changed
  pktscope diff client.pcap server.pcap -T html > diff.html
  pktscope diff client.pcap server.pcap -T json | jq -c 'select(.kind == "only")'`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) != 2 {
				return usagef(cmd, "want two packets (FILE:N) or two captures, got %s", syntax.Count(len(args), "argument"))
			}
			return p.diff(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	choiceVar(cmd, &flags.from, "from", "", "unknown", "`WHO` sent the packet of hex:", senders)
	flags.protocol.addKeys(cmd, true)
	choiceVar(cmd, &flags.by, "by", "", "packet", "of two captures, compare each `WHAT`", []string{"packet", "message (that packets bring)"})
	choiceVar(cmd, &flags.format, "format", "T", "text", "print as `FORMAT`", withPage)
	numberVar(cmd, &flags.count, "count", "c", 100, 0, math.MaxInt64, "of two captures, show `N` packets that only one has, and N that differ; 0 is all", "")
	numberVar(cmd, &flags.fields, "fields", "", 20, 0, math.MaxInt, "of two captures, show `N` fields of each pair; 0 is all", "")
	return cmd
}

// operand is what A or B names.
type operand struct {
	text   string
	file   string
	number int64 // 0 for all of the file
	hex    string
	isHex  bool
}

func (o *operand) packet() bool { return o.isHex || o.number > 0 }

// newOperand reads an argument. What is a file as it is is that file, whatever its name ends in.
func newOperand(text string) operand {
	if digits, ok := strings.CutPrefix(text, "hex:"); ok {
		return operand{text: "hex", hex: digits, isHex: true}
	}
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		if n, err := strconv.ParseInt(text[i+1:], 10, 64); err == nil && n > 0 {
			if _, err := os.Stat(text); err != nil {
				return operand{text: text, file: text[:i], number: n}
			}
		}
	}
	return operand{text: text, file: text}
}

func (p *program) diff(cmd *cobra.Command, flags *diffFlags, args []string) error {
	a, b := newOperand(args[0]), newOperand(args[1])
	switch {
	case a.packet() != b.packet():
		return usagef(cmd, "%s and %s: want two packets (FILE:N) or two captures", a.text, b.text)
	case !a.packet() && a.file == "-" || !b.packet() && b.file == "-" || a.file == "-" && b.file == "-":
		return usagef(cmd, "stdin is read once, and captures are read twice: want files")
	case a.packet() && flags.by != "packet":
		return usagef(cmd, "--by message compares two captures: want two files")
	}
	choice, err := p.decoders(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	if a.packet() {
		return p.diffPackets(flags, choice, &a, &b)
	}
	return p.diffCaptures(flags, choice, a.file, b.file)
}

// diffPackets compares two packets.
func (p *program) diffPackets(flags *diffFlags, choice *scan.Decoders, a, b *operand) error {
	if a.isHex && b.isHex {
		a.text, b.text = "A", "B"
	}
	var traces [2]decode.Trace
	var packets [2]scan.Packet
	var decoders [2]*decode.Decoder
	for i, o := range []*operand{a, b} {
		packets[i].Trace = &traces[i]
		f := packetFlags{file: o.file, number: o.number, hex: o.hex, isHex: o.isHex, from: flags.from}
		var err error
		if decoders[i], err = p.findPacket(o.text, &f, choice, &packets[i]); err != nil {
			return err
		}
	}
	if decoders[0] != decoders[1] {
		return fmt.Errorf("%s is of protocol %s and %s of %s: name the protocol of both with -p", a.text,
			decoders[0].Plan().Schema.Name, b.text, decoders[1].Plan().Schema.Name)
	}
	d := report.NewDifferences(decoders[0].Plan(), report.TextOptions{Colour: p.coloured(p.stdout)}, 0)
	differ := report.Differ(&packets[0], &packets[1])
	var out []byte
	switch {
	case flags.format != "text":
		out = d.AppendJSON(nil, &packets[0], &packets[1], a.text, b.text)
	case differ || !p.quiet:
		out = d.Append(nil, &packets[0], &packets[1], a.text, b.text)
	}
	to := result(p.out, flags.format, "pktscope diff", a.text, b.text)
	_, err := to.Write(out)
	if err = cmp.Or(err, to.Close()); err != nil {
		return err
	}
	if differ {
		return findings{}
	}
	return nil
}
