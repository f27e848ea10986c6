package fuzz

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// armed is a reader that takes a hostile packet once it has had the packet that arms it. It takes its time, or dies of
// its context.
type armed struct {
	oracle.Target
	ctx   context.Context
	takes time.Duration
	by    []byte // nil: it takes it at once; empty: never again
	is    bool
}

func (a *armed) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	select {
	case <-time.After(a.takes):
	case <-a.ctx.Done():
		return oracle.Reply{}, a.ctx.Err()
	}
	r, err := a.Target.Send(packet, from)
	if r.Why = nil; r.Outcome == oracle.Refused && (a.is || a.by == nil) {
		r.Outcome = oracle.Accepted
	}
	a.is = a.is || len(a.by) > 0 && bytes.Equal(packet, a.by)
	return r, err
}

// twoBytes decodes a byte with a rule and one without.
func twoBytes(t *testing.T) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load("ab.pks", []byte("protocol ab\norder lsb\npacket {\n    x uint8 in 0..100\n    y uint8\n}\n"), nil)
	if s == nil {
		t.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatal(diags)
	}
	return decode.New(p)
}

// What the end of the time left undone of a finding is said, and nothing is said to be needed that was not shown to be.
// The clock is not the machine's.
func TestUndone(t *testing.T) {
	d := twoBytes(t)
	arms, hostile := []byte{7, 7}, []byte{200, 9}
	for _, row := range []struct {
		name   string
		by     []byte
		takes  time.Duration
		want   oracle.Undone
		before int
		note   string
	}{
		{"needs none, in time", nil, time.Microsecond, oracle.AllDone, 0, ""},
		{"needs none, late", nil, 2 * time.Second, oracle.NotTried, 0, "not tried again"},
		{"needs none, simplified in part", nil, 700 * time.Millisecond, oracle.NotSimplified, 0, "its packet was not simplified to the end"},
		{"needs one, in time", arms, time.Microsecond, oracle.AllDone, 1, "takes 1 packet before it"},
		{"needs one, late", arms, 20 * time.Millisecond, oracle.NotTried, 0, "not tried again"},
		{"needs one, shortened in part", arms, 10 * time.Millisecond, oracle.NotShortened, 100, "shown again behind the 100 packets before it; whether it takes them all was not tried"},
		{"does not happen again", []byte{}, time.Microsecond, oracle.NotAgain, 0, "a new target did not show it again"},
		{"does not happen again, late", []byte{}, 20 * time.Millisecond, oracle.NotTried, 0, "not tried again"},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, end := context.WithCancel(t.Context())
				end() // what is left is lastMinimizing
				m := &Minimizer{Decoder: d, NewTarget: func(ctx context.Context) (oracle.Target, error) {
					return &armed{Target: oracle.NewBuiltin(d), ctx: ctx, takes: row.takes, by: row.by}, nil
				}}
				trying, done := outlast(ctx, lastOfAudit)
				defer done()
				f := &Finding{Kind: oracle.FoundAcceptedMalformed, Rule: "x", Reject: reject.OutOfRange, Path: "x", Width: 8, Packet: hostile, node: plan.NoNode}
				for i := range 100 {
					packet := []byte{1, byte(i)}
					if i == 30 {
						packet = arms
					}
					f.sent = append(f.sent, decode.Packet{Data: packet})
				}
				least, err := m.Minimize(trying, f)
				if err != nil || least.Undone != row.want || len(least.Before) != row.before {
					t.Errorf("%v with %d packets before it, %v; want %v with %d", least.Undone, len(least.Before), err, row.want, row.before)
				}
				note := least.Undone.Note(len(least.Before))
				if !strings.Contains(note, row.note) || row.note == "" && note != "" || row.want != oracle.AllDone && strings.HasPrefix(note, "takes") {
					t.Errorf("%q: want %q", note, row.note)
				}
			})
		})
	}
	for u := oracle.AllDone; u <= oracle.NotLocated; u++ {
		if got, err := oracle.ParseUndone(u.String()); got != u || err != nil {
			t.Errorf("%v: %v, %v", u, got, err)
		}
	}
	if _, err := oracle.ParseUndone("nothing"); err == nil {
		t.Error("want an error")
	}
}

// What a target died of, one of many packets, is not named by the last of them.
func TestUnlocated(t *testing.T) {
	d := twoBytes(t)
	packets := [][]byte{{1, 2}, {200, 9}}
	for _, row := range []struct {
		unlocated bool
		undone    oracle.Undone
		what      string
		note      string
	}{
		{false, oracle.NotTried, "x, bits 0..7: want out-of-range (want 0..100 in 8 bits, got 200), got a crash", "of the last 1 packet before it, it may take none"},
		{true, oracle.NotLocated, "packet: want an answer after each of 2 packets, got a crash", "this packet or the one before it does it"},
	} {
		r := oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: packets, Undone: row.undone, Unlocated: row.unlocated}
		found := NewJudge(d, false).Judge(&Mutation{Data: packets[1]}, decode.FromUnknown, nil, r)
		if len(found) != 1 || found[0].What() != row.what || !strings.Contains(found[0].Undone.Note(1), row.note) {
			t.Errorf("unlocated %v: got %+v", row.unlocated, found)
		}
	}
}
