package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
)

// Readers with one mistake each on which audit was once silent or wrong: behind `gen harness`, with g++, Go and node.
func TestCases(t *testing.T) {
	const crash = `(?m)^ +crash length, bits `
	for _, row := range []struct {
		name, want string
		never      string
	}{
		{"length-div8", crash, ""},
		{"length-require", crash, ""},
		{"length-within", crash, ""},
		{"length-within-bits", crash, ""},
		{"selector-bodies", `accepted-malformed x\.a, bits 0\.\.7: want out-of-range \(want 0\.\.251 in 8 bits, got 25[2-5]\), got accept`, ""},
		{"two-crashes-js", `(?s)(readA.*readB|readB.*readA)`, `dies in boundsError`},
		{"refuses-start-with-rest", `rejected-valid`, `refuses start = 1\b`},
	} {
		t.Run(row.name, func(t *testing.T) {
			need.Job(t, need.Cases)
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "cases", row.name))); err != nil {
				t.Fatal(err)
			}
			target := "exec+persistent:node reader.js"
			if _, err := os.Stat(filepath.Join(dir, "reader.js")); err != nil {
				buildCase(t, dir)
				target = "exec+persistent:./reader"
			}
			cmd := exec.Command("pktscope", "audit", "-p", "s.pks", "--target", target)
			cmd.Dir = dir
			out, err := cmd.CombinedOutput()
			if cmd.ProcessState.ExitCode() != exitFindings || !regexp.MustCompile(row.want).Match(out) || row.never != "" && regexp.MustCompile(row.never).Match(out) {
				t.Errorf("%v: want %s, never %q, got\n%s", err, row.want, row.never, out)
			}
		})
	}
}

// buildCase puts a case's function into a harness and builds it as ./reader.
func buildCase(t *testing.T, dir string) {
	t.Helper()
	run := func(name string, args ...string) {
		cmd := exec.Command(name, args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s %q: %v\n%s", name, args, err, out)
		}
	}
	fill := func(file, function, with string) {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		reader, err := os.ReadFile(filepath.Join(dir, with))
		if err != nil {
			t.Fatal(err)
		}
		head, body, ok := strings.Cut(string(text), function)
		_, tail, ok2 := strings.Cut(body, "\n}\n")
		if !ok || !ok2 {
			t.Fatalf("%s has no %s", file, function)
		}
		if err := os.WriteFile(filepath.Join(dir, file), []byte(head+string(reader)+"\n"+tail), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "reader.cpp")); err == nil {
		run("pktscope", "gen", "harness", "--lang", "cpp", "-p", "s.pks", "-o", "harness.cpp")
		fill("harness.cpp", "static int read_packet(", "reader.cpp")
		run(need.Program(t, need.Cases, "g++"), "-std=c++17", "-w", "-g", "-O1", "-fno-omit-frame-pointer", "-fsanitize=address,undefined", "harness.cpp", "-o", "reader")
		return
	}
	run("pktscope", "gen", "harness", "--lang", "go", "-p", "s.pks", "-o", "harness.go")
	fill("harness.go", "func readPacket(", "reader.go.txt")
	run("go", "build", "-o", "reader", "harness.go")
}
