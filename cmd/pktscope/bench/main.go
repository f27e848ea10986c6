// Command bench measures pktscope and prints the tables of the README:
//
//	go run ./cmd/pktscope/bench                  everything: about five minutes
//	go run ./cmd/pktscope/bench -only micro      reads and writes of one packet, by the benchmarks in this
//	                                             package's tests: the interpreter, generated code, by hand
//	go run ./cmd/pktscope/bench -only million    the whole program over a million R-Type packets, beside other programs
//
// It runs from the root of the repository. What is compared is measured in turn within one run, several times, and the
// best of each counts: whatever else the machine does makes a time longer, never shorter. The other programs are
// optional; those that are missing are named with the command that installs them. Before their times count they have to
// read the same packets as pktscope does, and to refuse the same ones.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
)

func main() {
	only := flag.String("only", "", "`part` to measure: micro or million; all of it without")
	microRounds := flag.Int("micro-rounds", 40, "`number` of times that each read and write is measured, 10 ms each")
	rounds := flag.Int("rounds", 5, "`number` of times that each program runs over its packets")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *only, *microRounds, *rounds, flag.Args())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, only string, microRounds, rounds int, args []string) error {
	switch {
	case len(args) > 0:
		return fmt.Errorf("want no arguments, got %q", args)
	case only != "" && only != "micro" && only != "million":
		return fmt.Errorf("-only: want micro or million, got %q", only)
	case microRounds < 1 || rounds < 1:
		return fmt.Errorf("-micro-rounds, -rounds: want 1 or more, got %d and %d", microRounds, rounds)
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
	if only != "million" {
		best, err := measureMicro(ctx, dir, microRounds)
		if err != nil {
			return err
		}
		fmt.Println(microTable(best))
	}
	if only == "micro" {
		return nil
	}
	return measureMillion(ctx, dir, rounds)
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
