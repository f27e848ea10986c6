package udp_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
)

// enetServer builds a server of libenet, and says how it is attacked with a dialogue. log is the file in which the server
// writes what the library tells it.
func enetServer(t *testing.T, source func(d *decode.Decoder) []byte) (d *decode.Decoder, o udp.Options, log func() string) {
	t.Helper()
	cc := need.Program(t, need.ENet, "cc", "gcc", "clang")
	look := exec.Command(cc, "-E", "-x", "c", "-")
	look.Stdin = strings.NewReader("#include <enet/enet.h>\n")
	if look.Run() != nil {
		need.Skip(t, need.ENet, "no <enet/enet.h>")
	}
	dir := t.TempDir()
	program, written := filepath.Join(dir, "enet_server"), filepath.Join(dir, "log")
	if out, err := exec.Command(cc, "-Wall", "-Werror", "-o", program, filepath.Join("testdata", "enet_server.c"), "-lenet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	schema, err := os.ReadFile(filepath.Join("..", "dialogue", "testdata", "enet_first.pks"))
	if err != nil {
		t.Fatal(err)
	}
	if d, err = decode.Load("enet_first.pks", schema); err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("enet.pkd", source(d), d)
	if err != nil {
		t.Fatal(err)
	}
	at := freePort(t)
	s, err := process.NewServer(process.Options{Args: []string{program, at.Addr().String(), strconv.Itoa(int(at.Port())), written}})
	if err != nil {
		t.Fatal(err)
	}
	o = udp.Options{Address: at, Rate: 20000, Stop: 10 * time.Minute, Talk: &udp.Talk{Dialogue: talk, Values: talk.NewValues()}, Server: s, Patience: 100 * time.Millisecond}
	return d, o, func() string {
		text, _ := os.ReadFile(written)
		return string(text)
	}
}

// enetDialogue is testdata/enet.pkd with some texts replaced by others.
func enetDialogue(t *testing.T, changes ...string) func(*decode.Decoder) []byte {
	text, err := os.ReadFile(filepath.Join("testdata", "enet.pkd"))
	if err != nil {
		t.Fatal(err)
	}
	return func(*decode.Decoder) []byte { return []byte(strings.NewReplacer(changes...).Replace(string(text))) }
}

// A server of libenet lets the dialogue's client in, as it logs itself, and is attacked after that: audit and fuzz find
// nothing wrong with it.
func TestENetServer(t *testing.T) {
	t.Parallel()
	d, o, log := enetServer(t, enetDialogue(t))
	shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) { return udp.New(ctx, o) })
	target, err := shared.Use(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	table, found, err := shared.Target().States(context.Background(), "")
	if err != nil || len(found) > 0 || table.Untried > 0 {
		t.Fatalf("%+v, %+v, %v", table, found, err)
	}
	for _, row := range []struct{ state, called, want string }{
		{"Start", "Connect", "VerifyConnect"}, {"Connected", "Ping", "Acknowledge"}, {"Connected", "Reliable", "Acknowledge"}, {"Start", "Reliable", ""},
		{"Start", "Ping", ""}, {"Ended", "Reliable", ""},
	} {
		cell := table.Cells[slices.Index(table.States, row.state)][slices.Index(table.Cases, row.called)]
		if row.want == "" && len(cell.Answers) > 0 || row.want != "" && !slices.Contains(cell.Answers, row.want) {
			t.Errorf("%s: %s is answered with %q", row.state, row.called, cell.Answers)
		}
	}
	scope := o.Talk.Dialogue.Scope()
	ctx, enough := context.WithTimeout(context.Background(), 4*time.Minute)
	defer enough()
	audit := fuzz.Audit{Decoder: d, Seed: 1, Rounds: true, Workers: 1, Scope: scope, NewTarget: shared.Use}
	audit.Progress = func(s fuzz.AuditState) {
		if s.Packets >= 400 {
			enough()
		}
	}
	result, err := audit.Run(ctx)
	if err != nil && !errors.Is(err, context.Canceled) || len(result.Findings) > 0 || result.SurvivedHostile < 100 {
		t.Errorf("audit: %d hostile packets, %+v, %v", result.Hostile, result.Findings, err)
	}
	ctx, enough = context.WithTimeout(context.Background(), 4*time.Minute)
	defer enough()
	c := fuzz.Campaign{Decoder: d, Seed: 1, Workers: 1, Sole: true, Scope: scope, NewTarget: shared.Use}
	c.Progress = func(s *fuzz.CampaignState) {
		if s.Passed >= 10 && s.Execs >= 400 {
			enough()
		}
	}
	state, err := c.Run(ctx)
	if err != nil || len(state.Findings) > 0 || state.Passed < 10 || state.Execs < 100 {
		t.Errorf("campaign: %d packets, %d pairs, %+v, %v", state.Execs, state.Passed, state.Findings, err)
	}
	sessions := shared.Target().Sessions()
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	text := log()
	connects, goodbyes, received := strings.Count(text, "connect\n"), strings.Count(text, "disconnect 7\n"), strings.Count(text, "receive ")
	t.Logf("audit %d, campaign %d packets, %d pairs; %s; it logs %d connects, %d goodbyes, %d messages", result.Hostile, state.Execs, state.Passed, sessions.Text(), connects, goodbyes, received)
	if connects < sessions.Begun/2 || connects < 20 || goodbyes < 10 || received < 3 {
		t.Errorf("of %d sessions it logs %d connects, %d goodbyes, %d messages", sessions.Begun, connects, goodbyes, received)
	}
}

// A client that acknowledges nothing is answered, and the server logs no connection: what it logs judges the dialogue.
func TestENetServerMinds(t *testing.T) {
	t.Parallel()
	_, o, log := enetServer(t, enetDialogue(t, "received = its_sequence", "received = its_sequence + 1"))
	target, err := udp.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := target.Send([]byte{0, 0, 0x85, 0xff, 0, 9}, decode.Client); err != nil || r.Outcome == oracle.Crashed {
		t.Error(r, err)
	}
	if err := target.Close(); err != nil {
		t.Error(err)
	}
	if text := log(); strings.Contains(text, "connect\n") {
		t.Errorf("it logs %q", text)
	}
}
