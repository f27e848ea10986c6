package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
)

// The README's example protocol is one: no error, no warning.
func TestReadmeProtocol(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, src, ok := strings.Cut(string(text), "```\nprotocol mygame\n")
	src, _, ok2 := strings.Cut(src, "```\n")
	if !ok || !ok2 {
		t.Fatal("the README has no protocol mygame")
	}
	s, diags := schema.Load("README.md", []byte("protocol mygame\n"+src), nil)
	if s == nil || len(diags) > 0 {
		t.Fatalf("%v", diags)
	}
	if p, diags := plan.Compile(s); p == nil || len(diags) > 0 {
		t.Errorf("%v", diags)
	}
}

// The README's GitHub Action does what its steps say: they run one after the other on the reader of the README, the
// campaign for 2000 packets, and the last one fails, because that reader dies of a packet.
func TestReadmeAction(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the reader with sanitizers, audits and fuzzes it; TestReadmeReader stays")
	}
	for _, tool := range []string{"g++", "sh", "sed"} {
		need.Program(t, need.CXX, tool)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	_, action, ok := strings.Cut(string(text), "```yaml\n")
	action, _, ok2 := strings.Cut(action, "```\n")
	if !ok || !ok2 || strings.Contains(action, "\t") {
		t.Fatal("the README has no action, or one with tabs, which YAML does not have")
	}
	var steps []string
	for line := range strings.Lines(action) {
		_, run, ok := strings.Cut(line, "run: ")
		if ok && !strings.HasPrefix(run, "go install") {
			steps = append(steps, strings.Replace(run, "--duration 30m", "-n 2000", 1))
		}
	}
	if len(steps) != 7 {
		t.Fatalf("want 7 steps, got %q", steps)
	}
	dir := t.TempDir()
	blocks := readmeReader(t, string(text), dir)
	last := steps[len(steps)-1]
	script := strings.Join(strings.Split(strings.TrimSpace(blocks[5]), "\n")[:2], "\n") + "\n" + strings.Join(steps[:len(steps)-1], "")
	cmd := exec.Command("sh", "-e")
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(script), append(os.Environ(), "GITHUB_STEP_SUMMARY=summary.md")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	summary, err := os.ReadFile(filepath.Join(dir, "summary.md"))
	if err != nil || !strings.Contains(string(summary), "**crash** in `shot`, target `exec+persistent:./harness`, `count, bits 0..7`") || !strings.Contains(string(summary), "\n- fuzz of `shot`") {
		t.Errorf("%v\n%s", err, summary)
	}
	sarif, err := os.ReadFile(filepath.Join(dir, "pktscope.sarif"))
	for _, want := range []string{`"uri": "shot.pks"`, `"uri": "reader.hpp"`, `"id": "pktscope/shot/exec+persistent:.%2Fharness/"`} {
		if err != nil || !strings.Contains(string(sarif), want) {
			t.Errorf("%v, no %s\n%.2000s", err, want, sarif)
		}
	}
	cmd = exec.Command("sh", "-e", "-c", last)
	cmd.Dir = dir
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitFindings || strings.Count(string(out), "::error") != 1 || !strings.HasPrefix(string(out), "::error file=shot.pks,line=7,") {
		t.Errorf("%v\n%s", err, out)
	}
}

// readmeReader writes the files of the README's reader to a directory, and gives the blocks of that section, at odd
// indexes.
func readmeReader(t *testing.T, text, dir string) []string {
	t.Helper()
	_, section, _ := strings.Cut(text, "## Your own reader\n")
	section, _, _ = strings.Cut(section, "\n## ")
	blocks := strings.Split(section, "```")
	if len(blocks) != 11 {
		t.Fatalf("want five blocks, got %d", len(blocks)/2)
	}
	for name, block := range map[string]string{"reader.hpp": strings.TrimPrefix(blocks[1], "cpp"), "shot.pks": blocks[3]} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return blocks
}

// What the README says of a reader of one's own works as it is written: its files, its commands, its finding.
func TestReadmeReader(t *testing.T) {
	for _, tool := range []string{"g++", "sh", "sed"} {
		need.Program(t, need.CXX, tool)
	}
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	blocks := readmeReader(t, string(text), dir)
	cmd := exec.Command("sh", "-e")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(blocks[5])
	out, err := cmd.CombinedOutput()
	if exit, ok := err.(*exec.ExitError); !ok || exit.ExitCode() != exitFindings {
		t.Fatalf("%v\n%s", err, out)
	}
	if want := strings.Trim(blocks[7], "\n"); !strings.Contains(string(out), want) {
		t.Errorf("want %q in\n%s", want, out)
	}
	// The server is not here, and nothing else is wrong with its line.
	cmd = exec.Command("sh", "-e")
	cmd.Dir, cmd.Stdin = dir, strings.NewReader(blocks[9])
	out, _ = cmd.CombinedOutput()
	if !strings.Contains(string(out), "pktscope: server ./r-type_server: no such file or directory\n") {
		t.Errorf("got %s", out)
	}
}
