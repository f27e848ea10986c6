package fuzz_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// steps is a server of a model: it dies of the packets 1, 2, 3, 4 in a row, each of which it answers in a way of its
// own if the ones before it have come.
type steps struct{ sent, longest int }

func (s *steps) Send([]byte, decode.Direction) (oracle.Reply, error) {
	return oracle.Reply{Outcome: oracle.Survived, Bits: -1}, nil
}
func (s *steps) Close() error     { return nil }
func (s *steps) States() []string { return []string{"Start"} }
func (s *steps) Openers() (all [][]byte) {
	for k := byte(1); k <= 9; k++ {
		all = append(all, []byte{k})
	}
	return all
}

func (s *steps) SendSequence(_ int, packets [][]byte) (passed []string, r oracle.Reply, err error) {
	s.sent++
	s.longest = max(s.longest, len(packets))
	at := byte(0)
	for i, p := range packets {
		if len(p) != 1 || p[0] != at+1 {
			continue
		}
		at++
		passed = append(passed, fmt.Sprint("step ", at))
		if at == 4 {
			return passed, oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: packets[:i+1], Spoken: &oracle.Spoken{State: "Start"}}, nil
		}
	}
	return passed, oracle.Reply{Outcome: oracle.Survived, Bits: -1}, nil
}

// What is kept leads on: four steps in a row are found, of 9⁴ sequences of that length, in some hundred. The bounds of a
// sequence hold.
func TestWeave(t *testing.T) {
	d, err := decode.Load("s.pks", []byte("protocol s\norder msb\nmax datagram 4\npacket { a uint8 in 1..9 }\n"))
	if err != nil {
		t.Fatal(err)
	}
	for seed := range need.Rounds[uint64](3, 1) {
		target := &steps{}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		at := 0
		c := &fuzz.Campaign{Decoder: d, Seed: seed, Workers: 1, Sole: true, Execs: 1 << 20, NewTarget: func(context.Context) (oracle.Target, error) { return target, nil }}
		c.Progress = func(s *fuzz.CampaignState) {
			if len(s.Findings) > 0 {
				at = target.sent
				cancel()
			}
		}
		state, err := c.Run(ctx)
		if err != nil || at == 0 || at > 1500 {
			t.Fatalf("seed %d: after %d sequences, %+v, %v", seed, target.sent, state.Findings, err)
		}
		if state.Passed < 3 || state.Sequences < 3 || target.longest > 16 {
			t.Errorf("seed %d: %d passed, %d kept, the longest has %d packets", seed, state.Passed, state.Sequences, target.longest)
		}
		if f := state.Findings[0]; f.Kind != oracle.FoundCrash || !f.InState() || f.Done != "sent from state Start on" || f.Packet[0] != 4 {
			t.Errorf("%+v", f)
		}
		t.Logf("seed %d: %d sequences", seed, at)
	}
}
