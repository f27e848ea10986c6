package stats

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// Once a peer is known, and its edges are complete, its packets allocate nothing, accepted or refused.
func TestSteadyStateDoesNotAllocate(t *testing.T) {
	c := builtin(t, "rtype")
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:4124")
	n := 0
	send := func() {
		n++
		c.add(decode.Envelope{N: int64(n), Time: 1e18 + int64(n)*1e6, Src: client, Dst: server}, packets[n%len(packets)])
	}
	for range 4000 {
		send()
	}
	if got := testing.AllocsPerRun(1000, send); got != 0 {
		t.Errorf("%g allocations a packet", got)
	}
}

var packets = func() (list [][]byte) {
	for i := range 512 {
		p := heartbeat(i)
		if i%2 == 1 {
			p = p[:7]
		}
		list = append(list, p)
	}
	return list
}()
