package udp_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
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

// Debian's tftpd-hpa, which forks for each transfer and answers from a new port, is attacked inside transfers: audit
// finds nothing wrong with its states, and files arrive.
func TestTFTPServer(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		need.Skip(t, need.Root, "in.tftpd gives root away")
	}
	program := need.Program(t, need.Root, "in.tftpd", "/usr/sbin/in.tftpd")
	d, err := protocols.Load("tftp")
	if err != nil {
		t.Fatal(err)
	}
	talk, err := dialogue.Load("put.pkd", []byte(putDialogue), d)
	if err != nil {
		t.Fatal(err)
	}
	values, files := talk.NewValues(), 0
	if err := values.SetMaker("File", func() (string, error) { files++; return fmt.Sprint("f", files), nil }); err != nil {
		t.Fatal(err)
	}
	root, at := t.TempDir(), freePort(t)
	if err := os.Chmod(root, 0o777); err != nil {
		t.Fatal(err)
	}
	server, err := process.NewServer(process.Options{Args: []string{
		program, "--foreground", "--create", "--permissive", "--user", "root", "--address", at.String(), "--secure", root,
	}})
	if err != nil {
		t.Fatal(err)
	}
	o := udp.Options{Address: at, Rate: 20000, Stop: time.Minute, Talk: &udp.Talk{Dialogue: talk, Values: values}, Server: server, Patience: 100 * time.Millisecond}
	target, err := udp.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	table, found, err := target.States(context.Background(), "")
	if err != nil || len(found) > 0 || table.Untried > 0 {
		t.Fatalf("%d not tried, %+v, %v", table.Untried, found, err)
	}
	cell := func(state, called string) fuzz.StateCell {
		return table.Cells[slices.Index(table.States, state)][slices.Index(table.Cases, called)]
	}
	if got := cell("Start", "Wrq").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("a write request is answered with %q", got)
	}
	if got := cell("Writing", "Data").Answers; !slices.Equal(got, []string{"Ack"}) {
		t.Errorf("data is answered with %q", got)
	}
	if got := cell("Start", "Data"); got.Word != fuzz.CellSilent {
		t.Errorf("data without a transfer is answered with %+v", got)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	audit := fuzz.Audit{Decoder: d, Seed: 1, Rounds: true, Workers: 1, Scope: talk.Scope(), NewTarget: func(context.Context) (oracle.Target, error) { return keeps{target}, nil }}
	result, err := audit.Run(ctx)
	if err != nil && !errors.Is(err, context.DeadlineExceeded) || len(result.Findings) > 0 || result.SurvivedHostile == 0 {
		t.Errorf("%d hostile packets, %+v, %v", result.Hostile, result.Findings, err)
	}
	entries, err := os.ReadDir(root)
	if err != nil || len(entries) < 10 {
		t.Errorf("%d files were written: %v", len(entries), err)
	}
	t.Logf("%d hostile packets; %s", result.Hostile, target.Sessions().Text())
}

// keeps is a target that outlives who uses it.
type keeps struct{ *udp.Target }

func (keeps) Close() error { return nil }
