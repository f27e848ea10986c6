package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema/syntax"
	"github.com/pktscope/pktscope/fuzz"
	findingdir "github.com/pktscope/pktscope/fuzz/findings"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/sealing"
	"github.com/pktscope/pktscope/fuzz/target"
	"github.com/pktscope/pktscope/report"
)

// attackFlags are the flags that audit and fuzz have in common.
type attackFlags struct {
	protocol protocolFlags
	target   targetFlags
	findings string
	known    knownFlag
	format   string
	failOn   string
	workers  int
	seed     uint64
	duration time.Duration
}

var attackFailOns = []string{"none", "finding", "untested (findings, too)"}

// add adds the flags.
func (a *attackFlags) add(cmd *cobra.Command) {
	a.protocol.add(cmd)
	a.protocol.addKeys(cmd, false)
	a.target.add(cmd)
	filledVar(cmd, &a.findings, "findings", "", "write findings to a `DIR`", "a directory")
	mustComplete(cmd.RegisterFlagCompletionFunc("findings", completeDirectories))
	a.known.add(cmd.Flags())
	choiceVar(cmd, &a.format, "format", "T", "text", "print as `FORMAT`", withPage)
	choiceVar(cmd, &a.failOn, "fail-on", "", "untested", "exit 1 on `WHAT`", attackFailOns)
	numberVar(cmd, &a.workers, "jobs", "j", runtime.NumCPU(), 1, 1024, "work on `N` packets at a time", "")
	timeVar(cmd, &a.duration, "duration", 0, 1, "end after a `TIME`, such as 30s or 8h")
}

// check judges the flags that need no file.
func (a *attackFlags) check(cmd *cobra.Command) error {
	if a.protocol.name == "" {
		return usagef(cmd, "which protocol? want -p with a built-in or a .pks file")
	}
	if err := a.known.check(a.findings); err != nil {
		return usagef(cmd, "%s", err)
	}
	return a.target.check(cmd)
}

// attack is a run of audit or fuzz.
type attack struct {
	*program
	name    string // of the command
	flags   *attackFlags
	decoder *decode.Decoder // of packets, or of the messages of --section
	whole   *decode.Decoder // of the protocol
	keys    *keys.File      // of --keys; nil without
	known   *report.Known
	origin  findingdir.Origin
	reader  *target.Reader
	dir     *findingdir.Dir // nil without --findings
}

// newAttack reads what the flags name: the protocol, and the mistakes that are accepted.
func (p *program) newAttack(cmd *cobra.Command, flags *attackFlags) (*attack, error) {
	a := &attack{program: p, name: cmd.Name(), flags: flags}
	f := flags.protocol
	f.section = ""
	var err error
	if a.whole, err = p.loadAlone(cmd, &f); err != nil {
		return nil, err
	}
	if a.keys, err = p.readKeys(&f); err != nil {
		return nil, err
	}
	if flags.target.dialogue != "" {
		if flags.target.options.Server.Talk, err = p.talk(a.whole, &flags.target); err != nil {
			return nil, err
		}
		if err := a.section(cmd); err != nil {
			return nil, err
		}
	}
	if a.decoder = a.whole; flags.protocol.section != "" {
		if a.decoder, err = p.loadAlone(cmd, &flags.protocol); err != nil {
			return nil, err
		}
	}
	if a.known, err = flags.known.read(p, a.decoder.Plan().Schema.Name); err != nil {
		return nil, err
	}
	a.origin = findingdir.Origin{Protocol: flags.protocol.words(), Target: flags.target.spec, Flags: flags.target.words(), Version: version()}
	return a, a.checkKeys(cmd)
}

// section is --section where the dialogue says it: one message, and no packets.
func (a *attack) section(cmd *cobra.Command) error {
	section := &a.flags.protocol.section
	sections, packets := a.flags.target.options.Server.Talk.Dialogue.Sections()
	switch {
	case *section != "" || !isUDP(a.flags.target.spec):
	case !packets && len(sections) > 1:
		return usagef(cmd, "--dialogue attacks several messages: want --section with one of %s", strings.Join(sections, ", "))
	case !packets:
		*section = sections[0]
	case len(sections) > 0:
		a.complain("the dialogue attacks messages, too: --section %s", strings.Join(sections, ", --section "))
	}
	return nil
}

func isUDP(spec string) bool { return strings.HasPrefix(spec, "udp:") }

// checkKeys says what --keys lacks. Where a dialogue is spoken its sessions seal; elsewhere messages of --section are.
func (a *attack) checkKeys(cmd *cobra.Command) error {
	t := &a.flags.target
	switch {
	case a.keys == nil || isUDP(t.spec) && (t.dialogue != "" || t.replays):
		return nil
	case a.flags.protocol.section == "":
		return usagef(cmd, "--keys needs --section: which message is it that is sealed?")
	case !strings.HasPrefix(t.spec, "exec") && !isUDP(t.spec):
		return usagef(cmd, "--keys seals messages for a reader that opens them: want --target exec:, exec+persistent: or udp:")
	}
	return nil
}

// begin opens the reader and the directory of findings. What a target started must not survive us, however we are asked
// to end: ctx ends with a signal, too, and with --duration. end closes all.
func (a *attack) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if a.reader, err = a.open(ctx); err != nil {
		stop()
		return nil, nil, err
	}
	if a.flags.findings != "" {
		a.dir, err = findingdir.Create(a.flags.findings, a.decoder, a.origin)
	}
	cancel := func() {}
	if a.flags.duration > 0 {
		ctx, cancel = context.WithTimeout(ctx, a.flags.duration)
	}
	end = func() {
		if a.dir != nil {
			_ = a.dir.Close() // each file is closed
		}
		_ = a.reader.Close() // a temporary directory
		cancel()
		stop()
	}
	if err != nil {
		end()
		return nil, nil, a.unwritten(err)
	}
	return ctx, end, nil
}

// open opens the reader, and gives a dialogue what it speaks with.
func (a *attack) open(ctx context.Context) (*target.Reader, error) {
	t := &a.flags.target
	if t.options.Server.Talk == nil {
		talk, err := a.talk(a.whole, t)
		if err != nil {
			return nil, err
		}
		t.options.Server.Talk = talk
	}
	section, talk := a.flags.protocol.section, t.options.Server.Talk
	if t.options.Keys = a.keys; talk != nil {
		talk.Keys = a.keys
	}
	var seal *sealing.Sealer
	var err error
	switch {
	case talk != nil && isUDP(t.spec):
		if talk.Section = section; section != "" && talk.Dialogue.Carries(section) == "" {
			return nil, fmt.Errorf("--section %s: no packet that a client sends has such a message sealed in it", section)
		}
	case a.keys != nil && section != "":
		if seal, err = sealing.New(a.whole, section, a.keys, nil); err != nil {
			return nil, fmt.Errorf("--keys %s: %w", a.flags.protocol.keys, err)
		}
	}
	r, err := t.open(ctx, a.program, a.decoder)
	if err == nil {
		r.Seal(seal)
	}
	return r, err
}

// write writes a finding to the directory, if there is one.
func (a *attack) write(f *fuzz.Finding) error {
	if a.dir == nil {
		return nil
	}
	return a.unwritten(a.dir.Write(f))
}

// unwritten names the directory of findings in an error.
func (a *attack) unwritten(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("--findings %s: %s", a.flags.findings, corpusReason(err))
}

// kept says where a finding's packets are; nil without a directory.
func (a *attack) kept() func(*fuzz.Finding) string {
	if a.dir == nil {
		return nil
	}
	return a.dir.Capture
}

// show writes a result in the form that -T names.
func (a *attack) show(found interface {
	WriteJSON(io.Writer) error
	AppendText(b []byte, colour bool) []byte
}) error {
	if a.flags.format != "text" {
		out := result(a.out, a.flags.format, "pktscope "+a.name)
		return cmp.Or(found.WriteJSON(out), out.Close())
	}
	_, err := a.out.Write(found.AppendText(nil, a.coloured(a.stdout)))
	return err
}

// scope is what the dialogue attacks; nil without one.
func (a *attack) scope() fuzz.Scope {
	if talk := a.flags.target.options.Server.Talk; talk != nil && talk.Section == "" {
		return talk.Dialogue.Scope()
	}
	return nil
}

// tell says what a server was sent, of which the run's packets are a part, and what is to be done with the packets of
// one that died and that nobody starts again.
func (a *attack) tell(found []*fuzz.Finding) {
	sent, ok := a.reader.Sent()
	if !ok {
		return
	}
	a.complain("sent %s and %s to the server", syntax.Count(sent.Packets, "packet"), syntax.Count(sent.Probes, "probe"))
	if sessions, ok := a.reader.Sessions(); ok {
		a.complain("dialogue: %s", sessions.Text())
	}
	for _, f := range found {
		if f.Kind != oracle.FoundCrash || !a.reader.NotRestartable {
			continue
		}
		written := "--findings DIR writes"
		if a.dir != nil {
			written = "--findings has written"
		}
		a.complain("%s. Which of them it takes can be tried only with --server CMD, which starts it anew. %s them as JSON, which fuzz --replay FILE sends again, and --prelude FILE first",
			diedAfter(f), written)
	}
}

// diedAfter says after how many packets a server died, and how many of them are kept.
func diedAfter(f *fuzz.Finding) string {
	kept := int64(len(f.Before) + 1)
	if f.Earlier > 0 {
		return fmt.Sprintf("the server died after %s from pktscope, of which the last %d are kept", syntax.Count(kept+int64(f.Earlier), "packet"), kept)
	}
	return fmt.Sprintf("the server died after %s, all that it had from pktscope", syntax.Count(kept, "packet"))
}

// newWatch watches a run on stderr; nil with -q.
func (p *program) newWatch() *report.Watch {
	if p.quiet {
		return nil
	}
	var width func() int
	if isTerminal(p.stderr) && os.Getenv("TERM") != "dumb" {
		width = func() int { return terminalWidth(p.stderr) - 1 }
	}
	return report.NewWatch(p.stderr, width, p.coloured(p.stderr))
}

// verdict is an error where there are findings or untested parts that --fail-on names.
func (a *attack) verdict(found, untested int) error {
	if a.flags.failOn != "none" && found > 0 || a.flags.failOn == "untested" && untested > 0 {
		return findings{}
	}
	return nil
}

// builtinBases are the seed packets of a built-in protocol.
func builtinBases(name string) []decode.Packet {
	var bases []decode.Packet
	if _, ok := protocols.Source(name); ok {
		for _, seed := range corpus.Seeds(name) {
			bases = append(bases, decode.Packet{Data: seed.Data, From: fuzz.Sender(seed.From)})
		}
	}
	return bases
}

// isCapture reports whether --corpus names a capture, not a directory of packets, which may be new.
func isCapture(name string) bool {
	info, err := os.Stat(name)
	return name == "-" || err == nil && !info.IsDir()
}

// basesOf are the packets that --corpus adds: of a directory, of which it reports what is no packet, or those of a
// capture that the protocol accepts.
func (a *attack) basesOf(name string) (bases []decode.Packet, err error) {
	if info, err := os.Stat(name); name != "-" && err == nil && info.IsDir() {
		store, err := corpus.Open(name)
		if err != nil {
			return nil, fmt.Errorf("--corpus %s: %s", name, corpusReason(err))
		}
		defer store.Close()
		for _, packet := range a.packets(store, name) {
			bases = append(bases, decode.Packet{Data: packet.Data, From: fuzz.Sender(packet.From)})
		}
		return bases, nil
	}
	in, done, err := a.openCapture(name)
	if err != nil {
		return nil, err
	}
	defer done()
	bases, all, err := findingdir.ReadBases(a.readCapture(nil, in, in), a.decoder)
	switch {
	case err != nil:
		return nil, fmt.Errorf("--corpus %s: %s", name, reason(err))
	case len(bases) == 0:
		return nil, fmt.Errorf("--corpus %s: no packet that %s accepts", name, a.decoder.Plan().Schema.Name)
	case !all:
		a.complain("--corpus %s: only the first %d packets are used", name, len(bases))
	}
	return bases, nil
}
