package main

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/fuzz"
)

// A server that had more packets than are kept did not die after those alone.
func TestDiedAfter(t *testing.T) {
	for _, row := range []struct {
		before, earlier int
		want            string
	}{
		{0, 0, "the server died after 1 packet, all that it had from pktscope"},
		{4095, 0, "the server died after 4096 packets, all that it had from pktscope"},
		{4095, 904, "the server died after 5000 packets from pktscope, of which the last 4096 are kept"},
	} {
		if got := diedAfter(&fuzz.Finding{Before: make([]decode.Packet, row.before), Earlier: row.earlier}); got != row.want {
			t.Errorf("got %q, want %q", got, row.want)
		}
	}
}
