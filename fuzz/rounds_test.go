package fuzz_test

import (
	"context"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// briefly is a target that is over after some packets.
type briefly struct {
	right oracle.Target
	left  int
	had   *[]string
}

func (b *briefly) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if b.left == 0 {
		return oracle.Reply{}, errDead
	}
	b.left--
	*b.had = append(*b.had, string(packet)+from.String())
	r, err := b.right.Send(packet, from)
	r.Why = nil
	return r, err
}

func (b *briefly) Close() error { return nil }

// An audit in rounds sends what any audit sends. When it ends early, each rule has been tried, and those that were not
// finished are named.
func TestRounds(t *testing.T) {
	d := compile(t, duelSchema)
	run := func(rounds bool, packets int) (had []string, r *fuzz.AuditResult, err error) {
		r, err = (&fuzz.Audit{Decoder: d, Seed: 1, Rounds: rounds, NewTarget: func(context.Context) (oracle.Target, error) {
			return &briefly{oracle.NewBuiltin(d), packets, &had}, nil
		}}).Run(t.Context())
		return had, r, err
	}
	all, whole, err := run(false, 1e6)
	if err != nil {
		t.Fatal(err)
	}
	had, r, err := run(true, 1e6)
	if err != nil || r.Bases != whole.Bases || len(r.Missed) != len(whole.Missed) || len(r.Rules) != len(whole.Rules) || r.Unfinished != nil {
		t.Errorf("in rounds: %v, %+v", err, r)
	}
	slices.Sort(had)
	slices.Sort(all)
	if !slices.Equal(had, all) {
		t.Errorf("in rounds %d packets, else %d", len(had), len(all))
	}
	_, short, err := run(true, len(all)/8)
	if err == nil || short.Packets != len(all)/8 {
		t.Fatalf("%d packets, %v", short.Packets, err)
	}
	for i := range whole.Rules {
		rule := &whole.Rules[i]
		if !slices.ContainsFunc(short.Rules, func(o fuzz.RuleResult) bool { return o.Rule == rule.Rule && o.Kind == rule.Kind }) {
			t.Errorf("%s, %v: not tried in the first eighth", rule.Rule, rule.Kind)
		}
	}
	tried, of := 0, 0
	for _, u := range short.Unfinished {
		if u.Tried >= u.Of {
			t.Errorf("%+v is finished", u)
		}
		tried, of = tried+u.Tried, of+u.Of
	}
	if len(short.Unfinished) < 3 || of-tried != len(all)-short.Packets {
		t.Errorf("%d of %d packets left: %+v", len(all)-short.Packets, len(all), short.Unfinished)
	}
}
