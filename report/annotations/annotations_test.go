package annotations_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/annotations"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

func written(t *testing.T, s *results.Set) string {
	t.Helper()
	var out, again strings.Builder
	if err := annotations.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	if err := annotations.Write(&again, s); err != nil || out.String() != again.String() {
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
