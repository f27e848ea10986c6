package udp_test

import (
	"context"
	"slices"
	"testing"
	"time"

	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// What a session passes through is named by states, cases and what the server says in a row; the dialogue's own values
// are in the packets, so that a sequence goes on from state to state. An answer that comes after milliseconds guides
// nobody, so on a busy machine it takes several sessions until every answer came in time.
func TestSequencePasses(t *testing.T) {
	t.Parallel()
	_, talk := doorTalk(t)
	o := doorOptions(t, talk, 0)
	shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
	target, err := shared.Use(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	s := target.(oracle.Stateful)
	if got := s.States(); !slices.Equal(got, []string{"Start", "Challenged", "Joined", "Ended"}) {
		t.Fatal(got)
	}
	if len(s.Openers()) != 6 {
		t.Errorf("%x", s.Openers())
	}
	hello, answer, move, leave := []byte("\x01\x00\x00--------"), []byte{3, 0, 0, 0, 0, 0, 0}, []byte{7, 0, 0, 5, 5}, []byte{11, 0, 0}
	for _, row := range []struct {
		state   int
		packets [][]byte
		want    []string
	}{
		{0, [][]byte{move}, []string{"Start: Move"}},
		{0, [][]byte{hello, answer, move, leave, move}, []string{
			"Start: Hello", "Start < Challenge", "Challenged: Answer", "Challenged < Welcome", "Challenge > Welcome", "Joined: Move", "Joined < MoveAck",
			"Welcome > MoveAck", "Joined: Leave", "Joined < Bye", "MoveAck > Bye", "Ended: Move",
		}},
		{3, [][]byte{answer}, []string{"Ended: Answer", "Ended < Nack"}},
	} {
		for by := time.Now().Add(30 * time.Second); ; {
			passed, r, err := s.SendSequence(row.state, row.packets)
			if err != nil || r.Outcome != oracle.Survived {
				t.Fatalf("%q: %v, %v", passed, r.Outcome, err)
			}
			if slices.Equal(passed, row.want) {
				break
			}
			if time.Now().After(by) {
				t.Fatalf("want %q, got %q", row.want, passed)
			}
		}
	}
}

// A mistake that takes two packets after the goodbye is found by a campaign, which keeps what brings it near; the finding
// is spoken again from that state, and not with the mended server.
func TestWoven(t *testing.T) {
	if testing.Short() {
		t.Skip("a campaign until a server dies")
	}
	t.Parallel()
	d, talk := doorTalk(t)
	for _, m := range []door.Mistakes{door.ReturnDies, 0} {
		o := doorOptions(t, talk, m)
		o.Stop = 5 * time.Minute
		shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
		ctx, cancel := context.WithTimeout(context.Background(), 4*time.Minute)
		defer cancel()
		c := &fuzz.Campaign{Decoder: d, Seed: 1, Workers: 1, NewTarget: shared.Use, Sole: true, Scope: talk.Dialogue.Scope(), Execs: 1 << 22}
		var death *fuzz.Finding
		c.Progress = func(s *fuzz.CampaignState) {
			if m == 0 && s.Passed >= 28 {
				cancel() // the mended one has passed through as much
			}
			if len(s.Findings) > 0 {
				death = s.Findings[0]
				cancel()
			}
		}
		state, err := c.Run(ctx)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("mistakes %d: %d packets, %d pairs, %d sequences", m, state.Execs, state.Passed, state.Sequences)
		if m == 0 {
			if death != nil || state.Passed < 28 || state.Sequences == 0 {
				t.Errorf("the mended server: %+v; %d pairs, %d sequences", death, state.Passed, state.Sequences)
			}
			continue
		}
		// From the end on it takes two packets, and one more from each state before.
		most := map[string]int{"Ended": 1, "Joined": 2, "Challenged": 3, "Start": 4}
		if death == nil || death.Kind != oracle.FoundCrash || len(death.Before) > most[death.Spoken.State] || death.Before[len(death.Before)-1].Data[0] != 3 || death.Packet[0] != 7 || death.Undone != oracle.AllDone {
			t.Fatalf("%+v", death)
		}
		again := &fuzz.Minimizer{Decoder: d, NewTarget: shared.Use}
		if found, err := again.Replay(context.Background(), death); err != nil || len(found) != 1 || found[0].Kind != oracle.FoundCrash {
			t.Errorf("again: %v, %v", found, err)
		}
		mended := doorOptions(t, talk, 0)
		again.NewTarget = udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, mended) }).Use
		if found, err := again.Replay(context.Background(), death); err != nil || len(found) > 0 {
			t.Errorf("with the mended server: %v, %v", found, err)
		}
	}
}
