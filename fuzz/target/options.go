package target

import (
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// Options say how a target is run. The zero Options are right for all specs but udp:. An option that the spec has no
// use for is an error.
type Options struct {
	// Against is the spec of a second target, which gets the same packets: where its answers differ is a finding. It is
	// "" for none, and no server.
	Against string
	// RejectCode is the exit status with which a process per packet refuses, 1..255 but not the sanitizers' 99; 0 is 1.
	RejectCode int
	// Timeout is the least time that an answer may take, 1ms..1h; 0 is 250 ms. A target that is seen to be slow has
	// more.
	Timeout time.Duration
	// Memory is how many MiB a target may hold, 1..1048576; 0 is 1024.
	Memory int64
	// Sparing has generated show its values with one packet in 16 only. It is for campaigns; an audit wants all.
	Sparing bool
	// Keys are struck out of what a target prints, as a dialogue's secrets are; nil for none.
	Keys *keys.File
	// Server is for udp: alone, but for Prelude and Talk, which exec+persistent: has, too: each new process gets their
	// packets first.
	Server ServerOptions
}

// ServerOptions say how a server is attacked.
type ServerOptions struct {
	Rate      int           // packets a second at most, probes included, 1..udp.MaxRate: to be given
	StopAfter time.Duration // the attack ends after this time: to be given
	Probe     []byte        // a server that is alive answers it; nil is the protocol's heartbeat
	Expect    []byte        // the answer to Probe begins with it; nil is any answer
	Prelude   [][]byte      // packets that are sent first, whenever the server is started
	Command   string        // starts the server, and starts it again when it has died; "" where nobody can
	// Talk is spoken instead of Probe, Expect and Prelude; nil for those.
	Talk *udp.Talk
	// Authorized is the one address that may be attacked although it is not loopback.
	Authorized netip.Addr
}

// strike strikes secrets out of texts; nil where there are none.
func (o *Options) strike() func(string) string {
	secrets := &dialogue.Secrets{}
	switch talk := o.Server.Talk; {
	case talk != nil:
		secrets = &talk.Values.Secrets
	case o.Keys.Len() == 0:
		return nil
	}
	secrets.AddKeys(o.Keys)
	return secrets.Strike
}

// The kinds of targets: what a spec has before its colon.
const (
	builtin    = "builtin"
	gen        = "generated"
	exec       = "exec"
	persistent = "exec+persistent"
	server     = "udp"
)

// Kinds lists the kinds of targets.
func Kinds() []string { return []string{builtin, gen, exec, persistent, server} }

// OptionError is an error about a spec or an option. Options have the names of pktscope's flags: target, against,
// reject-code, timeout, memory, rate, stop-after, probe, expect, prelude, dialogue, server, i-am-authorised-to-test.
type OptionError struct {
	Option string // which one
	Kind   string // of a spec whose kind is unknown: what it has before its colon
	format string // with names of options in braces
	args   []any
}

func optionError(option, format string, args ...any) error {
	return &OptionError{Option: option, format: format, args: args}
}

// Unwrap is the error that it is about, such as the compiler's; nil where there is none.
func (o *OptionError) Unwrap() error {
	for _, a := range o.args {
		if err, ok := a.(error); ok {
			return err
		}
	}
	return nil
}

// Error names options without dashes.
func (o *OptionError) Error() string { return o.Text("") }

var braced = regexp.MustCompile(`\{([a-z-]+)\}`)

// Text is the error with a prefix before the names of options: "--" where they are flags.
func (o *OptionError) Text(prefix string) string {
	return fmt.Sprintf(braced.ReplaceAllString(o.format, prefix+"$1"), o.args...)
}

// Check reports what is wrong with a spec and its options, as far as no protocol is needed for that: nil or an
// *OptionError.
func (o *Options) Check(spec string) error {
	if c := o.RejectCode; c != 0 && (c < 1 || c > 255 || c == 99) {
		return optionError("reject-code", "{reject-code} %d: want 1..255, and not 99, which is the sanitizers'", c)
	}
	if t := o.Timeout; t != 0 && (t < time.Millisecond || t > time.Hour) {
		return optionError("timeout", "{timeout} %v: want 1ms..1h", t)
	}
	if m := o.Memory; m != 0 && (m < 1 || m > 1<<20) {
		return optionError("memory", "{memory} %d: want 1..1048576 MiB", m)
	}
	first, err := kindOf("target", spec)
	if err != nil {
		return err
	}
	kinds := []string{first}
	if o.Against != "" {
		second, err := kindOf("against", o.Against)
		if err != nil {
			return err
		}
		if first == server || second == server {
			return optionError("against", "{against}: a server gives no verdicts to compare")
		}
		kinds = append(kinds, second)
	}
	if o.RejectCode != 0 && !slices.Contains(kinds, exec) {
		return optionError("reject-code", "{reject-code} is for exec:, a persistent target answers R")
	}
	if !slices.ContainsFunc(kinds, func(k string) bool { return k != builtin }) {
		for _, one := range []struct {
			name  string
			given bool
		}{{"timeout", o.Timeout != 0}, {"memory", o.Memory != 0}} {
			if one.given {
				return optionError(one.name, "{"+one.name+"} is for a {target} of its own process")
			}
		}
	}
	return o.Server.check(first == server, slices.Contains(kinds, persistent))
}

// kindOf is the kind of a spec, which the option named option has.
func kindOf(option, spec string) (string, error) {
	kind, rest, found := strings.Cut(spec, ":")
	switch {
	case spec == builtin, spec == gen:
	case found && (kind == exec || kind == persistent):
		if _, err := process.Split(rest); err != nil {
			return "", optionError(option, "{"+option+"}: %v", err)
		}
	case found && kind == server:
	default:
		return "", &OptionError{
			Option: option, Kind: kind, format: "{" + option + "} %q: want builtin, generated, exec:CMD, exec+persistent:CMD or udp:HOST:PORT",
			args: []any{spec},
		}
	}
	return kind, nil
}

// check judges the options; wanted says that a server is attacked, opened that a persistent target is, which has Prelude
// or Talk's packets first.
func (s *ServerOptions) check(wanted, opened bool) error {
	if !wanted {
		for _, one := range []struct {
			name  string
			given bool
		}{
			{"rate", s.Rate != 0}, {"stop-after", s.StopAfter != 0}, {"probe", s.Probe != nil}, {"expect", s.Expect != nil},
			{"prelude", s.Prelude != nil && !opened}, {"dialogue", s.Talk != nil && !opened}, {"server", s.Command != ""}, {"i-am-authorised-to-test", s.Authorized.IsValid()},
		} {
			if one.given {
				return optionError(one.name, "{"+one.name+"} is for {target} udp:HOST:PORT")
			}
		}
		return nil
	}
	if s.Talk != nil && (s.Probe != nil || s.Expect != nil || s.Prelude != nil) {
		return optionError("dialogue", "{dialogue} says what {probe}, {expect} and {prelude} would")
	}
	if s.Rate < 1 || s.Rate > udp.MaxRate {
		return optionError("rate", "{target} udp: wants {rate}, 1..%d packets a second", udp.MaxRate)
	}
	if s.StopAfter <= 0 {
		return optionError("stop-after", "{target} udp: wants {stop-after}, such as 10m")
	}
	if s.Command != "" {
		if _, err := process.Split(s.Command); err != nil {
			return optionError("server", "{server}: %v", err)
		}
	}
	return nil
}
