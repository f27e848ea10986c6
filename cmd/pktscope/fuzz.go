package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
)

// fuzzFlags are the flags of fuzz.
type fuzzFlags struct {
	protocol protocolFlags
	corpus   string
	findings string
	known    knownFlag
	replay   string
	target   targetFlags
	format   string
	failOn   string
	duration time.Duration
	execs    int64
	workers  int
	seed     uint64
}

func newFuzz(p *program) *cobra.Command {
	var flags fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz -p PROTOCOL",
		Short: "attack a reader with packets that are nearly right, until told to stop",
		Long: `Fuzz makes packets of packets: one rule broken and all else right, several fields changed at
once, the head of one and the tail of another; counts, paddings and the checksum are made
right again. What does in the plan what no packet did before is kept, and others are made
of it. It goes on after a finding, until --duration or -n is over or Ctrl-C ends it.

A finding is one mistake of the reader: its packet is made as small and as simple as it can
be, and named by the field and the rule. --findings writes each as JSON, as a capture, as a
shell script that shows it again, and as a Go test.

--corpus keeps what was kept in a directory, which the next run begins with, and which
pktscope corpus lists and exports. The same seed and corpus make the same packets, with any
number of workers, as long as -n ends the campaign; they go to eight persistent targets, each
of which has the same ones every time. Useful are packets that come past the
checksum; without one, past the choice of the packet's case.

The files of a corpus and captures of findings hold @secret fields as they are. A packet that
holds one is in no JSON, no text and no Go test: the command that shows it again is --replay
with the capture, which --findings keeps.

Exit 1 when there is a finding, or an arm of a switch, a way of an if or a list's element
that no valid packet has (--fail-on finding lets these pass); of ways to be refused the
coverage tells, and audit decides. Exit 2 when no valid packet was found at all. Ctrl-C is a
normal end.

` + knownHelp + `

` + targetHelp,
		Example: `  pktscope fuzz -p rtype --duration 30s
  pktscope fuzz -p my.pks --corpus seeds --findings found     # again and again
  pktscope fuzz -p my.pks -n 1000000 --seed 7 -T json
  pktscope fuzz -p my.pks --replay found/crash-body.count-1f2e3d4c.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "fuzz takes no arguments: the protocol goes behind -p, a directory of packets behind --corpus")
			}
			return p.fuzz(cmd, &flags)
		},
	}
	flags.protocol.add(cmd)
	flags.target.add(cmd)
	f := cmd.Flags()
	f.StringVar(&flags.corpus, "corpus", "", "begin with the packets of a `DIR`, and keep there what reaches something new")
	f.StringVar(&flags.findings, "findings", "", "write findings to a `DIR`")
	flags.known.add(f)
	f.StringVar(&flags.replay, "replay", "", "send the packets of a finding's `FILE`, JSON or capture, once more, and nothing else")
	f.StringVarP(&flags.format, "format", "T", "text", "`FORMAT`: text, json")
	f.StringVar(&flags.failOn, "fail-on", "untested", "exit 1 on `WHAT`: none, finding, untested (findings, too)")
	f.DurationVar(&flags.duration, "duration", 0, "end after a `TIME`, such as 30s or 8h")
	f.Int64VarP(&flags.execs, "packets", "n", 0, "end after about `N` packets")
	f.IntVarP(&flags.workers, "jobs", "j", runtime.NumCPU(), "work on `N` packets at a time")
	f.Uint64Var(&flags.seed, "seed", 0, "`NUMBER` that the packets follow from; a new one unless given")
	completeWords(cmd, "format", auditFormats)
	completeWords(cmd, "fail-on", auditFailOns)
	mustComplete(cmd.RegisterFlagCompletionFunc("corpus", completeDirectories))
	mustComplete(cmd.RegisterFlagCompletionFunc("findings", completeDirectories))
	mustComplete(cmd.RegisterFlagCompletionFunc("replay", completeExtensions("json", "pcapng")))
	return cmd
}

// check judges the flags that need no file.
func (f *fuzzFlags) check(cmd *cobra.Command) error {
	changed := cmd.Flags().Changed
	switch {
	case f.protocol.name == "":
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	case f.workers < 1 || f.workers > 1024:
		return usagef(cmd, "-j %d: want 1..1024", f.workers)
	case changed("duration") && f.duration <= 0:
		return usagef(cmd, "--duration %s: want more than no time", f.duration)
	case changed("packets") && f.execs <= 0:
		return usagef(cmd, "-n %d: want at least 1", f.execs)
	case changed("corpus") && f.corpus == "" || changed("findings") && f.findings == "" || changed("replay") && f.replay == "":
		return usagef(cmd, "--corpus, --findings and --replay want a name")
	case f.replay != "" && (f.corpus != "" || f.findings != "" || len(f.known.names) > 0):
		return usagef(cmd, "--replay sends one finding: leave out --corpus, --findings and --known")
	}
	if err := f.known.check(f.findings); err != nil {
		return usagef(cmd, "%s", err)
	}
	if err := f.target.check(cmd); err != nil {
		return err
	}
	if err := oneOf(cmd, "-T", f.format, auditFormats); err != nil {
		return err
	}
	return oneOf(cmd, "--fail-on", f.failOn, auditFailOns)
}

func (p *program) fuzz(cmd *cobra.Command, flags *fuzzFlags) (err error) {
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
	if !cmd.Flags().Changed("seed") {
		flags.seed = rand.Uint64()
	}
	// What a target started must not survive us, however we are asked to end.
	ctx, stop := signal.NotifyContext(cmd.Context(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	flags.target.sparing = flags.replay == ""
	target, err := p.openTarget(ctx, &flags.target, d)
	if err != nil {
		return err
	}
	defer target.close()
	run := &fuzz.Campaign{
		Decoder: d, Seed: flags.seed, Bases: builtinBases(flags.protocol.name), Workers: flags.workers, Own: target.own, Execs: flags.execs,
		NewTarget: target.make, Sole: target.sole, Once: target.once,
	}
	if flags.replay != "" {
		return p.replay(ctx, run, flags)
	}
	if flags.corpus != "" {
		store, err := corpus.Create(flags.corpus)
		if err != nil {
			return fmt.Errorf("--corpus %s: %s", flags.corpus, corpusReason(err))
		}
		defer store.Close()
		for _, packet := range p.packets(store, flags.corpus) {
			run.Bases = append(run.Bases, fuzz.Base{Data: packet.Data, From: senderOf(packet.From)})
		}
		run.Keep = func(k fuzz.Kept) error {
			if _, err := store.Add(k.Data, senderWords[k.From], k.Why); err != nil {
				return fmt.Errorf("--corpus %s: %s", flags.corpus, reason(err))
			}
			return nil
		}
	}
	view := &report.Campaign{
		Protocol: d.Plan().Schema.Name, Target: flags.target.name, Seed: flags.seed, Workers: flags.workers,
		Replay: flags.target.shownAgain(&flags.protocol), Plan: d.Plan(), Version: version(),
	}
	screen := p.newScreen(view)
	var files *findingFiles
	if flags.findings != "" {
		if files, err = newFindingFiles(flags.findings, &flags.protocol, &flags.target, d); err != nil {
			return err
		}
		view.Kept = files.kept
		defer files.close()
	}
	run.Found = func(f *fuzz.Finding) error {
		if known.Has(f) {
			return nil
		}
		screen.found(f)
		if files == nil {
			return nil
		}
		return files.write(f)
	}
	run.Progress = screen.progress
	if flags.duration > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, flags.duration)
		defer cancel()
	}
	state, err := run.Run(ctx)
	state.Findings, view.KnownMistakes = known.Split(state.Findings)
	untested := known.Mark(state.Untested)
	view.Gone = known.Gone()
	screen.end(state)
	if errors.Is(err, context.Canceled) && len(state.Findings) == 0 { // before the target was there
		return errors.New("interrupted")
	}
	if err != nil && len(state.Findings) == 0 {
		return err
	}
	failed := err // what was found until then counts
	if flags.format == "json" {
		err = view.WriteJSON(p.out)
	} else {
		_, err = p.out.Write(view.AppendText(nil, p.coloured(p.stdout)))
	}
	if err = errors.Join(err, failed); err != nil {
		return err
	}
	p.tellSent(target)
	if target.once {
		p.tellGone(state.Findings, files != nil)
	}
	switch {
	case failsOn(flags.failOn, len(state.Findings), untested):
		return findings{}
	}
	return nil
}

// maxFindingFile bounds the file that --replay reads: a few packets of the greatest size, in hexadecimal.
const maxFindingFile = 16 << 20

// replay sends the packets of a finding once more.
func (p *program) replay(ctx context.Context, run *fuzz.Campaign, flags *fuzzFlags) error {
	f, err := openFile(flags.replay)
	if err != nil {
		return fmt.Errorf("--replay %w", err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxFindingFile+1))
	if err == nil && len(text) > maxFindingFile {
		err = errors.New("is too large for a finding")
	}
	if err != nil {
		return fmt.Errorf("--replay %s: %s", flags.replay, reason(err))
	}
	finding, err := replayed(text, run.Decoder.Plan().Schema)
	if err != nil {
		return fmt.Errorf("--replay %s: %s", flags.replay, err)
	}
	found, err := run.Replay(ctx, finding)
	if err != nil {
		return err
	}
	state := &fuzz.CampaignState{Execs: int64(1 + len(finding.Before)), Coverage: fuzz.NewCoverage(run.Decoder.Plan())}
	for i := range found {
		state.Findings = append(state.Findings, &found[i])
	}
	view := &report.Campaign{
		Protocol: run.Decoder.Plan().Schema.Name, Target: flags.target.name, Seed: flags.seed, Workers: 1, State: state,
		Replay: flags.target.shownAgain(&flags.protocol), Plan: run.Decoder.Plan(), Version: version(),
	}
	if flags.format == "json" {
		err = view.WriteJSON(p.out)
	} else {
		_, err = p.out.Write(view.AppendReplay(nil, p.coloured(p.stdout)))
	}
	switch {
	case err != nil:
		return err
	case failsOn(flags.failOn, len(found), 0):
		return findings{}
	}
	return nil
}
