package udp_test

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/dialogue"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
	"github.com/pktscope/pktscope/fuzz/udp"
)

const putDialogue = `dialogue put
param File string(32)                     // each session writes a file of its own: the server locks it
identity fresh
send Wrq { filename = File, mode = "octet" } every 500ms within 2s
expect Ack { block == 0 } from new port   // the server answers, and is attacked, there
state Writing
alive Ack, Error
attack Data { block = last Ack.block + 1 }
before Writing only Rrq, Wrq, Error
end Error { code = 0, message = "" }
`

const getDialogue = `dialogue get
identity fresh
send Rrq { filename = "f", mode = "octet", options = [] } every 500ms within 2s
expect Data { block == 1 } from new port
state Reading
alive Data, Error
attack Ack { block = last Data.block }
before Reading only Rrq, Error
end Error { code = 0, message = "" }
`

// Debian's tftpd-hpa, which forks for each transfer and answers from a new port, is attacked inside transfers: audit
// finds nothing wrong with its states, and files arrive.
func TestTFTPServer(t *testing.T) {
	t.Parallel()
	program := tftpServer(t, "in.tftpd", "/usr/sbin/in.tftpd")
	talk, files := tftpTalk(t, putDialogue), 0
	if err := talk.Values.SetMaker("File", func() (string, error) { files++; return fmt.Sprint("f", files), nil }); err != nil {
		t.Fatal(err)
	}
	root, at := t.TempDir(), freePort(t)
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	cell := attackTFTP(t, talk, at, program, "--foreground", "--create", "--permissive", "--user", "root", "--address", at.String(), "--secure", root)
	if got := cell("Start", "Wrq").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("a write request is answered with %q", got)
	}
	if got := cell("Writing", "Data").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("data is answered with %q", got)
	}
	if got := cell("Start", "Data"); got.Word != fuzz.CellSilent {
		t.Errorf("data without a transfer is answered with %+v", got)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) < 10 {
		t.Errorf("%d files were written: %v", len(entries), err)
	}
}

// atftpd, which has a thread for each transfer and reads the words of its options itself, is attacked inside transfers to it.
func TestAtftpServer(t *testing.T) {
	if testing.Short() {
		t.Skip("one more server of a protocol is the full run")
	}
	t.Parallel()
	program := tftpServer(t, "atftpd", "/usr/sbin/atftpd")
	talk, files := tftpTalk(t, strings.ReplaceAll(putDialogue, `mode = "octet"`, `mode = "octet", options = []`)), 0
	if err := talk.Values.SetMaker("File", func() (string, error) { files++; return fmt.Sprint("f", files), nil }); err != nil {
		t.Fatal(err)
	}
	root, at := t.TempDir(), freePort(t)
	for dir := root; strings.HasPrefix(dir, os.TempDir()+"/"); dir = filepath.Dir(dir) {
		if err := os.Chmod(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	cell := attackTFTP(t, talk, at, program, "--daemon", "--no-fork", "--user", "root.root", "--logfile", "-", "--bind-address", at.Addr().String(), "--port", fmt.Sprint(at.Port()), root)
	if got := cell("Start", "Wrq").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("a write request is answered with %q", got)
	}
	if got := cell("Writing", "Data").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("data is answered with %q", got)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) < 10 {
		t.Errorf("%d files were written: %v", len(entries), err)
	}
}

// dnsmasq's own TFTP server is attacked inside transfers to the client; it logs those that came to their end. Its port is
// 69, so it has an address of its own.
func TestDnsmasqServer(t *testing.T) {
	t.Parallel()
	program := tftpServer(t, "dnsmasq", "/usr/sbin/dnsmasq")
	root, log := t.TempDir(), filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(filepath.Join(root, "f"), make([]byte, 600), 0o644); err != nil {
		t.Fatal(err)
	}
	cell := attackTFTP(t, tftpTalk(t, getDialogue), netip.MustParseAddrPort("127.69.69.69:69"), program, "--keep-in-foreground", "--port=0", "--enable-tftp",
		"--tftp-root="+root, "--listen-address=127.69.69.69", "--bind-interfaces", "--conf-file=/dev/null", "--user=root", "--pid-file", "--log-facility="+log)
	if got := cell("Start", "Rrq").Answers; !slices.Equal(got, []string{"Data"}) {
		t.Errorf("a read request is answered with %q", got)
	}
	if got := cell("Reading", "Ack").Answers; !slices.Equal(got, []string{"Data"}) {
		t.Errorf("an acknowledgement is answered with %q", got)
	}
	if got := cell("Start", "Ack"); slices.Contains(got.Answers, "Data") {
		t.Errorf("an acknowledgement without a transfer is answered with %+v", got)
	}
	text, err := os.ReadFile(log)
	if n := strings.Count(string(text), "sent "+filepath.Join(root, "f")+" to 127."); err != nil || n < 1 {
		t.Errorf("it logs the end of %d transfers: %v\n%.2000s", n, err, text)
	}
}

// tftpServer is a server's program; its port, and who it gives root to, want root.
func tftpServer(t *testing.T, name, path string) string {
	t.Helper()
	program := need.Program(t, need.Root, path, name)
	if real, err := filepath.EvalSymlinks(program); err != nil || filepath.Base(real) != name {
		need.Skip(t, need.Root, fmt.Sprintf("%s is %s", program, real)) // atftpd, which goes by the name of the other as well
	}
	return program
}

func tftpTalk(t *testing.T, source string) *udp.Talk {
	t.Helper()
	d, err := protocols.Load("tftp")
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("tftp.pkd", []byte(source), d)
	if err != nil {
		t.Fatal(err)
	}
	return &udp.Talk{Dialogue: talk, Values: talk.NewValues()}
}

// attackTFTP tries a server's states, and audits it after its handshake: nothing is found. cell is a cell of its states.
func attackTFTP(t *testing.T, talk *udp.Talk, at netip.AddrPort, args ...string) (cell func(state, called string) fuzz.StateCell) {
	t.Helper()
	d, err := protocols.Load("tftp")
	if err != nil {
		t.Fatal(err)
	}
	server, err := process.NewServer(process.Options{Args: args})
	if err != nil {
		t.Fatal(err)
	}
	target, err := udp.New(context.Background(), udp.Options{Address: at, Rate: 20000, Stop: time.Minute, Talk: talk, Server: server, Patience: 100 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	table, found, err := target.States(context.Background(), "")
	if err != nil || len(found) > 0 || table.Untried > 0 {
		t.Fatalf("%d not tried, %+v, %v", table.Untried, found, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	audit := fuzz.Audit{Decoder: d, Seed: 1, Rounds: true, Workers: 1, Scope: talk.Dialogue.Scope(), NewTarget: func(context.Context) (oracle.Target, error) { return keeps{target}, nil }}
	result, err := audit.Run(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) || len(result.Findings) > 0 || result.SurvivedHostile == 0 {
		t.Errorf("%d hostile packets, %+v, %v", result.Hostile, result.Findings, err)
	}
	t.Logf("%d hostile packets; %s", result.Hostile, target.Sessions().Text())
	return func(state, called string) fuzz.StateCell {
		return table.Cells[slices.Index(table.States, state)][slices.Index(table.Cases, called)]
	}
}

// keeps is a target that outlives who uses it.
type keeps struct{ *udp.Target }

func (keeps) Close() error { return nil }
