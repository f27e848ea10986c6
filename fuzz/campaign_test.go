package fuzz_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// campaignOf is a campaign against this project's own decoder.
func campaignOf(t testing.TB, name string, workers int) *fuzz.Campaign {
	t.Helper()
	d, err := protocols.Load(name)
	if err != nil {
		t.Fatal(err)
	}
	c := &fuzz.Campaign{Decoder: d, Seed: 1, Workers: workers, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	for _, seed := range corpus.Seeds(name) {
		c.Bases = append(c.Bases, decode.Packet{Data: seed.Data, From: fuzz.Sender(seed.From)})
	}
	return c
}

// recorder is a target that remembers what it was sent, in a hash that does not depend on the order: several of them
// work at the same time.
type recorder struct {
	oracle.Target
	sum [sha256.Size]byte
}

func (r *recorder) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	for i, c := range sha256.Sum256(append([]byte{byte(from)}, packet...)) {
		r.sum[i] += c
	}
	return r.Target.Send(packet, from)
}

// packets runs a campaign and returns what was sent in all, and what was kept in its order.
func packets(t *testing.T, c *fuzz.Campaign) (sum [sha256.Size]byte, kept [][]byte) {
	t.Helper()
	var all []*recorder
	inner := c.NewTarget
	c.NewTarget = func(ctx context.Context) (oracle.Target, error) {
		target, err := inner(ctx)
		all = append(all, &recorder{Target: target})
		return all[len(all)-1], err
	}
	c.Keep = func(p decode.Packet, _ string) error {
		kept = append(kept, bytes.Clone(p.Data))
		return nil
	}
	if _, err := c.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		for i, b := range r.sum {
			sum[i] += b
		}
	}
	return sum, kept
}

// The project's own decoders: nothing to find, most of the plan reached; the same packets from the same seed, with one
// worker and with two.
func TestCampaignBuiltins(t *testing.T) {
	for _, name := range corpus.Protocols() {
		t.Run(name, func(t *testing.T) {
			c := campaignOf(t, name, 2)
			c.Execs = need.Rounds[int64](60000, 5000)
			r, err := c.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range r.Findings {
				t.Errorf("%v: %s: %x", f.Kind, f.What(), f.Packet)
			}
			// It begins with an audit's packets, many of which break what is before the checkpoint.
			if r.Execs < c.Execs || r.Valid < r.Execs/3 || r.Coverage.Percent() < 80 || r.Kept < 20 {
				t.Errorf("%d packets, %d valid, %d kept, coverage %.1f%%", r.Execs, r.Valid, r.Kept, r.Coverage.Percent())
			}
			t.Logf("%d packets, %d valid, %d kept, coverage %.1f%%", r.Execs, r.Valid, r.Kept, r.Coverage.Percent())
		})
	}
}

func TestCampaignIsDeterministic(t *testing.T) {
	names := []string{"packets", "gaffer"}
	for _, name := range names[:need.Rounds(2, 1)] {
		run := func(workers int, seed uint64) ([sha256.Size]byte, [][]byte) {
			c := campaignOf(t, name, workers)
			c.Execs, c.Seed = 10000, seed
			return packets(t, c)
		}
		one, kept := run(1, 1)
		for _, row := range []struct {
			what    string
			workers int
			seed    uint64
			same    bool
		}{{"another seed", 1, 2, false}, {"again", 1, 1, true}, {"with three workers", 3, 1, true}} {
			sum, others := run(row.workers, row.seed)
			if same := sum == one && slices.EqualFunc(kept, others, bytes.Equal); same != row.same {
				t.Errorf("%s %s: want the same packets %v, got %v", name, row.what, row.same, same)
			}
		}
	}
}

// A campaign begins where another one ended: with what it kept, it has nothing more to reach at once.
func TestCampaignResumes(t *testing.T) {
	c := campaignOf(t, "rtype", 1)
	c.Execs = 20000
	var bases []decode.Packet
	c.Keep = func(p decode.Packet, _ string) error {
		bases = append(bases, decode.Packet{Data: bytes.Clone(p.Data), From: p.From})
		return nil
	}
	first, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c.Bases, c.Keep, c.Execs = bases, nil, 1
	again, err := c.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if again.Execs > 2*int64(len(bases))+2048 || again.Coverage.Percent() < first.Coverage.Percent() || again.Queue < first.Queue {
		t.Errorf("first: coverage %.2f%%, queue %d; resumed after %d packets: %.2f%%, %d", first.Coverage.Percent(), first.Queue, again.Execs, again.Coverage.Percent(), again.Queue)
	}
}

// Whatever ends a campaign ends it, and what was found is there.
func TestCampaignEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := campaignOf(t, "packets", 2)
	c.Progress = func(*fuzz.CampaignState) { cancel() }
	r, err := c.Run(ctx)
	if err != nil || r.Execs == 0 || r.Execs > 5000 {
		t.Errorf("cancelled: %d packets, %v", r.Execs, err)
	}
	r, err = c.Run(ctx)
	if err == nil || !strings.Contains(err.Error(), "nothing was tested") || r.Execs != 0 { // it is no pass
		t.Errorf("cancelled before it began: %d packets, %v", r.Execs, err)
	}
	full := errors.New("the disk is full")
	c = campaignOf(t, "packets", 2)
	c.Keep = func(decode.Packet, string) error { return full }
	if _, err := c.Run(t.Context()); err != full {
		t.Errorf("want %v, got %v", full, err)
	}
	c = campaignOf(t, "packets", 2)
	c.NewTarget = func(context.Context) (oracle.Target, error) { return nil, full }
	if _, err := c.Run(t.Context()); err != full {
		t.Errorf("want %v, got %v", full, err)
	}
	c = campaignOf(t, "packets", 2)
	c.NewTarget = func(context.Context) (oracle.Target, error) { return gone{}, nil }
	if _, err := c.Run(t.Context()); err != errGone {
		t.Errorf("want %v, got %v", errGone, err)
	}
}

var errGone = errors.New("it does not start any more")

// gone is a target that is of no use.
type gone struct{}

func (gone) Send([]byte, decode.Direction) (oracle.Reply, error) { return oracle.Reply{}, errGone }
func (gone) Close() error                                        { return nil }

// A target whose context is the campaign's ends it without an error, whatever the cause is called: a signal has a name
// of its own.
func TestCampaignEndsWithItsTarget(t *testing.T) {
	ctx, end := context.WithCancelCause(t.Context())
	c := campaignOf(t, "course", 1)
	c.SelfTest, c.NewTarget = false, func(context.Context) (oracle.Target, error) {
		return endingTarget{&told{reply: func([]byte) oracle.Reply {
			end(errors.New("interrupt signal received"))
			return oracle.Reply{Outcome: oracle.Refused, Bits: -1}
		}}, ctx}, nil
	}
	if s, err := c.Run(ctx); err != nil {
		t.Errorf("after %d packets: %v", s.Execs, err)
	}
}

// endingTarget fails once its context has ended.
type endingTarget struct {
	*told
	ctx context.Context
}

func (e endingTarget) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if err := e.ctx.Err(); err != nil {
		return oracle.Reply{}, err
	}
	return e.told.Send(packet, from)
}
