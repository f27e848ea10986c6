package sarif_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// Each protocol and each of its targets is a run of its own category, also where nothing was found: what is uploaded of
// one takes no other's place, and what is mended goes.
func TestCategories(t *testing.T) {
	finding := func(rule string) report.SavedFinding {
		return report.SavedFinding{Kind: "crash", Rule: rule, From: "client", Count: 1}
	}
	s := &results.Set{
		Audits: []*report.SavedAudit{
			{Header: saved.Header{Protocol: "shot", Target: "exec:./a/b"}, Findings: []report.SavedFinding{finding("x"), finding("y")}},
			{Header: saved.Header{Protocol: "shot", Target: "exec:./a-b"}},
			{Header: saved.Header{Protocol: "chat/1", Target: strings.Repeat("long", 99)}},
			{Header: saved.Header{Protocol: "chat/1", Target: strings.Repeat("long", 98)}},
		},
		Campaigns: []*report.SavedCampaign{{Header: saved.Header{Protocol: "shot", Target: "exec:./a/b"}, Findings: []report.SavedFinding{finding("z")}}},
		Findings:  []*results.Finding{{SavedFinding: finding("x"), Protocol: "other", Tool: report.KindFuzz}},
		Rejects:   []*rejects.Result{{Header: saved.Header{Protocol: "shot"}, Packets: 1, Rejected: 1, Rows: []rejects.Row{{Rule: "n", Kind: "past-end", Packets: 1}}}},
	}
	s.Trouble = []string{"a.json: cut"}
	got, _ := written(t, s)
	var ids []string
	seen := map[string]bool{}
	for _, run := range got.Runs {
		id := run.AutomationDetails.ID
		// GitHub's category is what is before the last slash.
		if !strings.HasSuffix(id, "/") || seen[id] || len(id) > 200 {
			t.Errorf("the category %q", id)
		}
		seen[id] = true
		if run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].ToolExecutionNotifications) != 1 {
			t.Errorf("%s: what could not be read is not told", id)
		}
		for _, r := range run.Results {
			if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
				t.Errorf("%s: %s is not its rule", id, r.RuleID)
			}
		}
		if len(id) < 60 {
			ids = append(ids, fmt.Sprint(id, " ", len(run.Results)))
		}
	}
	want := "pktscope/other/ 1, pktscope/shot/ 1, pktscope/shot/exec:.%2Fa-b/ 0, pktscope/shot/exec:.%2Fa%2Fb/ 3"
	if list := strings.Join(ids, ", "); list != want || len(got.Runs) != 6 {
		t.Errorf("%d runs, %s; want %s", len(got.Runs), list, want)
	}
}

// A service takes no more than 20 runs; no result is lost for that.
func TestManyRuns(t *testing.T) {
	for _, n := range []int{20, 21, 50} {
		s := &results.Set{}
		for i := range n {
			f := report.SavedFinding{Kind: "crash", Rule: "x", From: "client", Count: 1}
			s.Audits = append(s.Audits, &report.SavedAudit{Header: saved.Header{Protocol: fmt.Sprintf("p%02d", i), Target: "t"}, Findings: []report.SavedFinding{f}})
		}
		got, _ := written(t, s)
		sum := 0
		for _, run := range got.Runs {
			sum += len(run.Results)
		}
		last := got.Runs[len(got.Runs)-1].AutomationDetails.ID
		if len(got.Runs) != 20 || sum != n || (last == "pktscope//others/") != (n > 20) {
			t.Errorf("%d: %d runs with %d results, the last %s", n, len(got.Runs), sum, last)
		}
	}
}

// A crash has the reader's own line: as a related location that the message names, and its calls as a stack. What is
// below the working directory is named from there.
func TestStack(t *testing.T) {
	const root = "/home/me/src"
	stack := []fuzz.Frame{{Function: "copy"}, {Function: "Shot::read(unsigned char const*, unsigned long)", File: root + "/net/reader.hpp", Line: 9}, {Function: "handle", File: "main.cpp"}}
	f := report.SavedFinding{Kind: "crash", Rule: "count", Path: "count", Width: 8, Reject: "out-of-range", Want: "0..4", Got: "a crash", From: "client", Count: 2,
		Cause: "the reader dies in copy", Stack: stack, Place: &saved.Place{File: root + "/shot.pks", Line: 6, Column: 5}}
	s := &results.Set{Findings: []*results.Finding{{SavedFinding: f, Protocol: "shot", Target: "exec:./r", Tool: report.KindFuzz, Source: "found/x.json", Capture: "found/x.pcapng"}}}
	got, _ := written(t, s)
	r := got.Runs[0].Results[0]
	if want := "shot count, bits 0..7: crash: want 0..4, got a crash; the reader dies in copy; target exec:./r; 2 times; [the reader's line](1)"; r.Message.Text != want {
		t.Errorf("got %s\nwant %s", r.Message.Text, want)
	}
	if uri := r.Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != "shot.pks" {
		t.Errorf("the schema is %s", uri)
	}
	at := r.RelatedLocations[0]
	if p := at.PhysicalLocation; at.ID != 1 || p.ArtifactLocation.URI != "net/reader.hpp" || p.ArtifactLocation.URIBaseID != "%SRCROOT%" || p.Region.StartLine != 9 ||
		at.Message.Text != "Shot::read(unsigned char const*, unsigned long), reader.hpp:9" {
		t.Errorf("the reader's line: %+v", at)
	}
	if len(r.RelatedLocations) != 3 || r.RelatedLocations[1].ID != 2 || r.RelatedLocations[1].PhysicalLocation.ArtifactLocation.URI != "found/x.pcapng" {
		t.Errorf("related: %+v", r.RelatedLocations)
	}
	if len(r.Stacks) != 1 || len(r.Stacks[0].Frames) != 3 {
		t.Fatalf("stacks: %+v", r.Stacks)
	}
	for i, row := range []struct {
		uri  string
		line int
	}{{"", 0}, {"net/reader.hpp", 9}, {"main.cpp", 0}} {
		l := r.Stacks[0].Frames[i].Location
		if l.PhysicalLocation.ArtifactLocation.URI != row.uri || l.PhysicalLocation.Region.StartLine != row.line || l.LogicalLocations[0].FullyQualifiedName != stack[i].Function {
			t.Errorf("frame %d: %+v", i, l)
		}
	}
	// A stack without a file has no line to link to, and one that is not bounded is cut.
	f.Stack = nil
	for range 1000 {
		f.Stack = append(f.Stack, fuzz.Frame{Function: strings.Repeat("f", 5000)})
	}
	s.Findings[0].SavedFinding = f
	got, file := written(t, s)
	r = got.Runs[0].Results[0]
	if len(r.RelatedLocations) != 2 || strings.Contains(r.Message.Text, "](") || len(r.Stacks[0].Frames) != fuzz.MaxFrames || len(file) > 200_000 {
		t.Errorf("%d bytes, %d frames, %s", len(file), len(r.Stacks[0].Frames), r.Message.Text)
	}
}
