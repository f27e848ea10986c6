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

func TestRoff(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"a request", ".TH x", `\&.TH x`},
		{"a request on the next line", "a\n'b", "a\n\\&\\(aqb"},
		{"no request inside a line", "a.b", "a.b"},
		{"a backslash", `\fB`, `\efB`},
		{"hyphens stay hyphens", "-q --quiet", `\-q \-\-quiet`},
		{"quotes and accents", "\"`^~'", `\(dq\(ga\(ha\(ti\(aq`},
		{"beyond ASCII", "‹→😀", `\[u2039]\[u2192]\[u1F600]`},
	} {
		if got := roff(row.text); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}

func TestManText(t *testing.T) {
	for _, row := range []struct{ name, text, want string }{
		{"paragraphs are filled", "a\nb\n\nc", ".PP\na\nb\n.PP\nc\n"},
		{"columns are not", "a:\n  b  c", ".PP\n.nf\na:\n  b  c\n.fi\n"},
		{"a list", "- a\n- b", ".PP\n.nf\n\\- a\n\\- b\n.fi\n"},
		{"a fence with an empty line", "```\na\n\n.b\n```\nc", ".PP\n.nf\na\n\n\\&.b\n.fi\n.PP\nc\n"},
		{"a fence that is not closed", "```\na", ".PP\n.nf\na\n.fi\n"},
		{"Markdown is text", "<b> a.__x__ [*]", ".PP\n<b> a.__x__ [*]\n"},
	} {
		var page manPage
		page.text(row.text)
		if got := string(page.b); got != row.want {
			t.Errorf("%s: want %q, got %q", row.name, row.want, got)
		}
	}
}
