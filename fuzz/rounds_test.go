package fuzz_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
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

// late is a context whose deadline is over once it was asked so often whether it is.
type late struct {
	context.Context
	end  func()
	left *atomic.Int64
}

func lateAfter(t *testing.T, asked int64) late {
	ctx, end := context.WithCancel(t.Context())
	t.Cleanup(end)
	l := late{ctx, end, new(atomic.Int64)}
	l.left.Store(asked)
	return l
}

func (l late) Err() error {
	if l.left.Add(-1) > 0 {
		return nil
	}
	l.end()
	return context.DeadlineExceeded
}

// When the time is over while the first packets are made, an audit ends: it does not make the others to count them, and
// what it has not counted it says is at least so many.
func TestDeadlineBoundsTheWholeAudit(t *testing.T) {
	// Each of thousands of boundaries is tried 400 times: no machine counts its packets in the moment that is left.
	endless := "protocol n\norder msb\npacket { x uint32, y uint32"
	for i := range 500 {
		endless += fmt.Sprintf(", f%d uint32", i)
	}
	endless += ", require x * 1000003 == y * 7919 + 13 }"
	for _, row := range []struct {
		name, source string
		asked        int64
		packets      bool
		endless      bool
	}{
		{"while packets are broken", anyschema.SFlow, need.Rounds[int64](60000, 12000), true, false},
		{"no first packet is found", endless, 50, false, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.endless && testing.Short() {
				t.Skip("seconds of work")
			}
			d := compile(t, row.source)
			ctx := lateAfter(t, row.asked)
			a := &fuzz.Audit{Decoder: d, Seed: 1, Rounds: true, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
			r, err := a.Run(ctx)
			if !errors.Is(err, context.DeadlineExceeded) || r.Packets > 0 != row.packets {
				t.Fatalf("%d packets, %v", r.Packets, err)
			}
			some := false
			for _, u := range r.Unfinished {
				if u.Tried > u.Of {
					t.Errorf("%+v", u)
				}
				some = some || u.AtLeast && u.Tried == 0
			}
			if row.endless && !some || len(r.Unfinished) == 0 {
				t.Errorf("all is said to be counted: %+v", r.Unfinished)
			}
			if asked := -ctx.left.Load(); asked > 200 {
				t.Errorf("asked %d times more whether the time is over", asked)
			}
		})
	}
}
