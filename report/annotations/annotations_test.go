package annotations_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

func written(t *testing.T, s *results.Set) string {
	t.Helper()
	var out, again strings.Builder
	if err := annotations.Write(&out, s, "/home/a/game"); err != nil {
		t.Fatal(err)
	}
	if err := annotations.Write(&again, s, "/home/a/game"); err != nil || out.String() != again.String() {
		t.Error("it is another each time")
	}
	return out.String()
}

func found(f report.SavedFinding) *results.Set {
	return &results.Set{Findings: []*results.Finding{{SavedFinding: f, Protocol: "t", Target: "builtin", Tool: report.KindFuzz}}}
}

func TestWrite(t *testing.T) {
	f := report.SavedFinding{Kind: "crash", Rule: "n", Path: "n", Bit: 8, Width: 4, Want: "accept", Got: "a crash", From: "client", Count: 2,
		Place: &saved.Place{File: "my, game:1.pks", Line: 3, Column: 5}}
	rejects := &rejects.Result{Header: saved.Header{Protocol: "t"}, Rejected: 1, Rows: []rejects.Row{{Rule: "n", Kind: "past-end", Packets: 1, First: rejects.Example{File: "100%.pcap", N: 7, Message: "want 8 bits, got 3 left"}}}}
	s := found(f)
	s.Rejects = append(s.Rejects, rejects)
	want := "::error file=my%2C game%3A1.pks,line=3,col=5,title=pktscope t%3A crash::n, bits 8..11: want accept, got a crash; target builtin; packets: 2\n" +
		"::warning title=pktscope t%3A refused%2C past-end::n: want 8 bits, got 3 left; first in record 7 of 100%25.pcap; packets: 1\n"
	if got := written(t, s); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got := written(t, &results.Set{}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}

// A crash is shown at the reader's line, if that is below the directory of the run; else the message names it.
func TestReadersLine(t *testing.T) {
	at := &saved.Place{File: "my.pks", Line: 3, Column: 5}
	const head, tail = "title=pktscope t%3A crash::n, bits 8..11: want accept, got a crash; ", "target builtin; packets: 2\n"
	for _, row := range []struct {
		stack []fuzz.Frame
		place *saved.Place
		want  string
	}{
		{[]fuzz.Frame{{Function: "memcpy"}, {Function: "read", File: "/home/a/game/net/reader.hpp", Line: 9}, {File: "/home/a/game/main.cpp", Line: 2}}, at, "file=net/reader.hpp,line=9," + head + "the rule is in my.pks:3; "},
		{[]fuzz.Frame{{Function: "read", File: "/home/a/game/net/../reader.hpp", Line: 9}}, nil, "file=reader.hpp,line=9," + head},
		{[]fuzz.Frame{{Function: "read", File: "/home/a/game2/reader.hpp", Line: 9}}, at, "file=my.pks,line=3,col=5," + head + "the reader's line: read, reader.hpp:9; "},
		{[]fuzz.Frame{{Function: "read", File: "/home/a/game/../../x:1,2", Line: 9}}, at, "file=my.pks,line=3,col=5," + head + "the reader's line: read, x:1,2:9; "},
		{[]fuzz.Frame{{File: "/usr/include/c++/12/array", Line: 200}, {Function: "read", File: "src/reader.hpp", Line: 9}}, nil, "file=src/reader.hpp,line=9," + head},
		{[]fuzz.Frame{{Function: "read", File: "../reader.hpp", Line: 9}}, at, "file=my.pks,line=3,col=5," + head + "the reader's line: read, reader.hpp:9; "},
		{[]fuzz.Frame{{File: "/home/a/game/a:b,c.hpp", Line: 9}}, nil, "file=a%3Ab%2Cc.hpp,line=9," + head},
		{[]fuzz.Frame{{Function: "read"}}, at, "file=my.pks,line=3,col=5," + head},
	} {
		f := report.SavedFinding{Kind: "crash", Rule: "n", Path: "n", Bit: 8, Width: 4, Want: "accept", Got: "a crash", From: "client", Count: 2, Place: row.place, Stack: row.stack}
		if got := written(t, found(f)); got != "::error "+row.want+tail {
			t.Errorf("got  %swant ::error %s%s", got, row.want, tail)
		}
	}
}

func TestMost(t *testing.T) {
	s := &results.Set{}
	for i := range 13 {
		s.Findings = append(s.Findings, &results.Finding{SavedFinding: report.SavedFinding{Kind: "crash", Rule: fmt.Sprint(i), From: "client"}, Protocol: "t"})
	}
	got := written(t, s)
	if n := strings.Count(got, "::error "); n != annotations.Most || !strings.HasSuffix(got, "\n3 more errors are not shown\n") {
		t.Errorf("%d errors:\n%s", n, got)
	}
}

// The only commands are those that are meant, one a line, whatever the texts are.
func TestHostile(t *testing.T) {
	const hostile = "a\n::error::x\r\n::set-output name=a::b\u2028::stop-commands::x,line=9::%0A##[error]x <script> \u202e\x1b[2J\xff"
	f := report.SavedFinding{Kind: "crash", Rule: hostile, Path: hostile, Want: hostile, Got: hostile, From: "client", Place: &saved.Place{File: hostile, Line: 1, Column: 1}}
	s := found(f)
	s.Findings[0].Protocol, s.Findings[0].Target = hostile, hostile
	s.Rejects = append(s.Rejects, &rejects.Result{Header: saved.Header{Protocol: hostile, Schema: &saved.SchemaRef{File: hostile}}, Rejected: 1,
		Rows: []rejects.Row{{Rule: hostile, Kind: "past-end", Packets: 1, First: rejects.Example{File: hostile, N: 1, Message: hostile}}}})
	s.Trouble = []string{hostile}
	got := written(t, s)
	// A command is split at its first blank and at the first :: after that.
	command := regexp.MustCompile(`^::(error|warning) (file=[^:,]*,(line=1,col=1,)?)?title=[^:,]*::[^\r\n]*$`)
	lines := strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	if len(lines) != 3 {
		t.Errorf("%d lines:\n%s", len(lines), got)
	}
	for _, line := range lines {
		if !command.MatchString(line) {
			t.Errorf("no command of ours: %q", line)
		}
	}
	if i := strings.IndexAny(got, "\x1b\u202e\u2028\r"); i >= 0 {
		t.Errorf("a control character at %d of %q", i, got)
	}
}
