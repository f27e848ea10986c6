package harness_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

func compile(t testing.TB, name, source string) *plan.Plan {
	t.Helper()
	s, diags := schema.Load(name, []byte(source), nil)
	if s == nil {
		t.Fatalf("%v", diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%v", diags)
	}
	return p
}

func animal(t testing.TB, name string) zoo.Animal {
	t.Helper()
	all := zoo.Animals()
	i := slices.IndexFunc(all, func(a zoo.Animal) bool { return a.Name == name })
	if i < 0 {
		t.Fatalf("no animal %s", name)
	}
	return all[i]
}

var sanitized = []string{"-O1", "-fsanitize=address,undefined"}

// links has the compilers and flags with which an empty program was built.
var links = map[string]bool{}

// build compiles a source, or skips the test where there is no such compiler.
func build(t testing.TB, compiler, file, source string, flags ...string) string {
	t.Helper()
	need.Program(t, need.CXX, compiler)
	dir := t.TempDir()
	for _, flag := range flags { // the sanitizers' and libFuzzer's libraries are packages of their own
		if with := compiler + " " + flag; strings.HasPrefix(flag, "-fsanitize=") && !links[with] {
			empty := "int main(void) { return 0; }"
			if strings.Contains(flag, "fuzzer") {
				empty = "int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) { return data == 0 && size == 1; }"
			}
			cmd := exec.Command(compiler, flag, "-x", "c", "-", "-o", filepath.Join(dir, "empty"))
			cmd.Stdin = strings.NewReader(empty)
			if out, err := cmd.CombinedOutput(); err != nil {
				need.Skip(t, need.CXX, fmt.Sprintf("%s has no %s: %s", compiler, flag, out))
			}
			links[with] = true
		}
	}
	if err := os.WriteFile(filepath.Join(dir, file), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	args := append([]string{"-Wall", "-Wextra", "-Werror", "-I" + testdata, file, "-o", "reader"}, flags...)
	cmd := exec.Command(compiler, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", compiler, err, out)
	}
	return filepath.Join(dir, "reader")
}

// filledIn is a harness with a call to a reader, as a user fills it in.
func filledIn(t testing.TB, language, include, call string) string {
	t.Helper()
	source := harness.Source(language, compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", harness.FileName(language))
	head, tail, ok := strings.Cut(source, "    (void)data;\n")
	_, tail, ok2 := strings.Cut(tail, "\n}\n")
	if !ok || !ok2 {
		t.Fatal("nothing to fill in")
	}
	head = strings.Replace(head, "// #include \"your_reader."+map[string]string{"c": "h", "cpp": "hpp"}[language]+"\"", include, 1)
	return head + "    " + call + "\n}\n" + tail
}

// port makes the target of a port, which the environment tells what to be.
func port(reader string, a zoo.Animal) func(context.Context) (oracle.Target, error) {
	return func(ctx context.Context) (oracle.Target, error) {
		return process.New(ctx, process.Options{Args: []string{reader}, Patience: 500 * time.Millisecond, Memory: 600 << 20, Warm: a.Seeds[0]})
	}
}

func basesOf(a zoo.Animal) (bases []decode.Packet) {
	for _, seed := range a.Seeds {
		bases = append(bases, decode.Packet{Data: seed, From: decode.FromUnknown})
	}
	return bases
}

func audit(t *testing.T, reader string, a zoo.Animal, mistake string, only []decode.Packet) *fuzz.AuditResult {
	t.Helper()
	p := compile(t, a.Name, a.Schema)
	t.Setenv("ZOO_HOME", p.Schema.Name)
	t.Setenv("ZOO_MISTAKE", mistake)
	run := fuzz.Audit{Decoder: decode.New(p), Seed: 1, Workers: 2, Only: only, NewTarget: port(reader, a), Bases: basesOf(a)}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// zooPorts are the readers of the zoo that there are in C and C++.
var zooPorts = []struct {
	language, compiler, include string
	mistakes                    []string
}{
	{"c", "gcc", `#include "readers.h"`, cPorts},
	{"cpp", "g++", `#include "readers.hpp"`, []string{"last-word-order", "sentinel-past-end", "nan-accepted", "window-past-packet", "allocation-from-count"}},
}

// What an audit finds in a port, a campaign has found after twice as many packets and little more.
func TestPortsInCampaigns(t *testing.T) {
	for _, row := range zooPorts {
		t.Run(row.language, func(t *testing.T) {
			reader := build(t, row.compiler, "harness."+row.language, filledIn(t, row.language, row.include, "return read_zoo(data, size);"), sanitized...)
			for _, mistake := range row.mistakes[:need.Rounds(len(row.mistakes), 1)] {
				t.Run(mistake, func(t *testing.T) {
					if slow[mistake] && os.Getenv("PKTSCOPE_PORTS") == "" {
						t.Skip("each of its packets costs several processes: minutes in all; `make ports` runs it")
					}
					a := animal(t, mistake)
					began := time.Now()
					r := audit(t, reader, a, mistake, nil)
					took := time.Since(began)
					c := fuzz.Campaign{Decoder: decode.New(compile(t, a.Name, a.Schema)), Seed: 1, Workers: 2, Bases: basesOf(a), NewTarget: port(reader, a), Execs: 2*int64(r.Packets) + 2048}
					s, err := c.Run(t.Context())
					if err != nil {
						t.Fatal(err)
					}
					for _, f := range zoo.Missing(r.Findings, s.Findings) {
						t.Errorf("audit found %v: %s (%s, %d times); a campaign of %d packets did not", f.Kind, f.What(), f.Identity(), f.Count, s.Execs)
						for _, o := range s.Findings {
							t.Logf("it found %v: %s (%s)", o.Kind, o.What(), o.Identity())
						}
					}
					t.Logf("audit: %d findings in %d packets, %.1f s; campaign: %d in %d, %.1f s; %d held back", len(r.Findings), r.Packets, took.Seconds(), len(s.Findings), s.Execs, (time.Since(began) - took).Seconds(), s.Held)
				})
			}
		})
	}
}

// Ports of the zoo's readers to C and C++: each mistake is found from outside and named, each finding is found again
// when its packets are sent again, and the readers without it are clean.
func TestPorts(t *testing.T) {
	for _, row := range zooPorts {
		t.Run(row.language, func(t *testing.T) {
			reader := build(t, row.compiler, "harness."+row.language, filledIn(t, row.language, row.include, "return read_zoo(data, size);"), sanitized...)
			clean := map[string]bool{}
			for _, mistake := range row.mistakes[:need.Rounds(len(row.mistakes), 1)] {
				t.Run(mistake, func(t *testing.T) {
					if slow[mistake] && os.Getenv("PKTSCOPE_PORTS") == "" {
						t.Skip("each of its packets costs several processes: minutes in all; `make ports` runs it")
					}
					a := animal(t, mistake)
					if !clean[a.Schema] {
						clean[a.Schema] = true
						for _, f := range audit(t, reader, a, "", nil).Findings {
							t.Errorf("false alarm: %v: %s: %x %s", f.Kind, f.What(), f.Packet, f.Report)
						}
					}
					r := audit(t, reader, a, mistake, nil)
					named := -1
					for i, f := range r.Findings {
						if a.Names(f.Reject, f.Path) || a.Names(reject.None, f.Changed) {
							named = i
						}
					}
					if named < 0 {
						t.Fatalf("not found by name: want %v at %q, got %d findings in %d packets: %+v", a.Rule, a.Field, len(r.Findings), r.Packets, r.Findings)
					}
					f := r.Findings[named]
					t.Logf("%v: %s (%d bytes; %d packets in all)", f.Kind, f.What(), len(f.Packet), r.Packets)
					again := audit(t, reader, a, mistake, append(slices.Clone(f.Before), decode.Packet{Data: f.Packet}))
					if i := slices.IndexFunc(again.Findings, func(g fuzz.Finding) bool { return g.Kind == f.Kind }); i < 0 {
						t.Errorf("not found again: %+v", again.Findings)
					}
				})
			}
		})
	}
}

// cPorts are the mistakes that the readers in C have.
var cPorts = []string{
	"count-too-wide", "enum-unchecked", "crc-not-compared", "end-check-skipped", "count-unchecked", "no-terminator-room", "crc-without-id", "nul-inside",
	"utf8-unchecked", "count-signed", "count-times-size", "overflow-forgotten", "padding-ignored",
}

// slow are those whose packets hang, fill the memory, or die with a report that takes long to print.
var slow = map[string]bool{"sentinel-past-end": true, "window-past-packet": true, "allocation-from-count": true}
