package stats

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/saved"
)

// What stats writes at the most it reads: of peers that have too much to remember, those with the fewest packets are in
// the sums alone.
func TestLargestPart(t *testing.T) {
	if testing.Short() {
		t.Skip("tens of megabytes")
	}
	const fields, clients, enough = 8, 900, 260
	src := "protocol big\norder lsb\nport 40000\npacket {\n"
	for i := range fields {
		src += "    " + strings.Repeat("long_", 20) + string(rune('a'+i)) + " uint64 @seq\n"
	}
	c := newCounter(t, src+"}\n")
	r := rand.New(rand.NewPCG(1, 2))
	server := addr("10.0.0.1:40000")
	n, payload := int64(0), make([]byte, 8*fields)
	for k := range clients {
		client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(k >> 8), byte(k)}), 5000)
		for range enough + k/20 {
			n++
			for f := range fields { // counters that jump about, of which all is kept
				binary.LittleEndian.PutUint64(payload[8*f:], r.Uint64())
			}
			c.add(decode.Envelope{N: n, Time: n * 1000, Src: client, Dst: server}, payload)
		}
	}
	first := savedAgain(t, NewSegments(saved.Whole(1), c.stats))
	if n := len(first.Summary().Peers.Listed); n != clients {
		t.Errorf("%d peers are kept", n)
	}
	second := savedAgain(t, NewSegments(saved.Whole(2), c.stats))
	if err := first.Union(second); err != nil {
		t.Fatal(err)
	}
	before := first.Summary()
	line, err := first.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(line) > saved.MaxObject {
		t.Errorf("%d bytes", len(line))
	}
	list, err := Read(bytes.NewReader(line))
	if err != nil {
		t.Fatalf("%d bytes were written: %v", len(line), err)
	}
	after := list[0].Summary()
	if after.Total != before.Total || after.Sequences[0].Received != before.Sequences[0].Received {
		t.Errorf("the sums are others: %s, were %s", text(t, after.Total), text(t, before.Total))
	}
	kept := len(after.Peers.Listed)
	if kept < clients/2 || kept == clients || after.Peers.Rest == nil || after.Peers.Listed[kept-1].Packets() < enough+2 {
		t.Errorf("%d peers are kept, the smallest with %d packets", kept, after.Peers.Listed[kept-1].Packets())
	}
}
