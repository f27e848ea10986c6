package main

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"
)

// historyFile has what each run of all benchmarks measured, in the Go benchmark format: benchstat -col commit shows it.
const historyFile = ownDir + "/history.txt"

// loss is how much slower a benchmark may be than it was.
const loss = 0.05

// remember appends an entry to the history.
func remember(ctx context.Context, t turns) error {
	commit, err := commitOf(ctx, "HEAD")
	if err != nil {
		return err
	}
	if out, err := command(ctx, "", "git", "status", "--porcelain", "--untracked-files=no"); err != nil {
		return err
	} else if len(out) > 0 {
		commit += "+" // and what is not committed
	}
	f, err := os.OpenFile(historyFile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(t.thinned().entry("commit", commit, "date", time.Now().UTC().Format(time.DateOnly), "cpu", processor()))
	if closed := f.Close(); err == nil {
		err = closed
	}
	return err
}

func commitOf(ctx context.Context, rev string) (string, error) {
	out, err := command(ctx, "", "git", "rev-parse", "--verify", "--quiet", "--end-of-options", rev+"^{commit}")
	if err != nil {
		return "", fmt.Errorf("-compare: want a commit, got %q", rev)
	}
	return strings.TrimSpace(string(out))[:12], nil
}

// newest is the commit of the last entry of a history.
func newest(file string) (commit string, err error) {
	f, err := os.Open(file)
	if err != nil {
		return "", fmt.Errorf("-compare: want a commit: there is no history: %w", err)
	}
	defer func() { _ = f.Close() }()
	r := benchfmt.NewReader(f, file)
	for r.Scan() {
		switch line := r.Result().(type) {
		case *benchfmt.SyntaxError:
			return "", line
		case *benchfmt.Result:
			commit = strings.TrimSuffix(line.GetConfig("commit"), "+")
		}
	}
	if commit == "" && r.Err() == nil {
		return "", fmt.Errorf("-compare: want a commit: %s has none", file)
	}
	return commit, r.Err()
}

// compare measures the benchmarks of a commit and of this tree in turns, and prints both. It is an error when one is
// slower by more than loss: two machines, or one machine on two days, differ by more than that.
func compare(ctx context.Context, dir string, o options) error {
	rev := o.compare
	if rev == "last" {
		var err error
		if rev, err = newest(historyFile); err != nil {
			return err
		}
	}
	commit, err := commitOf(ctx, rev)
	if err != nil {
		return err
	}
	tree := filepath.Join(dir, "before")
	if _, err := command(ctx, "", "git", "worktree", "add", "--quiet", "--detach", tree, commit); err != nil {
		return err
	}
	defer func() {
		if _, err := command(context.WithoutCancel(ctx), "", "git", "worktree", "remove", "--force", tree); err != nil {
			progress("bench: %v", err)
		}
	}()
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	before, after := turns{}, turns{}
	for i, part := range []struct {
		name    string
		rounds  int
		measure func(context.Context, []side, int) error
	}{{"micro", o.microRounds, microTurns}, {"million", o.rounds, programTurns}} {
		if o.only != "" && o.only != part.name {
			continue
		}
		of := []side{
			{tree, filepath.Join(dir, fmt.Sprint("before", i)), before},
			{here, filepath.Join(dir, fmt.Sprint("after", i)), after},
		}
		if err := part.measure(ctx, of, part.rounds); err != nil {
			return err
		}
	}
	text, slower := comparison(commit, before, after)
	fmt.Print(text)
	if len(slower) > 0 {
		return fmt.Errorf("slower by more than %.0f %%: %s", 100*loss, list(slower))
	}
	return nil
}

// byHand are the readers that are nobody's but this package's: the same code in both trees, so that what they differ by is
// where the linker put it.
var byHand = []string{"hand-written", "plain-loads"}

// side is one of the trees that are compared: where it lies, its program, and what it took.
type side struct {
	tree, program string
	took          turns
}

// comparison is the table of two trees, and the names of what of pktscope is slower by more than loss. The p is that of benchstat:
// how likely turns as different as these are where nothing has changed.
func comparison(commit string, before, after turns) (_ string, slower []string) {
	t := table{{"ns, the median", commit, "now", "change", "p"}}
	for _, name := range after.names() {
		if len(before[name]) == 0 {
			continue
		}
		a := benchmath.NewSample(before[name], &benchmath.DefaultThresholds)
		b := benchmath.NewSample(after[name], &benchmath.DefaultThresholds)
		was, is := benchmath.AssumeNothing.Summary(a, 0.95).Center, benchmath.AssumeNothing.Summary(b, 0.95).Center
		c := benchmath.AssumeNothing.Compare(a, b)
		if c.P < c.Alpha && is > was*(1+loss) && !slices.Contains(byHand, path.Base(name)) {
			slower = append(slower, name)
		}
		t = append(t, []string{name, nanoseconds(was), nanoseconds(is), c.FormatDelta(was, is), fmt.Sprintf("%.3f", c.P)})
	}
	return t.String(), slower
}
