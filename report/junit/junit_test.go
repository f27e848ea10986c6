package junit_test

import (
	"bytes"
	"encoding/xml"
	"io"
	"strings"
	"testing"

	parser "github.com/joshdk/go-junit"

	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/junit"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// written is a file as another program's parser reads it. Each is well-formed and the same twice.
func written(t *testing.T, s *results.Set) ([]parser.Suite, string) {
	t.Helper()
	var out, again bytes.Buffer
	if err := junit.Write(&out, s); err != nil {
		t.Fatal(err)
	}
	if err := junit.Write(&again, s); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("it is another each time")
	}
	for d := xml.NewDecoder(bytes.NewReader(out.Bytes())); ; {
		if _, err := d.Token(); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("%v in %s", err, out.Bytes())
		}
	}
	suites, err := parser.Ingest(out.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return suites, out.String()
}

func TestEmpty(t *testing.T) {
	if suites, _ := written(t, &results.Set{}); len(suites) != 0 {
		t.Errorf("got %+v", suites)
	}
}

func finding(rule, kind, rejects string) report.SavedFinding {
	return report.SavedFinding{Kind: kind, Rule: rule, Reject: rejects, Path: "p." + rule, Bit: 8, Width: 4, Want: "0..4", Got: "accept", From: "client", Bytes: 1, Packet: "ca",
		Count: 2, Replay: "pktscope audit --hex ca", Place: &saved.Place{File: "t.pks", Line: 3, Column: 5}}
}

func all() *results.Set {
	return &results.Set{
		Audits: []*report.SavedAudit{{Header: saved.Header{Protocol: "t", Target: "builtin"}, Partial: true, Rules: []report.SavedRule{
			{Rule: "n", Kind: "valid", Tried: 4, Right: 4},
			{Rule: "n", Kind: "out-of-range", Tried: 4, Right: 2},
			{Rule: "n", Kind: "past-end", Tried: 3, Right: 1},
		}, Findings: []report.SavedFinding{finding("n", "accepted-malformed", "out-of-range"), finding("elsewhere", "wrong-value", "")}}},
		Campaigns: []*report.SavedCampaign{{Header: saved.Header{Protocol: "t", Target: "builtin"}, Rules: []report.SavedReach{{Rule: "n", Reached: 2, Of: 2}, {Rule: "m", Of: 3}, {Rule: "o", Reached: 1, Of: 1}},
			Findings: []report.SavedFinding{finding("o", "crash", ""), finding("z", "hang", "")}}},
		Findings: []*results.Finding{{SavedFinding: finding("q", "crash", ""), Protocol: "u", Tool: report.KindFuzz, Source: "found/q.json"}},
		Rejects: []*rejects.Result{{Header: saved.Header{Protocol: "t"}, Packets: 9, Rejected: 3, Files: []rejects.File{{File: "a.pcap", Packets: 4}, {File: "b.pcap", Packets: 5, Rejected: 3}},
			Rows: []rejects.Row{{Rule: "n", Kind: "past-end", Packets: 3, First: rejects.Example{File: "b.pcap", N: 7, Path: "n", Message: "want 8 bits, got 3 left"}}}}},
	}
}

func TestCases(t *testing.T) {
	suites, text := written(t, all())
	type outcome struct {
		status  parser.Status
		message string // part of it
	}
	want := map[string]map[string]outcome{
		"audit of t, target builtin": {
			"n: valid": {parser.StatusPassed, ""}, "n: out-of-range": {parser.StatusFailed, "accepted-malformed: p.n, bits 8..11: want 0..4, got accept"},
			"n: past-end": {parser.StatusFailed, "2 of 3 answers are wrong"}, "elsewhere: wrong-value": {parser.StatusFailed, "wrong-value: p.elsewhere"},
			"complete": {parser.StatusError, "the audit ended early"},
		},
		"fuzz of t, target builtin": {
			"n": {parser.StatusPassed, ""}, "m": {parser.StatusSkipped, "none of 3 ways to break it was met"}, "o": {parser.StatusFailed, "crash: p.o"},
			"z: hang": {parser.StatusFailed, "hang: p.z"},
		},
		"findings":      {"q: crash": {parser.StatusFailed, "crash: p.q"}},
		"captures of t": {"a.pcap": {parser.StatusPassed, ""}, "b.pcap": {parser.StatusFailed, "3 of 5 packets refused"}},
	}
	if len(suites) != len(want) {
		t.Errorf("%d suites, want %d", len(suites), len(want))
	}
	for _, s := range suites {
		cases := want[s.Name]
		if len(s.Tests) != len(cases) {
			t.Errorf("%s: %d cases, want %d", s.Name, len(s.Tests), len(cases))
		}
		for _, c := range s.Tests {
			w, ok := cases[c.Name]
			said := ""
			if c.Status == parser.StatusSkipped || c.Error != nil {
				said = c.Message
			}
			if e, ok := c.Error.(parser.Error); ok {
				said = e.Message
			}
			if !ok || c.Status != w.status || !strings.Contains(said, w.message) {
				t.Errorf("%s: %s: %s %q, want %s %q", s.Name, c.Name, c.Status, said, w.status, w.message)
			}
		}
	}
	for _, want := range []string{
		`<testsuites name="pktscope" tests="12" failures="7" errors="1">`,
		`<testsuite name="audit of t, target builtin" tests="5" failures="3" errors="1" skipped="0" time="0">`,
		"  stated in t.pks:3:5", "  packet: ca", "  again: pktscope audit --hex ca", "  the first: record 7 of b.pcap", "  in found/q.json",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
}

// hostile is what may be in any text.
const hostile = "]]><script>alert(1)</script>&amp;<!--\"' \u202e\x1b[2J\x00\x08\ufffe\xff=1+1 ::error::x\n`@all`%0A\\"

func TestHostile(t *testing.T) {
	f := finding(hostile, "crash", "")
	f.Path, f.Want, f.Got, f.Replay, f.Place.File = hostile, hostile, hostile, hostile, hostile
	s := &results.Set{
		Audits: []*report.SavedAudit{{Header: saved.Header{Protocol: hostile, Target: hostile}, Rules: []report.SavedRule{{Rule: hostile, Kind: "valid", Tried: 1}},
			Findings: []report.SavedFinding{f}}},
		Campaigns: []*report.SavedCampaign{{Header: saved.Header{Protocol: hostile, Target: hostile}, Rules: []report.SavedReach{{Rule: hostile, Of: 1}}}},
		Findings:  []*results.Finding{{SavedFinding: f, Protocol: hostile, Tool: report.KindFuzz, Source: hostile}},
		Rejects: []*rejects.Result{{Header: saved.Header{Protocol: hostile}, Packets: 1, Rejected: 1, Files: []rejects.File{{File: hostile, Packets: 1, Rejected: 1}},
			Rows: []rejects.Row{{Rule: hostile, Kind: "past-end", Packets: 1, First: rejects.Example{File: hostile, Message: hostile}}}}},
	}
	s.Trouble = []string{hostile}
	suites, text := written(t, s)
	if len(suites) != 5 {
		t.Errorf("%d suites", len(suites))
	}
	for _, r := range text {
		if r < ' ' && r != '\n' || r == '\u202e' || r == '\ufffd' || r == '\ufffe' {
			t.Fatalf("%q in\n%s", r, text)
		}
	}
	for _, bad := range []string{"<script", "]]>", "<!--"} {
		if strings.Contains(text, bad) {
			t.Errorf("%s in\n%s", bad, text)
		}
	}
}

// A case of thousands of problems shows some of them.
func TestMany(t *testing.T) {
	s := &results.Set{Rejects: []*rejects.Result{{Header: saved.Header{Protocol: "t"}, Packets: 300, Rejected: 300, Files: []rejects.File{{File: "a.pcap", Packets: 300, Rejected: 300}}}}}
	for i := range 300 {
		s.Rejects[0].Rows = append(s.Rejects[0].Rows, rejects.Row{Rule: "n" + strings.Repeat("m", i), Kind: "past-end", Packets: 1, First: rejects.Example{File: "a.pcap", N: 1}})
	}
	_, text := written(t, s)
	if !strings.Contains(text, "and 280 more") || strings.Count(text, "packets: 1") != 20 {
		t.Errorf("%d problems are shown", strings.Count(text, "packets: 1"))
	}
}
