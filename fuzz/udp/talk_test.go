package udp_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/zoo/door"
)

// serverMistakes makes this test's own program, run again, a server of package door.
const serverMistakes = "PKTSCOPE_TEST_MISTAKES"

func serveDoor(at, mistakes string) {
	conn, err := net.ListenPacket("udp", at)
	if err == nil {
		m, _ := strconv.Atoi(mistakes)
		err = door.Serve(conn, door.Mistakes(m))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// doorTalk is the protocol of package door, and its dialogue.
func doorTalk(t testing.TB) (*decode.Decoder, *udp.Talk) {
	t.Helper()
	d, err := decode.Load("door.pks", []byte(door.Schema))
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("door.pkd", []byte(door.Dialogue), d)
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
	at := freePort(t)
	t.Setenv(serverPort, at.String())
	t.Setenv(serverMistakes, strconv.Itoa(int(m)))
	s, err := process.NewServer(process.Options{Args: []string{os.Args[0]}})
	if err != nil {
		t.Fatal(err)
	}
	return udp.Options{Address: at, Rate: 20000, Stop: time.Minute, Talk: talk, Server: s}
}

// statesOf are the names of what a server's states were found to have wrong, sorted.
func statesOf(t *testing.T, m door.Mistakes) ([]string, []fuzz.Finding, *fuzz.StateTable) {
	t.Helper()
	_, talk := doorTalk(t)
	target, err := udp.New(context.Background(), doorOptions(t, talk, m))
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	table, found, err := target.States(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, f := range found {
		names = append(names, f.State)
	}
	slices.Sort(names)
	return names, found, table
}

// The mended server has nothing wrong, and each mistake alone is named by its state and case.
func TestStates(t *testing.T) {
	names, found, table := statesOf(t, 0)
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
		names, found, _ := statesOf(t, m)
		if !slices.Contains(names, name) {
			t.Errorf("mistake %b: want %s, got %q", m, name, names)
			continue
		}
		kind := oracle.FoundWrongState
		if m == door.LeaveDies {
			kind = oracle.FoundCrash
		}
		if i := slices.IndexFunc(found, func(f fuzz.Finding) bool { return f.State == name }); found[i].Kind != kind {
			t.Errorf("%s: %v", name, found[i].Kind)
		}
	}
}

// All mistakes together are all named.
func TestAllStates(t *testing.T) {
	names, _, _ := statesOf(t, door.All)
	for _, name := range door.Names {
		if !slices.Contains(names, name) {
			t.Errorf("want %s, got %q", name, names)
		}
	}
}

// Behind the handshake packets go in windows.
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
	if err := target.SendBatch(packets, from, func(i int, r oracle.Reply) {
		if i != answered || r.Outcome != oracle.Survived {
			t.Fatalf("packet %d, the %dth: %v", i, answered, r.Outcome)
		}
		answered++
	}); err != nil || answered != len(packets) {
		t.Fatal(answered, err)
	}
	s := target.Sessions()
	if s.Begun != 1 || s.Lost != 0 || s.Sent != 8192 || s.Window != 64 {
		t.Errorf("%s", s.Text())
	}
	t.Log(s.Text())
}
