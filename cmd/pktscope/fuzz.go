package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	findingdir "github.com/pktscope/pktscope/fuzz/findings"
	"github.com/pktscope/pktscope/report"
)

// fuzzFlags are the flags of fuzz.
type fuzzFlags struct {
	attackFlags
	corpus string
	sync   time.Duration
	replay string
	execs  int64
}

func newFuzz(p *program) *cobra.Command {
	var flags fuzzFlags
	cmd := &cobra.Command{
		Use:   "fuzz -p PROTOCOL",
		Short: "attack a reader with packets that are nearly right, until it is stopped",
		Long: `Fuzz makes packets from packets: it breaks one rule and leaves the rest right, changes
several fields at once, or joins the head of one packet to the tail of another. Counts,
padding and the checksum are made right again. It begins with the packets of audit, which are
three quarters of all until there are no more. Packets that reach new coverage in the plan
are kept and mutated. It goes on after a finding, until --duration or -c is over, or Ctrl-C.

A finding is one mistake of the reader: its packet is made as small and as simple as
possible, and is named after the field and the rule. --findings writes each as JSON, as a
capture, as a shell script that shows it again, and as a Go test.

--corpus keeps these packets in a directory, with which the next run begins, and which
pktscope corpus lists and exports. Of a capture the campaign begins with its valid packets,
and nothing is written to it. The same seed and corpus make the same packets, with any
number of workers, if -c ends the campaign. They go to eight persistent targets, each of
which gets the same ones every time. Campaigns that run at the same time, on one machine or
many, can share a directory: --sync has each take what others keep; then no seed repeats it.
A packet is useful when it gets past the checksum, or without one past the choice of the
packet's case.

The files of a corpus, and captures of findings, keep @secret fields. JSON, text and Go tests
leave out a packet that has such a field: the command that shows it again is --replay with
the capture that --findings keeps.

The exit code is 1 on a finding, or if no valid packet has some arm of a switch, branch of
an if or element of a list; --fail-on finding lets these pass. Coverage
counts the ways to be refused; audit judges them. The exit code is 2 when no valid packet
was found at all. Ctrl-C is a normal end.

` + knownHelp + `

` + targetHelp,
		Example: `  pktscope fuzz -p rtype --duration 30s
  pktscope fuzz -p my.pks --corpus seeds --findings found     # again and again
  pktscope fuzz -p my.pks -c 1000000 --seed 7 -T json
  pktscope fuzz -p my.pks --replay found/crash-body.count-1f2e3d4c.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "fuzz takes no arguments: name the protocol with -p, packets with --corpus")
			}
			return p.fuzz(cmd, &flags)
		},
	}
	flags.add(cmd)
	filledVar(cmd, &flags.corpus, "corpus", "", "begin with the packets of `PATH`: a capture, or a directory, which keeps those that reach new coverage", "a directory or a capture")
	filledVar(cmd, &flags.replay, "replay", "", "only send the packets of a finding's `FILE`, JSON or capture, once more", "a file")
	numberVar(cmd, &flags.execs, "count", "c", 0, 1, math.MaxInt64, "end after about `N` packets", "")
	timeVar(cmd, &flags.sync, "sync", 0, time.Second, "every `TIME` take what other campaigns have put into --corpus since")
	formerLetter(cmd, "count", "n")
	formerName(cmd, "count", "packets")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 0, "`NUMBER` that decides the packets; a new one unless given")
	excludes(cmd, "--replay sends one finding", "replay", "corpus", "sync", "findings", "known")
	mustComplete(cmd.RegisterFlagCompletionFunc("replay", completeExtensions("json", "pcapng")))
	return cmd
}

func (p *program) fuzz(cmd *cobra.Command, flags *fuzzFlags) error {
	flags.target.replays = flags.replay != ""
	if err := flags.check(cmd); err != nil {
		return err
	}
	a, err := p.newAttack(cmd, &flags.attackFlags)
	if err != nil {
		return err
	}
	var again *fuzz.Finding
	if flags.replay != "" {
		if again, err = p.readFinding(flags.replay, a.decoder); err != nil {
			return fmt.Errorf("--replay %w", err)
		}
		flags.target.spoken = again.Spoken
	}
	if !cmd.Flags().Changed("seed") {
		flags.seed = rand.Uint64()
	}
	flags.target.options.Sparing = flags.replay == ""
	ctx, end, err := a.begin(cmd.Context())
	if err != nil {
		return err
	}
	defer end()
	if again != nil {
		return a.replay(ctx, again)
	}
	run := &fuzz.Campaign{
		Decoder: a.decoder, Seed: flags.seed, Bases: builtinBases(flags.protocol.name), Workers: flags.workers, Execs: flags.execs,
		SelfTest: a.reader.SelfTest, NewTarget: a.reader.NewTarget, Sole: a.reader.Sole, NotRestartable: a.reader.NotRestartable, Scope: a.scope(),
	}
	if flags.sync > 0 && (flags.corpus == "" || isCapture(flags.corpus)) {
		return usagef(cmd, "--sync takes what other campaigns have kept: want --corpus with a directory")
	}
	if flags.sync > 0 && cmd.Flags().Changed("seed") {
		p.complain("not repeatable: --sync")
	}
	if flags.corpus != "" && !isCapture(flags.corpus) {
		store, err := corpus.Create(flags.corpus)
		if err != nil {
			return fmt.Errorf("--corpus %s: %s", flags.corpus, corpusReason(err))
		}
		defer store.Close()
		run.Keep = func(packet decode.Packet, reached string) error {
			if _, err := store.Add(packet.Data, fuzz.SenderWord(packet.From), reached); err != nil {
				return fmt.Errorf("--corpus %s: %s", flags.corpus, reason(err))
			}
			return nil
		}
		if flags.sync > 0 {
			run.Others = others(store, flags.sync)
		}
	}
	if flags.corpus != "" {
		more, err := a.basesOf(flags.corpus)
		if err != nil {
			return err
		}
		run.Bases = append(run.Bases, more...)
	}
	view := a.campaign()
	view.Workers, view.Kept, view.Synced = flags.workers, a.kept(), flags.sync > 0
	watch := p.newWatch()
	run.Found = func(f *fuzz.Finding) error {
		if a.known.Has(f) {
			return nil
		}
		if watch.Found() {
			p.complain("found: %v: %s", f.Kind, f.What())
		}
		return a.write(f)
	}
	run.Progress = func(s *fuzz.CampaignState) {
		if watch.Due() {
			view.State, view.Passed = s, watch.Passed()
			watch.Show(view)
		}
	}
	began := time.Now()
	state, err := run.Run(ctx)
	state.Findings, view.KnownMistakes = a.known.Split(state.Findings)
	untested := a.known.Mark(state.Untested)
	view.Gone = a.known.Gone()
	watch.Erase()
	view.State, view.Passed = state, time.Since(began)
	if !p.quiet {
		fmt.Fprintln(p.stderr, view.Line())
	}
	if errors.Is(err, context.Canceled) && len(state.Findings) == 0 { // before the target was there
		return errors.New("interrupted")
	}
	if err != nil && len(state.Findings) == 0 {
		return err
	}
	if err = errors.Join(a.show(view), err); err != nil { // what was found until then counts
		return err
	}
	a.tell(state.Findings)
	return a.verdict(len(state.Findings), untested)
}

// maxSynced is how many packets of other campaigns are taken at once.
const maxSynced = 1000

// others returns, each time that so much time has passed, what others have put into a store.
func others(store *corpus.Store, every time.Duration) func() []decode.Packet {
	last := time.Now()
	return func() (list []decode.Packet) {
		if time.Since(last) < every {
			return nil
		}
		for _, one := range store.News(maxSynced) {
			list = append(list, decode.Packet{Data: one.Data, From: fuzz.Sender(one.From)})
		}
		last = time.Now()
		return list
	}
}

// readFinding reads a finding's file.
func (p *program) readFinding(name string, d *decode.Decoder) (*fuzz.Finding, error) {
	file, err := p.openText(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	f, err := findingdir.Read(file, d.Plan().Schema)
	if err != nil {
		return nil, fmt.Errorf("%s: %s", name, reason(err))
	}
	return f, nil
}

// replay sends the packets of a finding once more; of one in a state of a dialogue what its state has now.
func (a *attack) replay(ctx context.Context, finding *fuzz.Finding) error {
	var found []fuzz.Finding
	var err error
	switch {
	case finding.State != "":
		_, found, err = a.reader.States(ctx, finding.State)
	case finding.Seal && a.keys == nil:
		return errors.New("it is a finding of a seal: want --keys and --section, as it was found with")
	case finding.Seal:
		_, found, err = a.reader.Auth(ctx, a.decoder, finding.Rule)
	default:
		again := &fuzz.Minimizer{Decoder: a.decoder, NewTarget: a.reader.NewTarget, SelfTest: a.reader.SelfTest}
		found, err = again.Replay(ctx, finding)
	}
	if err != nil && len(found) == 0 {
		return err
	}
	view := a.campaign()
	view.State = &fuzz.CampaignState{Execs: int64(1 + len(finding.Before)), Coverage: coverage.New(a.decoder.Plan())}
	for i := range found {
		view.State.Findings = append(view.State.Findings, &found[i])
	}
	if err := a.show(replayed{view}); err != nil {
		return err
	}
	return a.verdict(len(found), 0)
}

// campaign is the view of a campaign with one worker.
func (a *attack) campaign() *report.Campaign {
	return &report.Campaign{
		Protocol: a.decoder.Plan().Schema.Name, Target: a.flags.target.spec, Seed: a.flags.seed, Workers: 1,
		Replay: a.origin.Replay(), Plan: a.decoder.Plan(), Version: version(),
	}
}

// replayed is a campaign that sent the packets of one finding.
type replayed struct{ *report.Campaign }

func (r replayed) AppendText(b []byte, colour bool) []byte { return r.AppendReplay(b, colour) }
