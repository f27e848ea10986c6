package results_test

import (
	"bytes"
	"fmt"
	"math"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// largest is the largest finding that there can be: all that its packets, its report and its stack may have.
func largest(n int) fuzz.Finding {
	f := fuzz.Finding{
		Kind: oracle.FoundCrash, Rule: "body" + strings.Repeat(".long", 500), Reject: reject.PastEnd, Path: "body", Bit: 8 * fuzz.MaxPacket, Width: min(math.MaxInt, 1<<40),
		Cause: fmt.Sprintf("the reader dies in f%d, r.c:1", n), Done: "cut", Want: "past-end", Got: "a crash", Report: strings.Repeat("\x01", fuzz.MaxReport),
		Packet: make([]byte, fuzz.MaxPacket), From: decode.Client, Count: min(math.MaxInt, 1<<40),
	}
	for range fuzz.MaxFrames {
		f.Stack = append(f.Stack, fuzz.Frame{Function: strings.Repeat("f", fuzz.MaxFrameText), File: strings.Repeat("r", fuzz.MaxFrameText), Line: fuzz.MaxFrameLine})
	}
	for range fuzz.MaxBefore {
		f.Before = append(f.Before, decode.Packet{Data: make([]byte, 1024), From: decode.Server})
	}
	return f
}

// againRead reads what was written, and what merging it with itself writes.
func againRead(t *testing.T, what string, text []byte) *results.Set {
	t.Helper()
	s, err := results.Read(bytes.NewReader(text), what, results.Limits{})
	if err != nil {
		t.Fatalf("%d bytes were written: %v", len(text), err)
	}
	other, err := results.Read(bytes.NewReader(text), what, results.Limits{})
	if err == nil {
		err = s.Add(other)
	}
	if err != nil {
		t.Fatalf("merging: %v", err)
	}
	merged, err := s.AppendJSON(nil)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	if s, err = results.Read(bytes.NewReader(merged), what, results.Limits{}); err != nil {
		t.Fatalf("%d bytes of both: %v", len(merged), err)
	}
	return s
}

// What fuzz and audit write at the most, report reads, merges, and reads again; and --replay reads it.
func TestLargest(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes")
	}
	p := compiled(t)
	one := largest(0)
	file := report.AppendFinding(nil, &report.Origin{Protocol: "p", Target: "t", Plan: p}, &one)
	if len(file) > report.MaxFinding {
		t.Errorf("a finding's file has %d bytes: --replay reads %d", len(file), report.MaxFinding)
	}
	f, err := report.ParseFinding(file)
	if err != nil || len(f.Before) != fuzz.MaxBefore || len(f.Packet) != fuzz.MaxPacket {
		t.Fatalf("a finding of %d bytes: %v", len(file), err)
	}
	if s := againRead(t, "finding.json", file); len(s.Findings) != 1 || len(s.Findings[0].Before) != fuzz.MaxBefore || len(s.Findings[0].Stack) != fuzz.MaxFrames {
		t.Errorf("%d findings", len(s.Findings))
	}

	var many []fuzz.Finding
	for n := range fuzz.MaxFindings {
		f := largest(n)
		if n > 2 {
			f.Before = nil // thousands of thousands take a minute to write
		}
		many = append(many, f)
	}
	audit := report.Audit{Protocol: "p", Target: "t", Plan: p, Result: &fuzz.AuditResult{Findings: many, Lost: 7}}
	const rules = 1 << 16
	for n := range rules {
		audit.Result.Rules = append(audit.Result.Rules, fuzz.RuleResult{Rule: fmt.Sprintf("body.field%d", n), Kind: reject.PastEnd, Tried: 1, Right: 1, Classes: fuzz.Classes()})
	}
	var text bytes.Buffer
	if err := audit.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	s := againRead(t, "audit.json", text.Bytes())
	if a := s.Audits[0]; len(a.Findings) != len(many) || len(a.Rules) != rules || a.Findings[0].Packet == "" || !a.Findings[len(many)-1].LeftOut || a.Lost != 14 {
		t.Errorf("%d findings, %d rules, %d lost", len(a.Findings), len(a.Rules), a.Lost)
	}

	campaign := report.Campaign{Protocol: "p", Target: "t", Plan: p, Workers: 1, Passed: time.Hour, State: &fuzz.CampaignState{Coverage: coverage.New(p), Lost: 7}}
	for i := range many {
		campaign.State.Findings = append(campaign.State.Findings, &many[i])
	}
	text.Reset()
	if err := campaign.WriteJSON(&text); err != nil {
		t.Fatal(err)
	}
	if c := againRead(t, "fuzz.json", text.Bytes()).Campaigns[0]; len(c.Findings) != len(many) || c.Lost != 14 {
		t.Errorf("%d findings", len(c.Findings))
	}
}

// What rejects have at the most, in captures with the longest names of files and the last times that a capture can
// have, is read and merged again.
func TestLargestRejects(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes")
	}
	p := compiled(t)
	text, file := strings.Repeat("\x01", 256), func(i int) string { return fmt.Sprintf("%0255d", i) }
	last := time.Unix(0, math.MaxInt64).UTC()
	r := &rejects.Result{Header: saved.Header{SchemaVersion: saved.Version, Kind: rejects.Kind, Protocol: "p", Schema: saved.NewSchemaRef(p)},
		Packets: rejects.MaxRows, Rejected: rejects.MaxRows}
	for i := range rejects.MaxRows {
		r.Rows = append(r.Rows, rejects.Row{Rule: fmt.Sprint("body", strings.Repeat(".long", 100), i), Kind: "past-end", Packets: 1,
			First:   rejects.Example{File: file(i), N: 1 << 40, Time: last, Path: text, Bit: 8 * fuzz.MaxPacket, Width: min(math.MaxInt, saved.MaxCount), Want: text, Got: text, Message: text},
			Senders: []rejects.Sender{{Sender: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, byte(i >> 8), byte(i)}), 1), Packets: 1, File: file(i), N: 1 << 40}}})
	}
	for i := range rejects.MaxFiles {
		r.Files = append(r.Files, rejects.File{File: file(i), Packets: 1, Rejected: 1})
	}
	set := &results.Set{Rejects: []*rejects.Result{r}}
	written, err := set.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	again := againRead(t, "rejects.json", written).Rejects[0]
	if len(again.Rows) != rejects.MaxRows || again.Senders() != rejects.MaxSenders || len(again.Files) != rejects.MaxFiles || again.Packets != 2*rejects.MaxRows {
		t.Errorf("%d rows, %d senders, %d files of %d packets", len(again.Rows), again.Senders(), len(again.Files), again.Packets)
	}
	if got := again.Rows[0].First.Time; !got.Equal(last) {
		t.Errorf("a packet of %v, want %v", got, last)
	}
}

// What a class is called fits, and there are no more of them than a rule may have.
func TestClassesFit(t *testing.T) {
	if n := len(fuzz.Classes()); n > fuzz.MaxClasses {
		t.Errorf("%d classes: want at most %d", n, fuzz.MaxClasses)
	}
}

func compiled(t *testing.T) *plan.Plan {
	t.Helper()
	d, err := decode.Load("p.pks", []byte("protocol p\norder lsb\npacket {\n    x uint8\n}\n"))
	if err != nil {
		t.Fatal(err)
	}
	return d.Plan()
}
