package main

import (
	"bytes"
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/process"
)

// targetFlags say whose reader is attacked. Targets come from the command line and from nothing else.
type targetFlags struct {
	name       string
	rejectCode int
	timeout    time.Duration
	memory     int64 // MiB
}

const targetHelp = `The target is pktscope's own decoder, unless --target says otherwise:

  builtin               the decoder of this program
  exec:CMD              a process per packet, which is on its stdin: exit status 0 accepts,
                        --reject-code refuses, anything else is a crash
  exec+persistent:CMD   one process: 4 bytes little-endian length and packet on its stdin,
                        A (accept) or R (refuse) on its stdout; pktscope gen harness writes
                        the file that makes a reader one. Behind an A it may give the values
                        it read as a JSON object on the same line, which are then compared

CMD is split into words as a shell does it, with '…', "…" and \; no shell sees it, and nothing
in it is expanded. It runs with this program's environment and rights, so it is as trusted as
any command that you type. Sanitizers are told by the environment to make their reports deaths.
A hang is one when three new processes have shown it. Whatever a target starts dies with it.`

// add adds the flags. What they say is checked by check, and becomes a target by open.
func (f *targetFlags) add(cmd *cobra.Command) {
	s := cmd.Flags()
	s.StringVar(&f.name, "target", "builtin", "`TARGET` under attack: builtin, exec:CMD, exec+persistent:CMD")
	s.IntVar(&f.rejectCode, "reject-code", 1, "exit `STATUS` with which exec: refuses")
	s.DurationVar(&f.timeout, "timeout", 250*time.Millisecond, "wait at least `TIME` for an answer; longer for a slow target")
	s.Int64Var(&f.memory, "memory", 1024, "stop a target that holds more than `MIB` of memory")
	completeWords(cmd, "target", []string{"builtin", "exec:", "exec+persistent:"})
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
	kind, command, found := strings.Cut(f.name, ":")
	switch {
	case f.name == "builtin":
		for _, flag := range []string{"reject-code", "timeout", "memory"} {
			if cmd.Flags().Changed(flag) {
				return usagef(cmd, "--%s is for a --target of its own process", flag)
			}
		}
		return nil
	case found && (kind == "exec" || kind == "exec+persistent"):
		if kind != "exec" && cmd.Flags().Changed("reject-code") {
			return usagef(cmd, "--reject-code is for exec:, a persistent target answers R")
		}
		if _, err := process.Split(command); err != nil {
			return usagef(cmd, "--target: %s", err)
		}
		return nil
	}
	return usagef(cmd, "--target %q: want builtin, exec:CMD or exec+persistent:CMD%s", f.name, didYouMean(kind, []string{"builtin", "exec", "exec+persistent"}))
}

// openTarget is what commands need to know of a target.
type openTarget struct {
	make   func() (fuzz.Target, error) // for each worker
	most   int                         // workers
	own    bool                        // pktscope's own decoder
	silent bool                        // no verdicts
}

// open makes a target of checked flags; it runs nothing yet. ctx ends what it will run.
func (f *targetFlags) open(ctx context.Context, d *decode.Decoder) (*openTarget, error) {
	kind, command, _ := strings.Cut(f.name, ":")
	if kind == "builtin" {
		return &openTarget{make: func() (fuzz.Target, error) { return fuzz.NewBuiltin(d), nil }, most: 1024, own: true}, nil
	}
	args, err := process.Split(command)
	if err != nil {
		return nil, err
	}
	o := process.Options{Args: args, RejectCode: f.rejectCode, Patience: f.timeout, Memory: f.memory << 20}
	const anySeed = 1
	if p, err := fuzz.NewGenerator(d).Random(anySeed, 0); err == nil {
		o.Warm = bytes.Clone(p.Data)
	}
	make := func() (fuzz.Target, error) { return process.NewSingle(ctx, o) }
	if kind == "exec+persistent" {
		make = func() (fuzz.Target, error) { return process.New(ctx, o) }
	}
	return &openTarget{make: make, most: 1024}, nil
}

// words are the flags as they stand on a command line.
func (f *targetFlags) words() []string {
	if f.name == "builtin" {
		return nil
	}
	words := []string{"--target", f.name}
	if f.rejectCode != 1 {
		words = append(words, "--reject-code", strconv.Itoa(f.rejectCode))
	}
	return words
}
