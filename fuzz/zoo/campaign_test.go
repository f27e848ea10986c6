package zoo_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// campaignOf is a campaign against a reader of the zoo.
func campaignOf(t testing.TB, a *zoo.Animal, read func() zoo.Reader) *fuzz.Campaign {
	t.Helper()
	c := &fuzz.Campaign{Decoder: compile(t, a), Seed: 1, Workers: 1, NewTarget: func() (fuzz.Target, error) { return zoo.NewTarget(read()), nil }}
	for _, seed := range a.Seeds {
		c.Bases = append(c.Bases, fuzz.Base{Data: seed, From: decode.Unknown})
	}
	return c
}

// named reports whether a finding names an animal's mistake.
func named(a *zoo.Animal, f *fuzz.Finding) bool {
	return a.Names(f.Reject, f.Path) || a.Names(reject.None, f.Changed)
}

// campaignExecs is what a campaign is given to find a mistake and to name it.
const campaignExecs = 20000

// A campaign finds every mistake in the zoo, names it by rule and field, with a packet of the size of the witness, and has
// nothing to say about the fixed twins.
func TestCampaignFindsAll(t *testing.T) {
	for _, a := range zoo.Animals() {
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
			var found, name int64
			flawed.Progress = func(s *fuzz.CampaignState) {
				for _, f := range s.Findings {
					if found == 0 {
						found = s.Execs
					}
					if name == 0 && named(&a, f) {
						name = s.Execs
					}
				}
			}
			r, err = flawed.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if name == 0 {
				t.Errorf("not found by name: want %v at %q (oracle %s), %d findings in %d packets", a.Rule, a.Field, a.Oracle, len(r.Findings), r.Execs)
			}
			witness := len(a.Witness[len(a.Witness)-1])
			for _, f := range r.Findings {
				t.Logf("%v: %v %s; %d bytes (witness %d), before %d, done %q changed %q count %d", f.Kind, f.Reject, f.What(), len(f.Packet), witness, len(f.Before), f.Done, f.Changed, f.Count)
			}
			t.Logf("found after %d, named after %d of %d, useful %d, coverage %.1f%%, queue %d kept %d", found, name, r.Execs, r.Useful, r.Coverage.Percent(), r.Queue, r.Kept)
		})
	}
}
