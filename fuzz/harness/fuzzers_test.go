package harness_test

// What other fuzzers find in the readers in C. They have one worker each, audit and fuzz two, as in the other tables.

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// hunted is what became of a mistake under a tool.
type hunted struct {
	found, named bool
	after        time.Duration
}

func (h hunted) String() string {
	if !h.found {
		return "-"
	}
	return fmt.Sprintf("%.2f", h.after.Seconds())
}

// ground is what all tools get of a mistake: its programs, its seeds and the time.
type ground struct {
	a       zoo.Animal
	dir     string
	env     []string
	seconds time.Duration
}

// crashes runs a program until it ends or the time is over, and reports whether a file of a pattern is there then.
func (g *ground) crashes(t *testing.T, pattern, program string, env []string, args ...string) hunted {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), g.seconds+30*time.Second) // what does not end by itself
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // AFL++ ends its targets then
	cmd.WaitDelay = 10 * time.Second
	cmd.Dir = t.TempDir()
	cmd.Env = append(append(os.Environ(), g.env...), env...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	after := time.Since(start)
	found, bad := filepath.Glob(filepath.Join(cmd.Dir, pattern))
	if bad != nil || len(found) == 0 && err != nil && ctx.Err() == nil {
		t.Errorf("%s: %s %v: %v\n%.3000s", g.a.Name, program, args, err, out)
	}
	return hunted{found: len(found) > 0, after: after}
}

func (g *ground) libFuzzer(t *testing.T, name string) hunted {
	return g.crashes(t, "found-*", filepath.Join(g.dir, name), nil, "-max_total_time="+strconv.Itoa(int(g.seconds.Seconds())), "-seed=1", "-max_len=1200",
		"-timeout=2", "-artifact_prefix=found-", filepath.Join(g.dir, "seeds"))
}

func (g *ground) afl(t *testing.T, env []string, more ...string) hunted {
	env = append(env, "AFL_NO_UI=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1", "AFL_BENCH_UNTIL_CRASH=1")
	args := append([]string{"-i", filepath.Join(g.dir, "seeds"), "-o", "out", "-V", strconv.Itoa(int(g.seconds.Seconds())), "-s", "1", "-m", "none", "-t", "2000"}, more...)
	return g.crashes(t, "out/default/crashes/id:*", "afl-fuzz", env, append(args, "--", filepath.Join(g.dir, "afl"))...)
}

func (g *ground) target() (oracle.Target, error) {
	return process.New(context.Background(), process.Options{Args: []string{filepath.Join(g.dir, "reader")}, Patience: 500 * time.Millisecond, Memory: 600 << 20, Warm: g.a.Seeds[0]})
}

// named reports whether a finding names the mistake.
func (g *ground) named(f *fuzz.Finding) bool {
	return g.a.Names(f.Reject, f.Path) || g.a.Names(reject.None, f.Changed)
}

// ours is audit or fuzz, until the mistake is named. The time of an audit is that of all of it.
func (g *ground) ours(t *testing.T, campaign bool) (h hunted) {
	t.Helper()
	for _, pair := range g.env {
		name, value, _ := strings.Cut(pair, "=")
		t.Setenv(name, value)
	}
	t.Setenv("ZOO_JUDGE", "") // they have a judge of their own
	_ = os.Unsetenv("ZOO_JUDGE")
	ctx, cancel := context.WithTimeout(t.Context(), g.seconds)
	defer cancel()
	p := compile(t, g.a.Name, g.a.Schema)
	var bases []decode.Packet
	for _, seed := range g.a.Seeds {
		bases = append(bases, decode.Packet{Data: seed, From: decode.FromUnknown})
	}
	start := time.Now()
	found := func(f *fuzz.Finding) {
		if !h.found || !h.named && g.named(f) {
			h.after = time.Since(start)
		}
		h.found, h.named = true, h.named || g.named(f)
		if campaign && h.named {
			cancel()
		}
	}
	newTarget := func(context.Context) (oracle.Target, error) { return g.target() }
	if campaign {
		c := fuzz.Campaign{Decoder: decode.New(p), Seed: 1, Workers: 2, Bases: bases, NewTarget: newTarget}
		c.Found = func(f *fuzz.Finding) error { found(f); return nil }
		s, err := c.Run(ctx)
		if err != nil {
			t.Error(err)
			return h
		}
		for _, f := range s.Findings {
			found(f)
		}
		return h
	}
	a := fuzz.Audit{Decoder: decode.New(p), Seed: 1, Workers: 2, Bases: bases, NewTarget: newTarget}
	r, err := a.Run(ctx)
	if err != nil && ctx.Err() == nil {
		t.Error(err)
	}
	if r != nil {
		for i := range r.Findings {
			found(&r.Findings[i])
		}
	}
	h.after = time.Since(start)
	return h
}

// TestZooFuzzers gives the readers in C to audit and fuzz, and to libFuzzer and AFL++ with their own mutations and with
// the mutator, for ZOO_SECONDS each: `make zoo` runs it. All fuzzers have one target, one judge (the mutator's file)
// and the same seeds. It prints a table and fails where audit or fuzz name nothing, or where the mutator finds less
// than no mutator.
func TestZooFuzzers(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("ZOO_SECONDS"))
	if err != nil {
		t.Skip("make zoo runs it: it takes ZOO_SECONDS a mistake and tool")
	}
	need.Program(t, need.AFL, "afl-fuzz")
	tools := []string{"audit", "fuzz", "libFuzzer", "libFuzzer, mutator", "AFL++ CMPLOG", "AFL++, mutator"}
	lines := []string{"| mistake | " + strings.Join(tools, " | ") + " |", "|---" + strings.Repeat("|---", len(tools)) + "|"}
	var found, named [6]int
	var times [6][]time.Duration
	grounds := map[string]*ground{}
	for _, mistake := range cPorts {
		a := animal(t, mistake)
		g := grounds[a.Schema]
		if g == nil {
			g = &ground{dir: mutated(t, a), seconds: time.Duration(seconds) * time.Second}
			grounds[a.Schema] = g
			g.compile(t)
		}
		g.a, g.env = a, []string{"ZOO_JUDGE=1", "ZOO_MISTAKE=" + mistake, "ZOO_HOME=" + compile(t, a.Name, a.Schema).Schema.Name}
		row := []hunted{
			g.ours(t, false), g.ours(t, true), g.libFuzzer(t, "without"), g.libFuzzer(t, "with"),
			g.afl(t, nil, "-c", filepath.Join(g.dir, "afl.cmplog")), g.afl(t, []string{"AFL_CUSTOM_MUTATOR_LIBRARY=" + filepath.Join(g.dir, "mutator.so")}),
		}
		line := "| " + mistake
		for i, h := range row {
			line += " | " + h.String()
			if h.found {
				found[i]++
				times[i] = append(times[i], h.after)
			}
			if h.named {
				named[i]++
			}
		}
		lines = append(lines, line+" |")
		t.Log(line + " |")
		for i := range 2 {
			if !row[i].named {
				t.Errorf("%s: %s did not name it", mistake, tools[i])
			}
		}
	}
	sum, names, median, last := fmt.Sprintf("| found, of %d", len(cPorts)), "| named", "| median of those found, s", "| the last of those found, s"
	for i := range tools {
		sum += fmt.Sprintf(" | %d", found[i])
		names += fmt.Sprintf(" | %d", named[i])
		slices.Sort(times[i])
		if n := len(times[i]); n > 0 {
			median += fmt.Sprintf(" | %.2f", times[i][n/2].Seconds())
			last += fmt.Sprintf(" | %.2f", times[i][n-1].Seconds())
		} else {
			median, last = median+" | -", last+" | -"
		}
	}
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d s a mistake and tool, load %s\n%s", seconds, strings.TrimSpace(string(load)), strings.Join(append(lines, sum+" |", names+" |", median+" |", last+" |"), "\n"))
	if found[3] < found[2] || found[5] < found[4] {
		t.Errorf("the mutator finds less than there is found without it: %v", found)
	}
}

// compile makes the programs of a schema.
func (g *ground) compile(t *testing.T) {
	t.Helper()
	libFuzzer(t, g.dir, false)
	libFuzzer(t, g.dir, true)
	compileAFL(t, g.dir)
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{"AFL_LLVM_CMPLOG=1", "afl-clang-fast", "-O1", "-I" + testdata, "-DPKTSCOPE_LIBFUZZER", "-DPKTSCOPE_MUTATOR_JUDGE_ONLY", "-fsanitize=fuzzer,address", "target.c", "mutator.c", "-o", "afl.cmplog"},
		{"PKTSCOPE=1", "gcc", "-g", "-O1", "-I" + testdata, "-fsanitize=address,undefined", "target.c", "mutator.c", "-o", "reader"},
	} {
		cmd := exec.Command(line[1], line[2:]...)
		cmd.Dir = g.dir
		cmd.Env = append(os.Environ(), line[0])
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%.3000s", line, err, out)
		}
	}
}
