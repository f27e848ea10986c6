package zoo_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// `make zoo`: every tool on every animal with the same time, and how long it took each to find the mistake. It runs by
// hand, when ZOO_SECONDS says for how long; ZOO_PACKETS says how many packets of ours the fixed twins get in all.

// hunter runs the tools.
type hunter struct {
	seconds time.Duration
	native  string // the test binary, instrumented
	gofuzz  string // go-fuzz's archive, "" where it does not build
}

// caughtIn is when a tool found a mistake.
type caughtIn struct {
	after time.Duration
	found bool
	named bool // by rule and field
	none  bool // the tool was not run
}

func (c caughtIn) String() string {
	switch {
	case c.none:
		return ""
	case !c.found:
		return "-"
	}
	return fmt.Sprintf("%.2f", c.after.Seconds())
}

func zooSeconds(t *testing.T) time.Duration {
	seconds, err := strconv.Atoi(os.Getenv("ZOO_SECONDS"))
	if err != nil || seconds < 1 {
		t.Skip("by hand: make zoo")
	}
	return time.Duration(seconds) * time.Second
}

func newHunter(t *testing.T) *hunter {
	h := &hunter{seconds: zooSeconds(t)}
	dir := t.TempDir()
	h.native = filepath.Join(dir, "zoo.test")
	if out, err := exec.Command("go", "test", "-c", "-fuzz=.", "-o", h.native, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if os.Getenv("ZOO_GOFUZZ") == "" {
		return h
	}
	zip := filepath.Join(dir, "zoo.zip")
	if out, err := exec.Command("go", "tool", "go-fuzz-build", "-preserve", "github.com/pktscope/pktscope/decode/wire", "-o", zip, ".").CombinedOutput(); err != nil {
		t.Fatalf("go-fuzz does not build: %v: %s", err, out)
	}
	h.gofuzz = zip
	return h
}

// audit audits the flawed reader. Its time is that of the whole audit: it looks at all rules, whatever it finds.
func (h *hunter) audit(t *testing.T, a *zoo.Animal) caughtIn {
	ctx, cancel := context.WithTimeout(t.Context(), h.seconds)
	defer cancel()
	start := time.Now()
	run := &fuzz.Audit{Decoder: compile(t, a), Seed: 1, Workers: 2, NewTarget: func(context.Context) (oracle.Target, error) { return zoo.NewTarget(a.Flawed()), nil }}
	run.Bases = campaignOf(t, a, a.Flawed).Bases
	r, err := run.Run(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	c := caughtIn{after: time.Since(start), found: len(r.Findings) > 0}
	for i := range r.Findings {
		c.named = c.named || named(a, &r.Findings[i])
	}
	return c
}

// campaign runs until the mistake is named.
func (h *hunter) campaign(t *testing.T, a *zoo.Animal) caughtIn {
	ctx, cancel := context.WithTimeout(t.Context(), h.seconds)
	defer cancel()
	var c caughtIn
	start := time.Now()
	run := campaignOf(t, a, a.Flawed)
	run.Workers = 2
	run.Progress = func(s *fuzz.CampaignState) {
		for _, f := range s.Findings {
			if !c.named {
				c.found, c.named, c.after = true, named(a, f), time.Since(start)
			}
		}
		if c.named {
			cancel()
		}
	}
	if _, err := run.Run(ctx); err != nil {
		t.Fatal(err)
	}
	return c
}

// engine runs native fuzzing until it fails.
func (h *hunter) engine(t *testing.T, animal, target string, more ...string) (caughtIn, string) {
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), h.seconds+30*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, h.native, "-test.run=^$", "-test.fuzz=^"+target+"$", "-test.fuzztime="+h.seconds.String(),
		"-test.fuzzminimizetime=1x", "-test.parallel=2", "-test.fuzzcachedir="+filepath.Join(dir, "cache"))
	cmd.Dir = dir
	cmd.Env = append(append(os.Environ(), "ZOO_ANIMAL="+animal), more...)
	start := time.Now()
	out, err := cmd.CombinedOutput()
	c := caughtIn{after: time.Since(start), found: err != nil && strings.Contains(string(out), caught)}
	if err != nil && !c.found && !strings.Contains(string(out), "context deadline exceeded") {
		t.Errorf("%s %s: %v: %s", animal, target, err, out)
	}
	return c, dir
}

// goFuzz runs go-fuzz until it has a crasher.
func (h *hunter) goFuzz(t *testing.T, a *zoo.Animal, target string) caughtIn {
	if h.gofuzz == "" {
		return caughtIn{none: true}
	}
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "corpus"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, seed := range a.Seeds {
		if err := os.WriteFile(filepath.Join(dir, "corpus", fmt.Sprint(i)), seed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	tool, err := exec.Command("go", "tool", "-n", "go-fuzz").Output()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), strings.TrimSpace(string(tool)), "-bin="+h.gofuzz, "-func="+target, "-workdir="+dir, "-procs=2")
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // it ends its workers then
	cmd.Env = append(os.Environ(), "ZOO_ANIMAL="+a.Name)
	start := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait() // it was interrupted
	}()
	for time.Since(start) < h.seconds {
		if crashers, _ := filepath.Glob(filepath.Join(dir, "crashers", "*")); len(crashers) > 0 {
			return caughtIn{after: time.Since(start), found: true}
		}
		time.Sleep(20 * time.Millisecond)
	}
	return caughtIn{}
}

// hasChecksum reports whether repairing changes anything.
func hasChecksum(p *plan.Plan) bool {
	return len(p.Checksums) > 0
}

// zooTools are the columns of the table.
var zooTools = []string{"audit", "fuzz", "go test -fuzz", "repaired", "go-fuzz", "repaired"}

func TestZoo(t *testing.T) {
	h := newHunter(t)
	var times [6][]time.Duration
	var found, names [6]int
	lines := []string{"| animal | oracle | " + strings.Join(zooTools, " | ") + " |", "|---|---|" + strings.Repeat("---|", len(zooTools))}
	animals := zoo.Animals()
	for _, a := range animals {
		raw, _ := h.engine(t, a.Name, "FuzzRaw")
		row := []caughtIn{h.audit(t, &a), h.campaign(t, &a), raw, {none: true}, h.goFuzz(t, &a, "FuzzRaw"), {none: true}}
		row[3], row[5] = row[2], row[4]
		if hasChecksum(compile(t, &a).Plan()) {
			row[3], _ = h.engine(t, a.Name, "FuzzRepaired")
			row[5] = h.goFuzz(t, &a, "FuzzRepaired")
		}
		line := "| " + a.Name + " | " + string(a.Oracle)
		for i, c := range row {
			line += " | " + c.String()
			if c.found {
				found[i]++
				times[i] = append(times[i], c.after)
			}
			if c.named {
				names[i]++
			}
		}
		lines = append(lines, line+" |")
		t.Log(line + " |")
		for i := range 2 {
			if !row[i].named {
				t.Errorf("%s: %s did not name it", a.Name, zooTools[i])
			}
		}
	}
	sum := fmt.Sprintf("| found, of %d | ", len(animals))
	median := "| median of those, s | "
	for i := range zooTools {
		sum += fmt.Sprintf(" | %d", found[i])
		slices.Sort(times[i])
		if n := len(times[i]); n > 0 {
			median += fmt.Sprintf(" | %.2f", times[i][n/2].Seconds())
		} else {
			median += " | "
		}
	}
	lines = append(lines, sum+" |", median+" |")
	t.Logf("%v a mistake and tool; named by rule and field: audit %d, fuzz %d\n%s", h.seconds, names[0], names[1], strings.Join(lines, "\n"))
}

// The fixed twins: a finding is a false alarm.
func TestZooFalseAlarms(t *testing.T) {
	zooSeconds(t)
	all, err := strconv.ParseInt(os.Getenv("ZOO_PACKETS"), 10, 64)
	if err != nil {
		all = 10_000_000
	}
	animals := zoo.Animals()
	var packets int64
	for _, a := range animals {
		r := audit(t, &a, a.Fixed)
		packets += int64(r.Packets)
		for _, f := range r.Findings {
			t.Errorf("%s: false alarm: %v: %s: %x", a.Name, f.Kind, f.What(), f.Packet)
		}
		c := campaignOf(t, &a, a.Fixed)
		c.Workers, c.Execs = 2, all/int64(len(animals))
		s, err := c.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		packets += s.Execs
		for _, f := range s.Findings {
			t.Errorf("%s: false alarm: %v %v: %s: %x", a.Name, f.Kind, reject.Kind(f.Reject), f.What(), f.Packet)
		}
	}
	t.Logf("%d packets, audit and fuzz, against %d fixed readers", packets, len(animals))
}

// Valid packets a second, of fuzz and of native fuzzing on raw bytes, against the same decoder in one run.
func TestZooUseful(t *testing.T) {
	h := newHunter(t)
	for _, protocol := range []string{"packets", "rtype"} {
		counts := t.TempDir()
		h.engine(t, "bare:"+protocol, "FuzzRaw", "ZOO_COUNTS="+counts)
		execs, valid := 0, 0
		files, err := filepath.Glob(filepath.Join(counts, "*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no counts: %v", err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var e, u int
			if _, err := fmt.Sscan(string(text), &e, &u); err == nil {
				execs, valid = execs+e, valid+u
			}
		}
		d, err := protocols.Load(protocol)
		if err != nil {
			t.Fatal(err)
		}
		c := &fuzz.Campaign{Decoder: d, Seed: 1, Workers: 2, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
		for _, seed := range bareSeeds(protocol) {
			c.Bases = append(c.Bases, decode.Packet{Data: seed.Data, From: fuzz.Sender(seed.From)})
		}
		ctx, cancel := context.WithTimeout(t.Context(), h.seconds)
		s, err := c.Run(ctx)
		cancel()
		if err != nil {
			t.Fatal(err)
		}
		ours, native := float64(s.Valid)/h.seconds.Seconds(), float64(valid)/h.seconds.Seconds()
		t.Logf("%s: valid packets a second: fuzz %.0f (of %.0f), go test -fuzz on raw bytes %.0f (of %.0f): %.1f times", protocol,
			ours, float64(s.Execs)/h.seconds.Seconds(), native, float64(execs)/h.seconds.Seconds(), ours/max(native, 1))
		if ours < 10*native {
			t.Errorf("%s: want 10 times, got %.1f", protocol, ours/native)
		}
	}
}
