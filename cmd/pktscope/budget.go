package main

import (
	"bytes"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/budget"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

type budgetFlags struct {
	protocol  protocolFlags
	format    string // -T
	output    string // -o
	apply     string // --apply
	failOn    string // --fail-on
	maxPacket int    // --max-packet
	all       bool   // -V
	shard     shardFlags
}

func newBudget(p *program) *cobra.Command {
	var flags budgetFlags
	cmd := &cobra.Command{
		Use:   "budget FILE...",
		Short: "show where the bits of captures go, and what a tighter schema saves",
		Long: `Budget counts where the bits of accepted packets go: per case and field the bits that 99 of
100 packets do not exceed (p99/pk), the entropy of a value in bits beside its width, and the
values seen. "of payload" is the share of the payload of all packets read, refused ones as
well, as in stats; a case has all bits of its packets. A field is named after its rule, so all
elements of an array are one field. A terminal shows as many rows as fit it, or COLUMNS
where it is set; a pipe or a file gets every row. -V shows everything: bits, p50, max,
distinct values, what the bits are for (values, bytes, counts, checks, crc, reserved,
padding) and the reason for each suggestion.

TIGHTER lists declarations with fewer bits, and what they save; the schema checks with all
of them. What the schema promises needs no margin: the range of a rule becomes the type, a
bool8 becomes a bool, an enum gets the base that its cases need. A range that was only seen,
100 times or more, gets room for twice that. @seq, @ack, ids, addresses, hashes, tokens and
@hex, fields that an expression reads and fields in a window stay as they are, and no value of
a @secret field is looked at. A suggestion with ? is advice: it counts in no sum and is not
applied. It is about a number that grows with the session, such as a counter or a @time, whose
range only shows how long the capture is; about few values of a wide type; about a float's
step; or about a range that was declared. Savings are those of the fields; alignment and the
rest of the last byte are listed apart. --apply writes the
packets again in the tighter schema and reports their size.

The last table has the cost of the same packets in encodings from text to bits.

A packet above --max-packet, or a part of one above its @budget, is a finding: exit code 1.
-T json writes the figures, and what is needed to merge them with those of other captures,
the schema's text included, and of which pieces of captures they are: pktscope report merge
adds up those of --shard, and refuses what is counted twice. Percentiles are within 1.6 %;
above 1024 distinct values the number of values is an estimate (~), and so is their entropy.`,
		Example: `  pktscope budget game.pcap
  pktscope budget game.pcap -V | less -S                  # every field, case and suggestion
  pktscope budget -p my.pks --max-packet 1200 game.pcap   # exit 1 when a packet is larger: for CI
  pktscope budget -p my.pks --apply tight.pks game.pcap   # the schema with what is suggested
  pktscope budget -T html -o bits.html game.pcap          # where the bits go, as a page
  pktscope budget -T json -o part.json game.pcap
  pktscope budget -p my.pks -T json --plan plan.jsonl --shard 3 -o 3.json   # pktscope help scale
  pktscope budget -T json game.pcap | jq '.suggestions[] | {field, pks, saved_bits_per_second}'`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 && flags.shard.plan == "" {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			return p.budget(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	f.BoolVarP(&flags.all, "verbose", "V", false, "show every field, case and suggestion, in full width")
	choiceVar(cmd, &flags.format, "format", "T", "text", "print as `FORMAT`", withPage)
	f.StringVarP(&flags.output, "output", "o", "", "write the budget to `FILE` instead of stdout")
	f.StringVar(&flags.apply, "apply", "", "write the tightened schema to `FILE`, and measure it")
	needs(cmd, "apply", "protocol", ", which says whose schema it tightens")
	numberVar(cmd, &flags.maxPacket, "max-packet", "", 0, 1, schema.MaxUDPPayload, "a packet of more than `BYTES` is a finding", "")
	choiceVar(cmd, &flags.failOn, "fail-on", "", "finding", "exit 1 on `WHAT`", []string{"none", "finding (a broken budget)", "reject (finding too)", "note (reject and finding too)"})
	flags.shard.add(cmd)
	return cmd
}

func (b *budgetFlags) check(cmd *cobra.Command, files []string) error {
	changed := cmd.Flags().Changed
	switch {
	case b.all && b.format != "text":
		return usagef(cmd, "-V is a text view: leave out -V or -T %s, which has everything", b.format)
	case changed("output") && (b.output == "" || b.output == "-"):
		return usagef(cmd, "-o: want a file; without it the budget goes to stdout")
	case changed("apply") && (b.apply == "" || b.apply == "-"):
		return usagef(cmd, "--apply: want a file for the tightened schema, such as tight.pks")
	case changed("apply") && b.apply == b.output:
		return usagef(cmd, "--apply and -o name the same file")
	}
	for _, name := range files {
		if name == "-" && b.apply != "" {
			return usagef(cmd, "--apply reads the captures twice: name files, not -")
		}
	}
	return nil
}

// budgetRun is one run.
type budgetRun struct {
	flags   *budgetFlags
	scan    scan.Options
	counts  scan.Counts
	trouble []string // captures that could not be read, or not to their end
}

func (p *program) budget(cmd *cobra.Command, flags *budgetFlags, files []string) error {
	if err := flags.check(cmd, files); err != nil {
		return err
	}
	files, piece, err := p.pick(cmd, &flags.shard, files)
	if err != nil {
		return err
	}
	decoders, err := p.decoders(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	run := &budgetRun{flags: flags, scan: scan.Options{Decoders: decoders}}
	for _, name := range []string{flags.output, flags.apply} {
		if err := p.spare(name, files...); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if isBinary(flags.apply) { // `--apply monday.pcap tuesday.pcap` lacks the schema's name and must not cost monday
		return usagef(cmd, "--apply %s: is no text, it may be a capture: want a file for the schema", flags.apply)
	}
	counter := budget.NewCounter(decoders, flags.maxPacket)
	run.trouble, err = p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, scanCapture(reader, name, run.scan, counter.Stage(), &run.counts)
	})
	if err != nil {
		return err
	}
	if len(run.trouble) > 0 && run.counts.Captured == 0 {
		return told{}
	}
	if err := unmatched(&run.counts, decoders); err != nil && flags.shard.shard == "" {
		return err
	}
	list, err := counter.Met(piece())
	if err != nil {
		return err
	}
	for _, one := range list {
		one.AddIncomplete(run.trouble...)
	}
	if err := p.showBudgets(run, list, files); err != nil {
		return err
	}
	broken := false
	for _, b := range list {
		broken = broken || len(b.Broken()) > 0
	}
	switch {
	case len(run.trouble) > 0:
		return told{}
	case flags.failOn != "none" && broken, metFailure(flags.failOn, &run.counts):
		return findings{}
	}
	return nil
}

// isBinary reports whether there is a file of that name with a NUL among its first bytes, as every capture has.
func isBinary(name string) bool {
	f, err := os.Open(name)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 512)
	n, _ := io.ReadFull(f, head)
	return bytes.IndexByte(head[:n], 0) >= 0
}

// showBudgets writes what was counted to stdout or -o, the tightened schema to --apply, and the counts to stderr.
func (p *program) showBudgets(run *budgetRun, list []*budget.Budget, files []string) error {
	flags := run.flags
	var b []byte
	o := budget.TextOptions{All: flags.all, Files: len(files) > 1}
	if flags.output == "" {
		o.Colour, o.Columns, o.Rows = p.coloured(p.stdout), lineWidth(p.stdout), terminalRows(p.stdout)
	}
	for _, one := range list {
		if flags.format != "text" {
			b = one.AppendJSON(b)
			continue
		}
		if one.Empty() && len(list) > 1 {
			continue // the others of a piece
		}
		if len(b) > 0 {
			b = append(b, '\n')
		}
		b = one.AppendText(b, o)
	}
	var text bytes.Buffer
	to := result(&text, flags.format, "pktscope budget", files...)
	to.Write(b) // a Buffer takes everything
	if err := to.Close(); err != nil {
		return err
	}
	if flags.output != "" {
		// It names captures and holds values of traffic, so it is its owner's.
		if err := p.writeFile(flags.output, text.Bytes(), saved.OwnerOnly); err != nil {
			return outputError(flags.output, err)
		}
	} else if _, err := p.out.Write(text.Bytes()); err != nil {
		return err
	}
	if flags.apply != "" {
		if err := p.applyBudget(run, list[0], files); err != nil {
			return err
		}
	}
	return p.summarise(&run.counts, false)
}
