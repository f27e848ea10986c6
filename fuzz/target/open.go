package target

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/generated"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/sealing"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// Reader is a reader under attack. It is for one goroutine; the targets that it makes are for one each.
type Reader struct {
	// Sole says that only one of it runs: all targets are the same server.
	Sole bool
	// SelfTest says that it is this module's own code, builtin or generated: the reference decoder checks it, too.
	SelfTest bool
	// NotRestartable says that nobody starts it again when it has died.
	NotRestartable bool
	// Heartbeat is the name of the protocol's packet that a server is probed with; "" where Options have a probe.
	Heartbeat string
	// Probe is what a server is probed with.
	Probe []byte

	open  opener
	seal  *sealing.Sealer // of the messages that targets are sent; nil: they are packets
	built []*generated.Program
	udp   *udp.Shared // nil where it is no server
	talks bool
	stop  *time.Duration // of a server's attack
}

// opener makes a target. What the target waits for ends with ctx.
type opener func(ctx context.Context) (oracle.Target, error)

// Open opens the reader that a spec names, of the protocol that d decodes. But for the compiler of generated, which ctx
// ends, it runs nothing. An address is looked up and judged now, once. The Reader must be closed. An error about what
// was given is an *OptionError.
func Open(ctx context.Context, d *decode.Decoder, spec string, o Options) (*Reader, error) {
	if err := o.Check(spec); err != nil {
		return nil, err
	}
	kind, _, _ := strings.Cut(spec, ":")
	if kind == server {
		return openServer(ctx, d, spec, &o)
	}
	r := &Reader{SelfTest: o.Against == "" && (kind == builtin || kind == gen)}
	one, err := r.opener(ctx, d, spec, &o)
	if err != nil {
		return nil, err
	}
	r.open = one
	if o.Against == "" {
		return r, nil
	}
	other, err := r.opener(ctx, d, o.Against, &o)
	if err != nil {
		return nil, errors.Join(err, r.Close())
	}
	r.open = func(ctx context.Context) (oracle.Target, error) {
		a, err := one(ctx)
		if err != nil {
			return nil, err
		}
		b, err := other(ctx)
		if err != nil {
			return nil, errors.Join(err, a.Close())
		}
		return oracle.NewPair(a, b, o.Against), nil
	}
	return r, nil
}

// NewTarget makes a target, which must be closed before the Reader is. What the target waits for ends with ctx.
func (r *Reader) NewTarget(ctx context.Context) (oracle.Target, error) {
	t, err := r.open(ctx)
	if err != nil || r.seal == nil {
		return t, err
	}
	if r.Sole { // which minds what other targets have sent
		return sealing.NewTarget(t, r.seal), nil
	}
	return sealing.NewTarget(t, r.seal.Again()), nil
}

// Seal says that what targets are sent are messages, which s seals.
func (r *Reader) Seal(s *sealing.Sealer) { r.seal = s }

// Auth tries the seal of messages that d decodes (sealing.Try), of which only is the one rule to try, or "". Nothing is
// tried where none seals them.
func (r *Reader) Auth(ctx context.Context, d *decode.Decoder, only string) ([]fuzz.RuleResult, []fuzz.Finding, error) {
	if r.seal == nil {
		return nil, nil, nil
	}
	t, err := r.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer t.Close()
	return sealing.Try(t, r.seal, d, only)
}

// Sent is how many datagrams a server was sent by targets that are closed; ok is false where the reader is no server.
func (r *Reader) Sent() (sent udp.Sent, ok bool) {
	if r.udp == nil {
		return sent, false
	}
	return r.udp.Sent(), true
}

// Sessions is how a dialogue went with targets that are closed; ok is false where the reader is not talked with.
func (r *Reader) Sessions() (s udp.Sessions, ok bool) {
	if r.udp == nil || !r.talks {
		return s, false
	}
	return r.udp.Sessions(), true
}

// States tries the states of a server that a dialogue is spoken with, in half of the time that it may be attacked; the
// attack has the rest. only is the one cell to try, `Start: Shoot`, or "". The end of its time is no error.
func (r *Reader) States(ctx context.Context, only string) (*fuzz.StateTable, []fuzz.Finding, error) {
	if !r.talks {
		return nil, nil, errors.New("a finding in a state of a dialogue is shown again with the target udp: alone")
	}
	begun := time.Now()
	whole := *r.stop
	*r.stop = whole / 2
	defer func() { *r.stop = max(whole-time.Since(begun), time.Second) }()
	u, err := r.open(ctx)
	if err != nil {
		return nil, nil, err
	}
	defer u.Close()
	table, found, err := r.udp.Target().States(ctx, only)
	if errors.Is(err, oracle.ErrOver) {
		err = nil
	}
	return table, found, err
}

// Close removes what was built.
func (r *Reader) Close() error {
	var err error
	for _, p := range r.built {
		err = errors.Join(err, p.Close())
	}
	return err
}

// opener finds out how targets of a spec are made, which is checked and no server.
func (r *Reader) opener(ctx context.Context, d *decode.Decoder, spec string, o *Options) (opener, error) {
	kind, command, _ := strings.Cut(spec, ":")
	if kind == builtin {
		return func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }, nil
	}
	run := process.Options{RejectCode: o.RejectCode, Patience: o.Timeout, Memory: o.Memory << 20, Strike: o.strike()}
	run.Secrets = run.Strike != nil || d.Plan().HasSecret()
	const anySeed = 1
	if p, err := fuzz.NewGenerator(d).Random(anySeed, 0); err == nil {
		run.Warm = bytes.Clone(p.Data)
	}
	if kind == gen {
		p, err := generated.Build(ctx, d.Plan())
		if err != nil {
			return nil, optionError("target", "{target} generated: %v", err)
		}
		r.built = append(r.built, p)
		return func(ctx context.Context) (oracle.Target, error) {
			t, err := p.NewTarget(ctx, run)
			if err != nil {
				return nil, err
			}
			t.Sparing = o.Sparing
			return t, nil
		}, nil
	}
	var err error
	if run.Args, err = process.Split(command); err != nil {
		return nil, err
	}
	if kind == persistent {
		run.Preamble = o.Server.Prelude
		if talk := o.Server.Talk; talk != nil {
			if run.Preamble, err = talk.Dialogue.Preamble(talk.Values, talk.Keys); err != nil {
				return nil, optionError("dialogue", "{dialogue}: %v", err)
			}
		}
		return func(ctx context.Context) (oracle.Target, error) { return process.New(ctx, run) }, nil
	}
	return func(ctx context.Context) (oracle.Target, error) { return process.NewSingle(ctx, run) }, nil
}

// openServer finds the server of a checked spec.
func openServer(ctx context.Context, d *decode.Decoder, spec string, o *Options) (*Reader, error) {
	at, err := udp.Resolve(ctx, strings.TrimPrefix(spec, server+":"), o.Server.Authorized)
	var elsewhere *udp.ElsewhereError
	if errors.As(err, &elsewhere) {
		return nil, optionError("i-am-authorised-to-test", "%v: an address elsewhere wants {i-am-authorised-to-test} %v", err, elsewhere.Addr)
	}
	if err != nil {
		return nil, err
	}
	attack := udp.Options{
		Address: at, Rate: o.Server.Rate, Stop: o.Server.StopAfter, Patience: o.Timeout,
		Probe: o.Server.Probe, Expect: o.Server.Expect, Prelude: o.Server.Prelude, Talk: o.Server.Talk,
	}
	called := ""
	if len(attack.Probe) == 0 && attack.Talk == nil {
		heartbeat, name, ok := fuzz.Heartbeat(d)
		if !ok {
			return nil, optionError("probe", "the protocol has no heartbeat: want {probe} with a packet that a server answers")
		}
		attack.Probe, called = heartbeat, name
	}
	var args []string
	if o.Server.Command != "" {
		if args, err = process.Split(o.Server.Command); err != nil {
			return nil, err
		}
	}
	memory, strike := o.Memory<<20, o.strike()
	shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) {
		attack := attack // as long as it may be by now
		if args != nil {
			s, err := process.NewServer(process.Options{Args: args, Memory: memory, Strike: strike})
			if err != nil {
				return nil, err
			}
			attack.Server = s
		}
		return udp.New(ctx, attack)
	})
	return &Reader{Sole: true, NotRestartable: args == nil, Heartbeat: called, Probe: attack.Probe, open: shared.Use, udp: shared, talks: attack.Talk != nil, stop: &attack.Stop}, nil
}
