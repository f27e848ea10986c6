package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/generated"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// targetFlags say whose reader is attacked. Targets come from the command line and from nothing else.
type targetFlags struct {
	name       string
	rejectCode int
	timeout    time.Duration
	memory     int64 // MiB
	against    string
	udp        udpFlags

	sparing bool // in a campaign: see generated.Target
}

const targetHelp = `The target is pktscope's own decoder, unless --target says otherwise:

  builtin               the decoder of this program
  generated             what gen go makes of the protocol, built with the Go toolchain that is
                        in PATH, without a network, in a temporary directory
  exec:CMD              a process per packet, which is on its stdin: exit status 0 accepts,
                        --reject-code refuses, 77 does not say, anything else is a crash
  exec+persistent:CMD   one process: 4 bytes little-endian length and packet on its stdin,
                        A (accept), R (refuse) or N (it does not say) on its stdout; pktscope
                        gen harness writes the file that makes a reader one. Behind an A or N
                        it may give the values it read as a JSON object on the same line, as
                        decode -V shows them, behind an R its reason,
                        {"kind":"out-of-range","path":"body.x","bit":301,"width":7}, as far
                        as it knows: what it gives is compared. Of a reader that answers N
                        only crashes, hangs, leaks and values count
  udp:HOST:PORT         a server: alive as long as it answers --probe, or the protocol's
                        heartbeat, which follows each packet, from a port of its own if the
                        server answers that; with --rate and --stop-after, and --server to
                        start it. The probes count in the rate: 16 of 33 packets attack.
                        Without --server its first death is the end, and all packets that
                        it had are the finding

CMD is split into words as a shell does it, with '…', "…" and \; no shell sees it, and nothing
in it is expanded. It runs with this program's environment and rights, so it is as trusted as
any command that you type. Sanitizers are told by the environment to make their reports deaths.
A hang is one when three new processes have shown it. Whatever a target starts dies with it.

With --against TARGET both get every packet, and where they differ, in verdict, reason, values
or bits, is a finding, too. Code of this program, builtin and generated, is also held against
the reference decoder: in an audit with every packet, in a campaign with what is new and one
in 128. The values that generated reads are compared in an audit with every packet, in a
campaign with one in 16; that it writes back what it reads, with every packet in both.`

// What the flags say when they say nothing.
const (
	usualRejectCode = 1
	usualTimeout    = 250 * time.Millisecond
	usualMemory     = 1024 // MiB
)

// add adds the flags. What they say is checked by check, and becomes a target by open.
func (f *targetFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.name, "target", "builtin", "`TARGET` under attack: builtin, generated, exec:CMD, exec+persistent:CMD, udp:HOST:PORT")
	s.StringVar(&f.against, "against", "", "compare with another `TARGET`")
	s.IntVar(&f.rejectCode, "reject-code", usualRejectCode, "exit `STATUS` with which exec: refuses")
	s.DurationVar(&f.timeout, "timeout", usualTimeout, "wait at least `TIME` for an answer; longer for a slow target")
	s.Int64Var(&f.memory, "memory", usualMemory, "stop a target that holds more than `MIB` of memory")
	f.udp.add(cmd)
	for _, flag := range []string{"target", "against"} {
		completeWords(cmd, flag, []string{"builtin", "generated", "exec:", "exec+persistent:", "udp:"})
	}
}

// check judges what needs no protocol.
func (f *targetFlags) check(cmd *cobra.Command) error {
	if f.rejectCode < 1 || f.rejectCode > 255 || f.rejectCode == 99 {
		return usagef(cmd, "--reject-code %d: want 1..255, and not 99, which is the sanitizers'", f.rejectCode)
	}
	if f.timeout < time.Millisecond || f.timeout > time.Hour {
		return usagef(cmd, "--timeout %v: want 1ms..1h", f.timeout)
	}
	if f.memory < 1 || f.memory > 1<<20 {
		return usagef(cmd, "--memory %d: want 1..1048576 MiB", f.memory)
	}
	kinds, err := f.kinds(cmd)
	if err != nil {
		return err
	}
	if !kinds["exec"] && cmd.Flags().Changed("reject-code") {
		return usagef(cmd, "--reject-code is for exec:, a persistent target answers R")
	}
	if !kinds["exec"] && !kinds["exec+persistent"] && !kinds["generated"] && !kinds["udp"] {
		for _, flag := range []string{"timeout", "memory"} {
			if cmd.Flags().Changed(flag) {
				return usagef(cmd, "--%s is for a --target of its own process", flag)
			}
		}
	}
	return f.udp.check(cmd, kinds["udp"])
}

// kinds are those of the targets that are named.
func (f *targetFlags) kinds(cmd *cobra.Command) (map[string]bool, error) {
	kinds := map[string]bool{}
	for flag, name := range map[string]string{"target": f.name, "against": f.against} {
		if flag == "against" && !cmd.Flags().Changed("against") {
			continue
		}
		kind, rest, found := strings.Cut(name, ":")
		switch {
		case name == "builtin", name == "generated":
		case found && (kind == "exec" || kind == "exec+persistent"):
			if _, err := process.Split(rest); err != nil {
				return nil, usagef(cmd, "--%s: %s", flag, err)
			}
		case found && kind == "udp" && flag == "target":
		case found && kind == "udp":
			return nil, usagef(cmd, "--against: a server gives no verdicts to compare")
		default:
			return nil, usagef(cmd, "--%s %q: want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT%s", flag, name, didYouMean(kind, []string{"builtin", "generated", "exec", "exec+persistent", "udp"}))
		}
		kinds[kind] = true
	}
	if kinds["udp"] && f.against != "" {
		return nil, usagef(cmd, "--against: a server gives no verdicts to compare")
	}
	return kinds, nil
}

// openTarget is what commands need to know of a target.
type openTarget struct {
	make  func(context.Context) (fuzz.Target, error)
	sole  bool // there is one
	own   bool // pktscope's own code
	built []*generated.Program
	once  bool // it cannot be started anew

	server *udp.Shared // nil where it is none
}

// close removes what was built for the target. All that make made has been closed.
func (t *openTarget) close() {
	for _, g := range t.built {
		_ = g.Close() // a temporary directory
	}
}

// openTarget makes a target of checked flags; but for a compiler, which ctx ends, it runs nothing yet. The target must be
// closed.
func (p *program) openTarget(ctx context.Context, f *targetFlags, d *decode.Decoder) (*openTarget, error) {
	if address, ok := strings.CutPrefix(f.name, "udp:"); ok {
		server, err := p.openUDP(ctx, f, address, d)
		if err != nil {
			return nil, err
		}
		return &openTarget{make: server.Use, sole: true, once: f.udp.server == "", server: server}, nil
	}
	t := &openTarget{}
	one, err := t.maker(ctx, f, f.name, d)
	if err != nil {
		return nil, err
	}
	if f.against == "" {
		t.make, t.own = one, f.name == "builtin" || f.name == "generated"
		return t, nil
	}
	other, err := t.maker(ctx, f, f.against, d)
	if err != nil {
		t.close()
		return nil, err
	}
	t.make = func(ctx context.Context) (fuzz.Target, error) {
		a, err := one(ctx)
		if err != nil {
			return nil, err
		}
		b, err := other(ctx)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		return fuzz.NewPair(a, b, f.against), nil
	}
	return t, nil
}

// maker makes targets of a name.
func (t *openTarget) maker(ctx context.Context, f *targetFlags, name string, d *decode.Decoder) (func(context.Context) (fuzz.Target, error), error) {
	kind, command, _ := strings.Cut(name, ":")
	if kind == "builtin" {
		return func(context.Context) (fuzz.Target, error) { return fuzz.NewBuiltin(d), nil }, nil
	}
	o := process.Options{RejectCode: f.rejectCode, Patience: f.timeout, Memory: f.memory << 20, Secrets: d.Plan().HasSecret()}
	const anySeed = 1
	if p, err := fuzz.NewGenerator(d).Random(anySeed, 0); err == nil {
		o.Warm = bytes.Clone(p.Data)
	}
	if kind == "generated" {
		g, err := generated.Build(ctx, d.Plan())
		if errors.Is(err, context.Canceled) {
			return nil, errors.New("interrupted")
		}
		if err != nil {
			return nil, fmt.Errorf("--target generated: %w", err)
		}
		t.built = append(t.built, g)
		return func(ctx context.Context) (fuzz.Target, error) {
			one, err := g.NewTarget(ctx, o)
			if err != nil {
				return nil, err
			}
			one.Sparing = f.sparing
			return one, nil
		}, nil
	}
	var err error
	if o.Args, err = process.Split(command); err != nil {
		return nil, err
	}
	if kind == "exec+persistent" {
		return func(ctx context.Context) (fuzz.Target, error) { return process.New(ctx, o) }, nil
	}
	return func(ctx context.Context) (fuzz.Target, error) { return process.NewSingle(ctx, o) }, nil
}

// shownAgain is the command that shows a finding again, without its packets.
func (f *targetFlags) shownAgain(protocol *protocolFlags) []string {
	return append(append([]string{"pktscope", "audit"}, protocol.words()...), f.words()...)
}

// words are the flags as they stand on a command line.
func (f *targetFlags) words() []string {
	if (f.name == "builtin" || f.name == "") && f.against == "" {
		return nil
	}
	words := []string{"--target", f.name}
	if f.against != "" {
		words = append(words, "--against", f.against)
	}
	if f.rejectCode != usualRejectCode {
		words = append(words, "--reject-code", strconv.Itoa(f.rejectCode))
	}
	if f.timeout != usualTimeout && f.timeout > 0 {
		words = append(words, "--timeout", f.timeout.String())
	}
	if f.memory != usualMemory && f.memory > 0 {
		words = append(words, "--memory", strconv.FormatInt(f.memory, 10))
	}
	return append(words, f.udp.words()...)
}
