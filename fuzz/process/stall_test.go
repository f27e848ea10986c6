//go:build unix

package process_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/fuzz/process"
)

// A hang that takes a packet before the one that hangs is one, too, of those two alone.
func TestHangBehind(t *testing.T) {
	o := options(t, "hang-pair")
	o.Patience = 100 * time.Millisecond
	target, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	replies := batch(t, target, "good", packetTrigger, packetBad, packetRefuse, packetBad, packetTrigger, "good", packetTrigger)
	if got := outcomes(replies); got != "accept accept accept reject accept hang accept accept" {
		t.Fatal(got)
	}
	r := replies[5]
	if len(r.Culprit) != 2 || string(r.Culprit[0]) != packetBad || string(r.Culprit[1]) != packetTrigger || !strings.Contains(r.Report, "in 3 new processes") {
		t.Errorf("culprits %q: %s", r.Culprit, r.Report)
	}
}

// A reader that closes its stdin and has answered all by then is found when the next packet finds nobody.
func TestClosedLater(t *testing.T) {
	o := options(t, "close-stdin-later")
	o.Patience = 100 * time.Millisecond
	target, err := process.New(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	defer target.Close()
	for _, packet := range []string{"good", packetBad} {
		if r, err := target.Send([]byte(packet), decode.FromUnknown); err != nil || r.Outcome != oracle.Accepted {
			t.Fatalf("%s: %v, %v", packet, r.Outcome, err)
		}
	}
	r, err := target.Send([]byte("good"), decode.FromUnknown)
	if err != nil || r.Outcome != oracle.Crashed || len(r.Culprit) == 0 || string(r.Culprit[0]) != packetBad || !strings.Contains(r.Report, "closed its stdin") {
		t.Errorf("%v, culprit %q, %q, %v", r.Outcome, r.Culprit, r.Report, err)
	}
}
