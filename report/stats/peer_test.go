package stats

import (
	"net/netip"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
)

// A flood of peers with packets enough to be kept, cut into parts that are merged: the bound holds, no packet is
// missing from the sums, and who was counted from the first part to the last is counted as one.
func TestPeersBeyondTheBoundMerge(t *testing.T) {
	if testing.Short() {
		t.Skip("four thousand peers in five parts; TestPeersBeyondTheBoundLoseNothing has the bound")
	}
	need.OneGoroutine(t)
	const each, strangers, parts = 6, 4000, 5
	server, player := addr("10.0.0.1:4124"), addr("192.0.2.1:1000")
	var merged *Stats
	sent, turn := 0, 0
	for part := range parts {
		c := builtin(t, "rtype")
		send := func(from netip.AddrPort, n int) {
			sent++
			c.add(decode.Envelope{N: int64(sent), Time: 1e18 + int64(sent)*int64(time.Millisecond), Src: from, Dst: server}, heartbeat(n))
		}
		for i := range strangers / parts {
			n := part*strangers/parts + i
			for k := range each {
				send(netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(n >> 8), byte(n)}), 7), 2*k) // and loses every other
			}
			send(player, turn)
			turn++
		}
		read := saveAndRead(t, c.stats)
		if merged == nil {
			merged = read
		} else if err := merged.Merge(read); err != nil {
			t.Fatal(err)
		}
		if n := len(merged.peers.table); n > mostOfPeers || merged.peers.grown > MaxPeers || merged.peers.young.Len() > maxYoung {
			t.Errorf("%d peers", n)
		}
		merged = saveAndRead(t, merged)
	}
	s := merged.Summary()
	listed := s.Peers.Rest.Packets()
	for _, p := range s.Peers.Listed {
		listed += p.Packets()
	}
	if s.Total.Packets() != uint64(sent) || listed != uint64(sent) {
		t.Errorf("%d packets, %d of peers, want %d", s.Total.Packets(), listed, sent)
	}
	if q := s.Sequences[0].SequenceCounts; q != (SequenceCounts{Received: uint64(sent), Lost: strangers * (each - 1)}) {
		t.Errorf("%+v", q)
	}
	if p := s.Peers.Listed[0]; p.Peer != player || p.Sent.Packets() != strangers || p.Sequences[0].SequenceCounts != (SequenceCounts{Received: strangers}) {
		t.Errorf("the player: %+v", p)
	}
	if !s.Peers.About || s.Peers.N < strangers*9/10 || s.Peers.N > strangers*11/10 {
		t.Errorf("about %d peers", s.Peers.N)
	}
}
