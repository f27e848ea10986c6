package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// workshop builds pktscope and the harnesses, and runs the one on the other.
type workshop struct {
	dir     string // for what is built
	audit   int    // seconds of an audit, at most
	seconds int    // of a campaign
	seed    uint64
	kept    string // where rows are that nobody may read yet
}

func (w *workshop) pktscope() string { return filepath.Join(w.dir, "pktscope") }

// build builds pktscope in its own module, with its own versions of everything.
func (w *workshop) build(ctx context.Context) error {
	_, err := output(ctx, "go", "build", "-C", filepath.Join("..", ".."), "-o", w.pktscope(), "./cmd/pktscope")
	return err
}

// attack is what audit or fuzz found, as -T json prints it.
type attack struct {
	Packets  int64     `json:"packets"`
	Seconds  float64   `json:"-"` // measured here: building and starting are not in it
	Rules    []rule    `json:"rules"`
	Findings []finding `json:"findings"`
	Lost     int       `json:"lost"`
	Partial  bool      `json:"partial"` // the time was over before all was sent
	// Of the rules no more is printed than how many there are: which packets a reader hangs at would say how to stop it.
	Unfinished []rule     `json:"unfinished"`
	Untested   []untested `json:"untested"`
}

// untested is a part of a protocol that nothing was found out about.
type untested struct {
	Part string `json:"part"`
}

// givenUp is how many rules have packets that were not sent, because those before them took the reader's time or memory.
func (a *attack) givenUp() (n int) {
	for _, u := range a.Untested {
		if u.Part == "given up" {
			n++
		}
	}
	return n
}

type rule struct {
	Rule string `json:"rule"`
}

// finding is one of pktscope's.
type finding struct {
	Kind   string `json:"kind"`
	Rule   string `json:"rule"`
	Reject string `json:"reject"`
	Path   string `json:"path"`
	Want   string `json:"want"`
	Got    string `json:"got"`
	Cause  string `json:"cause"`
	Packet string `json:"packet"`
	Count  int    `json:"count"`
	Undone string `json:"undone"`
}

// result is what was found in a reader, and what it is worth: see judge.
type result struct {
	reader      reader
	version     string
	load        string // of the machine before the audit and the campaign
	audit, fuzz attack
	verdict     verdict
}

// run builds a reader's harness, audits it and fuzzes it.
func (w *workshop) run(ctx context.Context, r reader) (*result, error) {
	harness := filepath.Join(w.dir, r.name)
	version, err := w.harness(ctx, r, harness)
	if err != nil {
		return nil, err
	}
	one := &result{reader: r, version: version, load: load()}
	target := []string{"-p", r.schema(), "--target", "exec+persistent:" + harness, "--seed", strconv.FormatUint(w.seed, 10), "-T", "json", "-q"}
	if err := w.attack(ctx, &one.audit, append([]string{"audit", "--duration", strconv.Itoa(w.audit) + "s"}, target...)); err != nil {
		return nil, err
	}
	one.load += " " + load()
	return one, w.attack(ctx, &one.fuzz, append([]string{"fuzz", "--duration", strconv.Itoa(w.seconds) + "s"}, target...))
}

// schema is what -p takes.
func (r reader) schema() string {
	if r.protocol != "" {
		return r.protocol
	}
	return filepath.Join("readers", r.name, r.name+".pks")
}

// attack runs pktscope and reads its result. Findings are no error; that it fails is one, and that it writes none.
func (w *workshop) attack(ctx context.Context, to *attack, args []string) error {
	start := time.Now()
	out, err := output(ctx, w.pktscope(), append(args, "--fail-on", "none")...)
	if err != nil {
		return err
	}
	to.Seconds = time.Since(start).Seconds()
	if err := json.Unmarshal(out, to); err != nil {
		return fmt.Errorf("pktscope %s: its result: %w", args[0], err)
	}
	return nil
}

// harness builds a reader's harness: what gen harness writes, with the reader's function in place of the empty one.
func (w *workshop) harness(ctx context.Context, r reader, to string) (version string, err error) {
	if r.library != "" {
		return w.harnessC(ctx, r, to)
	}
	text, err := output(ctx, w.pktscope(), "gen", "harness", "--lang", "go", "-p", r.schema())
	if err != nil {
		return "", err
	}
	if text, err = without(text, "func readPacket(", "func emptyReadPacket("); err != nil {
		return "", err
	}
	source, overlay := to+".go", to+".json"
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return "", err
	}
	in, err := filepath.Abs(filepath.Join("readers", r.name, "harness.go"))
	if err != nil {
		return "", err
	}
	replace, err := json.Marshal(map[string]any{"Replace": map[string]string{in: source}})
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(overlay, replace, 0o600); err != nil {
		return "", err
	}
	if _, err := output(ctx, "go", "build", "-overlay", overlay, "-o", to, "./"+filepath.Join("readers", r.name)); err != nil {
		return "", err
	}
	out, err := output(ctx, "go", "list", "-m", "-f", "{{.Version}}", r.module)
	return strings.TrimSpace(string(out)), err
}

// harnessC is harness in C, with the library of the system.
func (w *workshop) harnessC(ctx context.Context, r reader, to string) (version string, err error) {
	text, err := output(ctx, w.pktscope(), "gen", "harness", "--lang", "c", "-p", r.schema())
	if err != nil {
		return "", err
	}
	read, err := filepath.Abs(filepath.Join("readers", r.name, "read.c"))
	if err != nil {
		return "", err
	}
	text, err = without(text, "static int read_packet(", fmt.Sprintf("#include %q\n__attribute__((unused)) static int empty_read_packet(", read))
	if err != nil {
		return "", err
	}
	source := to + ".c"
	if err := os.WriteFile(source, text, 0o600); err != nil {
		return "", err
	}
	flags, err := output(ctx, "pkg-config", "--cflags", "--libs", r.library)
	if err != nil {
		return "", err
	}
	args := append([]string{"-g", "-O1", "-fsanitize=address,undefined", source, "-o", to}, strings.Fields(string(flags))...)
	if _, err := output(ctx, "cc", args...); err != nil {
		return "", err
	}
	out, err := output(ctx, "pkg-config", "--modversion", r.library)
	return strings.TrimSpace(string(out)), err
}

// without renames the empty function of a harness, which is there once.
func without(text []byte, function, renamed string) ([]byte, error) {
	if n := bytes.Count(text, []byte(function)); n != 1 {
		return nil, fmt.Errorf("gen harness: want one %q, got %d", function, n)
	}
	return bytes.Replace(text, []byte(function), []byte(renamed), 1), nil
}

// output runs a program and returns what it prints. The error has what it said to stderr.
func output(ctx context.Context, name string, args ...string) ([]byte, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
	c.WaitDelay = 10 * time.Second
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%s %s: %w\n%s", filepath.Base(name), strings.Join(args, " "), err, exit.Stderr)
	}
	return out, err
}

// load is the machine's load in the last minute; "?" where that cannot be known.
func load() string {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return "?"
	}
	one, _, _ := strings.Cut(string(text), " ")
	return one
}
