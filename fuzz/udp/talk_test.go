package udp_test

import (
	"context"
	"fmt"
	"maps"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// serveDoor is this test's own program, run again: a server of package door.
func serveDoor(at, mistakes string) {
	conn, err := net.ListenPacket("udp", at)
	if err == nil {
		m, _ := strconv.Atoi(mistakes)
		if m < 0 {
			serveFragile(conn)
		}
		err = door.Serve(conn, door.Mistakes(m))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// doorTalk is the protocol of package door, and its dialogue with some texts replaced by others.
func doorTalk(t testing.TB, changes ...string) (*decode.Decoder, *udp.Talk) {
	t.Helper()
	d, err := decode.Load("door.pks", []byte(door.Schema))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("door.pkd", []byte(strings.NewReplacer(changes...).Replace(door.Dialogue)), d)
	if err != nil {
		t.Fatal(err)
	}
	values := talk.NewValues()
	if err := values.Set("Token", door.Token); err != nil {
		t.Fatal(err)
	}
	return d, &udp.Talk{Dialogue: talk, Values: values}
}

func doorOptions(t testing.TB, talk *udp.Talk, m door.Mistakes) udp.Options {
	t.Helper()
	return serverOptions(t, talk, strconv.Itoa(int(m)))
}

func serverOptions(t testing.TB, talk *udp.Talk, mistakes string) udp.Options {
	t.Helper()
	at := freePort(t)
	return udp.Options{Address: at, Rate: 20000, Stop: time.Minute, Talk: talk, Server: program(t, "door", at, mistakes)}
}

// statesOf tries a server's states until it finds all that is wanted, and gives the names of what it found, sorted. An
// answer that comes late shows nothing, so on a busy machine that takes several trials; a minute is enough.
func statesOf(t *testing.T, options func() udp.Options, want ...string) ([]string, []fuzz.Finding, *fuzz.StateTable) {
	t.Helper()
	for by := time.Now().Add(time.Minute); ; {
		target, err := udp.New(t.Context(), options())
		if err != nil {
			t.Fatal(err)
		}
		table, found, err := target.States(t.Context(), "")
		if closed := target.Close(); err != nil || closed != nil {
			t.Fatal(err, closed)
		}
		var names []string
		for _, f := range found {
			names = append(names, f.State)
		}
		slices.Sort(names)
		missing := slices.ContainsFunc(want, func(name string) bool { return !slices.Contains(names, name) })
		if !missing || time.Now().After(by) {
			return names, found, table
		}
	}
}

// doorStates is statesOf of a door with mistakes.
func doorStates(t *testing.T, m door.Mistakes, want ...string) ([]string, []fuzz.Finding, *fuzz.StateTable) {
	t.Helper()
	return statesOf(t, func() udp.Options {
		_, talk := doorTalk(t)
		return doorOptions(t, talk, m)
	}, want...)
}

// The mended server has nothing wrong, and each mistake alone is named by its state and case.
func TestStates(t *testing.T) {
	t.Parallel()
	names, found, table := doorStates(t, 0)
	if len(names) > 0 {
		t.Errorf("the mended server: %q, %+v", names, found)
	}
	if table.Untried > 0 || len(table.States) != 4 || len(table.Cases) != 6 {
		t.Errorf("%+v", table)
	}
	if testing.Short() {
		t.Skip("each mistake alone is the full run; all together are TestAllStates")
	}
	for m, name := range door.Names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			names, found, _ := doorStates(t, m, name)
			if !slices.Contains(names, name) {
				t.Fatalf("mistake %b: want %s, got %q", m, name, names)
			}
			kind := oracle.FoundWrongState
			if m == door.LeaveDies {
				kind = oracle.FoundCrash
			}
			if i := slices.IndexFunc(found, func(f fuzz.Finding) bool { return f.State == name }); found[i].Kind != kind {
				t.Errorf("%s: %v", name, found[i].Kind)
			}
		})
	}
}

// All mistakes together are all named.
func TestAllStates(t *testing.T) {
	t.Parallel()
	want := slices.Collect(maps.Values(door.Names))
	names, _, _ := doorStates(t, door.All, want...)
	for _, name := range want {
		if !slices.Contains(names, name) {
			t.Errorf("want %s, got %q", name, names)
		}
	}
}

// After the handshake packets go in windows.
func TestTalkRate(t *testing.T) {
	d, talk := doorTalk(t)
	o := doorOptions(t, talk, 0)
	o.Rate = udp.MaxRate
	target, err := udp.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	_ = d
	var packets [][]byte
	var from []decode.Direction
	for i := range 8192 {
		packets, from = append(packets, []byte{7, 0, 0, byte(i), 1}), append(from, decode.Client)
	}
	answered := 0
	if err := target.SendBatch(packets, from, func(i int, r oracle.Reply) bool {
		if i != answered || r.Outcome != oracle.Survived {
			t.Fatalf("packet %d, the %dth: %v", i, answered, r.Outcome)
		}
		answered++
		return true
	}); err != nil || answered != len(packets) {
		t.Fatal(answered, err)
	}
	s := target.Sessions()
	if s.Begun != 1 || s.Lost != 0 || s.Sent != 8192 || s.Window != 64 {
		t.Errorf("%s", s.Text())
	}
	t.Log(s.Text())
}

// A server forgets who was silent for 2 s: the client joins again, which is counted, and nothing is found.
func TestTalkJoinsAgain(t *testing.T) {
	t.Parallel()
	_, talk := doorTalk(t)
	o := doorOptions(t, talk, 0)
	target, err := udp.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for range 2 {
		if r, err := target.Send([]byte{7, 0, 0, 5, 5}, decode.Client); err != nil || r.Outcome != oracle.Survived {
			t.Fatal(r, err)
		}
		time.Sleep(door.Timeout + 200*time.Millisecond)
	}
	if r, err := target.Send([]byte{7, 0, 0, 5, 5}, decode.Client); err != nil || r.Outcome != oracle.Survived || !r.Kicked {
		t.Errorf("%+v, %v", r, err)
	}
	if s := target.Sessions(); s.Begun != 3 || s.Lost != 2 {
		t.Error(s.Text())
	}
}

// What a fragile door does with moves inside a session, by their x.
const (
	dies = 77 // ends
	arms = 11 // then 22 ends it
)

// serveFragile is a door that does not live through some moves of who is in.
func serveFragile(conn net.PacketConn) {
	var s door.Server
	armed := false
	buf := make([]byte, 1500)
	for {
		n, from, err := conn.ReadFrom(buf)
		if err != nil {
			os.Exit(1)
		}
		p := buf[:n]
		reply := s.Handle(p, from.String(), time.Now())
		if reply == nil {
			continue
		}
		if reply[0] == 8 {
			switch x := p[3]; {
			case x == dies, x == 22 && armed:
				fmt.Fprintln(os.Stderr, "assertion failed: x")
				os.Exit(42)
			case x == arms:
				armed = true
			}
		}
		_, _ = conn.WriteTo(reply, from)
	}
}

// moves are packets of moves, with some x at some places.
func moves(n int, at map[int]byte) (packets [][]byte, from []decode.Direction) {
	for i := range n {
		x := at[i]
		if x == 0 {
			x = 50
		}
		packets, from = append(packets, []byte{7, 0, 0, x, byte(i % 100)}), append(from, decode.Client)
	}
	return packets, from
}

// A server that dies inside a session: the packet is found in its window, or the two that it takes, and the finding is
// shown again with another session's values.
func TestTalkDies(t *testing.T) {
	t.Parallel()
	d, talk := doorTalk(t)
	for _, row := range []struct {
		name    string
		at      map[int]byte
		dead    int
		culprit [][2]byte // x and y
	}{
		{"of one packet", map[int]byte{300: dies}, 300, nil},
		{"of two in different windows", map[int]byte{100: arms, 300: 22}, -1, [][2]byte{{arms, 0}, {22, 0}}},
	} {
		t.Run(row.name, func(t *testing.T) {
			o := serverOptions(t, talk, "-1")
			shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
			target, err := shared.Use(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			packets, from := moves(500, row.at)
			var dead []int
			var fatal oracle.Reply
			err = target.(oracle.Batcher).SendBatch(packets, from, func(i int, r oracle.Reply) bool {
				if r.Outcome != oracle.Survived {
					dead, fatal = append(dead, i), r
				}
				return true
			})
			if err != nil || len(dead) != 1 || fatal.Outcome != oracle.Crashed || row.dead >= 0 && dead[0] != row.dead {
				t.Fatalf("dead at %v: %v, %v", dead, fatal.Outcome, err)
			}
			if len(fatal.Culprit) != len(row.culprit) || fatal.Undone != oracle.AllDone {
				t.Fatalf("it takes %x, %v", fatal.Culprit, fatal.Undone)
			}
			for i, c := range row.culprit {
				if fatal.Culprit[i][3] != c[0] {
					t.Errorf("packet %d is %x", i, fatal.Culprit[i])
				}
			}
			if err := target.Close(); err != nil {
				t.Fatal(err)
			}
			f := &fuzz.Finding{Packet: packets[dead[0]], From: decode.Client}
			for i, c := range fatal.Culprit {
				if f.Packet = c; i < len(fatal.Culprit)-1 {
					f.Before = append(f.Before, decode.Packet{Data: c, From: decode.Client})
				}
			}
			again := &fuzz.Minimizer{Decoder: d, NewTarget: shared.Use}
			found, err := again.Replay(context.Background(), f)
			if err != nil || len(found) != 1 || found[0].Kind != oracle.FoundCrash {
				t.Errorf("again: %v, %v", found, err)
			}
		})
	}
}

// A server that does not let a client in any more after a packet, and others: the client is locked out. One that lets
// nobody in hangs. One that closes the session, and lets the client in again, has done nothing wrong.
func TestTalkLockedOut(t *testing.T) {
	t.Parallel()
	d, talk := doorTalk(t, "identity fresh", "identity keep", "within 2s", "within 200ms")
	for mistakes, want := range map[door.Mistakes]oracle.Outcome{
		door.Kicks: oracle.Survived, door.LocksOut: oracle.LockedOut, door.ShutsAll: oracle.Hung,
	} {
		t.Run(want.String(), func(t *testing.T) {
			t.Parallel()
			o := doorOptions(t, talk, mistakes)
			o.Patience, o.Return = 60*time.Millisecond, 700*time.Millisecond
			shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
			target, err := shared.Use(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			packets, from := moves(20, map[int]byte{12: 101})
			var got oracle.Reply
			sent := 0
			err = target.(oracle.Batcher).SendBatch(packets, from, func(i int, r oracle.Reply) bool {
				if i == 12 {
					got = r
				} else if r.Outcome != oracle.Survived {
					t.Errorf("packet %d: %v %s", i, r.Outcome, r.Report)
				}
				sent++
				return true
			})
			if err != nil || sent != len(packets) || got.Outcome != want {
				t.Fatalf("%d packets, %v %q, %v", sent, got.Outcome, got.Report, err)
			}
			lost := shared.Target().Sessions().Lost
			if err := target.Close(); err != nil {
				t.Error(err)
			}
			if want == oracle.Survived {
				if lost != 1 {
					t.Errorf("%d sessions were lost", lost)
				}
				return
			}
			if got.Undone != oracle.AllDone || len(got.Culprit) > 0 || got.Spoken == nil || got.Spoken.Text != talk.Dialogue.Text() {
				t.Errorf("%v, %d packets, %+v", got.Undone, len(got.Culprit), got.Spoken)
			}
			again := &fuzz.Minimizer{Decoder: d, NewTarget: shared.Use}
			found, err := again.Replay(context.Background(), &fuzz.Finding{Packet: packets[12], From: decode.Client})
			kind := map[oracle.Outcome]oracle.FindingKind{oracle.LockedOut: oracle.FoundLockedOut, oracle.Hung: oracle.FoundHang}[want]
			if err != nil || len(found) != 1 || found[0].Kind != kind {
				t.Errorf("again: %v, %v", found, err)
			}
		})
	}
}
