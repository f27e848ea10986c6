package udp_test

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/udp/udptest"
)

// The server under attack is this test's own program, run again: see serve and serveDoor. The tests wait most of their
// time, so more of them run at once than there are processors.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "server" {
		serve(os.Args[2])
	}
	if len(os.Args) == 4 && os.Args[1] == "door" {
		serveDoor(os.Args[2], os.Args[3])
	}
	if len(os.Args) == 4 && os.Args[1] == "vault" {
		serveVault(os.Args[2], os.Args[3])
	}
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

// program is that program as a server.
func program(t testing.TB, kind string, at netip.AddrPort, how string) *process.Server {
	t.Helper()
	s, err := process.NewServer(process.Options{Args: []string{os.Args[0], kind, at.String(), how}})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// freePort is a port of the loopback that is this test's.
func freePort(t testing.TB) netip.AddrPort {
	t.Helper()
	at, release, err := udptest.Port()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(release)
	return at
}

func TestResolve(t *testing.T) {
	ctx, none := context.Background(), netip.Addr{}
	for _, row := range []struct {
		address    string
		authorised netip.Addr
	}{
		{"", none}, {"127.0.0.1", none}, {":4124", none}, {"127.0.0.1:0", none}, {"127.0.0.1:65536", none}, {"127.0.0.1:http", none},
		{"192.0.2.1:4124", none}, {"192.0.2.1:4124", netip.MustParseAddr("192.0.2.2")}, {"[2001:db8::1]:1", none},
		{"0.0.0.0:1", none}, {"[::]:1", none}, {"255.255.255.255:1", netip.MustParseAddr("255.255.255.255")},
		{"224.0.0.1:1", netip.MustParseAddr("224.0.0.1")}, {"[ff02::1]:1", netip.MustParseAddr("ff02::1")},
		{"127.255.255.255:1", none}, {"[::ffff:192.0.2.1]:1", none}, {"no-such-host.invalid:1", none},
	} {
		if addr, err := udp.Resolve(ctx, row.address, row.authorised); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: want an error of one line, got %v, %v", row.address, addr, err)
		}
	}
	for address, authorised := range map[string]netip.Addr{
		"127.0.0.1:4124": none, "127.1.2.3:1": none, "[::1]:4124": none, "localhost:7": none, "[::ffff:127.0.0.1]:9": none,
		"192.0.2.1:4124": netip.MustParseAddr("192.0.2.1"),
	} {
		if _, err := udp.Resolve(ctx, address, authorised); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestRefusals(t *testing.T) {
	good := udp.Options{Address: freePort(t), Rate: 100, Stop: time.Minute}
	for _, change := range []func(*udp.Options){
		func(o *udp.Options) { o.Rate = 0 }, func(o *udp.Options) { o.Rate = udp.MaxRate + 1 }, func(o *udp.Options) { o.Stop = 0 },
	} {
		o := good
		change(&o)
		if _, err := udp.New(context.Background(), o); err == nil {
			t.Errorf("%+v: want an error", o)
		}
	}
	// Nobody is there: to attack nothing until the stop time is no success.
	nobody := good
	nobody.Stop, nobody.Probe = 100*time.Millisecond, []byte("ping")
	_, err := udp.New(context.Background(), nobody)
	if err == nil || errors.Is(err, udp.ErrStopTime) || !strings.Contains(err.Error(), "does not answer the probe 70696e67 within the stop time of 100ms") {
		t.Errorf("got %v", err)
	}
	// Nobody is there: the end of the context ends the waiting.
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, err := udp.New(ctx, good); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

func server(t *testing.T, at netip.AddrPort) *process.Server { return program(t, "server", at, "") }

// A server that dies of two packets with others around them: found, and shortened to those two, after the prelude.
func TestSequence(t *testing.T) {
	t.Parallel()
	at := freePort(t)
	target, err := udp.New(context.Background(), udp.Options{
		Address: at, Rate: udp.MaxRate, Stop: time.Minute, Probe: []byte("ping"), Expect: []byte("pong"),
		Prelude: [][]byte{[]byte("join")}, Server: server(t, at), Patience: time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for round := range 2 { // it goes on after a finding
		var last oracle.Reply
		for i := range 40 {
			packet := fmt.Sprintf("packet %d", i)
			switch i {
			case 12:
				packet = "arm"
			case 33:
				packet = "fire"
			}
			if last, err = target.Send([]byte(packet), decode.FromUnknown); err != nil {
				t.Fatal(err)
			}
			if last.Outcome != oracle.Survived {
				break
			}
		}
		if last.Outcome != oracle.Crashed || len(last.Culprit) != 2 || string(last.Culprit[0]) != "arm" || string(last.Culprit[1]) != "fire" {
			t.Fatalf("round %d: %v of %q", round, last.Outcome, last.Culprit)
		}
		if !strings.Contains(last.Report, "exit status 42\nassertion failed") {
			t.Errorf("report %q", last.Report)
		}
	}
}

// The rate is kept, and the stop time ends it.
func TestRateAndStop(t *testing.T) { // alone: it measures
	at := freePort(t)
	var target *udp.Target
	err := errors.New("not tried")
	for stop := 500 * time.Millisecond; err != nil && stop < 10*time.Minute; stop *= 2 { // a busy machine is slow to start a server
		target, err = udp.New(context.Background(), udp.Options{
			Address: at, Rate: 200, Stop: stop, Probe: []byte("ping"), Server: server(t, at), Patience: 100 * time.Millisecond,
		})
		if err != nil && !strings.Contains(err.Error(), "within the stop time") {
			t.Fatal(err)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	sent, began := 0, time.Now()
	for {
		if _, err = target.Send([]byte("x"), decode.FromUnknown); err != nil {
			break
		}
		sent++
	}
	if !errors.Is(err, udp.ErrStopTime) {
		t.Errorf("got %v", err)
	}
	// Each packet has a probe; what was missed in a fiftieth of a second may be made up for: see TestPace.
	if took := time.Since(began); float64(2*sent) > 200*(took.Seconds()+0.02)+2 {
		t.Errorf("%d packets in %v", 2*sent, took)
	}
}
