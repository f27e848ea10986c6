package zoo_test

import (
	"context"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// campaignOf is a campaign against a reader of the zoo.
func campaignOf(t testing.TB, a *zoo.Animal, read func() zoo.Reader) *fuzz.Campaign {
	t.Helper()
	c := &fuzz.Campaign{Decoder: compile(t, a), Seed: 1, Workers: 1, NewTarget: func(context.Context) (oracle.Target, error) { return zoo.NewTarget(read()), nil }}
	for _, seed := range a.Seeds {
		c.Bases = append(c.Bases, decode.Packet{Data: seed, From: decode.FromUnknown})
	}
	return c
}

// named reports whether a finding names an animal's mistake.
func named(a *zoo.Animal, f *fuzz.Finding) bool {
	return a.Names(f.Reject, f.Path) || a.Names(reject.None, f.Changed)
}

// campaignExecs is what a campaign is given to find a mistake and to name it.
const campaignExecs = 6000

// sizeClass is the most bytes that a minimized packet may have, for a witness of so many.
func sizeClass(witness int) int { return 16 + 2*witness }

// A campaign finds every mistake in the zoo, names it by rule and field, with a packet of the size of the witness, and
// has nothing to say about the fixed twins.
func TestCampaignFindsAll(t *testing.T) {
	for _, a := range someAnimals() {
		t.Run(a.Name, func(t *testing.T) {
			fixed := campaignOf(t, &a, a.Fixed)
			fixed.Execs = campaignExecs
			r, err := fixed.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("false alarm: %v: %s: %x", f.Kind, f.What(), f.Packet)
			}
			flawed := campaignOf(t, &a, a.Flawed)
			flawed.Execs = campaignExecs
			r, err = flawed.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			least := -1
			for _, f := range r.Findings {
				if named(&a, f) && (least < 0 || len(f.Packet) < least) {
					least = len(f.Packet)
				}
			}
			witness := len(a.Witness[len(a.Witness)-1])
			switch {
			case least < 0:
				t.Errorf("not found by name: want %v at %q (oracle %s), %d findings in %d packets", a.Rule, a.Field, a.Oracle, len(r.Findings), r.Execs)
				for _, f := range r.Findings {
					t.Logf("%v: %v %s", f.Kind, f.Reject, f.What())
				}
			case least > sizeClass(witness):
				t.Errorf("%d bytes, the witness has %d", least, witness)
			case r.Execs < campaignExecs:
				t.Errorf("it ended after %d packets", r.Execs) // it goes on after a finding
			}
		})
	}
}

// What an audit finds, a campaign has found after twice as many packets and little more: it begins with the same
// enumeration.
func TestCampaignFindsWhatAnAuditFinds(t *testing.T) {
	for i, a := range someAnimals() {
		if i%3 != 0 && !need.Required(t, need.Long) {
			continue
		}
		t.Run(a.Name, func(t *testing.T) {
			r := auditFlawed(t, &a)
			c := campaignOf(t, &a, a.Flawed)
			c.Execs = 2*int64(r.Packets) + 2048
			s, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range zoo.Missing(r.Findings, s.Findings) {
				t.Errorf("audit found %v: %s (%s, %d times); a campaign of %d packets did not", f.Kind, f.What(), f.Identity(), f.Count, s.Execs)
				for _, o := range s.Findings {
					t.Logf("it found %v: %s (%s)", o.Kind, o.What(), o.Identity())
				}
			}
		})
	}
}
