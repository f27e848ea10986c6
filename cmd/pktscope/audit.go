package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
)

// auditFlags are the flags of audit.
type auditFlags struct {
	attackFlags
	corpus  []string
	only    []string
	from    string
	verbose bool
	state   string
	most    int // packets of a rule
}

func newAudit(p *program) *cobra.Command {
	var flags auditFlags
	cmd := &cobra.Command{
		Use:   "audit -p PROTOCOL",
		Short: "break every rule of a protocol, one at a time, and see whether a reader refuses it",
		Long: `Audit takes valid packets and breaks one rule of the protocol after the other: every code
that a field may not hold, every padding, reserved and check bit, every truncation, counts
that lie, indexes that fall, texts that are not text. Everything else in the packet, its
checksum included, is made right again. The answer of a correct reader is known in advance:
accept, or refuse with a reason, at a field, at a bit.

A field is tried with every code that it may not hold, and with every one for which a switch
on it has no case, where these are at most 1,024. One with more, such as a length of 16 bits
with a range, is tried at its edges, next to every case, at every power of two and with a
sample; the line of its rule says so, and how many packets are left out. --max-per-rule N
replaces both limits, the 1,024 codes and the 65,536 packets of one rule: with 65536 a field
of 16 bits is tried with all codes. In arrays the first, a middle and the last element are
tried: one with all codes, the others with a sample if there are more than 64 codes. The
same seed makes the same packets, with any number of workers. Progress and findings are
reported on stderr, unless -q is given.

When a reader hangs or fills its memory several times on packets of one kind, the rest of that
kind waits until the end. Then some of them are tried; if they fail the same way, the others
are not sent. Their rules count as untested ("given up after N hangs"), not as passed.

One persistent target gets all packets, in order, so that mistakes show which one packet
leaves behind for the next. With --duration, and with a server, the first packet of each rule is sent
first, then three more of each, and so on; the rules that were not finished when --duration
or --stop-after is over are listed. At the end pktscope alone reads a bounded number of
packets with several changes, and sends those that it refuses in a new way.

Up to 7 bits after the last field, in the last byte, decide nothing, and a reader must accept
any; a schema that ends with align wants zeros there.

The first packets are generated, at every boundary of every field; --corpus adds those of
captures.

The exit code is 1 on a finding, and where the reader was not tested: no valid packet has
some arm of a switch, branch of an if or element of a list, or no packet was refused in some
way that is not proved to be out of reach. The first line counts
these as untested; --fail-on finding lets them pass. The exit code is 2 when no valid packet
was found at all.

` + targetHelp + `

Each finding has the command that shows it again: --hex sends only the packets that it names,
in order.

` + knownHelp,
		Example: `  pktscope audit -p rtype
  pktscope audit -p my.pks --target exec+persistent:./harness    # your reader: see gen harness
  pktscope audit -p my.pks --corpus game.pcap   # also break packets that were really sent
  pktscope audit -p my.pks -T html > audit.html         # findings and rules, as a page
  pktscope audit -p my.pks -T json > audit.json`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return usagef(cmd, "audit takes no arguments: name the protocol with -p, captures with --corpus")
			}
			return p.audit(cmd, &flags)
		},
	}
	flags.add(cmd)
	f := cmd.Flags()
	f.StringArrayVar(&flags.only, "hex", nil, "send only the packet `HEX`; repeatable, sent in order")
	choiceVar(cmd, &flags.from, "from", "", "unknown", "`WHO` sent the packets of --hex", senders)
	f.StringVar(&flags.state, "state", "", "with --dialogue: only one case in one state: `'STATE: CASE'`")
	f.StringArrayVar(&flags.corpus, "corpus", nil, "also begin with the packets of a capture `FILE`, or of a corpus directory")
	f.Uint64Var(&flags.seed, "seed", 1, "`NUMBER` that decides the generated packets")
	numberVar(cmd, &flags.most, "max-per-rule", "", 0, 1, 1<<30, "send at most `N` packets for a rule and a way to break it (65,536 unless given)", "")
	f.BoolVarP(&flags.verbose, "verbose", "V", false, "list everything that was not reached, and why")
	formerLetter(cmd, "verbose", "v")
	needs(cmd, "state", "dialogue", ", which has the states")
	excludes(cmd, "--hex is all that is sent", "hex", "corpus")
	return cmd
}

func (p *program) audit(cmd *cobra.Command, flags *auditFlags) error {
	if err := flags.check(cmd); err != nil {
		return err
	}
	a, err := p.newAttack(cmd, &flags.attackFlags)
	if err != nil {
		return err
	}
	bases := builtinBases(flags.protocol.name)
	for _, name := range flags.corpus {
		more, err := a.basesOf(name)
		if err != nil {
			return err
		}
		bases = append(bases, more...)
	}
	only, err := packetsOf(cmd, flags.only, directions[flags.from])
	if err != nil {
		return err
	}
	ctx, end, err := a.begin(cmd.Context())
	if err != nil {
		return err
	}
	defer end()
	var table *fuzz.StateTable
	var wrong []fuzz.Finding
	if _, talks := a.reader.Sessions(); talks && len(only) == 0 {
		if table, wrong, err = a.reader.States(ctx, flags.state); err != nil && len(wrong) == 0 {
			return err
		}
	}
	var rules []fuzz.RuleResult
	if len(only) == 0 {
		var broken []fuzz.Finding
		if rules, broken, err = a.reader.Auth(ctx, a.decoder, ""); err != nil {
			return err
		}
		wrong = append(wrong, broken...)
	}
	run := &fuzz.Audit{
		Decoder: a.decoder, Seed: flags.seed, Bases: bases, Workers: flags.workers, SelfTest: a.reader.SelfTest, Only: only,
		NewTarget: a.reader.NewTarget, Rounds: a.reader.Sole || flags.duration > 0, MaxPerRule: flags.most, Scope: a.scope(),
	}
	watch := p.newWatch()
	if watch != nil {
		run.Found = func(f *fuzz.Finding) {
			if watch.Found() && !a.known.Has(f) {
				p.complain("found: %v: %s", f.Kind, f.What())
			}
		}
		run.Progress = func(s fuzz.AuditState) {
			if watch.Due() {
				watch.Show(&report.AuditProgress{Protocol: a.decoder.Plan().Schema.Name, Target: flags.target.spec, Passed: watch.Passed(), State: s})
			}
		}
	}
	result := &fuzz.AuditResult{}
	if flags.state == "" {
		result, err = run.Run(ctx)
	}
	watch.Erase()
	result.States, result.Findings, result.Rules = table, append(wrong, result.Findings...), append(rules, result.Rules...)
	interrupted := errors.Is(err, context.Canceled)
	over := errors.Is(err, oracle.ErrOver) || errors.Is(err, context.DeadlineExceeded)
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
	found, accepted := a.known.Split(found)
	untested := a.known.Mark(result.Untested)
	result.Findings = nil
	var unwritten error
	for _, f := range found {
		result.Findings = append(result.Findings, *f)
		if unwritten == nil { // a full disk is reported after what was found
			unwritten = a.write(f)
		}
	}
	view := &report.Audit{
		Protocol: a.decoder.Plan().Schema.Name, Target: flags.target.spec, Seed: flags.seed, Result: result, Partial: err != nil,
		Kept: a.kept(), Verbose: flags.verbose, Own: a.reader.SelfTest, Replay: a.origin.Replay(),
		Plan: a.decoder.Plan(), Version: version(), KnownMistakes: accepted,
	}
	if unwritten != nil {
		view.Kept = nil
	}
	if len(only) == 0 && err == nil { // what was not tried is not gone
		view.Gone = a.known.Gone()
	}
	if err = errors.Join(a.show(view), failed, unwritten); err != nil {
		return err
	}
	a.tell(found)
	if result.Nothing != nil {
		return result.Nothing
	}
	if err := a.verdict(len(found), 0); err != nil {
		return err
	}
	if interrupted {
		return errors.New("interrupted")
	}
	return a.verdict(0, untested)
}

// packetsOf are the packets of --hex.
func packetsOf(cmd *cobra.Command, list []string, from decode.Direction) ([]decode.Packet, error) {
	var packets []decode.Packet
	for _, text := range list {
		data, err := corpus.ParseHex(text)
		if err != nil {
			return nil, usagef(cmd, "--hex: %s", err)
		}
		packets = append(packets, decode.Packet{Data: data, From: from})
	}
	return packets, nil
}
