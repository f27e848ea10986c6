package fuzz_test

import (
	"reflect"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
)

func auditOf(t testing.TB, name string, workers int) *fuzz.Audit {
	d, err := fuzz.Builtin(name)
	if err != nil {
		t.Fatal(err)
	}
	a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, Own: true, NewTarget: func() (fuzz.Target, error) { return fuzz.NewBuiltin(d), nil }}
	for _, seed := range corpus.Seeds(name) {
		a.Bases = append(a.Bases, fuzz.Base{Data: seed.Data, From: fuzz.Sender(seed.From)})
	}
	return a
}

// The project's own decoder: nothing to find, and the same with one and with two workers.
func TestAuditBuiltins(t *testing.T) {
	for _, name := range protocols.Names() {
		t.Run(name, func(t *testing.T) {
			one, err := auditOf(t, name, 1).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range one.Findings {
				t.Errorf("%v: %s (%d packets, %x)", f.Kind, f.What(), f.Count, f.Packet)
			}
			if one.Refused != one.Hostile || one.Accepted != one.Valid || one.Hostile < 300 || one.Packets != one.Hostile+one.Valid {
				t.Errorf("%d of %d hostile packets refused, %d of %d valid ones accepted", one.Refused, one.Hostile, one.Accepted, one.Valid)
			}
			if int64(one.Steps) > one.MaxSteps {
				t.Errorf("%d steps, at most %d are proved", one.Steps, one.MaxSteps)
			}
			for _, u := range one.Unreached {
				t.Errorf("not reached: %v", &u)
			}
			for _, u := range one.Missed {
				t.Errorf("missed: %s: %v", u.Why, u.Err)
			}
			two, err := auditOf(t, name, 2).Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(one, two) {
				t.Error("one worker and two found different things")
			}
			t.Logf("%d of %d hostile packets refused, %d of %d valid ones accepted, %d known, %d bases, %d missed, %d of %d steps", one.Refused, one.Hostile, one.Accepted, one.Valid, one.Known, one.Bases, len(one.Missed), one.Steps, one.MaxSteps)
		})
	}
}
