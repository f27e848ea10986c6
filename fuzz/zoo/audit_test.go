package zoo_test

import (
	"context"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

func audit(t testing.TB, a *zoo.Animal, read func() zoo.Reader) *fuzz.AuditResult {
	t.Helper()
	run := &fuzz.Audit{Decoder: compile(t, a), Seed: 1, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) { return zoo.NewTarget(read()), nil }}
	for _, seed := range a.Seeds {
		run.Bases = append(run.Bases, decode.Packet{Data: seed, From: decode.FromUnknown})
	}
	r, err := run.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// flawed are the audits of flawed readers, by name, which a campaign is compared with: each is made once.
var flawed = map[string]*fuzz.AuditResult{}

func auditFlawed(t testing.TB, a *zoo.Animal) *fuzz.AuditResult {
	t.Helper()
	if flawed[a.Name] == nil {
		flawed[a.Name] = audit(t, a, a.Flawed)
	}
	return flawed[a.Name]
}

// The audit finds every mistake in the zoo and names it by rule and field, and has nothing to say about the fixed
// twins.
func TestAuditFindsAll(t *testing.T) {
	for _, a := range someAnimals() {
		t.Run(a.Name, func(t *testing.T) {
			for _, f := range audit(t, &a, a.Fixed).Findings {
				t.Errorf("false alarm: %v: %s: %x", f.Kind, f.What(), f.Packet)
			}
			r := auditFlawed(t, &a)
			named := false
			for _, f := range r.Findings {
				named = named || a.Names(f.Reject, f.Path) || a.Names(reject.None, f.Changed)
			}
			if !named {
				t.Errorf("not found by name: want %v at %q (oracle %s), %d findings in %d packets", a.Rule, a.Field, a.Oracle, len(r.Findings), r.Packets)
				for _, f := range r.Findings {
					t.Logf("%v: %v %s", f.Kind, f.Reject, f.What())
				}
			}
		})
	}
}
