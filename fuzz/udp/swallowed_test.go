package udp_test

import (
	"context"
	"net"
	"net/netip"
	"sync"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// inside is a server inside of the test, so that it ends exactly when the test wants it to.
type inside struct {
	at    netip.AddrPort
	fatal byte   // the x of a move that ends it
	late  int    // packets that it answers from then on before it ends
	then  func() // called before it ends; nil for nothing

	mu     sync.Mutex
	conn   net.PacketConn
	ended  bool
	starts int
}

func (s *inside) Restart() error {
	_ = s.Close()
	conn, err := net.ListenPacket("udp", s.at.String())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.conn, s.ended = conn, false
	s.starts++
	go s.serve(conn)
	return nil
}

func (s *inside) Ended() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return "killed by SIGABRT (aborted)", s.ended
}

func (s *inside) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.conn == nil {
		return nil
	}
	return s.conn.Close()
}

// end ends it now.
func (s *inside) end(conn net.PacketConn) {
	if s.then != nil {
		s.then()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ended = conn == s.conn
}

func (s *inside) serve(conn net.PacketConn) {
	var d door.Server
	left := -1 // packets to answer
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			return
		}
		reply := d.Handle(buf[:n], from.String(), time.Now())
		if reply == nil {
			continue
		}
		switch killer := reply[0] == 8 && buf[3] == s.fatal; {
		case left > 0:
			left--
		case left == 0, killer && s.late == 0:
			s.end(conn)
			return
		case killer:
			left = s.late - 1
		}
		_, _ = conn.WriteTo(reply, from)
	}
}

// Of the packet that ends a server the answers to what was before, which come late, do not blame the next packet.
func TestLateAnswersInSessions(t *testing.T) {
	t.Parallel()
	_, talk := doorTalk(t)
	for _, late := range []int{0, 1, 2} {
		o := serverOptions(t, talk, "0")
		o.Server = &inside{at: o.Address, fatal: dies, late: late}
		target, err := udp.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		packets, from := moves(40, map[int]byte{20: dies})
		var named []byte
		err = target.SendBatch(packets, from, func(i int, r oracle.Reply) bool {
			if r.Outcome == oracle.Survived {
				return true
			}
			named = packets[i]
			if n := len(r.Culprit); n > 0 {
				named = r.Culprit[n-1]
			}
			if len(r.Culprit) > 1 || r.Outcome != oracle.Crashed || r.Undone != oracle.AllDone || r.Unlocated {
				t.Errorf("%d late: %v, %v, unlocated %v, of %x", late, r.Outcome, r.Undone, r.Unlocated, r.Culprit)
			}
			return false
		})
		if err != nil || len(named) < 4 || named[3] != dies {
			t.Errorf("%d late: %x is named, %v", late, named, err)
		}
		_ = target.Close()
	}
}

// A server of ours that ends is told, also where the attack is over at that moment, and where another user comes first.
func TestNoEndIsSwallowed(t *testing.T) {
	t.Parallel()
	_, talk := doorTalk(t)
	packets, _ := moves(3, map[int]byte{0: dies})
	for name, send := range map[string]func(oracle.Target) []oracle.Reply{
		"while the attack ends": func(u oracle.Target) []oracle.Reply { return sendAll(u, packets[:1]) },
		"in a sequence, while the attack ends": func(u oracle.Target) []oracle.Reply {
			s := u.(oracle.Stateful)
			_, r, _ := s.SendSequence(len(s.States())-2, packets[:1])
			return []oracle.Reply{r}
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := serverOptions(t, talk, "0")
			ctx, cancel := context.WithCancel(t.Context())
			o.Server = &inside{at: o.Address, fatal: dies, then: cancel}
			shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
			u, err := shared.Use(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer u.Close()
			if replies := send(u); len(replies) != 1 || replies[0].Outcome != oracle.Crashed {
				t.Errorf("%+v", replies)
			}
		})
	}
	t.Run("between two users", func(t *testing.T) {
		o := serverOptions(t, talk, "0")
		s := &inside{at: o.Address}
		o.Server = s
		shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
		packets, _ := moves(3, nil)
		main, err := shared.Use(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if first := sendAll(main, packets); len(first) != 3 || first[2].Outcome != oracle.Survived {
			t.Fatalf("%+v", first)
		}
		s.end(s.conn)
		trial, err := shared.Use(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if r, err := trial.Send(packets[0], decode.Client); err != nil || r.Outcome != oracle.Survived {
			t.Errorf("the trial: %v, %v", r.Outcome, err)
		}
		_ = trial.Close()
		r, err := main.Send(packets[0], decode.Client)
		if err != nil || r.Outcome != oracle.Crashed || !r.Unlocated || len(r.Culprit) == 0 {
			t.Errorf("%v, %v of %x, %v", r.Outcome, r.Unlocated, r.Culprit, err)
		}
		if r, err = main.Send(packets[0], decode.Client); err != nil || r.Outcome != oracle.Survived {
			t.Errorf("then %v, %v", r.Outcome, err)
		}
		_ = main.Close()
	})
}

// sendAll sends packets, and gives the replies until an error.
func sendAll(u oracle.Target, packets [][]byte) (replies []oracle.Reply) {
	_ = u.(oracle.Batcher).SendBatch(packets, make([]decode.Direction, len(packets)), func(_ int, r oracle.Reply) bool {
		replies = append(replies, r)
		return true
	})
	return replies
}
