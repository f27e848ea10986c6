//go:build unix

package process_test

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// Each new process has the preamble first: what it dies of after that is no part of a finding, and one that dies of the
// preamble is of no use.
func TestPreamble(t *testing.T) {
	t.Setenv(nastyWord, "pair") // dies of trigger right after bad
	o := process.Options{Args: []string{os.Args[0]}, Patience: time.Second, Preamble: [][]byte{[]byte("hello"), []byte(packetBad)}}
	target, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for range 2 {
		r, err := target.Send([]byte(packetTrigger), decode.FromUnknown)
		if err != nil || r.Outcome != oracle.Crashed || len(r.Culprit) > 0 {
			t.Fatalf("%v of %q, %v", r.Outcome, r.Culprit, err)
		}
	}
	if r, err := target.Send([]byte("another"), decode.FromUnknown); err != nil || r.Outcome != oracle.Accepted {
		t.Fatalf("%v, %v", r.Outcome, err)
	}
	o.Preamble = append(o.Preamble, []byte(packetTrigger))
	useless, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer useless.Close()
	if _, err := useless.Send([]byte("x"), decode.FromUnknown); err == nil || !strings.Contains(err.Error(), "it does not live through packet 3 of the preamble: ") {
		t.Error(err)
	}
}
