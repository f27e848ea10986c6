package main

import (
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
	a.protocol.addKeys(cmd)
	needs(cmd, "keys", "section", ": which message is it that is sealed?")
	a.target.add(cmd)
	filledVar(cmd, &a.findings, "findings", "", "write findings to a `DIR`", "a directory")
	mustComplete(cmd.RegisterFlagCompletionFunc("findings", completeDirectories))
	a.known.add(cmd.Flags())
	choiceVar(cmd, &a.format, "format", "T", "text", "print as `FORMAT`", textOrJSON)
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
	flags   *attackFlags
	decoder *decode.Decoder
	known   *report.Known
	origin  findingdir.Origin
	reader  *target.Reader
	seal    *sealing.Sealer // of --keys; nil without
	dir     *findingdir.Dir // nil without --findings
}

// newAttack reads what the flags name: the protocol, and the mistakes that are accepted.
func (p *program) newAttack(cmd *cobra.Command, flags *attackFlags) (*attack, error) {
	d, err := p.loadAlone(cmd, &flags.protocol)
	if err != nil {
		return nil, err
	}
	known, err := flags.known.read(p, d.Plan().Schema.Name)
	if err != nil {
		return nil, err
	}
	origin := findingdir.Origin{Protocol: flags.protocol.words(), Target: flags.target.spec, Flags: flags.target.words(), Version: version()}
	a := &attack{program: p, flags: flags, decoder: d, known: known, origin: origin}
	return a, a.openKeys(cmd)
}

// openKeys reads what seals the messages of --section; nothing without --keys.
func (a *attack) openKeys(cmd *cobra.Command) error {
	f := a.flags.protocol
	file, err := a.readKeys(&f)
	if err != nil || file == nil {
		return err
	}
	if !strings.HasPrefix(a.flags.target.spec, "exec") && !strings.HasPrefix(a.flags.target.spec, "udp:") {
		return usagef(cmd, "--keys seals messages for a reader that opens them: want --target exec:, exec+persistent: or udp:")
	}
	section := f.section
	f.section = ""
	d, err := a.loadAlone(cmd, &f)
	if err != nil {
		return err
	}
	if a.seal, err = sealing.New(d, section, file, nil); err != nil {
		return fmt.Errorf("--keys %s: %w", f.keys, err)
	}
	return nil
}

// begin opens the reader and the directory of findings. What a target started must not survive us, however we are asked
// to end: ctx ends with a signal, too, and with --duration. end closes all.
func (a *attack) begin(ctx context.Context) (_ context.Context, end func(), err error) {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	if a.reader, err = a.flags.target.open(ctx, a.program, a.decoder); err != nil {
		stop()
		return nil, nil, err
	}
	a.reader.Seal(a.seal)
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
func (a *attack) show(result interface {
	WriteJSON(io.Writer) error
	AppendText(b []byte, colour bool) []byte
}) error {
	if a.flags.format == "json" {
		return result.WriteJSON(a.out)
	}
	_, err := a.out.Write(result.AppendText(nil, a.coloured(a.stdout)))
	return err
}

// scope is what the dialogue attacks; nil without one.
func (a *attack) scope() fuzz.Scope {
	if talk := a.flags.target.options.Server.Talk; talk != nil {
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
