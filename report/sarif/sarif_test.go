package sarif_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/sarif"
	"github.com/pktscope/pktscope/report/saved"
)

// published is the published schema.
var published = sync.OnceValues(func() (*jsonschema.Schema, error) {
	f, err := os.Open("testdata/sarif-schema-2.1.0.json")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	doc, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("sarif.json", doc); err != nil {
		return nil, err
	}
	return c.Compile("sarif.json")
})

// validate holds a file against the published schema.
func validate(file []byte) error {
	compiled, err := published()
	if err != nil {
		return err
	}
	got, err := jsonschema.UnmarshalJSON(bytes.NewReader(file))
	if err != nil {
		return err
	}
	return compiled.Validate(got)
}

// The schema that files are held against refuses.
func TestValidate(t *testing.T) {
	for _, file := range []string{`{}`, `{"version":"2.1.0"}`, `{"version":"2.0.0","runs":[]}`, `{"version":"2.1.0","runs":[{}]}`, `{"version":"2.1.0","runs":[],"more":1}`} {
		if err := validate([]byte(file)); err == nil {
			t.Errorf("%s is valid", file)
		}
	}
}

type shown struct {
	Version string
	Runs    []struct {
		Tool struct {
			Driver struct {
				Rules []struct {
					ID   string
					Help struct{ Text string }
				}
			}
		}
		AutomationDetails struct{ ID string }
		Invocations       []struct {
			ExecutionSuccessful        bool
			ToolExecutionNotifications []struct{ Message struct{ Text string } }
		}
		Results []struct {
			RuleID           string
			RuleIndex        int
			Level            string
			Message          struct{ Text string }
			Locations        []place
			RelatedLocations []place
			Stacks           []struct {
				Message struct{ Text string }
				Frames  []struct{ Location place }
			}
			PartialFingerprints map[string]string
			OccurrenceCount     int
			Properties          struct {
				BitOffset, BitWidth int
				Packet, Replay      string
			}
		}
	}
}

type place struct {
	ID               int
	LogicalLocations []struct{ FullyQualifiedName, Kind string }
	PhysicalLocation struct {
		ArtifactLocation struct{ URI, URIBaseID string }
		Region           struct{ StartLine, StartColumn int }
	}
	Message struct{ Text string }
}

func written(t *testing.T, s *results.Set) (*shown, []byte) {
	t.Helper()
	var out, again bytes.Buffer
	if err := sarif.Write(&out, s, "v1.2.3", "/home/me/src"); err != nil {
		t.Fatal(err)
	}
	if err := validate(out.Bytes()); err != nil {
		t.Errorf("%v in\n%.4000s", err, out.Bytes())
	}
	if err := sarif.Write(&again, s, "v1.2.3", "/home/me/src"); err != nil || !bytes.Equal(out.Bytes(), again.Bytes()) {
		t.Error("it is another each time")
	}
	var got shown
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	return &got, out.Bytes()
}

func TestEmpty(t *testing.T) {
	got, _ := written(t, &results.Set{})
	if len(got.Runs) != 1 || len(got.Runs[0].Results) != 0 {
		t.Errorf("got %+v", got)
	}
	rules := got.Runs[0].Tool.Driver.Rules
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
		if len(r.Help.Text) < 20 {
			t.Errorf("%s: help %q", r.ID, r.Help.Text)
		}
	}
	for _, k := range reject.Kinds() {
		if !strings.Contains(strings.Join(ids, " ")+" ", "reject/"+k.String()+" ") {
			t.Errorf("no rule for %v", k)
		}
	}
}

func TestFinding(t *testing.T) {
	f := report.SavedFinding{Kind: "accepted-malformed", Rule: "body<State>.count", Reject: "out-of-range", Path: "body.count", Bit: 96, Width: 8, Want: "0..4", Got: "accept",
		From: "client", Bytes: 2, Packet: "cafe", Count: 7, Replay: "pktscope audit -p my.pks --hex cafe", Place: &saved.Place{File: "schemas/my game.pks", Line: 12, Column: 5}}
	s := &results.Set{Findings: []*results.Finding{{SavedFinding: f, Protocol: "my", Target: "exec:./r", Tool: report.KindFuzz, Source: "found/x.json", Capture: "found/x.pcapng"}}}
	got, _ := written(t, s)
	r := got.Runs[0].Results[0]
	if want := "my body.count, bits 96..103: accepted-malformed: want 0..4, got accept; target exec:./r; 7 times"; r.Message.Text != want {
		t.Errorf("want %s, got %s", want, r.Message.Text)
	}
	at := r.Locations[0].PhysicalLocation
	if at.ArtifactLocation.URI != "schemas/my%20game.pks" || at.ArtifactLocation.URIBaseID != "%SRCROOT%" || at.Region.StartLine != 12 || at.Region.StartColumn != 5 {
		t.Errorf("got %+v", at)
	}
	if r.RuleID != "finding/accepted-malformed/out-of-range" || got.Runs[0].Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID || r.Level != "error" || r.OccurrenceCount != 7 {
		t.Errorf("got %+v", r)
	}
	help := got.Runs[0].Tool.Driver.Rules[r.RuleIndex].Help.Text
	if !strings.Contains(help, "The reader took it") || !strings.Contains(help, "(out-of-range): a value, count") {
		t.Errorf("got the help %q", help)
	}
	if len(r.RelatedLocations) != 2 || r.RelatedLocations[0].PhysicalLocation.ArtifactLocation.URI != "found/x.pcapng" {
		t.Errorf("got %+v", r.RelatedLocations)
	}
	if r.Properties.BitOffset != 96 || r.Properties.BitWidth != 8 || r.Properties.Packet != "cafe" || r.Properties.Replay == "" {
		t.Errorf("got %+v", r.Properties)
	}
	// Another line, another packet, another count: the same fingerprint. Another rule: another.
	mark := r.PartialFingerprints[sarif.Fingerprint]
	for _, row := range []struct {
		name string
		same bool
		with func(f *results.Finding)
	}{
		{"line", true, func(f *results.Finding) {
			f.Place = &saved.Place{File: "schemas/my game.pks", Line: 13, Column: 5}
		}},
		{"packet", true, func(f *results.Finding) { f.Packet, f.Bit, f.Want, f.Count, f.Source = "be", 104, "0..5", 8, "" }},
		{"rule", false, func(f *results.Finding) { f.Rule = "body<State>.kount" }},
		{"kind", false, func(f *results.Finding) { f.Kind = "crash" }},
		{"reject", false, func(f *results.Finding) { f.Reject = "past-end" }},
		{"target", false, func(f *results.Finding) { f.Target = "builtin" }},
		{"protocol", false, func(f *results.Finding) { f.Protocol = "mi" }},
	} {
		other := &results.Finding{SavedFinding: f, Protocol: "my", Target: "exec:./r", Tool: report.KindFuzz}
		row.with(other)
		got, _ := written(t, &results.Set{Findings: []*results.Finding{other}})
		if now := got.Runs[0].Results[0].PartialFingerprints[sarif.Fingerprint]; (now == mark) != row.same || len(now) != 32 {
			t.Errorf("another %s: %s, was %s", row.name, now, mark)
		}
	}
}

// hostile is what may be in any text.
const hostile = "<script>alert(1)</script>[x](http://e)\u202e\x1b[2J\x00\x08=1+1 ::error::{0}\n`@all`%0A\\\xff"

func TestHostile(t *testing.T) {
	f := report.SavedFinding{Kind: "crash", Rule: hostile, Path: hostile, Want: hostile, Got: hostile, Report: hostile, Cause: hostile, From: "client", Count: 1, Replay: hostile,
		Stack: []fuzz.Frame{{Function: hostile, File: hostile, Line: 1}, {Function: hostile}, {File: "javascript:alert(1)"}},
		Place: &saved.Place{File: hostile, Line: 1, Column: 1}}
	s := &results.Set{
		Findings: []*results.Finding{{SavedFinding: f, Protocol: hostile, Target: hostile, Tool: report.KindFuzz, Source: hostile, Capture: hostile, Schema: &saved.SchemaRef{File: hostile}}},
		Rejects: []*rejects.Result{{Header: saved.Header{Protocol: hostile}, Rejected: 1, Rows: []rejects.Row{{Rule: hostile, Kind: "past-end", Packets: 1,
			Place: &saved.Place{File: "javascript:alert(1)", Line: 1, Column: 1}, First: rejects.Example{File: "../../etc/passwd", N: 1, Message: hostile}}}}},
	}
	s.Trouble = []string{hostile}
	got, file := written(t, s)
	for _, run := range got.Runs {
		if run.Invocations[0].ExecutionSuccessful || len(run.Invocations[0].ToolExecutionNotifications) != 1 {
			t.Error("what could not be read is not told")
		}
	}
	for _, r := range string(file) {
		if r != '\n' && (r < ' ' || r == 0x7f || r == '\u202e' || r == '\ufffd') {
			t.Fatalf("%q in the file", r)
		}
	}
	var texts, uris []string
	for _, run := range got.Runs {
		for _, r := range run.Results {
			texts = append(texts, strings.TrimSuffix(r.Message.Text, "; [the reader's line](1)"))
			for _, s := range r.Stacks {
				for _, f := range s.Frames {
					r.Locations = append(r.Locations, f.Location)
				}
			}
			for _, l := range append(r.Locations, r.RelatedLocations...) {
				texts = append(texts, l.Message.Text)
				uris = append(uris, l.PhysicalLocation.ArtifactLocation.URI)
			}
		}
		if id := run.AutomationDetails.ID; strings.ContainsAny(id, "<>\" \x1b\u202e\n") || !strings.HasPrefix(id, "pktscope/") || !strings.HasSuffix(id, "/") {
			t.Errorf("got the category %q", id)
		}
	}
	if len(texts) < 8 {
		t.Errorf("only %d texts", len(texts))
	}
	for _, text := range texts {
		if strings.ContainsAny(text, "\x1b\u202e\n") || strings.Contains(text, "](") || strings.Contains(strings.ReplaceAll(text, "{{0}}", ""), "{") {
			t.Errorf("got %q", text)
		}
	}
	for _, uri := range uris {
		if strings.HasPrefix(uri, "javascript:") || strings.ContainsAny(uri, "<>\" \x1b") {
			t.Errorf("got the URI %q", uri)
		}
	}
}

func TestFiles(t *testing.T) {
	for _, row := range []struct{ name, uri string }{
		{"my.pks", "my.pks"},
		{"./a/../my.pks", "my.pks"},
		{"../my.pks", "file:///home/me/my.pks"},
		{"a/../../../../../../etc/passwd", "file:///etc/passwd"},
		{`..\..`, "file:///home"},
		{`a\b.pks`, "a/b.pks"},
		{"/home/me/my.pks", "file:///home/me/my.pks"},
		{"/home/me/src/a/my.pks", "a/my.pks"},
		{"/home/me/src/./a/../../src/my.pks", "my.pks"},
		{"/home/me/srcs/my.pks", "file:///home/me/srcs/my.pks"},
		{"/home/me/src/../my.pks", "file:///home/me/my.pks"},
		{"/home/me/src", "file:///home/me/src"},
		{`C:\me\my.pks`, "file:///C:/me/my.pks"},
		{"a:b.pks", "./a:b.pks"},
		{"a?b#c%.pks", "a%3Fb%23c%25.pks"},
	} {
		f := report.SavedFinding{Kind: "crash", Rule: "x", From: "client", Place: &saved.Place{File: row.name, Line: 1, Column: 1}}
		got, _ := written(t, &results.Set{Findings: []*results.Finding{{SavedFinding: f, Protocol: "x"}}})
		if uri := got.Runs[0].Results[0].Locations[0].PhysicalLocation.ArtifactLocation.URI; uri != row.uri {
			t.Errorf("%s: want %s, got %s", row.name, row.uri, uri)
		}
	}
}

// A kind that only a later version knows has a rule all the same; more results than are shown are told of.
func TestManyAndUnknown(t *testing.T) {
	s := &results.Set{}
	for i := range 5003 {
		f := report.SavedFinding{Kind: "out-of-tune", Rule: "x" + strconv.Itoa(i), From: "client"}
		s.Findings = append(s.Findings, &results.Finding{SavedFinding: f, Protocol: "x"})
	}
	var out bytes.Buffer // of 5,000 the schema's validator would compare each with each
	if err := sarif.Write(&out, s, "", ""); err != nil {
		t.Fatal(err)
	}
	var got shown
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	r := got.Runs[0]
	if len(r.Results) != 5000 || len(r.Invocations[0].ToolExecutionNotifications) != 1 || r.Invocations[0].ToolExecutionNotifications[0].Message.Text != "3 more results are left out" {
		t.Errorf("%d results, %+v", len(r.Results), r.Invocations)
	}
	if id := r.Tool.Driver.Rules[r.Results[0].RuleIndex].ID; id != "finding/out-of-tune" {
		t.Errorf("got the rule %s", id)
	}
}

// taker accepts everything.
type taker struct{}

func (taker) Send([]byte, decode.Direction) (oracle.Reply, error) {
	return oracle.Reply{Outcome: oracle.Accepted, Bits: -1}, nil
}
func (taker) Close() error { return nil }

const lineSchema = `protocol t
order lsb
packet {
    count int(0..4)
    list [count]uint8
    require count != 3
    kind uint8 in 1..2
}
`

// An audit, saved and read: when a line is added to the schema that has nothing to do with it, every result is in
// another line and has the same fingerprint.
func TestFingerprintsStay(t *testing.T) {
	marks := func(text string) (list map[string]int) {
		checked, diags := schema.Load("t.pks", []byte(text), nil)
		if checked == nil {
			t.Fatal(diags)
		}
		p, _ := plan.Compile(checked)
		run := fuzz.Audit{Decoder: decode.New(p), Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return taker{}, nil }}
		r, err := run.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var saved bytes.Buffer
		if err := (&report.Audit{Protocol: "t", Target: "taker", Result: r, Plan: p}).WriteJSON(&saved); err != nil {
			t.Fatal(err)
		}
		s, err := results.Read(&saved, "audit.json", results.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		got, _ := written(t, s)
		list = map[string]int{}
		for _, r := range got.Runs[0].Results {
			mark := r.PartialFingerprints[sarif.Fingerprint]
			if list[mark] != 0 {
				t.Errorf("two results have the fingerprint %s", mark)
			}
			list[mark] = r.Locations[0].PhysicalLocation.Region.StartLine
		}
		return list
	}
	before, after := marks(lineSchema), marks("// More is coming.\n"+lineSchema)
	if len(before) < 5 || len(before) != len(after) {
		t.Errorf("%d results before, %d after", len(before), len(after))
	}
	for mark, line := range before {
		if after[mark] != line+1 {
			t.Errorf("%s: in line %d before, %d after", mark, line, after[mark])
		}
	}
}
