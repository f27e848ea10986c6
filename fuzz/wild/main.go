package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	seconds := flag.Int("seconds", 60, "fuzz each reader for so many `seconds`")
	audit := flag.Int("audit", 120, "end an audit after so many `seconds`: a reader that hangs at many packets would take hours")
	only := flag.String("only", "", "the `names` of the readers, separated by commas; without it all")
	seed := flag.Uint64("seed", 1, "`number` that the packets follow from")
	kept := flag.String("kept", "", "a `directory` outside the repository with READER.tsv of rows that nobody may read yet")
	verbose := flag.Bool("v", false, "list every finding")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	failed, err := wild(ctx, &workshop{audit: *audit, seconds: *seconds, seed: *seed, kept: *kept}, *only, *verbose)
	if err != nil {
		fmt.Fprintln(os.Stderr, "wild:", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}

// wild runs all readers, or those named, and prints the tables. It reports whether anything is not as it is known to be.
func wild(ctx context.Context, w *workshop, only string, verbose bool) (failed bool, err error) {
	chosen, err := choose(only)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "wild")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	w.dir = dir
	if err := w.build(ctx); err != nil {
		return false, err
	}
	var results []*result
	for _, r := range chosen {
		known, err := readKnown(filepath.Join("readers", r.name, "known.tsv"), filepath.Join(w.kept, r.name+".tsv"))
		if err != nil {
			return false, err
		}
		fmt.Fprintf(os.Stderr, "wild: %s\n", r.name)
		one, err := w.run(ctx, r)
		if err != nil {
			return false, fmt.Errorf("%s: %w", r.name, err)
		}
		one.judge(known)
		if verbose {
			one.list(os.Stdout)
		}
		summarize(os.Stderr, []*result{one})
		results = append(results, one)
	}
	return summarize(os.Stdout, results), nil
}

// choose is the readers of a list of names; all for the empty one.
func choose(only string) ([]reader, error) {
	if only == "" {
		return readers, nil
	}
	var chosen []reader
	for name := range strings.SplitSeq(only, ",") {
		at := slices.IndexFunc(readers, func(r reader) bool { return r.name == name })
		if at < 0 {
			return nil, fmt.Errorf("no reader %q", name)
		}
		chosen = append(chosen, readers[at])
	}
	return chosen, nil
}
