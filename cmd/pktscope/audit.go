package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	protocol protocolFlags
	target   targetFlags
	corpus   []string
	findings string
	known    knownFlag
	only     []string
	from     string
	format   string
	failOn   string
	workers  int
	seed     uint64
	duration time.Duration
	verbose  bool
}

var auditFailOns = []string{"none", "finding", "untested"}

func newAudit(p *program) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit -p PROTOCOL",
		Short: "break every rule of a protocol, one at a time, and see who refuses it",
		Long: `Audit takes valid packets apart and breaks one rule of the protocol after the other: every
code that a field may not hold, every padding, reserved and check bit, every truncation,
counts that lie, indexes that fall, texts that are none; all else in the packet, its
checksum included, is made right again. What a correct reader must answer is known in
advance: accept, or refuse with a reason, at a field, at a bit.

Fields of at most 16 bits are tried with every code that they may not hold, and with every one
that a switch on them has no case for; wider ones at their edges, next to every case and with a
sample, which the line of the rule then says. In arrays that is done at the first, a middle and
the last element. The same seed makes the same packets, with any number of workers; one
persistent target has them all, in their order, so that what it keeps of one shows in the next.
With --duration, and to a server, goes the first packet of each rule first, then three more of
each, and so on; which rules were not finished when --duration or --stop-after is over is said.
At the end a bounded number of packets with several changes is read by pktscope alone, and those
that are refused in a way that was not met before are sent, too.

Up to 7 bits that the last field leaves over in the last byte decide nothing, and a reader must
take whatever they hold; a schema that ends with align wants zeros there.

The packets to begin with are generated, at every boundary of every field; --corpus adds
those of captures.

Exit 1 when there is a finding, or where nothing is known about the reader: what no valid
packet has (an arm of a switch, a way of an if, an element of a list), and a way to be refused
that no packet met and that is not proved out of reach. The first line says how many are
untested; --fail-on finding lets them pass. Exit 2 when no valid packet was found at all.

` + targetHelp + `

Each finding comes with the command that shows it again: --hex sends nothing but the packets
that it is given, in order.

` + knownHelp,
		Example: `  pktscope audit -p rtype
  pktscope audit -p my.pks --target exec+persistent:./harness    # your reader: see gen harness
  pktscope audit -p my.pks --corpus game.pcap   # break what was really sent, too
  pktscope audit -p my.pks -T json > audit.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "audit takes no arguments: the protocol goes behind -p, captures behind --corpus")
			}
			return p.audit(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	flags.target.add(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&flags.only, "hex", nil, "send this packet and no other; more than one in order: `HEX`")
	f.StringVar(&flags.from, "from", "unknown", "`WHO` sent what --hex has: client, server, unknown")
	completeWords(cmd, "from", senders)
	f.StringArrayVar(&flags.corpus, "corpus", nil, "also begin with the packets of a capture `FILE`, or of a corpus directory")
	f.StringVar(&flags.findings, "findings", "", "write findings to a `DIR`, as fuzz does")
	flags.known.add(f)
	f.StringVarP(&flags.format, "format", "T", "text", "`FORMAT`: text, json")
	f.StringVar(&flags.failOn, "fail-on", "untested", "exit 1 on `WHAT`: none, finding, untested (findings, too)")
	f.IntVarP(&flags.workers, "jobs", "j", runtime.NumCPU(), "work on `N` packets at a time")
	f.Uint64Var(&flags.seed, "seed", 1, "`NUMBER` that the generated packets follow from")
	f.DurationVar(&flags.duration, "duration", 0, "end after a `TIME`, such as 30s or 8h, and say what was not done")
	f.BoolVarP(&flags.verbose, "verbose", "v", false, "list all that was not reached, and why")
	completeWords(cmd, "format", auditFormats)
	completeWords(cmd, "fail-on", auditFailOns)
	mustComplete(cmd.RegisterFlagCompletionFunc("findings", completeDirectories))
	return cmd
}

var auditFormats = []string{"text", "json"}

// check judges the flags that need no file.
func (f *auditFlags) check(cmd *cobra.Command) error {
	if f.protocol.name == "" {
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	if f.workers < 1 || f.workers > 1024 {
		return usagef(cmd, "-j %d: want 1..1024", f.workers)
	}
	if err := oneOf(cmd, "-T", f.format, auditFormats); err != nil {
		return err
	}
	if err := oneOf(cmd, "--from", f.from, senders); err != nil {
		return err
	}
	if err := f.known.check(f.findings); err != nil {
		return usagef(cmd, "%s", err)
	}
	if cmd.Flags().Changed("duration") && f.duration <= 0 {
		return usagef(cmd, "--duration %s: want more than no time", f.duration)
	}
	if len(f.only) > 0 && len(f.corpus) > 0 {
		return usagef(cmd, "--hex is all that is sent: leave out --corpus")
	}
	if err := f.target.check(cmd); err != nil {
		return err
	}
	return oneOf(cmd, "--fail-on", f.failOn, auditFailOns)
}

func (p *program) audit(cmd *cobra.Command, flags *auditFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	d, err := p.load(cmd, &flags.protocol)
	if err != nil {
		return err
	}
	known, err := flags.known.read(p, d.Plan().Schema.Name)
	if err != nil {
		return err
	}
	bases := builtinBases(flags.protocol.name)
	for _, name := range flags.corpus {
		more, err := p.basesOf(name, d)
		if err != nil {
			return err
		}
		bases = append(bases, more...)
	}
	only, err := packetsOf(cmd, flags.only, directions[flags.from])
	if err != nil {
		return err
	}
	// What a target started must not survive us, however we are asked to end.
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	target, err := p.openTarget(ctx, &flags.target, d)
	if err != nil {
		return err
	}
	defer target.close()
	run := &fuzz.Audit{
		Decoder: d, Seed: flags.seed, Bases: bases, Workers: flags.workers, Own: target.own, Only: only, NewTarget: target.make,
		Rounds: target.sole || flags.duration > 0,
	}
	var files *findingFiles
	if flags.findings != "" {
		if files, err = newFindingFiles(flags.findings, &flags.protocol, &flags.target, d); err != nil {
			return err
		}
		defer files.close()
	}
	if flags.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flags.duration)
		defer cancel()
	}
	result, err := run.Run(ctx)
	interrupted := errors.Is(err, context.Canceled)
	over := errors.Is(err, fuzz.ErrOver) || errors.Is(err, context.DeadlineExceeded)
	failed := err
	if interrupted || over {
		failed = nil
	}
	if failed != nil && len(result.Findings) == 0 {
		return failed
	}
	var found []*fuzz.Finding
	for i := range result.Findings {
		found = append(found, &result.Findings[i])
	}
	found, accepted := known.Split(found)
	untested := known.Mark(result.Untested)
	result.Findings = nil
	var unwritten error
	for _, f := range found {
		result.Findings = append(result.Findings, *f)
		if files != nil && unwritten == nil { // a full disk is told behind what was found
			unwritten = files.write(f)
		}
	}
	view := report.Audit{
		Protocol: d.Plan().Schema.Name, Target: flags.target.name, Seed: flags.seed, Result: result, Partial: err != nil,
		Kept: keeps(files), Verbose: flags.verbose, Own: target.own,
		Replay: flags.target.shownAgain(&flags.protocol),
		Plan:   d.Plan(), Version: version(), KnownMistakes: accepted,
	}
	if unwritten != nil {
		view.Kept = nil
	}
	if len(only) == 0 && err == nil { // what was not tried is not gone
		view.Gone = known.Gone()
	}
	if flags.format == "json" {
		err = view.WriteJSON(p.out)
	} else {
		_, err = p.out.Write(view.AppendText(nil, p.coloured(p.stdout)))
	}
	if err = errors.Join(err, failed, unwritten); err != nil {
		return err
	}
	p.tellSent(target)
	if target.once {
		p.tellGone(found, files != nil)
	}
	switch {
	case result.Nothing != nil:
		return result.Nothing
	case failsOn(flags.failOn, len(result.Findings), 0):
		return findings{}
	case interrupted:
		return errors.New("interrupted")
	case failsOn(flags.failOn, 0, untested):
		return findings{}
	}
	return nil
}

// failsOn reports whether so many findings and untested parts are what --fail-on of audit and fuzz names.
func failsOn(word string, findings, untested int) bool {
	return word != "none" && findings > 0 || word == "untested" && untested > 0
}

// packetsOf are the packets of --hex.
func packetsOf(cmd *cobra.Command, list []string, from decode.Direction) ([]fuzz.Base, error) {
	var packets []fuzz.Base
	for _, text := range list {
		data, err := parseHex(text)
		if err != nil {
			return nil, usagef(cmd, "--hex: %s", err)
		}
		packets = append(packets, fuzz.Base{Data: data, From: from})
	}
	return packets, nil
}

// builtinBases are the seed packets of a built-in protocol.
func builtinBases(name string) []fuzz.Base {
	var bases []fuzz.Base
	if _, ok := protocols.Source(name); ok {
		for _, seed := range corpus.Seeds(name) {
			bases = append(bases, fuzz.Base{Data: seed.Data, From: fuzz.Sender(seed.From)})
		}
	}
	return bases
}

// What a capture may add to the packets that an audit begins with: each is taken apart in full.
const (
	maxBases     = 1 << 16
	maxBaseBytes = 64 << 20
)

// basesOf are the different packets of a capture that the protocol accepts.
func (p *program) basesOf(name string, d *decode.Decoder) ([]fuzz.Base, error) {
	in, done, err := p.openCapture(name)
	if err != nil {
		return nil, err
	}
	defer done()
	var bases []fuzz.Base
	var trace decode.Trace
	seen, size := map[string]bool{}, 0
	datagrams := pcap.NewDatagrams(p.readCapture(nil, in, in))
	for {
		from, err := datagrams.Next()
		switch {
		case err == io.EOF && len(bases) == 0:
			return nil, fmt.Errorf("--corpus %s: no packet that %s accepts", name, d.Plan().Schema.Name)
		case err == io.EOF:
			return bases, nil
		case err != nil:
			return nil, fmt.Errorf("--corpus %s: %s", name, reason(err))
		}
		side := decode.DirectionOf(d.Plan().Schema, from.Src.Port(), from.Dst.Port())
		if seen[string(from.Payload)] || d.DecodeCut(from.Payload, from.Size, side, &trace) != nil {
			continue
		}
		if len(bases) == maxBases || size+len(from.Payload) > maxBaseBytes {
			p.complain("--corpus %s: only the first %d packets are used", name, len(bases))
			return bases, nil
		}
		size += len(from.Payload)
		data := bytes.Clone(from.Payload)
		seen[string(data)] = true
		bases = append(bases, fuzz.Base{Data: data, From: side})
	}
}
