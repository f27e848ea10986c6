// Command bench measures pktscope and prints the tables of the README:
//
//	go run ./cmd/pktscope/bench                  everything: about five minutes
//	go run ./cmd/pktscope/bench -only micro      reads and writes of one packet, by the benchmarks in this
//	                                             package's tests: the interpreter, generated code, by hand
//	go run ./cmd/pktscope/bench -only million    the whole program over a million R-Type packets, beside other programs
//
//	go run ./cmd/pktscope/bench -history         appends what it measured to history.txt beside this file
//	go run ./cmd/pktscope/bench -compare last    measures the commit of the last entry of history.txt and this tree
//	                                             in turns; fails when something is slower by more than 5 %
//
// It runs from the root of the repository. What is compared is measured in turn within one run, several times, and the
// best of each counts: whatever else the machine does makes a time longer, never shorter. The other programs are
// optional; those that are missing are named with the command that installs them. Before their times count they have to
// read the same packets as pktscope does, and to refuse the same ones.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
)

// options are what the flags say.
type options struct {
	only                string // "micro", "million", or "" for both
	microRounds, rounds int
	history             bool
	compare             string // a commit, "last", or "" to print the tables
}

func main() {
	var o options
	flag.StringVar(&o.only, "only", "", "`part` to measure: micro or million; all of it without")
	flag.IntVar(&o.microRounds, "micro-rounds", 40, "`number` of times that each read and write is measured, 10 ms each")
	flag.IntVar(&o.rounds, "rounds", 5, "`number` of times that each program runs over its packets")
	flag.BoolVar(&o.history, "history", false, "append what was measured to "+historyFile)
	flag.StringVar(&o.compare, "compare", "", "measure this `commit` and the tree in turns, and fail when something got slower; last: that of the history's last entry")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, o, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, o options, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("want no arguments, got %q", args)
	case o.only != "" && o.only != "micro" && o.only != "million":
		return fmt.Errorf("-only: want micro or million, got %q", o.only)
	case o.microRounds < 1 || o.rounds < 1:
		return fmt.Errorf("-micro-rounds, -rounds: want 1 or more, got %d and %d", o.microRounds, o.rounds)
	case o.history && o.compare != "":
		return errors.New("-history, -compare: want one of them")
	}
	if _, err := os.Stat("cmd/pktscope/bench/testdata/rtype.ksy"); err != nil {
		return fmt.Errorf("want to be run from the root of the repository: %w", err)
	}
	dir, err := os.MkdirTemp("", "pktscope-bench-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	fmt.Printf("%s, %s/%s, %d cores, %s\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU(), processor())
	if o.compare != "" {
		return compare(ctx, dir, o)
	}
	all := turns{}
	if o.only != "million" {
		micro, err := measureMicro(ctx, dir, o.microRounds)
		if err != nil {
			return err
		}
		fmt.Println(microTable(micro))
		all.join(micro)
	}
	if o.only != "micro" {
		programs, err := measureMillion(ctx, dir, o.rounds)
		if err != nil {
			return err
		}
		all.join(programs)
	}
	if o.history {
		return remember(ctx, all)
	}
	return nil
}

// command runs a program to its end, and shows what it says when it fails.
func command(ctx context.Context, dir, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	out, err := c.Output()
	if exit, ok := err.(*exec.ExitError); ok {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, exit.Stderr)
	}
	return out, err
}

// progress says on a terminal how far it is; the tables go to standard output alone.
func progress(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
