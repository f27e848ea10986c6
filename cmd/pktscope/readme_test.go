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
	"github.com/pktscope/pktscope/decode/schema/syntax"
)

// The README's example protocol is one: no error, no warning, and written as `schema fmt` writes it.
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
	if formatted, _ := syntax.Format("README.md", []byte("protocol mygame\n"+src)); string(formatted) != "protocol mygame\n"+src {
		t.Errorf("schema fmt writes\n%s", formatted)
	}
	if p, diags := plan.Compile(s); p == nil || len(diags) > 0 {
		t.Errorf("%v", diags)
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

// The README's gallery is what `protocols --table` prints.
func TestReadmeGallery(t *testing.T) {
	text, err := os.ReadFile("../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("pktscope", "protocols", "--table").Output()
	if err != nil || !strings.Contains(string(text), "\n\n"+string(out)+"\n") {
		t.Errorf("%v: the README's gallery is not\n%s", err, out)
	}
}
