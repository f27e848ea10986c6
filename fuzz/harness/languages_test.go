package harness_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/harness"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// toFillIn is what is in a harness where its user's code goes.
var toFillIn = map[string]string{
	"c":    "    (void)data;\n    (void)size;\n    return 0;\n",
	"cpp":  "    (void)data;\n    (void)size;\n    return false;\n",
	"go":   "\t_ = packet\n\treturn false, nil\n",
	"rust": "    let _ = (packet, read);\n    Refused\n",
	"cs":   "        return Verdict.Refused;\n    }\n\n    // From here on",
}

// buildFilled builds a harness with a user's code in it.
func buildFilled(t *testing.T, language, source, body string) string {
	t.Helper()
	gap := toFillIn[language]
	if strings.Count(source, gap) != 1 {
		t.Fatalf("%s: nothing to fill in", language)
	}
	_, kept, _ := strings.Cut(gap, "}\n") // after the code
	if kept != "" {
		kept = "    }\n" + kept
	}
	source = strings.Replace(source, gap, "    "+strings.TrimSuffix(body, "\n")+"\n"+kept, 1)
	switch language {
	case "go":
		if strings.Contains(body, "strings.") {
			source = strings.Replace(source, "\t\"reflect\"\n", "\t\"reflect\"\n\t\"strings\"\n", 1)
		}
		return buildGo(t, source)
	case "rust":
		return buildRust(t, source)
	case "cs":
		return buildCS(t, source)
	}
	source = strings.Replace(source, "#include <stdint.h>\n", "#include <stdint.h>\n#include <string.h>\n", 1)
	source = strings.Replace(source, "#include <cstdint>\n", "#include <cstdint>\n#include <cstring>\n", 1)
	return build(t, map[string]string{"c": "gcc", "cpp": "g++"}[language], harness.FileName(language), source)
}

// runs writes a source into a directory and compiles it there.
func runs(t *testing.T, file, source string, compiler ...string) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, file), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(compiler[0], compiler[1:]...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", compiler, err, out)
	}
	return dir
}

func buildRust(t *testing.T, source string) string {
	t.Helper()
	need.Program(t, need.Rust, "rustc")
	return runs(t, "harness.rs", source, "rustc", "-g", "-D", "warnings", "harness.rs") + "/harness"
}

// buildCS builds with Mono's compiler. What is run is a script, as an assembly is none of the system's programs.
func buildCS(t *testing.T, source string) string {
	t.Helper()
	mono := need.Program(t, need.Mono, "mono")
	need.Program(t, need.Mono, "mcs")
	dir := runs(t, "harness.cs", source, "mcs", "-debug", "-warnaserror", "-out:harness.exe", "harness.cs")
	script := fmt.Sprintf("#!/bin/sh\nexec %s --debug %s/harness.exe \"$@\"\n", mono, dir)
	if err := os.WriteFile(dir+"/harness", []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	return dir + "/harness"
}

// What is not filled in compiles and refuses everything, for a protocol with every kind of field name.
func TestManagedHarnesses(t *testing.T) {
	for language, build := range map[string]func(*testing.T, string) string{"rust": buildRust, "cs": buildCS} {
		t.Run(language, func(t *testing.T) {
			source := harness.Source(language, compile(t, "packets", animal(t, "count-too-wide").Schema), "-p packets", harness.FileName(language))
			refusesAll(t, build(t, source))
		})
	}
}

// The other entry points compile against the shape of the packages that they are for: libfuzzer-sys, whose macro
// defines what cargo-fuzz links, and SharpFuzz.
func TestManagedFuzzTargets(t *testing.T) {
	p := compile(t, "packets", animal(t, "count-too-wide").Schema)
	t.Run("rust", func(t *testing.T) {
		need.Program(t, need.Rust, "rustc")
		const shape = `#[macro_export]
macro_rules! fuzz_target {
    (|$data:ident: &[u8]| $body:expr) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn rust_fuzzer_test_input($data: &[u8]) { $body }
    };
}
`
		lib := runs(t, "lib.rs", shape, "rustc", "--crate-type", "rlib", "--crate-name", "libfuzzer_sys", "lib.rs")
		for _, edition := range []string{"2021", "2024"} {
			runs(t, "harness.rs", harness.Source("rust", p, "-p packets", "harness.rs"), "rustc", "--edition", edition, "--cfg", "fuzzing", "--check-cfg", "cfg(fuzzing)",
				"-D", "warnings", "--extern", "libfuzzer_sys="+lib+"/liblibfuzzer_sys.rlib", "--emit", "metadata", "harness.rs")
		}
	})
	t.Run("cs", func(t *testing.T) {
		need.Program(t, need.Mono, "mcs")
		const shape = `
namespace SharpFuzz
{
    public struct Span { public byte[] ToArray() { return new byte[0]; } }
    public static class Fuzzer { public static class LibFuzzer { public static void Run(System.Action<Span> action) { } } }
}
`
		runs(t, "harness.cs", harness.Source("cs", p, "-p packets", "harness.cs")+shape, "mcs", "-define:SHARPFUZZ", "-out:harness.exe", "harness.cs")
	})
}

// twoMistakes are readers that read after their packet at two places, and print what is no answer. A byte of 9 is why.
var twoMistakes = map[string]string{
	"rust": `println!("stdout is not for readers");
    if packet.is_empty() {
        return Refused;
    }
    fn first(p: &[u8]) -> u8 {
        p[usize::from(p[0])]
    }
    fn second(p: &[u8]) -> u8 {
        p[usize::from(p[1])]
    }
    if packet[0] == 9 {
        return read.refuse("out-of-range", "first", Some(0));
    }
    read.int("first", packet[0]);
    if packet.len() > 1 {
        read.int("second", packet[1]);
    }
    let mut sum = u32::from(first(packet));
    if packet.len() > 1 {
        sum += u32::from(second(packet));
    }
    if sum > 999 { Refused } else { Accepted }`,
	"cs": `Console.WriteLine("stdout is not for readers");
        if (packet.Length == 0) return Verdict.Refused;
        if (packet[0] == 9) return read.Refuse("out-of-range", "first", 0);
        read.Int("first", packet[0]);
        if (packet.Length > 1) read.Int("second", packet[1]);
        int sum = First(packet);
        if (packet.Length > 1) sum += Second(packet);
        return sum < 0 ? Verdict.Refused : Verdict.Accepted;
    }
    static byte First(byte[] p) { return p[p[0]]; }
    static byte Second(byte[] p)
    {
        return p[p[1]];`,
}

// A panic of Rust and an exception of .NET are crashes with their places: two mistakes are two findings, with the line
// of each. Values and reasons come through.
func TestCrashesOfManagedReaders(t *testing.T) {
	p := compile(t, "two", "protocol two\norder lsb\nmax datagram 4\npacket {\n first uint8 in 0..8\n second uint8\n third uint8\n}\n")
	for language, body := range twoMistakes {
		t.Run(language, func(t *testing.T) {
			reader := buildFilled(t, language, harness.Source(language, p, "-p two", harness.FileName(language)), body)
			open := func() *process.Target {
				target, err := process.New(t.Context(), process.Options{Args: []string{reader}})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { target.Close() })
				return target
			}
			target := open()
			judge := fuzz.NewJudge(decode.New(p), false)
			var places []string
			for _, row := range []struct {
				packet string
				want   oracle.Outcome
				fields string
			}{
				{"", oracle.Refused, ""},
				{"\x00\x01\x00", oracle.Accepted, `{"first":0,"second":1}`},
				{"\x09\x01\x00", oracle.Refused, ""},
				{"\x07\x01\x00", oracle.Crashed, ""},
				{"\x06\x01\x00", oracle.Crashed, ""},
				{"\x01\x77\x00", oracle.Crashed, ""},
				{"\x01\x00\x00", oracle.Accepted, `{"first":1,"second":0}`},
			} {
				r, err := target.Send([]byte(row.packet), decode.FromUnknown)
				if err != nil || r.Outcome != row.want || string(r.Fields) != row.fields {
					t.Fatalf("%x: %v %s %s, %v", row.packet, r.Outcome, r.Fields, r.Report, err)
				}
				if says := r.Why != nil && strings.Contains(fmt.Sprint(r.Why), "first"); says != (row.packet == "\x09\x01\x00") {
					t.Errorf("%x: the reason %v", row.packet, r.Why)
				}
				for _, f := range judge.Judge(&fuzz.Mutation{Data: []byte(row.packet), Node: -1}, decode.FromUnknown, target, r) {
					if f.Kind != oracle.FoundCrash {
						continue
					}
					places = append(places, regexp.MustCompile(`\d+$`).ReplaceAllString(f.Cause, "N"))
					if len(f.Stack) == 0 || f.Stack[0].Line == 0 || !strings.HasSuffix(f.Stack[0].File, harness.FileName(language)) {
						t.Errorf("%x: the stack %v\n%s", row.packet, f.Stack, f.Report)
					}
				}
			}
			if len(places) != 3 || places[0] != places[1] {
				t.Errorf("the places %q", places)
			}
			single, err := process.NewSingle(t.Context(), process.Options{Args: []string{reader, "--once"}})
			if err != nil {
				t.Fatal(err)
			}
			defer single.Close()
			for packet, want := range map[string]oracle.Outcome{"\x00\x01\x00": oracle.Accepted, "\x09": oracle.Refused, "\x07\x01": oracle.Crashed} {
				if r, err := single.Send([]byte(packet), decode.FromUnknown); err != nil || r.Outcome != want {
					t.Errorf("%x alone: %v %s, %v", packet, r.Outcome, r.Report, err)
				}
			}
			a := fuzz.Audit{Decoder: decode.New(p), Seed: 1, Workers: 2, NewTarget: func(ctx context.Context) (oracle.Target, error) {
				return process.New(ctx, process.Options{Args: []string{reader}})
			}}
			r, err := a.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			crashes := map[string]bool{}
			for _, f := range r.Findings {
				if f.Kind == oracle.FoundCrash {
					crashes[f.Cause] = true
				}
			}
			if len(crashes) != 2 {
				t.Errorf("an audit tells %d crashes: %q", len(crashes), slices.Sorted(maps.Keys(crashes)))
			}
		})
	}
}
