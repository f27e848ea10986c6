package udp_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// elsewhere is a server that somebody else starts, once.
func elsewhere(t *testing.T, s *process.Server) {
	t.Helper()
	if err := s.Restart(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
}

// attack sends packets until one is not survived.
func attack(t *testing.T, target *udp.Target, packets []string) (oracle.Reply, int) {
	t.Helper()
	for i, p := range packets {
		r, err := target.Send([]byte(p), decode.FromUnknown)
		if err != nil {
			t.Fatal(err)
		}
		if r.Outcome != oracle.Survived {
			return r, i
		}
	}
	t.Fatal("all were survived")
	return oracle.Reply{}, 0
}

func texts(packets [][]byte) []string {
	var all []string
	for _, p := range packets {
		all = append(all, string(p))
	}
	return all
}

// A late answer, to a packet that is answered as a probe is, is not taken for the answer to a later probe: the packet
// that the server died after is named, and where that cannot be known it is not said. What a new server shows is what
// it is.
func TestLateAnswers(t *testing.T) {
	packets := append(slices.Repeat([]string{"hello"}, 5), "burn")
	packets = append(packets, slices.Repeat([]string{"more"}, 50)...)
	for _, row := range []struct {
		name      string
		ours      bool
		only      bool
		outcome   oracle.Outcome
		unlocated bool
		undone    oracle.Undone
		culprit   []string // nil: the packet that was sent, "burn"
	}{
		{"nobody starts it again", false, false, oracle.Crashed, false, oracle.NotTried, packets[:6]},
		{"it is started again", true, false, oracle.Crashed, false, oracle.AllDone, nil},
		{"it answers the attacker alone, and nobody starts it again", false, true, oracle.Crashed, true, oracle.NotLocated, packets[:6]},
		{"it answers the attacker alone, and is started again", true, true, oracle.Crashed, false, oracle.AllDone, []string{"burn"}},
	} {
		t.Run(row.name, func(t *testing.T) { // not at once with others: the server's answers are late by milliseconds
			at := freePort(t)
			s := server(t, at)
			o := udp.Options{Address: at, Rate: udp.MaxRate, Stop: time.Hour, Probe: []byte("ping"), Expect: []byte("pong"), Patience: 300 * time.Millisecond}
			if row.ours {
				o.Server = s
			} else {
				elsewhere(t, s)
			}
			if row.only {
				o.Prelude = [][]byte{[]byte("mine")}
			}
			target, err := udp.New(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer target.Close()
			r, i := attack(t, target, packets)
			if !row.only && packets[i] != "burn" {
				t.Errorf("it is said to have died after packet %d, %s", i, packets[i])
			}
			culprit := texts(r.Culprit)
			if row.unlocated { // some packets more may be among them
				culprit = culprit[:min(len(culprit), len(row.culprit))]
			}
			if r.Outcome != row.outcome || r.Unlocated != row.unlocated || r.Undone != row.undone || !slices.Equal(culprit, row.culprit) {
				t.Errorf("%v, unlocated %v, undone %q, of %q", r.Outcome, r.Unlocated, r.Undone, r.Culprit)
			}
			if row.ours && !strings.HasPrefix(r.Report, "exit status 42") {
				t.Errorf("report %q", r.Report)
			}
		})
	}
}

// A server that has thrown out who attacks it answers others. That is noticed, and the packet is found where it can be
// tried.
func TestThrownOut(t *testing.T) {
	t.Parallel()
	for _, ours := range []bool{true, false} {
		t.Run(fmt.Sprint("ours=", ours), func(t *testing.T) {
			t.Parallel()
			at := freePort(t)
			s := server(t, at)
			o := udp.Options{Address: at, Rate: udp.MaxRate, Stop: time.Hour, Probe: []byte("ping"), Expect: []byte("pong"), Patience: 100 * time.Millisecond}
			if ours {
				o.Server = s
			} else {
				elsewhere(t, s)
			}
			target, err := udp.New(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer target.Close()
			packets := slices.Repeat([]string{"more"}, 100)
			packets[20] = "kick"
			r, i := attack(t, target, packets)
			if r.Outcome != oracle.Hung || i < 20 || i >= 40 || !strings.Contains(r.Report, "answers others") {
				t.Errorf("packet %d: %v, report %q", i, r.Outcome, r.Report)
			}
			if ours && (r.Unlocated || r.Undone != oracle.AllDone || !slices.Equal(texts(r.Culprit), []string{"kick"})) {
				t.Errorf("unlocated %v, undone %q, of %q", r.Unlocated, r.Undone, r.Culprit)
			}
			if !ours && (!r.Unlocated || r.Undone != oracle.NotLocated || len(r.Culprit) != i+1) {
				t.Errorf("unlocated %v, undone %q, of %d packets", r.Unlocated, r.Undone, len(r.Culprit))
			}
			// It goes on, as another client.
			if r, err := target.Send([]byte("more"), decode.FromUnknown); err != nil || r.Outcome != oracle.Survived {
				t.Errorf("then %v, %v", r.Outcome, err)
			}
		})
	}
}
