package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/markdown"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

func written(t *testing.T, s *results.Set) string {
	t.Helper()
	var out, again strings.Builder
	if err := markdown.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	if err := markdown.Write(&again, s); err != nil || out.String() != again.String() {
		t.Error("it is another each time")
	}
	return out.String()
}

func TestWrite(t *testing.T) {
	if got := written(t, &results.Set{}); got != "## pktscope: no problem\n\n" {
		t.Errorf("nothing is %q", got)
	}
	f := report.SavedFinding{Kind: "crash", Rule: "n", Path: "n", Bit: 8, Width: 4, Want: "accept", Got: "a crash", From: "client", Count: 2, Replay: "pktscope audit -p t.pks --hex ca",
		Place: &saved.Place{File: "t.pks", Line: 3, Column: 5}}
	dies := f
	dies.Cause = "the reader dies in copy, reader.c:14"
	s := &results.Set{
		Audits:   []*report.SavedAudit{{Header: saved.Header{Protocol: "t", Target: "builtin"}, Hostile: 135699, Refused: 135690, Valid: 469, Accepted: 469, Findings: []report.SavedFinding{f}, Partial: true}},
		Findings: []*results.Finding{{SavedFinding: dies, Protocol: "u", Tool: report.KindFuzz}},
		Rejects: []*rejects.Result{{Header: saved.Header{Protocol: "t"}, Packets: 1800, Rejected: 34, Files: []rejects.File{{File: "a.pcap", Packets: 1800, Rejected: 34}},
			Rows: []rejects.Row{{Rule: "n", Kind: "past-end", Packets: 34, First: rejects.Example{File: "a.pcap", N: 7, Message: "want 8 bits, got 3 left"}}}}},
	}
	want := "## pktscope: 2 errors, 1 warning\n\n" +
		"- audit of `t`, target `builtin`: 135,690 of 135,699 hostile packets refused, 469 of 469 valid packets accepted; 1 finding, **ended early**\n" +
		"- 1 finding in files\n" +
		"- captures of `t`: 1,800 packets in 1 file, 34 refused\n" +
		"\n### Problems\n\n" +
		"1. **crash** in `t`, target `builtin`, `n, bits 8..11`: `want accept, got a crash`, stated in `t.pks:3` (2 packets)\n" +
		"   again: `pktscope audit -p t.pks --hex ca`\n" +
		"2. **crash** in `u`, `n, bits 8..11`: `want accept, got a crash; the reader dies in copy, reader.c:14`, stated in `t.pks:3` (2 packets)\n" +
		"   again: `pktscope audit -p t.pks --hex ca`\n" +
		"3. **past-end** refused in `t`, `n`: `want 8 bits, got 3 left`, first in record 7 of `a.pcap` (34 packets)\n"
	if got := written(t, s); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// outside is a line without its code spans, found as CommonMark finds them (6.1): a run of backticks ends at the next
// run of the same length.
func outside(line string) string {
	var b strings.Builder
	for i := 0; i < len(line); {
		if line[i] != '`' {
			b.WriteByte(line[i])
			i++
			continue
		}
		n := run(line[i:])
		end := -1
		for j := i + n; j < len(line); {
			if line[j] != '`' {
				j++
				continue
			}
			m := run(line[j:])
			if m == n {
				end = j + m
				break
			}
			j += m
		}
		if end < 0 {
			b.WriteString(line[i : i+n])
			i += n
			continue
		}
		i = end
	}
	return b.String()
}

func run(s string) int { return len(s) - len(strings.TrimLeft(s, "`")) }

// Nothing of a hostile text is outside of a code span, on a line of its own, or there for a terminal.
func TestHostile(t *testing.T) {
	for _, hostile := range []string{
		"EVIL<script>alert(1)</script>", "EVIL\n\n# EVIL\n- [ ] EVIL", "`EVIL`", "``` EVIL", "`` `EVIL", "EVIL` `` ```", "`", " `", "` ", " ", "  EVIL  ", "EVIL\\`EVIL\\",
		"@EVIL #1 owner/repo#1 http://EVIL www.EVIL.com <http://EVIL>", "[EVIL](javascript:EVIL)", "![EVIL](http://EVIL)", "\u202eEVIL\x1b[2J\x00\xff", "| EVIL | EVIL |", "$$EVIL$$ :EVIL: &lt;EVIL",
		strings.Repeat("`EVIL", 1000), strings.Repeat("`", 1000) + "EVIL",
	} {
		f := report.SavedFinding{Kind: "crash", Rule: hostile, Path: hostile, Want: hostile, Got: hostile, Cause: hostile, Report: hostile, From: "client", Replay: hostile,
			Place: &saved.Place{File: hostile, Line: 1, Column: 1}}
		s := &results.Set{
			Audits:    []*report.SavedAudit{{Header: saved.Header{Protocol: hostile, Target: hostile}, Findings: []report.SavedFinding{f}}},
			Campaigns: []*report.SavedCampaign{{Header: saved.Header{Protocol: hostile, Target: hostile}}},
			Rejects: []*rejects.Result{{Header: saved.Header{Protocol: hostile}, Rejected: 1, Rows: []rejects.Row{{Rule: hostile, Kind: "past-end", Packets: 1,
				First: rejects.Example{File: hostile, N: 1, Message: hostile}}}}},
		}
		s.Trouble = []string{hostile}
		got := written(t, s)
		for line := range strings.Lines(got) {
			rest := strings.TrimSuffix(outside(line), "\n")
			if strings.ContainsAny(rest, "`<>@[]|$\\\x1b\u202e") || strings.Contains(rest, "EVIL") {
				t.Errorf("%q: outside of code is %q", hostile, rest)
			}
		}
		if n := strings.Count(got, "\n"); n != 12 && n != 13 { // with or without the command
			t.Errorf("%q: %d lines:\n%s", hostile, n, got)
		}
	}
}

// The summary of a thousand problems, each as long as can be, fits into a comment.
func TestFits(t *testing.T) {
	s := &results.Set{}
	for i := range 1000 {
		long := fmt.Sprint(i) + strings.Repeat("`x", 10000)
		f := report.SavedFinding{Kind: "accepted-malformed", Rule: long, Path: long, Want: long, Cause: long, From: "client", Replay: strings.Repeat("r", 300), Place: &saved.Place{File: long, Line: 1, Column: 1}}
		s.Findings = append(s.Findings, &results.Finding{SavedFinding: f, Protocol: long})
		s.Campaigns = append(s.Campaigns, &report.SavedCampaign{Header: saved.Header{Protocol: long, Target: long}})
	}
	got := written(t, s)
	if len(got) > 60000 || !strings.Contains(got, "\n990 more are left out here.\n") || !strings.Contains(got, "- and 981 more\n") {
		t.Errorf("%d bytes: %.3000s", len(got), got)
	}
}
