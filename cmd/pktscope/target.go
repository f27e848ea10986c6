package main

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	findingdir "github.com/pktscope/pktscope/fuzz/findings"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/target"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// targetFlags say whose reader is attacked. Targets come from the command line and from nothing else.
type targetFlags struct {
	spec       string
	options    target.Options // without what is below, until check
	probe      string
	expect     string
	prelude    []string
	dialogue   string
	values     valueFlags
	replays    bool           // a finding, which may have a dialogue
	spoken     *oracle.Spoken // that dialogue; nil for none
	authorized string
	all        []*pflag.Flag
}

const targetHelp = `The target is pktscope's own decoder, unless --target names another:

  builtin               the decoder of this program
  generated             the package that gen go writes for the protocol, built with the Go
                        toolchain in PATH, without a network, in a temporary directory
  exec:CMD              a process for each packet, which it reads from stdin: exit status 0
                        accepts, --reject-code refuses, 77 is no verdict, any other is a crash
  exec+persistent:CMD   one process. It reads from stdin a length, 4 bytes little-endian, and
                        the packet. It answers on stdout A (accept), R (refuse) or N (no
                        verdict). pktscope gen harness writes the file for such a reader.
                        After A or N it may give the values that it read, as a JSON object
                        on the same line, as decode -V shows them; after R its reason,
                        {"kind":"out-of-range","path":"body.x","bit":301,"width":7}, as far
                        as it knows it. What it gives is compared. For a reader that answers
                        N only crashes, hangs, leaks and values count. Each new process gets
                        the packets of --prelude first, or those that --dialogue sends
  udp:HOST:PORT         a server. It is alive as long as it answers --probe, or the
                        protocol's heartbeat. A probe follows each packet, from a port of
                        its own if the server answers that. --rate and --stop-after are
                        needed; --server starts the server. Probes count in the rate: 16 of
                        33 packets attack. Without --server the run ends when it dies, and
                        the finding has all packets that it got. With --dialogue FILE it is
                        attacked after its handshake: in sessions that are kept alive and
                        begun again, up to 64 packets between two looks. audit then also
                        sends each case in each state, and names what a state accepts that
                        it does not allow: pktscope help dialogues

CMD is split into words as a shell does it, with '…', "…" and \; no shell runs, and nothing in
CMD is expanded. It runs with this program's environment and rights, so it is as trusted as any
command that you type. Environment variables make sanitizers end the process when they report.
A hang counts when three new processes have shown it. Whatever a target starts ends with it.

With --against TARGET both get every packet; a difference in verdict, reason, values or bits
is a finding too. The code of this program, builtin and generated, is also compared with the
reference decoder: in an audit for every packet, in a campaign for packets with new coverage
and one packet in 128. The values that generated reads are compared for every packet of an
audit, and for one packet in 16 of a campaign; that it writes back what it reads, for every
packet of both.

With --section NAME and --keys FILE the target gets each message sealed, as the protocol says,
in a packet of its own with the next sequence number. The key of key.x, and of a register x, is
the line "x HEX" of the file. audit then also tries the seal: every bit of the tag, every byte
of what it covers and of the nonce, and packets that a target has had, or that are old. With
--dialogue the session seals, with keys that its own packets tell and those of the file.`

// add adds the flags. An option that is not given is zero.
func (t *targetFlags) add(cmd *cobra.Command) {
	s := pflag.NewFlagSet("target", pflag.ContinueOnError)
	s.SortFlags = false // a command to copy has them in this order
	o := &t.options
	s.StringVar(&t.spec, "target", "builtin", "attack `TARGET`: builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT")
	s.StringVar(&o.Against, "against", "", "compare with another `TARGET`")
	s.IntVar(&o.RejectCode, "reject-code", 0, "exec: refuses with exit `STATUS`")
	s.DurationVar(&o.Timeout, "timeout", 0, "wait at least `TIME` for an answer; longer for a slow target")
	s.Int64Var(&o.Memory, "memory", 0, "stop a target that holds more than `MIB` of memory")
	s.IntVar(&o.Server.Rate, "rate", 0, "udp: send at most `N` packets a second, of which nearly half attack: a probe follows each")
	s.DurationVar(&o.Server.StopAfter, "stop-after", 0, "udp: end after a `TIME`")
	s.StringVar(&t.probe, "probe", "", "udp: a server that is alive answers this packet: `HEX`; without it the protocol's heartbeat")
	s.StringVar(&t.expect, "expect", "", "udp: the answer to the probe begins with `HEX`")
	s.StringVar(&o.Server.Command, "server", "", "udp: start the server with `CMD`, and again after it has died")
	s.StringVar(&t.authorized, "i-am-authorised-to-test", "", "udp: also attack `ADDR`, which is not loopback")
	s.StringArrayVar(&t.prelude, "prelude", nil, "udp, exec+persistent: send these packets first: a `FILE` with hex lines, a finding's JSON, or a capture (what clients sent)")
	for flag, usual := range map[string]string{"reject-code": "1", "timeout": "250ms", "memory": "1024"} {
		s.Lookup(flag).DefValue = usual // as target.Options has it
	}
	s.StringVar(&t.dialogue, "dialogue", "", "udp: join, and stay, as the .pkd `FILE` says; exec+persistent: send what it sends first: see pktscope help dialogues")
	t.values.add(s)
	s.VisitAll(func(flag *pflag.Flag) { t.all = append(t.all, flag) })
	cmd.Flags().AddFlagSet(s)
	for _, flag := range []string{"target", "against"} {
		completeWords(cmd, flag, []string{"builtin", "generated", "exec:", "exec+persistent:", "udp:"})
	}
}

// check makes options of the flags, and judges what needs no protocol.
func (t *targetFlags) check(cmd *cobra.Command) error {
	o := &t.options
	for _, flag := range t.all {
		switch text := flag.Value.String(); {
		case !flag.Changed || flag.Name == "target":
		case text == "":
			return usagef(cmd, "--%s is empty", flag.Name)
		case text == "0" || text == "0s":
			return usagef(cmd, "--%s %s: want more", flag.Name, text)
		}
	}
	for _, one := range []struct {
		flag, text string
		data       *[]byte
	}{{"probe", t.probe, &o.Server.Probe}, {"expect", t.expect, &o.Server.Expect}} {
		var err error
		if *one.data, err = corpus.ParseHex(one.text); err != nil {
			return usagef(cmd, "--%s: %s", one.flag, err)
		}
	}
	if t.authorized != "" {
		var err error
		if o.Server.Authorized, err = netip.ParseAddr(t.authorized); err != nil {
			return usagef(cmd, "--i-am-authorised-to-test %q: want an address, no name", t.authorized)
		}
	}
	if len(t.prelude) > 0 {
		o.Server.Prelude = [][]byte{} // to be read
	}
	if t.dialogue != "" {
		o.Server.Talk = &udp.Talk{} // to be read
	} else if t.values.given() && !t.replays {
		return usagef(cmd, "--set and --set-exec are for --dialogue")
	}
	if err := o.Check(t.spec); err != nil {
		return usagef(cmd, "%s", optionText(err))
	}
	return nil
}

// optionText is an error of fuzz/target with options as flags.
func optionText(err error) string {
	var option *target.OptionError
	if !errors.As(err, &option) {
		return err.Error()
	}
	text := option.Text("--")
	if option.Kind != "" {
		text += didYouMean(option.Kind, target.Kinds())
	}
	return text
}

// open opens the reader that checked flags name. It must be closed.
func (t *targetFlags) open(ctx context.Context, p *program, d *decode.Decoder) (*target.Reader, error) {
	for _, name := range t.prelude {
		in, done, err := p.openCapture(name)
		if err != nil {
			return nil, fmt.Errorf("--prelude %w", err)
		}
		packets, err := findingdir.ReadPrelude(in, d.Plan().Schema, p.readCapture(nil, in, in))
		done()
		if err != nil {
			return nil, fmt.Errorf("--prelude %s: %s", name, reason(err))
		}
		t.options.Server.Prelude = append(t.options.Server.Prelude, packets...)
	}
	r, err := target.Open(ctx, d, t.spec, t.options)
	switch {
	case errors.Is(err, context.Canceled):
		return nil, errors.New("interrupted")
	case err != nil:
		return nil, errors.New(optionText(err))
	case r.Heartbeat != "":
		p.complain("probing with a %s of %s, %x", r.Heartbeat, d.Plan().Schema.Name, r.Probe)
	}
	return r, nil
}

// masked is NAME=VALUE of --set without the value, which may be a secret: whoever runs the command again puts it there.
func masked(set string) string {
	name, value, _ := strings.Cut(set, "=")
	if strings.HasPrefix(value, "@") {
		return set
	}
	return name + "=VALUE"
}

// words are the flags as they are on a command line; none for pktscope's own decoder.
func (t *targetFlags) words() []string {
	if t.spec == "builtin" && t.options.Against == "" {
		return nil
	}
	words := []string{"--target", t.spec}
	for _, flag := range t.all[1:] {
		if !flag.Changed || flag.Value.String() == flag.DefValue {
			continue
		}
		if list, ok := flag.Value.(pflag.SliceValue); ok {
			for _, one := range list.GetSlice() {
				if flag.Name == "set" {
					one = masked(one)
				}
				words = append(words, "--"+flag.Name, one)
			}
			continue
		}
		words = append(words, "--"+flag.Name, flag.Value.String())
	}
	return words
}
