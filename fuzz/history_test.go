package fuzz_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// A history is bounded in number and in bytes, copies what it is given, and never writes over what it has told.
func TestHistory(t *testing.T) {
	var h fuzz.History
	packet := []byte("0000")
	for i := range 5000 {
		packet = fmt.Appendf(packet[:0], "%04d", i)
		h.Add(packet, decode.Client)
	}
	told := h.Sent()
	if h.Len() != 4096 || h.Lost() != 5000-4096 || string(told[0].Data) != "0904" || string(told[4095].Data) != "4999" || told[0].From != decode.Client {
		t.Fatalf("%d packets, %d lost, from %s", h.Len(), h.Lost(), told[0].Data)
	}
	large := make([]byte, 1<<20)
	for range 6 {
		h.Add(large, decode.Server)
	}
	if h.Len() != 4 || string(told[0].Data) != "0904" || string(told[4095].Data) != "4999" {
		t.Errorf("%d packets; what was told begins with %s", h.Len(), told[0].Data)
	}
	h.Add(make([]byte, 5<<20), decode.Server)
	if packets := h.Packets(); len(packets) != 1 || len(packets[0]) != 5<<20 {
		t.Errorf("the last packet stays, however long: %d packets", len(packets))
	}
	h.Reset()
	if h.Len() != 0 || h.Lost() != 0 || len(h.Packets()) != 0 {
		t.Error("not reset")
	}
}

// duel is a reader that is right until it has had an Arm of full power; then it takes a Fire of any.
type duel struct {
	right oracle.Target
	armed bool
}

const duelSchema = `protocol duel
order lsb
enum Kind : uint8 { Ping = 0, Arm = 1, Fire = 2 }
packet {
    kind Kind
    body switch kind {
        Ping: { token uint8 }
        Arm:  { power uint8 in 0..100 }
        Fire: { power uint8 in 0..100 }
    }
}`

func (d *duel) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if len(packet) == 2 && packet[0] == 2 && packet[1] > 100 && d.armed {
		return oracle.Reply{Outcome: oracle.Accepted, Bits: -1}, nil
	}
	d.armed = d.armed || bytes.Equal(packet, []byte{1, 100})
	r, err := d.right.Send(packet, from)
	r.Why = nil
	return r, err
}

func (d *duel) Close() error { return nil }

// batchDuel is the same in batches.
type batchDuel struct{ duel }

func (b *batchDuel) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		r, err := b.Send(packets[i], from[i])
		if err != nil {
			return err
		}
		if !each(i, r) {
			break
		}
	}
	return nil
}

func newDuels(d *decode.Decoder) map[string]func(context.Context) (oracle.Target, error) {
	return map[string]func(context.Context) (oracle.Target, error){
		"one by one": func(context.Context) (oracle.Target, error) { return &duel{right: oracle.NewBuiltin(d)}, nil },
		"in batches": func(context.Context) (oracle.Target, error) {
			return &batchDuel{duel{right: oracle.NewBuiltin(d)}}, nil
		},
		"beside another": func(context.Context) (oracle.Target, error) {
			return oracle.NewPair(oracle.NewBuiltin(d), &batchDuel{duel{right: oracle.NewBuiltin(d)}}, "other"), nil
		},
	}
}

// A wrong answer that takes a packet long before it is found with that packet and no other, and is shown again by the
// two.
func TestWrongAnswersOfSequences(t *testing.T) {
	d := compile(t, duelSchema)
	for name, target := range newDuels(d) {
		check := func(tool string, found []*fuzz.Finding) {
			t.Helper()
			if len(found) != 1 || len(found[0].Before) != 1 || !bytes.Equal(found[0].Before[0].Data, []byte{1, 100}) || found[0].Packet[0] != 2 {
				t.Errorf("%s, %s: %d findings", name, tool, len(found))
				for _, f := range found {
					t.Errorf("  %v %s: %x behind %x", f.Kind, f.What(), f.Packet, f.Before)
				}
				return
			}
			again, err := (&fuzz.Minimizer{Decoder: d, NewTarget: target}).Replay(t.Context(), found[0])
			if err != nil || len(again) != 1 || again[0].Key() != found[0].Key() {
				t.Errorf("%s, %s: not shown again: %v, %v", name, tool, again, err)
			}
		}
		for _, workers := range []int{1, 2} {
			run := fuzz.Audit{Decoder: d, Seed: 1, Workers: workers, NewTarget: target}
			r, err := run.Run(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			var found []*fuzz.Finding
			for i := range r.Findings {
				found = append(found, &r.Findings[i])
			}
			check("audit", found)
		}
		campaign := fuzz.Campaign{Decoder: d, Seed: 1, Workers: 1, Execs: 20000, NewTarget: target}
		state, err := campaign.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		check("campaign", state.Findings)
	}
}

// mortal is a duel that dies instead, for good: after the reply there is nothing more to be had.
type mortal struct {
	duel
	dead bool
	had  [][]byte
}

var errDead = over{errors.New("nobody starts it again")}

type over struct{ error }

func (over) Is(target error) bool { return target == oracle.ErrOver }

func (m *mortal) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if m.dead {
		return oracle.Reply{}, errDead
	}
	m.had = append(m.had, bytes.Clone(packet))
	r, err := m.duel.Send(packet, from)
	if len(packet) == 2 && packet[0] == 2 && packet[1] > 100 && r.Outcome == oracle.Accepted {
		m.dead = true
		return oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: m.had}, nil
	}
	return r, err
}

// What a target died of is found though there is no second one, with all that it had; its end is no error of a
// campaign, and an error of its own kind of an audit.
func TestTargetsThatAreOver(t *testing.T) {
	d := compile(t, duelSchema)
	made := 0
	target := func(context.Context) (oracle.Target, error) {
		if made++; made > 1 {
			t.Error("a second target")
		}
		return &mortal{duel: duel{right: oracle.NewBuiltin(d)}}, nil
	}
	r, err := (&fuzz.Audit{Decoder: d, Seed: 1, Workers: 1, NewTarget: target}).Run(t.Context())
	if !errors.Is(err, oracle.ErrOver) || len(r.Findings) != 1 || r.Findings[0].Kind != oracle.FoundCrash || len(r.Findings[0].Before) != r.Packets-1 {
		t.Errorf("audit: %v, %+v", err, r.Findings)
	}
	made = 0
	var told []*fuzz.Finding
	campaign := fuzz.Campaign{Decoder: d, Seed: 1, Workers: 1, NewTarget: target, NotRestartable: true, Found: func(f *fuzz.Finding) error {
		told = append(told, f)
		return nil
	}}
	state, err := campaign.Run(t.Context())
	if err != nil || len(state.Findings) != 1 || len(told) != 1 || len(told[0].Before) != int(state.Execs)-1 {
		t.Errorf("campaign: %v, %d findings of %d packets", err, len(state.Findings), state.Execs)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	made = 0
	if state, err := campaign.Run(ctx); err == nil || !strings.Contains(err.Error(), "nothing was tested") || state.Execs != 0 {
		t.Errorf("ended before it began: %d packets, %v", state.Execs, err)
	}
}

// slow is a reader that dies of a Fire of no power, when the next packet comes.
type slow struct {
	right oracle.Target
	dying []byte
}

func (s *slow) Send(packet []byte, from decode.Direction) (oracle.Reply, error) {
	if s.dying != nil {
		culprit := [][]byte{s.dying}
		s.dying = nil
		return oracle.Reply{Outcome: oracle.Crashed, Bits: -1, Culprit: culprit}, nil
	}
	if len(packet) == 2 && packet[0] == 2 && packet[1] == 0 {
		s.dying = bytes.Clone(packet)
	}
	r, err := s.right.Send(packet, from)
	r.Why = nil
	return r, err
}

func (s *slow) SendBatch(packets [][]byte, from []decode.Direction, each func(int, oracle.Reply) bool) error {
	for i := range packets {
		r, err := s.Send(packets[i], from[i])
		if err != nil {
			return err
		}
		if !each(i, r) {
			break
		}
	}
	return nil
}

func (s *slow) Close() error { return nil }

// A late death is that of its packet, also where it is the last or the only one.
func TestLateDeaths(t *testing.T) {
	d := compile(t, duelSchema)
	target := func(context.Context) (oracle.Target, error) { return &slow{right: oracle.NewBuiltin(d)}, nil }
	last := []decode.Packet{{Data: []byte{0, 0}}, {Data: []byte{2, 0}}}
	for _, only := range [][]decode.Packet{nil, last, last[1:]} {
		r, err := (&fuzz.Audit{Decoder: d, Seed: 1, NewTarget: target, Only: only}).Run(t.Context())
		if err != nil || len(r.Findings) != 1 || r.Findings[0].Kind != oracle.FoundCrash || !bytes.Equal(r.Findings[0].Packet, last[1].Data) || r.Findings[0].Before != nil {
			t.Errorf("audit of %d: %v, %+v", len(only), err, r.Findings)
		}
	}
	campaign := fuzz.Campaign{Decoder: d, Seed: 1, Execs: 5000, NewTarget: target}
	state, err := campaign.Run(t.Context())
	if err != nil || len(state.Findings) != 1 || !bytes.Equal(state.Findings[0].Packet, last[1].Data) || state.Findings[0].Before != nil {
		t.Fatalf("campaign: %v, %+v", err, state.Findings)
	}
	again, err := (&fuzz.Minimizer{Decoder: campaign.Decoder, NewTarget: campaign.NewTarget, SelfTest: campaign.SelfTest}).Replay(t.Context(), state.Findings[0])
	if err != nil || len(again) != 1 || again[0].Kind != oracle.FoundCrash || !bytes.Equal(again[0].Packet, last[1].Data) {
		t.Errorf("not shown again: %v, %v", again, err)
	}
}
