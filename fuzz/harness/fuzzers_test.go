package harness_test

// What other fuzzers find in the readers in C. They have one worker each, audit and fuzz two, as in the other tables.

import (
	"cmp"
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
	seed    int
}

// tool is a way to look for a mistake.
type tool struct {
	name string
	hunt func(g *ground, t *testing.T) hunted
}

// crashAlone runs a fuzzer without the judge: only what kills the reader, or what a sanitizer sees, counts.
var crashAlone = []string{"ZOO_JUDGE=0"}

var tools = []tool{
	{"audit", func(g *ground, t *testing.T) hunted { return g.ours(t, false) }},
	{"fuzz", func(g *ground, t *testing.T) hunted { return g.ours(t, true) }},
	{"libFuzzer", func(g *ground, t *testing.T) hunted { return g.libFuzzer(t, nil, "without") }},
	{"libFuzzer, mutator", func(g *ground, t *testing.T) hunted { return g.libFuzzer(t, nil, "with") }},
	{"AFL++ CMPLOG", func(g *ground, t *testing.T) hunted { return g.cmplog(t, nil) }},
	{"AFL++, mutator", func(g *ground, t *testing.T) hunted {
		return g.afl(t, []string{"AFL_CUSTOM_MUTATOR_LIBRARY=" + filepath.Join(g.dir, "mutator.so")})
	}},
	{"libFuzzer, crashes alone", func(g *ground, t *testing.T) hunted { return g.libFuzzer(t, crashAlone, "without") }},
	{"AFL++ CMPLOG, crashes alone", func(g *ground, t *testing.T) hunted { return g.cmplog(t, crashAlone) }},
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

func (g *ground) libFuzzer(t *testing.T, env []string, name string) hunted {
	return g.crashes(t, "found-*", filepath.Join(g.dir, name), env, "-max_total_time="+strconv.Itoa(int(g.seconds.Seconds())), "-seed="+strconv.Itoa(g.seed), "-max_len=1200",
		"-timeout=2", "-artifact_prefix=found-", filepath.Join(g.dir, "seeds"))
}

func (g *ground) cmplog(t *testing.T, env []string) hunted {
	return g.afl(t, env, "-c", filepath.Join(g.dir, "afl.cmplog"))
}

func (g *ground) afl(t *testing.T, env []string, more ...string) hunted {
	env = append(slices.Clone(env), "AFL_NO_UI=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1", "AFL_BENCH_UNTIL_CRASH=1")
	args := append([]string{"-i", filepath.Join(g.dir, "seeds"), "-o", "out", "-V", strconv.Itoa(int(g.seconds.Seconds())), "-s", strconv.Itoa(g.seed), "-m", "none", "-t", "2000"}, more...)
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
		c := fuzz.Campaign{Decoder: decode.New(p), Seed: uint64(g.seed), Workers: 2, Bases: bases, NewTarget: newTarget}
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
	a := fuzz.Audit{Decoder: decode.New(p), Seed: uint64(g.seed), Workers: 2, Bases: bases, NewTarget: newTarget}
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

// TestZooFuzzers gives the readers in C to all tools for ZOO_SECONDS each, once with each seed from 1 to ZOO_SEEDS (1):
// `make zoo` runs it. The fuzzers have one target, one judge (the mutator's file), but for those of crashes alone, and the
// same packets to begin with. It prints a table and fails where audit or fuzz do not name a mistake, or where the mutator
// finds less than no mutator.
func TestZooFuzzers(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("ZOO_SECONDS"))
	if err != nil {
		t.Skip("make zoo runs it: it takes ZOO_SECONDS a mistake, tool and seed")
	}
	seeds, err := strconv.Atoi(cmp.Or(os.Getenv("ZOO_SEEDS"), "1"))
	if err != nil || seeds < 1 {
		t.Fatalf("ZOO_SEEDS: want a number from 1, got %q", os.Getenv("ZOO_SEEDS"))
	}
	need.Program(t, need.AFL, "afl-fuzz")
	of := make([][]hunted, len(tools))
	var lines []string
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
		line := "| " + mistake
		for i, tool := range tools {
			line += " |"
			for g.seed = 1; g.seed <= seeds; g.seed++ {
				h := tool.hunt(g, t)
				of[i] = append(of[i], h)
				line += " " + h.String()
				if i < 2 && !h.named {
					t.Errorf("%s, seed %d: %s did not name it", mistake, g.seed, tool.name)
				}
			}
		}
		lines = append(lines, line+" |")
		t.Log(line + " |")
	}
	load, _ := os.ReadFile("/proc/loadavg")
	t.Logf("%d s a mistake, tool and seed, %d seeds, load %s\n%s", seconds, seeds, strings.TrimSpace(string(load)), table(of, lines))
	found := func(i int) (n int) {
		for _, h := range of[i] {
			if h.found {
				n++
			}
		}
		return n
	}
	if found(3) < found(2) || found(5) < found(4) {
		t.Error("the mutator finds less than there is found without it")
	}
}

// table is Markdown: a line for each mistake, and what came of all of them.
func table(of [][]hunted, lines []string) string {
	head, rule := "| mistake", "|---"
	sum, names, median, last := fmt.Sprintf("| found, of %d", len(of[0])), "| named", "| median of those found, s", "| the last of those found, s"
	for i, tool := range tools {
		head, rule = head+" | "+tool.name, rule+"|---"
		var times []time.Duration
		named := 0
		for _, h := range of[i] {
			if h.found {
				times = append(times, h.after)
			}
			if h.named {
				named++
			}
		}
		slices.Sort(times)
		middle, end := "-", "-"
		if n := len(times); n > 0 {
			middle, end = fmt.Sprintf("%.2f", times[n/2].Seconds()), fmt.Sprintf("%.2f", times[n-1].Seconds())
		}
		sum, names, median, last = fmt.Sprintf("%s | %d", sum, len(times)), fmt.Sprintf("%s | %d", names, named), median+" | "+middle, last+" | "+end
	}
	return strings.Join(append(append([]string{head + " |", rule + "|"}, lines...), sum+" |", names+" |", median+" |", last+" |"), "\n")
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
