package udp_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/examples"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/keys"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/udp"
	"github.com/pktscope/pktscope/fuzz/zoo/vault"
)

// serveVault is this test's own program, run again: a server of package vault.
func serveVault(at, mistakes string) {
	conn, err := net.ListenPacket("udp", at)
	if err == nil {
		m, _ := strconv.Atoi(mistakes)
		err = vault.Serve(conn, vault.Mistakes(m))
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

// vaultTalk is the example netcode with the game of package vault, and its shipped dialogue.
func vaultTalk(t testing.TB, section string) (*decode.Decoder, *udp.Talk) {
	t.Helper()
	source, _ := examples.Source("netcode")
	schema, ok := vault.Put(string(source))
	if !ok {
		t.Fatal("the example has no message Game")
	}
	d, err := decode.Load("netcode.pks", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	said, ok := examples.Dialogue("netcode")
	if !ok {
		t.Fatal("the example has no dialogue")
	}
	soon := strings.ReplaceAll(strings.ReplaceAll(string(said), "within 2s", "within 300ms"), "every 100ms", "every 20ms")
	talk, err := dialogue.Load("netcode.pkd", []byte(soon), d)
	if err != nil {
		t.Fatal(err)
	}
	file, err := keys.Read("k", strings.NewReader("private "+vault.Private))
	if err != nil {
		t.Fatal(err)
	}
	return d, &udp.Talk{Dialogue: talk, Values: talk.NewValues(), Keys: file, Section: section}
}

func vaultOptions(t testing.TB, talk *udp.Talk, m vault.Mistakes) udp.Options {
	t.Helper()
	at := freePort(t)
	return udp.Options{Address: at, Rate: 50000, Stop: 2 * time.Minute, Talk: talk, Server: program(t, "vault", at, strconv.Itoa(int(m)))}
}

// auditVault audits the messages that the server is sent, each sealed in a packet of its own.
func auditVault(t *testing.T, m vault.Mistakes) (*fuzz.AuditResult, udp.Sessions) {
	t.Helper()
	d, talk := vaultTalk(t, "Game")
	section, err := d.Section("Game")
	if err != nil {
		t.Fatal(err)
	}
	o := vaultOptions(t, talk, m)
	o.Return, o.Patience = 200*time.Millisecond, 50*time.Millisecond
	shared := udp.NewShared(func(ctx context.Context) (*udp.Target, error) {
		o := o
		o.Server = program(t, "vault", o.Address, strconv.Itoa(int(m)))
		return udp.New(ctx, o)
	})
	audit := &fuzz.Audit{Decoder: section, Seed: 1, Workers: 1, Rounds: true, MaxPerRule: 16, NewTarget: shared.Use}
	result, err := audit.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return result, shared.Sessions()
}

// A netcode server's mistakes in the messages after its handshake are found in what is sealed, and its mended twin has
// none.
func TestVaultMessages(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		mistakes vault.Mistakes
		want     string
	}{
		{0, ""},
		{vault.MoveDies | vault.TextDies, "crash n, crash x"},
		{vault.SlotHangs, "hang slot"},
	} {
		if testing.Short() && row.mistakes != vault.MoveDies|vault.TextDies {
			continue // a whole audit, and to wait for an answer again and again, is the full run
		}
		result, sessions := auditVault(t, row.mistakes)
		found := map[string]bool{}
		for i := range result.Findings {
			f := &result.Findings[i]
			field := f.Rule[strings.IndexByte(f.Rule, '.')+1:]
			if field == "y" {
				field = "x" // one mistake of the server: what is met first names it
			}
			found[fmt.Sprintf("%v %s", f.Kind, field)] = true
			if f.Spoken == nil || !strings.HasPrefix(f.Spoken.Text, "// What a client of netcode") {
				t.Errorf("%v %s: no dialogue", f.Kind, f.Rule)
			}
		}
		var names []string
		for name := range found {
			names = append(names, name)
		}
		slices.Sort(names)
		if got := strings.Join(names, ", "); got != row.want {
			t.Errorf("mistakes %b: want %s, got %s", row.mistakes, row.want, got)
		}
		if sessions.Sent < 100 || sessions.Unsent > 1 { // one that is too large
			t.Errorf("mistakes %b: %s", row.mistakes, sessions.Text())
		}
		t.Logf("mistakes %b: %s", row.mistakes, sessions.Text())
	}
}

// A message that no packet holds is counted, and not sent.
func TestVaultUnsent(t *testing.T) {
	t.Parallel()
	_, talk := vaultTalk(t, "Token") // of 1,008 bytes
	target, err := udp.New(t.Context(), vaultOptions(t, talk, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	if reply, err := target.Send(make([]byte, 1007), decode.Client); err != nil || reply.Outcome != oracle.Survived {
		t.Fatal(reply, err)
	}
	if s := target.Sessions(); s.Unsent != 1 || !strings.Contains(s.Text(), "; not sent: 1 message that no packet holds") {
		t.Error(s.Text())
	}
}

// What the figure of sealed packets after the handshake is measured with: messages that the server ignores, in windows.
func BenchmarkVault(b *testing.B) {
	_, talk := vaultTalk(b, "Game")
	o := vaultOptions(b, talk, 0)
	o.Rate = udp.MaxRate
	target, err := udp.New(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	defer target.Close()
	packets, from := make([][]byte, 4096), make([]decode.Direction, 4096)
	for i := range packets {
		packets[i], from[i] = []byte{1, byte(i), 0xff, 0, 0}, decode.Client // x is too large
	}
	b.ResetTimer()
	for n := b.N; n > 0; n -= len(packets) {
		some := min(n, len(packets))
		if err := target.SendBatch(packets[:some], from[:some], func(_ int, r oracle.Reply) bool {
			if r.Outcome != oracle.Survived {
				b.Fatal(r)
			}
			return true
		}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "packets/s")
	b.Log(target.Sessions().Text())
}

// Its mistakes in states are named, and its mended twin has none.
func TestVaultStates(t *testing.T) {
	t.Parallel()
	for _, m := range []vault.Mistakes{0, vault.PlaysEarly | vault.PlaysAfter, vault.AliveOpens} { // the first hides the last
		var want []string
		for one, name := range vault.Names {
			if m&one != 0 {
				want = append(want, name)
			}
		}
		slices.Sort(want)
		got, found, table := statesOf(t, func() udp.Options {
			_, talk := vaultTalk(t, "")
			return vaultOptions(t, talk, m)
		}, want...)
		for _, f := range found {
			if f.Kind != oracle.FoundWrongState {
				t.Errorf("%s: %v", f.State, f.Kind)
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("mistakes %b: want %q, got %q", m, want, got)
		}
		if table.Untried > 0 || !slices.Contains(table.Cases, "Request") {
			t.Errorf("mistakes %b: %+v", m, table)
		}
	}
}
