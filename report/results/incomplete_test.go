package results_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/results"
	"github.com/pktscope/pktscope/report/saved"
)

// What a result is not of is saved with it, read and merged, each line once; a set with an input that was not read says
// so in all it saves.
func TestIncomplete(t *testing.T) {
	p, list := rtype(t), session(t)
	cut := counted(t, p, list[:100])
	const line = "game.pcap: byte 9: cut in packet 101"
	cut.Statistics[0].AddIncomplete(line)
	cut.Budgets[0].AddIncomplete(line)
	cut.Rejects[0].Incomplete.Add(line)
	for name, s := range map[string]*results.Set{
		"read":             read(t, savedAgain(t, cut)),
		"merged":           merged(t, counted(t, p, list[100:]), read(t, savedAgain(t, cut))),
		"merged backwards": merged(t, read(t, savedAgain(t, cut)), counted(t, p, list[100:])),
	} {
		if got := s.Incomplete(); !slices.Equal(got, []string{line}) {
			t.Errorf("%s: got %q", name, got)
		}
		if n := bytes.Count(savedAgain(t, s), []byte(`"incomplete":["`+line+`"]`)); n != 3 {
			t.Errorf("%s: %d results say so, want 3", name, n)
		}
	}
	all := merged(t, counted(t, p, list), campaign(nil, 1, 1, 1), &results.Set{Audits: []*report.SavedAudit{{Header: saved.Header{SchemaVersion: 1, Kind: report.KindAudit, Protocol: "t", Target: "x"}}}})
	all.Trouble = []string{"part.json: no such file"}
	again := read(t, savedAgain(t, all))
	if n := bytes.Count(savedAgain(t, again), []byte(`"incomplete":["part.json: no such file"]`)); n != 5 {
		t.Errorf("%d results say what was not read, want 5", n)
	}
	again.Trouble = []string{"other.json: is a directory", "part.json: no such file"}
	if got := again.Remarks(); !slices.Equal(got, again.Trouble) {
		t.Errorf("got %q", got)
	}
	var many []string
	for i := range need.Rounds(1000, 300) {
		many = append(many, fmt.Sprintf("%q", fmt.Sprintf("%04d%s", i, strings.Repeat("x", 5000))))
	}
	s := read(t, []byte(`{"schema_version":1,"kind":"fuzz","protocol":"my","target":"x","rules":[],"findings":[],"incomplete":[`+strings.Join(many, ",")+`]}`))
	if got := s.Incomplete(); len(got) > 100 || len(got[0]) > 2000 {
		t.Errorf("%d lines of %d bytes are kept", len(got), len(got[0]))
	}
}

func merged(t *testing.T, sets ...*results.Set) *results.Set {
	t.Helper()
	s := &results.Set{}
	for _, one := range sets {
		if err := s.Add(one); err != nil {
			t.Fatal(err)
		}
	}
	s.Merge()
	return s
}

// Saved statistics have their rejects by rule: what is wrong is the same as of the captures. Those of before know the
// kinds alone.
func TestSavedStatisticsNameRules(t *testing.T) {
	live := counted(t, rtype(t), session(t))
	line, err := results.AppendStatistics(nil, live.Statistics[0], live.Rejects[0])
	if err != nil || bytes.Count(line, []byte("\n")) != 1 {
		t.Fatalf("%v: %.200s", err, line)
	}
	want := (&results.Set{Statistics: live.Statistics, Rejects: live.Rejects}).Problems()
	got := read(t, line).Problems()
	if len(got) != len(want) || len(got) < 10 {
		t.Fatalf("%d problems, want %d", len(got), len(want))
	}
	for i := range got {
		if fmt.Sprint(got[i]) != fmt.Sprint(want[i]) {
			if got[i].Place == nil || *got[i].Place != *want[i].Place || got[i].Where() != want[i].Where() || got[i].Count != want[i].Count {
				t.Errorf("got %+v, want %+v", got[i], want[i])
			}
		}
	}
	before, err := live.Statistics[0].AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range read(t, before).Problems() {
		if p.Place != nil || !strings.Contains(p.Message, "saved statistics do not tell") {
			t.Errorf("got %+v", p)
		}
	}
	if _, err := results.Read(bytes.NewReader(bytes.Replace(line, []byte(`"rejected":`), []byte(`"rejected":9`), -1)), "a.json", results.Limits{}); err == nil {
		t.Error("rejects that do not fit together were read")
	}
}

// Two schemas of one name are called by their files and hashes, and what is wrong with one is not a problem of the
// other.
func TestNamesOfSchemas(t *testing.T) {
	whole, list := rtype(t), session(t)[:200]
	other := compile(t, "old.pks", string(whole.Schema.File.Src)+"\n// changed\n")
	s := merged(t, counted(t, whole, list), counted(t, other, list))
	hash := saved.NewSchemaRef(other).Hash
	if got, want := s.NameOf("rtype", saved.NewSchemaRef(other)), "rtype (old.pks, sha256 "+hash[:8]+")"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := s.NameOf("rtype", nil); got != "rtype (of a schema that is not known)" {
		t.Errorf("got %q", got)
	}
	one := counted(t, whole, list)
	if got := one.NameOf("rtype", saved.NewSchemaRef(whole)); got != "rtype" {
		t.Errorf("got %q", got)
	}
	problems, twice := one.Problems(), s.Problems()
	if len(twice) != 2*len(problems) {
		t.Errorf("%d problems of two schemas, want twice %d", len(twice), len(problems))
	}
	for i := range twice {
		if p := &twice[i]; strings.Contains(p.Name, "old.pks") != (p.Schema == "old.pks") || p.Protocol != "rtype" || p.Place.File != p.Schema {
			t.Errorf("got %+v", p)
		}
	}
}
