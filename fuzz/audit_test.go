package fuzz_test

import (
	"context"
	"hash/fnv"
	"reflect"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

func auditOf(t testing.TB, name string, workers int) *fuzz.Audit {
	d, err := protocols.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	a := &fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	for _, seed := range corpus.Seeds(name) {
		a.Bases = append(a.Bases, decode.Packet{Data: seed.Data, From: fuzz.Sender(seed.From)})
	}
	return a
}

// The project's own decoder: nothing to find, and the same with one and with two workers.
func TestAuditBuiltins(t *testing.T) {
	for _, name := range protocols.Names() {
		t.Run(name, func(t *testing.T) {
			if testing.Short() && !slices.Contains([]string{"course", "rtp"}, name) {
				t.Skip("-short audits two, each twice")
			}
			if name == "dns" || name == "mavlink" {
				need.Job(t, need.Long) // two audits of a minute
			}
			var sent [2]atomic.Uint64
			audit := auditOf(t, name, 1)
			count(audit, &sent[0])
			one, err := audit.Run(t.Context())
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
				if corpus.Seeds(name) != nil { // other people's protocols have relations that few packets keep
					t.Errorf("missed: %s: %v", u.Why, u.Err)
				}
			}
			if !need.Required(t, need.Long) && !slices.Contains([]string{"course", "packets", "rtp", "rtype", "enet"}, name) {
				return // a second audit shows of another protocol what it shows of these
			}
			audit = auditOf(t, name, 2)
			count(audit, &sent[1])
			two, err := audit.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if a, b := sent[0].Load(), sent[1].Load(); a != b || a == 0 {
				t.Errorf("one worker and two sent different packets: %x, %x", a, b)
			}
			if !reflect.DeepEqual(one, two) {
				t.Error("one worker and two found different things")
			}
			t.Logf("%d of %d hostile packets refused, %d of %d valid ones accepted, %d known, %d bases, %d missed, %d of %d steps", one.Refused, one.Hostile, one.Accepted, one.Valid, one.Known, one.Bases, len(one.Missed), one.Steps, one.MaxSteps)
		})
	}
}

// count makes an audit's targets add up what they are sent, in whatever order.
func count(a *fuzz.Audit, sum *atomic.Uint64) {
	make := a.NewTarget
	a.NewTarget = func(ctx context.Context) (oracle.Target, error) {
		t, err := make(ctx)
		return counted{t, sum}, err
	}
}

type counted struct {
	oracle.Target
	sum *atomic.Uint64
}

func (c counted) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	h := fnv.New64a()
	h.Write(append([]byte{byte(from)}, packet...))
	c.sum.Add(h.Sum64())
	return c.Target.Send(packet, from)
}
