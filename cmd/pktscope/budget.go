package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/batch"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/budget"
)

type budgetFlags struct {
	protocol  protocolFlags
	format    string // -T
	output    string // -o
	apply     string // --apply
	failOn    string // --fail-on
	maxPacket int    // --max-packet
	all       bool   // -V
}

var (
	budgetFormats = []string{"text", "json"}
	budgetFailOns = []string{"none", "reject", "note", "finding"}
)

func newBudget(p *program) *cobra.Command {
	var flags budgetFlags
	cmd := &cobra.Command{
		Use:   "budget FILE...",
		Short: "where the bits of captures go, and what a tighter schema saves",
		Long: `Budget counts where the bits of accepted packets go: per case and field their share of
the payloads' bits, the bits that 99 of 100 packets do not exceed (p99/pk), the entropy of a
value in bits beside its width, and the values seen. A field's name is its rule's, so all
elements of an array are one. A terminal shows what fits it, or COLUMNS where it is set; a
pipe or a file gets every row. -V shows everything: bits, p50, max, distinct values, what the
bits are for (values, bytes, counts, checks, crc, reserved, padding) and why something is
suggested.

TIGHTER is the declarations that would do, and what they save; together they check.
What the schema promises needs no margin: the range of a rule becomes the type, a bool8 a
bool, an enum's base what its cases need. What was only seen, 100 times or more, gets room
for twice that. @seq, @ack, ids, what an expression reads and what lies in a window stay,
and of @secret fields no value is looked at. A suggestion with ? is advice, in no sum and
not applied: a number that grows with the session, such as a counter or a @time, whose
range says how long the capture is; a float's step; a range that was declared. Savings are
the fields' own; alignment and the rest of the last byte are apart: --apply writes the
packets again and says what they take.

At the end stands what the same packets cost in the encodings from text to bits.

A packet above --max-packet, or a part of one above its @budget, is a finding: exit 1.
-T json is the figures and all that is needed to merge it with those of other captures;
the schema's text is in it. Percentiles are within 1.6 %; more than 1024 distinct values
are estimated (~), and their entropy with them.`,
		Example: `  pktscope budget game.pcap
  pktscope budget game.pcap -V | less -S                  # every field, case and suggestion
  pktscope budget -p my.pks --max-packet 1200 game.pcap   # exit 1 when a packet is larger: for CI
  pktscope budget -p my.pks --apply tight.pks game.pcap   # the schema with what is suggested
  pktscope budget -T json -o part.json game.pcap
  pktscope budget -T json game.pcap | jq '.suggestions[] | {field, pks, saved_bits_per_second}'`,
		ValidArgsFunction: completeExtensions("pcap", "pcapng", "cap"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usagef(cmd, "which capture? want a file, or - for stdin")
			}
			return p.budget(cmd, &flags, args)
		},
	}
	flags.protocol.add(cmd)
	f := cmd.Flags()
	f.BoolVarP(&flags.all, "verbose", "V", false, "every field, case and suggestion, all that is known, as wide as they are")
	f.StringVarP(&flags.format, "format", "T", "text", "`FORMAT`: text or json")
	f.StringVarP(&flags.output, "output", "o", "", "write the budget to `FILE` instead of stdout")
	f.StringVar(&flags.apply, "apply", "", "write the tightened schema to `FILE`, and measure it")
	f.IntVar(&flags.maxPacket, "max-packet", 0, "no packet may have more than `BYTES`")
	f.StringVar(&flags.failOn, "fail-on", "finding", "exit 1 on `WHAT`: none, finding (a broken budget), reject or note (these too)")
	completeWords(cmd, "format", budgetFormats)
	completeWords(cmd, "fail-on", budgetFailOns)
	return cmd
}

func (f *budgetFlags) check(cmd *cobra.Command, files []string) error {
	if err := oneOf(cmd, "-T", f.format, budgetFormats); err != nil {
		return err
	}
	if err := oneOf(cmd, "--fail-on", f.failOn, budgetFailOns); err != nil {
		return err
	}
	changed := cmd.Flags().Changed
	switch {
	case changed("protocol") && f.protocol.name == "":
		return usagef(cmd, "-p is empty: want a built-in or a .pks file")
	case len(f.protocol.params) > 0 && f.protocol.name == "":
		return usagef(cmd, "-D needs -p, which says whose param it is")
	case f.all && f.format == "json":
		return usagef(cmd, "-V is a text view: leave out -V or -T json, which has everything")
	case changed("max-packet") && (f.maxPacket < 1 || f.maxPacket > schema.MaxUDPPayload):
		return usagef(cmd, "--max-packet %d: want 1..%d", f.maxPacket, schema.MaxUDPPayload)
	case changed("output") && (f.output == "" || f.output == "-"):
		return usagef(cmd, "-o: want a file; without it the budget goes to stdout")
	case changed("apply") && (f.apply == "" || f.apply == "-"):
		return usagef(cmd, "--apply: want a file for the tightened schema, such as tight.pks")
	case changed("apply") && f.protocol.name == "":
		return usagef(cmd, "--apply needs -p, which says whose schema it tightens")
	case changed("apply") && f.apply == f.output:
		return usagef(cmd, "--apply and -o name the same file")
	}
	for _, name := range files {
		if name == "-" && f.apply != "" {
			return usagef(cmd, "--apply reads the captures twice: name files, not -")
		}
	}
	return nil
}

// budgetRun is one run: what is counted, by protocol, and by worker.
type budgetRun struct {
	flags    *budgetFlags
	table    *portTable // nil with -p
	decoders []*decode.Decoder
	workers  []budgetWorker
	counts   counts
	captures captureCounts
	trouble  []string // captures that could not be read, or not to their end
}

// budgetWorker counts in memory of its own.
type budgetWorker struct {
	budgets []*budget.Budget // of each decoder; nil until a packet comes
	trace   decode.Trace
	packet  report.Packet
}

func (p *program) budget(cmd *cobra.Command, flags *budgetFlags, files []string) error {
	if err := flags.check(cmd, files); err != nil {
		return err
	}
	run := &budgetRun{flags: flags, workers: make([]budgetWorker, runtime.GOMAXPROCS(0))}
	if flags.protocol.name != "" {
		d, err := p.load(cmd, &flags.protocol)
		if err != nil {
			return err
		}
		run.decoders = append(run.decoders, d)
	} else {
		run.table = newPortTable()
		run.decoders = run.table.decoders
	}
	for _, name := range []string{flags.output, flags.apply} {
		if err := isInput(name, append([]string{flags.protocol.name}, files...)); err != nil {
			return err
		}
	}
	if isBinary(flags.apply) { // `--apply monday.pcap tuesday.pcap` lacks the schema's name and must not cost monday
		return usagef(cmd, "--apply %s: is no text, it may be a capture: want a file for the schema", flags.apply)
	}
	for i := range run.workers {
		run.workers[i].budgets = make([]*budget.Budget, len(run.decoders))
		run.workers[i].packet.Trace = &run.workers[i].trace
	}
	var err error
	run.trouble, err = p.eachCapture(files, func(reader *pcap.Reader, name string) (bool, error) {
		return false, eachShipment(reader, run.read(name), &run.captures)
	})
	if err != nil {
		return err
	}
	if len(run.trouble) > 0 && run.captures.captured == 0 {
		return told{}
	}
	if run.counts.noPort > 0 && run.counts.packets == 0 {
		return fmt.Errorf("%s on no port of a built-in protocol: %s; name the protocol with -p", plural(run.counts.noPort, "datagram"), run.table.list())
	}
	list, err := run.merged()
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
	case flags.failOn != "none" && broken,
		flags.failOn == "reject" && run.counts.refused > 0,
		flags.failOn == "note" && run.counts.refused+run.counts.odd > 0:
		return findings{}
	}
	return nil
}

// isInput refuses to write over what is read.
func isInput(name string, inputs []string) error {
	if name == "" {
		return nil
	}
	out, err := os.Stat(name)
	if err != nil {
		return nil // it is made
	}
	if out.IsDir() {
		return fmt.Errorf("%s: is a directory", name)
	}
	for _, in := range inputs {
		if info, err := os.Stat(in); err == nil && os.SameFile(out, info) {
			return fmt.Errorf("%s: is an input; it would be written over", name)
		}
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

// eachShipment hands a capture's datagrams to the workers of stages, batch by batch.
func eachShipment(reader *pcap.Reader, stages batch.Stages[shipment], captures *captureCounts) error {
	datagrams := pcap.NewDatagrams(reader)
	filler := filler{src: datagrams}
	stages.Fill = filler.fill
	err := batch.Run(runtime.GOMAXPROCS(0), stages)
	captures.skip(datagrams.Counts())
	return err
}

// read counts a capture's packets.
func (r *budgetRun) read(name string) batch.Stages[shipment] {
	return batch.Stages[shipment]{
		Work: func(worker int, s *shipment) {
			for i := range s.datagrams {
				r.workers[worker].count(r, &s.datagrams[i], name, &s.counts)
			}
		},
		Drain: func(s *shipment) error {
			r.counts.merge(&s.counts)
			return nil
		},
	}
}

func (w *budgetWorker) count(r *budgetRun, d *pcap.Datagram, file string, c *counts) {
	which := 0
	if r.table != nil {
		if which = r.table.choose(d.Src.Port(), d.Dst.Port()); which < 0 {
			c.noPort++
			return
		}
	}
	decoder := r.decoders[which]
	b := w.budgets[which]
	if b == nil {
		b = budget.New(decoder.Plan(), r.flags.maxPacket)
		w.budgets[which] = b
	}
	from := decode.DirectionOf(decoder.Plan().Schema, d.Src.Port(), d.Dst.Port())
	_ = decoder.DecodeCut(d.Payload, d.Size, from, &w.trace) // its error is the trace's reject
	p := &w.packet
	p.N, p.File, p.Time, p.Src, p.Dst = d.N, file, d.Time, d.Src, d.Dst
	p.Cut, p.LengthMismatch = d.Cut, d.LengthMismatch
	c.add(p, p.Verdict(), p.Notes())
	b.Add(&w.trace, &budget.Packet{N: d.N, File: file, Time: d.Time, Src: d.Src, Dst: d.Dst, Cut: d.Cut})
}

// merged is the budgets of the protocols that came, each of all workers. With -p there is one, however empty.
func (r *budgetRun) merged() ([]*budget.Budget, error) {
	var list []*budget.Budget
	for which, d := range r.decoders {
		var all *budget.Budget
		for i := range r.workers {
			b := r.workers[i].budgets[which]
			if b == nil {
				continue
			}
			if all == nil {
				all = b
				continue
			}
			if err := all.Merge(b); err != nil {
				return nil, err
			}
		}
		if all == nil && r.table == nil {
			all = budget.New(d.Plan(), r.flags.maxPacket)
		}
		if all != nil {
			list = append(list, all)
		}
	}
	return list, nil
}

// showBudgets writes what was counted to stdout or -o, the tightened schema to --apply, and the counts to stderr.
func (p *program) showBudgets(run *budgetRun, list []*budget.Budget, files []string) error {
	flags := run.flags
	var b []byte
	o := budget.TextOptions{All: flags.all, Files: len(files) > 1}
	if flags.output == "" {
		o.Colour, o.Columns, o.Rows = p.coloured(p.stdout), lineWidth(p.stdout), terminalRows(p.stdout)
	}
	for i, one := range list {
		if flags.format == "json" {
			b = one.AppendJSON(b)
			continue
		}
		if i > 0 {
			b = append(b, '\n')
		}
		b = one.AppendText(b, o)
	}
	if flags.output != "" {
		// It names captures and holds values of traffic, so it is its owner's.
		if err := p.writeFile(flags.output, b, ownerOnly); err != nil {
			return outputError(flags.output, err)
		}
	} else if _, err := p.out.Write(b); err != nil {
		return err
	}
	if flags.apply != "" {
		if err := p.applyBudget(run, list[0], files); err != nil {
			return err
		}
	}
	// The counts are those of a view, and so is how they are told.
	return p.summarise(&view{viewer: &viewer{flags: &viewFlags{}}, counts: run.counts, captures: run.captures})
}
