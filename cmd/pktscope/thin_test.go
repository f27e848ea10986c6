package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A command is its flags, its help and a call of what does the work, which a Go program can import. So what this
// package has for each command is bounded: a bound of the whole would stop the next command, and one of each file would
// let files split. Both numbers go down, and never up: 258 lines a command are 8,000 for 31.
const (
	linesPerCommand = 258
	linesPerFile    = 360
)

func TestCommandsAreThin(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	lines := 0
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_other.go") {
			continue // tests, and the few lines for other systems
		}
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		n := bytes.Count(text, []byte("\n"))
		if n > linesPerFile {
			t.Errorf("%s: want at most %d lines, got %d: what a Go program may want goes to its package", name, linesPerFile, n)
		}
		lines += n
	}
	commands := 0
	var count func(*cobra.Command)
	count = func(cmd *cobra.Command) {
		if len(cmd.Commands()) == 0 && !isTopic(cmd) {
			commands++
		}
		for _, c := range cmd.Commands() {
			count(c)
		}
	}
	count(newRoot(&program{}))
	if most := linesPerCommand * commands; lines > most {
		t.Errorf("want at most %d lines for %d commands, got %d", most, commands, lines)
	}
	t.Logf("%d lines, %d commands: %d each", lines, commands, lines/max(commands, 1))
}
