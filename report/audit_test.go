package report_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/zoo"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
)

// audited audits the flawed reader of an animal.
func audited(t *testing.T, name string) *fuzz.AuditResult {
	t.Helper()
	for _, a := range zoo.Animals() {
		if a.Name != name {
			continue
		}
		s, diags := schema.Load(name, []byte(a.Schema), a.Params)
		if s == nil {
			t.Fatal(diags)
		}
		p, _ := plan.Compile(s)
		run := fuzz.Audit{Decoder: decode.New(p), Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return zoo.NewTarget(a.Flawed()), nil }}
		r, err := run.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	t.Fatalf("no animal %s", name)
	return nil
}

func TestAuditText(t *testing.T) {
	a := report.Audit{Protocol: "pose", Target: "flawed", Seed: 1, Result: audited(t, "nan-accepted")}
	text := string(a.AppendText(nil, false))
	for _, want := range []string{"accepted-malformed", "not-finite", "want not-finite (", "got accept", "hostile packets refused\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "each for the right reason") {
		t.Errorf("a reader that is wrong is praised:\n%s", text)
	}
	const nothingRight = ": is the reader called, and "
	if strings.Contains(text, nothingRight) {
		t.Errorf("it had some:\n%s", text)
	}
	refuses := *a.Result
	refuses.Accepted = 0
	none := report.Audit{Protocol: "pose", Target: "flawed", Seed: 1, Result: &refuses}
	if text := string(none.AppendText(nil, false)); !strings.Contains(text, "no valid packet was accepted"+nothingRight) {
		t.Errorf("a reader that takes nothing is not asked about:\n%s", text)
	}
	misreads := *a.Result
	misreads.Accepted, misreads.Misread = misreads.Valid, misreads.Valid
	none.Result = &misreads
	if text := string(none.AppendText(nil, false)); !strings.Contains(text, "of no valid packet the right values were read"+nothingRight) {
		t.Errorf("a reader that reads nothing rightly is not asked about:\n%s", text)
	}
	silent := refuses
	silent.SurvivedValid, silent.SurvivedHostile, silent.Refused = silent.Valid, silent.Hostile, 0
	for _, other := range []report.Audit{{Result: &refuses, Own: true}, {Result: &silent}} {
		if text := string(other.AppendText(nil, false)); strings.Contains(text, nothingRight) {
			t.Errorf("%+v:\n%s", other, text)
		}
	}
	if coloured := string(a.AppendText(nil, true)); !strings.Contains(coloured, "\x1b[") {
		t.Error("no colour")
	}
}

// Counts are counts of something: all unused codes of a narrow field, a sample of a wide one, which is said, and the
// worst packet's cost beside its bound.
func TestAuditCounts(t *testing.T) {
	s, diags := schema.Load("t.pks", []byte("protocol t\norder lsb\npacket {\nhealth int(0..100)\nreserved(1)\nwide uint32 in 5..9\n}"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, _ := plan.Compile(s)
	d := decode.New(p)
	run := fuzz.Audit{Decoder: d, Seed: 1, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	text := string((&report.Audit{Protocol: "t", Target: "builtin", Seed: 1, Result: r, Own: true}).AppendText(nil, false))
	for _, want := range []string{
		"  health\n", "    out-of-range      refused 27 of 27  unused-code\n", "    reserved-nonzero  refused 1 of 1  reserved\n",
		", each for the right reason at the right bit\n", "worst cost: 3 steps of the 3 that are proved\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	_, wide, _ := strings.Cut(text, "  wide\n")
	if line, _, _ := strings.Cut(wide, "unused-code"); !strings.Contains(line, ", sampled") || strings.Count(text, "sampled") != 1 {
		t.Errorf("want `wide`, and nothing else, sampled in\n%s", text)
	}
}

// What was given up is untested, in text and in JSON, and is no pass; what was not reached is listed and is no result.
func TestAuditEndedOrGivenUp(t *testing.T) {
	r := &fuzz.AuditResult{Untested: []fuzz.Untested{
		{Rule: "n", Part: "given up", Why: "after 3 hangs: 412 packets of this rule were not sent"},
		{Rule: "a", Kind: reject.OutOfRange, NotReached: true},
	}}
	a := report.Audit{Protocol: "t", Target: "t", Result: r, Partial: true, Plan: planOf(t, "protocol t\norder lsb\npacket { a uint8 }\n")}
	text := string(a.AppendText(nil, false))
	for _, want := range []string{"audit of t, target t: 1 untested, ", "  untested n: given up after 3 hangs: 412 packets of this rule were not sent\n", "  not reached a", ": out-of-range\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	var out bytes.Buffer
	if err := a.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	set, err := results.Read(&out, "ended.json", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if list := set.Problems(); len(list) != 1 || list[0].Rule != "n" || list[0].Source != results.FromUntested {
		t.Errorf("want what was given up, and nothing else, as a problem: %+v", list)
	}
	var none *report.Known
	if n := none.Mark(r.Untested); n != 2 {
		t.Errorf("%d rows are no pass, want 2", n)
	}
}

// A list that is cut names the flag that shows it whole, as `audit --help` has it.
func TestAuditListsAreCut(t *testing.T) {
	r := &fuzz.AuditResult{Untested: make([]fuzz.Untested, 10)}
	for range 10 {
		r.Missed = append(r.Missed, fuzz.Missed{Why: "a: max", Err: errors.New("none")})
	}
	a := report.Audit{Protocol: "t", Target: "t", Result: r, Plan: planOf(t, "protocol t\norder lsb\npacket { a uint8 }\n")}
	text := string(a.AppendText(nil, false))
	for _, want := range []string{"  and 2 more (-V)\n", "  and 2 more untested (-V)\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if a.Verbose = true; strings.Contains(string(a.AppendText(nil, false)), "(-V)") {
		t.Error("a list is cut that should be whole")
	}
}

func TestAuditJSON(t *testing.T) {
	a := report.Audit{Protocol: "pose", Target: "flawed", Seed: 1, Result: audited(t, "nan-accepted")}
	var out bytes.Buffer
	if err := a.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Hostile, Refused int
		Rules            []struct{ Rule, Kind string }
		Findings         []struct{ Kind, Reject, Path, Packet string }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Findings) == 0 || got.Findings[0].Kind != "accepted-malformed" || got.Findings[0].Reject != "not-finite" || got.Findings[0].Packet == "" || got.Refused >= got.Hostile {
		t.Errorf("got %s", out.Bytes())
	}
}

// What a target prints when it dies, and what a schema calls its fields, reaches no terminal as it is; packets that
// hold a secret reach none at all.
func TestAuditHostile(t *testing.T) {
	r := &fuzz.AuditResult{Findings: []fuzz.Finding{{
		Kind: oracle.FoundCrash, Rule: "x", Path: "x\x1b[2J", Reject: reject.OutOfRange, Want: "a\u202e", Got: "b", Report: strings.Repeat("\x1b]0;t\x07\n", 100),
		Packet: []byte("token"), Count: 1,
	}}}
	a := report.Audit{Protocol: "p\x1b", Target: "t", Result: r, Plan: planOf(t, "protocol s\norder lsb\npacket { k bytes(5) @secret }\n")}
	text := string(a.AppendText(nil, false))
	if i := strings.IndexAny(text, "\x1b\x07\u202e"); i >= 0 {
		t.Errorf("a control character at %d of %q", i, text)
	}
	if strings.Count(text, "\n") > 40 {
		t.Errorf("a long crash report is shown in full: %d lines", strings.Count(text, "\n"))
	}
	var out bytes.Buffer
	if err := a.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	for _, shown := range []string{text, out.String()} {
		if strings.Contains(shown, "746f6b656e") {
			t.Error("a packet that holds a secret is shown")
		}
	}
}

// wide is the builtin reader, which says another bit.
type wide struct{ oracle.Target }

func (w wide) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	r, err := w.Target.Send(packet, from)
	if r.Why != nil {
		why := *r.Why
		why.Bit++
		r.Why = &why
	}
	return r, err
}

// A reader that refuses all and says another bit does not read as one that refuses nothing.
func TestAuditRefusedElsewhere(t *testing.T) {
	d, err := decode.Load("t.pks", []byte("protocol t\norder lsb\npacket {\nhealth int(0..100)\nreserved(1)\n}"))
	if err != nil {
		t.Fatal(err)
	}
	run := fuzz.Audit{Decoder: d, Seed: 1, NewTarget: func(context.Context) (oracle.Target, error) { return wide{oracle.NewBuiltin(d)}, nil }}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if r.Hostile == 0 || r.Refused != 0 || r.Elsewhere != r.Hostile {
		t.Errorf("want all %d hostile packets refused elsewhere, got %d, and %d rightly", r.Hostile, r.Elsewhere, r.Refused)
	}
	text := string((&report.Audit{Protocol: "t", Target: "wide", Seed: 1, Result: r}).AppendText(nil, false))
	for _, want := range []string{
		"    out-of-range      refused 0 of 27, 27 more refused with another reason, path or bit  unused-code\n",
		fmt.Sprintf("\n0 of %d hostile packets refused\n%[1]d more refused with another reason, path or bit\n", r.Hostile),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("want %q in\n%s", want, text)
		}
	}
	if text := string((&report.Audit{Protocol: "pose", Target: "flawed", Seed: 1, Result: audited(t, "nan-accepted")}).AppendText(nil, false)); strings.Contains(text, "another reason") {
		t.Errorf("it accepts what it does not refuse:\n%s", text)
	}
}
