package report_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/coverage"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/report"
	"github.com/pktscope/pktscope/report/rejects"
	"github.com/pktscope/pktscope/report/saved"
)

const placesSchema = `protocol t
order lsb
enum Kind : int(0..1) { A = 0, B = 1 }
struct P {
    hp int(0..100)
}
packet {
    kind Kind
    body switch kind {
        A: {
            n int(0..3)
            list [n]P
        }
        B: { x uint8 }
    }
    require   kind == Kind.A // or else
    align
}
`

func planOf(t testing.TB, text string) *plan.Plan {
	t.Helper()
	s, diags := schema.Load("t.pks", []byte(text), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	return p
}

func TestRulesPlace(t *testing.T) {
	rules := rejects.NewRules(planOf(t, placesSchema))
	for _, row := range []struct {
		rule         string
		line, column int // 0 for none
	}{
		{"", 0, 0},
		{"body.nothing", 0, 0},
		{"body<A>.list[].hp\n", 0, 0},
		{"packet", 7, 1},
		{"kind", 8, 5},
		{"body<A>.n", 11, 13},
		{"body.n", 11, 13},
		{"body<A>.list[].hp", 5, 5},
		{"body.list[].hp", 5, 5},
		{"body.list[7].hp", 5, 5},
		{"body<B>.x", 14, 14},
		{"require@16", 16, 5},
	} {
		got := rules.Place(row.rule)
		if row.line == 0 {
			if got != nil {
				t.Errorf("%q: want no place, got %v", row.rule, *got)
			}
			continue
		}
		if stable := map[string]string{"require@16": "require kind == Kind.A"}[row.rule]; got == nil || got.Stable != stable {
			t.Errorf("%q: want the stable name %q, got %v", row.rule, stable, got)
			continue
		}
		got.Stable = ""
		if *got != (saved.Place{File: "t.pks", Line: row.line, Column: row.column}) {
			t.Errorf("%q: want %d:%d, got %v", row.rule, row.line, row.column, got)
		}
	}
	if rejects.NewRules(nil).Place("packet") != nil {
		t.Error("no plan has a place")
	}
}

// Every way to be refused has a place, however its rule is called.
func TestEveryRefusalHasAPlace(t *testing.T) {
	p := planOf(t, placesSchema)
	rules := rejects.NewRules(p)
	for _, r := range coverage.RejectPoints(p) {
		if rules.Place(r.Rule) == nil || rules.Place(fuzz.RuleName(p, r.Node)) == nil {
			t.Errorf("%s has no place", &r)
		}
	}
}

// The same schema is told by its text and its params, not by its name.
func TestSchemaRef(t *testing.T) {
	a, b := saved.NewSchemaRef(planOf(t, placesSchema)), saved.NewSchemaRef(planOf(t, placesSchema+"// more\n"))
	if a.Hash == b.Hash || len(a.Hash) != 64 || a.File != "t.pks" {
		t.Errorf("got %v and %v", a, b)
	}
}

// A finding's file says what it is about; with a secret it has neither packets nor the command that has them.
func TestFindingFile(t *testing.T) {
	p := planOf(t, placesSchema)
	f := fuzz.Finding{Kind: oracle.FoundCrash, Rule: "body<A>.n", Path: "body.n", Packet: []byte{0xca, 0xfe}, Count: 1}
	origin := report.Origin{Protocol: "t", Target: "builtin", Plan: p, Replay: []string{"pktscope", "audit", "-p", "it's.pks"}, Version: "v1"}
	var got report.SavedFile
	if err := json.Unmarshal(report.AppendFinding(nil, &origin, &f), &got); err != nil {
		t.Fatal(err)
	}
	if got.Place == nil || got.Place.Line != 11 || got.Schema.Hash != saved.NewSchemaRef(p).Hash || got.Tool != "v1" || got.Target != "builtin" {
		t.Errorf("got %+v", got)
	}
	if want := `pktscope audit -p 'it'\''s.pks' --from unknown --hex cafe`; got.Replay != want {
		t.Errorf("want %s, got %s", want, got.Replay)
	}
	origin.Plan = planOf(t, "protocol s\norder lsb\npacket { k bytes(2) @secret }\n")
	if text := report.AppendFinding(nil, &origin, &f); bytes.Contains(text, []byte("cafe")) || strings.Contains(string(text), "--hex") {
		t.Errorf("a packet that holds a secret shows: %s", text)
	}
}
