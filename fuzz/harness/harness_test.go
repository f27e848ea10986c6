package harness_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// A file's name cannot get out of its comment.
func TestNamesStayInComments(t *testing.T) {
	p := compile(t, "packets", animal(t, "count-too-wide").Schema)
	evil := "x.c\nint evil;\r\\\u2028int"
	for _, language := range harness.Languages() {
		for line := range strings.Lines(harness.Source(language, p, evil, evil)) {
			if strings.Contains(line, "evil") && !strings.HasPrefix(line, "//") || strings.HasSuffix(line, "\\\n") {
				t.Errorf("%s: %q", language, line)
			}
		}
	}
}

// What is not filled in compiles everywhere, for every built-in protocol in one language, and refuses everything.
func TestCompiles(t *testing.T) {
	for _, row := range []struct{ compiler, language string }{
		{"gcc", "c"}, {"gcc", "c99"}, {"g++", "c"}, {"g++", "cpp"}, {"clang", "c"}, {"clang++", "cpp"},
	} {
		t.Run(row.compiler+" "+row.language, func(t *testing.T) {
			flags := append([]string{"-pedantic"}, sanitized...)
			language := row.language
			switch {
			case language == "c99":
				language, flags = "c", append(flags, "-std=gnu99")
			case row.compiler == "g++" && language == "c":
				flags = append(flags, "-std=c++11")
			}
			source := harness.Source(language, compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", harness.FileName(language))
			refusesAll(t, build(t, row.compiler, harness.FileName(language), source, flags...))
		})
	}
	t.Run("libFuzzer's entry", func(t *testing.T) {
		source := harness.Source("cpp", compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", "harness.cpp")
		source += "\n#include <cstdio>\nint main() { uint8_t b[3] = {1, 2, 3}; return LLVMFuzzerTestOneInput(b, 3) + LLVMFuzzerTestOneInput(b, 0); }\n"
		reader := build(t, "g++", "harness.cpp", source, "-DPKTSCOPE_LIBFUZZER")
		if out, err := exec.Command(reader).CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// The other entry point, under libFuzzer as it is: what is not filled in survives it, and a reader with a mistake dies
// of the packet that shows it.
func TestLibFuzzer(t *testing.T) {
	rows := []struct{ compiler, language string }{{"clang++", "cpp"}, {"clang", "c"}}
	for _, row := range rows[:need.Rounds(2, 1)] {
		t.Run(row.compiler, func(t *testing.T) {
			flags := []string{"-g", "-DPKTSCOPE_LIBFUZZER", "-fsanitize=fuzzer,address,undefined"}
			const mistake = "return size > 3 && data[0] == 'p' && data[1] == 'k' && data[size] != 0;"
			for call, dies := range map[string]bool{"": false, mistake: true} {
				source := harness.Source(row.language, compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", harness.FileName(row.language))
				if call != "" {
					source = filledIn(t, row.language, "", call)
				}
				fuzzer := build(t, row.compiler, "harness."+row.language, source, flags...)
				packet := filepath.Join(t.TempDir(), "packet")
				if err := os.WriteFile(packet, []byte("pkts"), 0o600); err != nil {
					t.Fatal(err)
				}
				for _, args := range [][]string{{"-runs=1000", "-seed=1"}, {packet}} {
					cmd := exec.Command(fuzzer, args...)
					cmd.Dir = t.TempDir() // where it leaves what it found
					out, err := cmd.CombinedOutput()
					died := err != nil
					if died != (dies && args[0] == packet) || died && !strings.Contains(string(out), "heap-buffer-overflow") {
						t.Errorf("%q, %v: %v\n%.2000s", call, args, err, out)
					}
				}
			}
		})
	}
}

func TestGoHarness(t *testing.T) {
	for _, name := range protocols.Names() {
		d, err := protocols.Load(name)
		if err != nil {
			t.Fatal(err)
		}
		source := harness.Source("go", d.Plan(), "-p "+name, "harness.go")
		if strings.Contains(source, "@") && strings.Contains(strings.ReplaceAll(source, "@bits", ""), "@") {
			t.Errorf("%s: a placeholder is left", name)
		}
	}
	source := harness.Source("go", compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", "harness.go")
	refusesAll(t, buildGo(t, source))
	source = strings.Replace(source, "\t_ = packet\n\treturn false, nil\n", `	println("stdout is not for readers")
	if len(packet) > 2 {
		panic("long")
	}
	if len(packet) == 1 {
		return refuse(map[string]any{"kind": "past-end", "bit": 8})
	}
	return len(packet) > 0, map[string]any{"size": len(packet), "@bits": 8 * len(packet)}
`, 1)
	target, err := process.New(t.Context(), process.Options{Args: []string{buildGo(t, source)}})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for _, row := range []struct {
		packet, fields, report string
		want                   oracle.Outcome
	}{
		{"", "", "", oracle.Refused},
		{"xx", `{"@bits":16,"size":2}`, "", oracle.Accepted},
		{"xxx", "", "panic: long", oracle.Crashed},
		{"x", "", "", oracle.Refused},
		{"xx", `{"@bits":16,"size":2}`, "", oracle.Accepted},
		{"", "", "", oracle.Refused},
	} {
		r, err := target.Send([]byte(row.packet), decode.FromUnknown)
		if says := r.Why != nil && r.Why.Is(oracle.Answer{Kind: reject.PastEnd, Bit: 8}) && !r.Why.Is(oracle.Answer{Kind: reject.PastEnd, Bit: 9}); says != (row.packet == "x") {
			t.Errorf("%q: reason %v", row.packet, r.Why)
		}
		if err != nil || r.Outcome != row.want || string(r.Fields) != row.fields || !strings.Contains(r.Report, row.report) {
			t.Errorf("%q: %v %q %.200s, %v", row.packet, r.Outcome, r.Fields, r.Report, err)
		}
	}
}

// Why a C or C++ reader refused reaches the judge, and not what it read before.
func TestReasons(t *testing.T) {
	for _, row := range []struct{ compiler, language string }{{"gcc", "c"}, {"g++", "cpp"}} {
		source := filledIn(t, row.language, "", `pks_int("x", 7); (void)data; if (size == 1) return pks_refuse("past-end", "body.x", 8); if (size == 2) return pks_refuse(0, 0, -1); return size > 0;`)
		target, err := process.New(t.Context(), process.Options{Args: []string{build(t, row.compiler, "harness."+row.language, source, sanitized...)}})
		if err != nil {
			t.Fatal(err)
		}
		defer target.Close()
		for _, packet := range []string{"", "xxx", "x", "", "xx", "xxx"} {
			r, err := target.Send([]byte(packet), decode.FromUnknown)
			why, fields := "", ""
			if len(packet) == 1 {
				why = `reject: past-end at "body.x", bit 8`
			}
			if len(packet) == 3 {
				fields = `{"x":7}`
			}
			got := ""
			if r.Why != nil {
				got = r.Why.String()
			}
			if err != nil || got != why || string(r.Fields) != fields || (r.Outcome == oracle.Accepted) != (len(packet) == 3) {
				t.Errorf("%s: %q: %v %q %q, %v", row.compiler, packet, r.Outcome, got, r.Fields, err)
			}
		}
	}
}

func buildGo(t *testing.T, source string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go here")
	}
	return runs(t, "harness.go", source, "go", "build", "-o", "reader", "harness.go") + "/reader"
}

// refusesAll runs a harness both ways.
func refusesAll(t *testing.T, reader string) {
	t.Helper()
	ctx := context.Background()
	target, err := process.New(ctx, process.Options{Args: []string{reader}})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	single, err := process.NewSingle(ctx, process.Options{Args: []string{reader, "--once"}})
	if err != nil {
		t.Fatal(err)
	}
	defer single.Close()
	for _, packet := range []string{"", "x", strings.Repeat("long", 30000)} {
		for _, to := range []oracle.Target{target, single} {
			if r, err := to.Send([]byte(packet), decode.FromUnknown); err != nil || r.Outcome != oracle.Refused {
				t.Errorf("%d bytes: %v %s, %v", len(packet), r.Outcome, r.Report, err)
			}
		}
	}
}

// echo is a reader that does next to nothing: what is measured is the way there and back.
func echo(b *testing.B, language, compiler string) string {
	source := filledIn(b, language, "", "return size > 0 && data[0] < 128;")
	return build(b, compiler, "harness."+language, source, "-O2")
}

// The packets of a persistent C target, in batches as an audit sends them, and of a process per packet.
func BenchmarkPersistent(b *testing.B) {
	target, err := process.New(context.Background(), process.Options{Args: []string{echo(b, "c", "gcc")}})
	if err != nil {
		b.Fatal(err)
	}
	defer target.Close()
	const n = 128
	packets, from := make([][]byte, n), make([]decode.Direction, n)
	for i := range packets {
		packets[i] = make([]byte, 100)
		binary.LittleEndian.PutUint32(packets[i], uint32(i))
	}
	b.SetBytes(n * 100)
	b.ReportAllocs()
	for b.Loop() {
		if err := target.SendBatch(packets, from, func(int, oracle.Reply) bool { return true }); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)*n/b.Elapsed().Seconds(), "packets/s")
}

// judgedSchema is of a reader that does next to nothing and is right.
const judgedSchema = `protocol judged
order lsb

packet {
    kind uint8 in 0..127
    n    uint16
    at   [4]uint32
    live uint8
}
`

// The packets of a campaign against a persistent C target that makes no mistake: made, sent, answered and judged.
func BenchmarkCampaign(b *testing.B) {
	source := filledIn(b, "c", "", "return size == 20 && data[0] < 128;")
	reader := build(b, "gcc", "harness.c", source, "-O2")
	for _, workers := range []int{1, runtime.GOMAXPROCS(0)} {
		b.Run(fmt.Sprint("workers-", workers), func(b *testing.B) {
			run := fuzz.Campaign{
				Decoder: decode.New(compile(b, "judged", judgedSchema)), Seed: 1, Workers: workers, Execs: int64(b.N),
				NewTarget: func(ctx context.Context) (oracle.Target, error) {
					return process.New(ctx, process.Options{Args: []string{reader}})
				},
			}
			b.ResetTimer()
			r, err := run.Run(b.Context())
			if err != nil {
				b.Fatal(err)
			}
			for _, f := range r.Findings {
				b.Errorf("false alarm: %s: %x", f.What(), f.Packet)
			}
			b.ReportMetric(float64(r.Execs)/b.Elapsed().Seconds(), "packets/s")
		})
	}
}

// The packets that a campaign sends in the same time to a reader with a mistake and to the same reader without it.
// Each has ten seconds a round: deaths are the dearer the more there were, so a short run tells nothing.
func BenchmarkMistakes(b *testing.B) {
	source := filledIn(b, "c", `#include "readers.h"`, "return read_zoo(data, size);")
	for _, build := range []struct{ name, reader string }{
		{"gcc", build(b, "gcc", "harness.c", source, "-O2")},
		{"asan", build(b, "gcc", "harness.c", source, sanitized...)},
	} {
		for _, mistake := range []string{"count-too-wide", "enum-unchecked", "crc-not-compared", "end-check-skipped", "count-unchecked", "no-terminator-room"} {
			b.Run(build.name+"/"+mistake, func(b *testing.B) {
				a := animal(b, mistake)
				p := compile(b, a.Name, a.Schema)
				b.Setenv("ZOO_HOME", p.Schema.Name)
				run := func(mistake string) (packets int64, findings int) {
					b.Setenv("ZOO_MISTAKE", mistake)
					ctx, end := context.WithTimeout(b.Context(), 10*time.Second)
					defer end()
					c := fuzz.Campaign{
						Decoder: decode.New(p), Seed: uint64(b.N), Workers: runtime.GOMAXPROCS(0),
						NewTarget: func(ctx context.Context) (oracle.Target, error) {
							return process.New(ctx, process.Options{Args: []string{build.reader}, Patience: 500 * time.Millisecond, Memory: 600 << 20, Warm: a.Seeds[0]})
						},
					}
					for _, seed := range a.Seeds {
						c.Bases = append(c.Bases, decode.Packet{Data: seed, From: decode.FromUnknown})
					}
					r, err := c.Run(ctx)
					if err != nil {
						b.Fatal(err)
					}
					return r.Execs, len(r.Findings)
				}
				broken, mended, findings := int64(0), int64(0), 0
				for b.Loop() {
					n, _ := run("")
					m, f := run(mistake)
					mended, broken, findings = mended+n, broken+m, findings+f
				}
				b.ReportMetric(float64(broken)/float64(mended), "of-mended")
				b.ReportMetric(float64(mended)/float64(b.N), "mended/s")
				b.ReportMetric(float64(broken)/float64(b.N), "broken/s")
				b.ReportMetric(float64(findings)/float64(b.N), "findings")
			})
		}
	}
}

func BenchmarkProcessPerPacket(b *testing.B) {
	target, err := process.NewSingle(context.Background(), process.Options{Args: []string{echo(b, "c", "gcc"), "--once"}})
	if err != nil {
		b.Fatal(err)
	}
	defer target.Close()
	packet := make([]byte, 100)
	for b.Loop() {
		if _, err := target.Send(packet, decode.FromUnknown); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
}
