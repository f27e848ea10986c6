package harness_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/mutatorgen"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// judged calls a reader of the zoo and ends the program where its verdict is not the protocol's, as the mutator's file
// has it: so a fuzzer that sees only crashes sees these mistakes, too.
const judged = `
    extern const char *pktscope_mutator_judge(const uint8_t *data, size_t size, long *bit, const char **field);
    long bit;
    const char *field, *kind;
    int accepted;
#ifdef __AFL_COMPILER
    static int calls; // AFL++'s driver begins with bytes of its own, before it counts crashes
    if (!calls++) return 0;
#endif
    accepted = read_zoo(data, size);
    const char *judge = getenv("ZOO_JUDGE");
    if (!judge || *judge == '0') return accepted;
    kind = pktscope_mutator_judge(data, size, &bit, &field);
    if (accepted != !kind) {
        fprintf(stderr, "VERDICT %s %s\n", kind ? kind : "accepted", field);
        abort();
    }
    return accepted;`

// mutated is the directory with what a fuzzer needs of an animal: target.c and mutator.c, and its seeds.
func mutated(t testing.TB, a zoo.Animal) (dir string) {
	t.Helper()
	dir = t.TempDir()
	source := strings.Replace(filledIn(t, "c", "#include <stdio.h>\n#include \"readers.h\"", judged), "#include <stddef.h>", "#include <stddef.h>\n#include <stdio.h>", 1)
	write := func(name, text string) {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("target.c", source)
	write("mutator.c", mutatorgen.Source(compile(t, a.Name, a.Schema), "-p x", "mutator.c"))
	for i, seed := range a.Seeds {
		write(fmt.Sprintf("seeds/%d", i), string(seed))
	}
	return dir
}

// libFuzzer links its target, with the mutator's functions in it or without them. The judge is in both.
func libFuzzer(t testing.TB, dir string, mutator bool) string {
	t.Helper()
	need.Program(t, need.CXX, "clang")
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	flags := []string{"-Wall", "-Wextra", "-Werror", "-g", "-O1", "-I" + testdata, "-DPKTSCOPE_LIBFUZZER", "-fsanitize=fuzzer,address,undefined"}
	name := "with"
	if !mutator {
		name, flags = "without", append(flags, "-DPKTSCOPE_MUTATOR_JUDGE_ONLY")
	}
	cmd := exec.Command("clang", append(flags, "target.c", "mutator.c", "-o", name)...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		if strings.Contains(string(out), "libclang_rt.fuzzer") {
			need.Skip(t, need.CXX, "no libFuzzer")
		}
		t.Fatalf("%v\n%.3000s", err, out)
	}
	return filepath.Join(dir, name)
}

// libFuzzer with the mutator finds mistakes after a checksum and after counts within some thousand packets, and none
// in the readers without them.
func TestMutatorLibFuzzer(t *testing.T) {
	mistakes := []string{"count-unchecked", "no-terminator-room", "count-too-wide", "enum-unchecked", "end-check-skipped", "crc-not-compared"}
	fuzzers := map[string]string{} // by schema
	for _, mistake := range mistakes[:need.Rounds(len(mistakes), 1)] {
		a := animal(t, mistake)
		fuzzer, sound := fuzzers[a.Schema], []string{}
		if fuzzer == "" {
			fuzzer, sound = libFuzzer(t, mutated(t, a), true), []string{""}
			fuzzers[a.Schema] = fuzzer
		}
		for _, made := range append(sound, mistake) {
			dir := t.TempDir()
			seeds := filepath.Join(filepath.Dir(fuzzer), "seeds")
			cmd := exec.Command(fuzzer, "-runs="+fmt.Sprint(need.Rounds(20000, 5000)), "-seed=1", "-max_len=1200", dir, seeds)
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "ZOO_JUDGE=1", "ZOO_MISTAKE="+made, "ZOO_HOME="+compile(t, a.Name, a.Schema).Schema.Name)
			out, err := cmd.CombinedOutput()
			if (err != nil) != (made != "") {
				t.Errorf("%s, mistake %q: %v\n%.3000s", mistake, made, err, out)
			}
			if made != "" && !strings.Contains(string(out), "AddressSanitizer: stack-buffer-overflow") && !strings.Contains(string(out), "VERDICT "+a.Rule.String()) {
				t.Errorf("%s: it ended otherwise\n%.3000s", mistake, out)
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			t.Logf("%s, mistake %q: %v; %s", mistake, made, err, lines[len(lines)-1])
		}
	}
}

// AFL++ loads the mutator as a shared library and finds the same mistakes with it.
func TestMutatorAFL(t *testing.T) {
	fuzz := need.Program(t, need.AFL, "afl-fuzz")
	mistakes := []string{"count-too-wide", "count-unchecked", "no-terminator-room"}
	for _, mistake := range mistakes[:need.Rounds(len(mistakes), 1)] {
		a := animal(t, mistake)
		dir := mutated(t, a)
		compileAFL(t, dir)
		for _, made := range []string{"", mistake} {
			cmd := exec.Command(fuzz, "-i", "seeds", "-o", "out"+made, "-E", fmt.Sprint(need.Rounds(10000, 2000)), "-V", "60", "-s", "1", "-m", "none", "-t", "5000", "--", "./afl")
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), "AFL_NO_UI=1", "AFL_NO_COLOR=1", "AFL_SKIP_CPUFREQ=1", "AFL_NO_AFFINITY=1", "AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1", "AFL_BENCH_UNTIL_CRASH=1",
				"AFL_CUSTOM_MUTATOR_LIBRARY="+filepath.Join(dir, "mutator.so"), "ZOO_JUDGE=1", "ZOO_MISTAKE="+made, "ZOO_HOME="+compile(t, a.Name, a.Schema).Schema.Name)
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("%s, mistake %q: %v\n%.4000s", mistake, made, err, out)
			}
			crashes, err := filepath.Glob(filepath.Join(dir, "out"+made, "default", "crashes", "id:*"))
			if err != nil || (len(crashes) > 0) != (made != "") {
				t.Errorf("%s, mistake %q: crashes %q, %v\n%.4000s", mistake, made, crashes, err, out)
			}
			ours, err := filepath.Glob(filepath.Join(dir, "out"+made, "default", "queue", "*mutator.so*"))
			if err != nil || made == "" && len(ours) == 0 {
				t.Errorf("%s: AFL++ kept no packet that the mutator made, %v\n%.4000s", mistake, err, out)
			}
			t.Logf("%s, mistake %q: %q; %d packets kept that the mutator made", mistake, made, crashes, len(ours))
		}
	}
}

// compileAFL makes the target and the mutator that AFL++ takes.
func compileAFL(t testing.TB, dir string) {
	t.Helper()
	testdata, err := filepath.Abs("testdata")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range [][]string{
		{need.Program(t, need.AFL, "afl-clang-fast"), "-g", "-O1", "-I" + testdata, "-DPKTSCOPE_LIBFUZZER", "-DPKTSCOPE_MUTATOR_JUDGE_ONLY", "-fsanitize=fuzzer,address", "target.c", "mutator.c", "-o", "afl"},
		{need.Program(t, need.AFL, "clang"), "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-std=c99", "-O2", "-shared", "-fPIC", "mutator.c", "-o", "mutator.so"},
	} {
		cmd := exec.Command(line[0], line[1:]...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%.3000s", line, err, out)
		}
	}
}
