package main

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

// Every command says what it does and shows how.
func TestEveryCommandHasExamples(t *testing.T) {
	p := &program{stdin: strings.NewReader(""), stdout: os.Stdout, stderr: os.Stderr}
	p.out = newOutput(os.Stdout)
	commands := 0
	var check func(cmd *cobra.Command)
	check = func(cmd *cobra.Command) {
		commands++
		if !isTopic(cmd) && !strings.Contains(cmd.Example, cmd.CommandPath()) {
			t.Errorf("%s: no example", cmd.CommandPath())
		}
		if cmd.Short == "" || strings.HasSuffix(cmd.Short, ".") {
			t.Errorf("%s: short help %q", cmd.CommandPath(), cmd.Short)
		}
		for _, line := range strings.Split(cmd.Example, "\n") {
			if cmd.Example != "" && !strings.HasPrefix(line, "  ") {
				t.Errorf("%s: example %q is not indented", cmd.CommandPath(), line)
			}
		}
		for _, line := range strings.Split(cmd.Long, "\n") {
			if n := utf8.RuneCountInString(line); n > 120 && !isTopic(cmd) {
				t.Errorf("%s: a line of %d cells, which breaks in a terminal: %q", cmd.CommandPath(), n, line)
			}
		}
		for _, c := range cmd.Commands() {
			check(c)
		}
	}
	check(newRoot(p))
	if commands < 15 {
		t.Errorf("only %d commands", commands)
	}
}
