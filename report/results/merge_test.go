package results_test

import (
	"bytes"
	"context"
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// parts cuts a list into ten pieces of different sizes, one of them empty.
func parts[T any](list []T) [][]T {
	var out [][]T
	for i := range 10 {
		n := len(list) / (10 - i) * (1 + i%3) / 2
		if i == 4 {
			n = 0
		}
		if i == 9 {
			n = len(list)
		}
		n = min(n, len(list))
		out = append(out, list[:n])
		list = list[n:]
	}
	return out
}

// Ten parts of a capture, saved, read and merged in any order, are the report of the whole: all of the budget and the
// rejects, every count of the statistics.
func TestTenPartsOfACapture(t *testing.T) {
	p, list := rtype(t), session(t)
	whole := read(t, savedAgain(t, counted(t, p, list)))
	whole.Merge()
	var files [][]byte
	for _, part := range parts(list) {
		files = append(files, savedAgain(t, counted(t, p, part)))
	}
	if len(files) != 10 {
		t.Fatal(len(files))
	}
	for seed := range need.Rounds[uint64](3, 1) {
		if seed > 0 {
			rand.New(rand.NewPCG(seed, 0)).Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		}
		merged := &results.Set{}
		for _, f := range files {
			if err := merged.Add(read(t, f)); err != nil {
				t.Fatal(err)
			}
		}
		merged.Merge()
		if len(merged.Statistics) != 1 || len(merged.Budgets) != 1 || len(merged.Rejects) != 1 {
			t.Fatalf("%d statistics, %d budgets, %d rejects", len(merged.Statistics), len(merged.Budgets), len(merged.Rejects))
		}
		if got, want := merged.Budgets[0].AppendJSON(nil), whole.Budgets[0].AppendJSON(nil); !bytes.Equal(got, want) {
			t.Errorf("seed %d: budgets differ:\n%.2000s\n%.2000s", seed, got, want)
		}
		if !reflect.DeepEqual(merged.Rejects[0], whole.Rejects[0]) {
			t.Errorf("seed %d: rejects differ: %+v\n%+v", seed, merged.Rejects[0], whole.Rejects[0])
		}
		if got, want := merged.Statistics[0].Summary(), whole.Statistics[0].Summary(); !reflect.DeepEqual(got, want) {
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			t.Errorf("seed %d: statistics differ:\n%.3000s\n%.3000s", seed, a, b)
		}
	}
	if r := whole.Rejects[0]; r.Rejected < 30 || len(r.Rows) < 5 || r.Rows[0].Place == nil {
		t.Errorf("the session has hardly a reject: %+v", r)
	}
}

// broken is packets of the session with a rule broken, and some that are whole.
func broken(t *testing.T, p *plan.Plan) (list []decode.Packet) {
	t.Helper()
	m, seen := fuzz.NewMutator(decode.New(p)), fuzz.Dedup{}
	for i, one := range session(t) {
		if i%97 != 0 {
			continue
		}
		from := decode.DirectionOf(p.Schema, one.Src.Port(), one.Dst.Port())
		list = append(list, decode.Packet{Data: one.Payload, From: from})
		n := 0
		for mutation := range m.Enumerate(one.Payload, from, seen) {
			if n++; n > 40 {
				break
			}
			list = append(list, decode.Packet{Data: bytes.Clone(mutation.Data), From: from})
		}
	}
	if len(list) < 300 {
		t.Fatalf("only %d packets", len(list))
	}
	return list
}

func audited(t *testing.T, p *plan.Plan, list []decode.Packet) *results.Set {
	t.Helper()
	d := decode.New(p)
	run := fuzz.Audit{Decoder: d, Seed: 1, Only: list, NewTarget: func(context.Context) (oracle.Target, error) { return &credulous{d: d}, nil }}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	a := report.Audit{Protocol: p.Schema.Name, Target: "credulous", Seed: 1, Result: r, Plan: p, Replay: []string{"pktscope", "audit", "-p", "rtype"}, Version: "test"}
	if err := a.WriteJSON(&out); err != nil {
		t.Fatal(err)
	}
	return read(t, out.Bytes())
}

// Ten audits, each of a tenth of the packets, have the counts of the audit of all, by rule and by finding.
func TestTenPartsOfAnAudit(t *testing.T) {
	p := rtype(t)
	list := broken(t, p)
	counts := func(s *results.Set) *report.SavedAudit {
		s.Merge()
		if len(s.Audits) != 1 {
			t.Fatalf("%d audits", len(s.Audits))
		}
		a := *s.Audits[0]
		a.Runs = 0
		for i := range a.Findings { // one packet is as good as the other
			f := &a.Findings[i]
			a.Findings[i] = report.SavedFinding{Kind: f.Kind, Rule: f.Rule, Reject: f.Reject, Count: f.Count, Place: f.Place}
		}
		return &a
	}
	whole := counts(audited(t, p, list))
	merged := &results.Set{}
	for _, part := range slices.Backward(parts(list)) {
		if len(part) == 0 {
			continue // an audit of no packets in particular is one of all
		}
		// Through a file once more: what is merged is a part again.
		if err := merged.Add(audited(t, p, part)); err != nil {
			t.Fatal(err)
		}
		merged = read(t, savedAgain(t, merged))
	}
	if runs := merged.Audits[0].Runs; runs != 9 {
		t.Errorf("want 9 runs, got %d", runs)
	}
	if got := counts(merged); !reflect.DeepEqual(got, whole) {
		t.Errorf("got\n%+v\nwant\n%+v", got, whole)
	}
	if len(whole.Findings) < 5 || whole.Packets != len(list) {
		t.Errorf("the credulous reader has hardly a finding: %+v", whole)
	}
}

func campaign(unreached []string, reached, of int, packets int64, findings ...report.SavedFinding) *results.Set {
	return &results.Set{Campaigns: []*report.SavedCampaign{{
		Header: saved.Header{SchemaVersion: 1, Kind: report.KindFuzz, Protocol: "t", Target: "builtin"}, Seed: 7, Workers: 2, Seconds: 1.5, Packets: packets, Useful: packets / 2, Corpus: 10,
		Coverage: 50, Rules: []report.SavedReach{{Rule: "x", Reached: reached, Of: of}}, Unreached: unreached, Findings: findings,
	}}}
}

// What either of two campaigns reached is reached, although the one did not know of the other.
func TestMergeCampaigns(t *testing.T) {
	crash := report.SavedFinding{Kind: "crash", Rule: "x", From: "client", Bytes: 3, Packet: "aabbcc", Count: 2}
	small := report.SavedFinding{Kind: "crash", Rule: "x", From: "client", Bytes: 1, Packet: "aa", Count: 3}
	s := campaign([]string{"x: past-end", "x: out-of-range", "body: elements: 3"}, 1, 3, 100, crash)
	if err := s.Add(campaign([]string{"x: out-of-range", "x: bad-string"}, 1, 3, 11, small)); err != nil {
		t.Fatal(err)
	}
	s.Merge()
	c := s.Campaigns[0]
	if c.Runs != 2 || c.Packets != 111 || c.Useful != 55 || c.Seconds != 3 || c.Corpus != 10 || !slices.Equal(c.Unreached, []string{"x: out-of-range"}) {
		t.Errorf("got %+v", c)
	}
	if c.Rules[0] != (report.SavedReach{Rule: "x", Reached: 2, Of: 3}) {
		t.Errorf("want 2 of 3 reached, got %+v", c.Rules)
	}
	if len(c.Findings) != 1 || c.Findings[0].Packet != "aa" || c.Findings[0].Count != 5 {
		t.Errorf("want the small packet and 5 in all, got %+v", c.Findings)
	}
	// Names that do not agree with the counts prove nothing.
	s = campaign(nil, 1, 3, 100)
	if err := s.Add(campaign(nil, 2, 3, 1)); err != nil {
		t.Fatal(err)
	}
	if r := s.Campaigns[0].Rules[0]; r.Reached != 2 {
		t.Errorf("want at least 2 of 3, got %+v", r)
	}
}

// What is of another schema, target or protocol stays apart.
func TestApart(t *testing.T) {
	whole, list := rtype(t), session(t)[:50]
	other := compile(t, "rtype.pks", string(whole.Schema.File.Src)+"\n// changed\n")
	s := counted(t, whole, list)
	if err := s.Add(counted(t, other, list)); err != nil {
		t.Fatal(err)
	}
	a, b := campaign(nil, 1, 1, 1), campaign(nil, 1, 1, 1)
	b.Campaigns[0].Target = "exec:./reader"
	for _, o := range []*results.Set{a, b} {
		if err := s.Add(o); err != nil {
			t.Fatal(err)
		}
	}
	s.Merge()
	if len(s.Budgets) != 2 || len(s.Rejects) != 2 || len(s.Campaigns) != 2 {
		t.Errorf("%d budgets, %d rejects, %d campaigns: want 2 of each", len(s.Budgets), len(s.Rejects), len(s.Campaigns))
	}
	if len(s.Statistics) != 2 || s.Statistics[0].Packets() != uint64(len(list)) || s.Statistics[0].Schema().Hash == s.Statistics[1].Schema().Hash {
		t.Errorf("%d statistics", len(s.Statistics))
	}
}

// More statistics than are kept apart at a time are merged on the way.
func TestManyStatistics(t *testing.T) {
	p, list := rtype(t), session(t)
	s := &results.Set{}
	for i := range 200 {
		if err := s.Add(counted(t, p, []pcap.Datagram{list[i]})); err != nil {
			t.Fatal(err)
		}
	}
	s.Merge()
	if len(s.Statistics) != 1 || s.Statistics[0].Packets() != 200 {
		t.Errorf("%d statistics", len(s.Statistics))
	}
}

// A finding that a campaign tells of and that also has a file is one, and the file is known.
func TestAllFindings(t *testing.T) {
	f := report.SavedFinding{Kind: "crash", Rule: "x", From: "client", Bytes: 1, Packet: "aa", Count: 3}
	s := campaign(nil, 1, 1, 1, f)
	file, err := json.MarshalIndent(report.NewSavedFile(saved.Header{SchemaVersion: 1, Protocol: "t", Target: "builtin"}, &f), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	loose, err := results.Read(bytes.NewReader(file), "found/crash-x.json", results.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Add(loose); err != nil {
		t.Fatal(err)
	}
	// An audit that found it, too, is no second mistake.
	audit := &results.Set{Audits: []*report.SavedAudit{{Header: saved.Header{Protocol: "t", Target: "builtin"}, Findings: []report.SavedFinding{f}}}}
	if err := audit.Add(s); err != nil {
		t.Fatal(err)
	}
	if all, once := audit.AllProblems(), audit.Problems(); len(all) != 2 || len(once) != 1 || once[0].Count != 6 || once[0].Capture != "found/crash-x.pcapng" {
		t.Errorf("got %+v, once %+v", all, once)
	}
	all := s.AllFindings()
	if len(all) != 1 || all[0].Source != "found/crash-x.json" || all[0].Capture != "found/crash-x.pcapng" || all[0].Count != 3 {
		t.Errorf("got %+v", all)
	}
}
