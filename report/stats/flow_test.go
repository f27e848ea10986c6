package stats

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/pcap"
	"github.com/pktscope/pktscope/report/saved"
	"github.com/pktscope/pktscope/report/scan"
)

// several is a protocol of several nodes behind one socket, each with its own numbers; by completes `flow by address`.
func several(by string) string {
	return `protocol several
order msb
port 9
expect timeout 300ms
flow by address` + by + `
struct Input { n uint16 @seq }
struct State { ack uint16 @ack(Input.n) }
struct Holder { data bytes(2) @message(Held) }
message Held max 2 { m uint16 @seq }
packet {
    node uint8
    kind uint8 in 0..2
    body switch kind {
        0: Input @every(20ms)
        1: State
        2: Holder
    }
}
`
}

// nodesTalk is what nodes and their server say, in the order of time: values are lost, doubled and reordered, and a node
// is silent now and then. of gives each node its address.
func nodesTalk(nodes int, of func(node int) netip.AddrPort) (list []pcap.Datagram) {
	r := rand.New(rand.NewPCG(5, 6))
	server := addr("10.0.0.2:9")
	sent, quiet, held := make([]uint16, nodes), make([]int, nodes), make([]uint16, nodes)
	for i := range 1200 {
		node := r.IntN(nodes)
		if quiet[node] > i {
			continue
		}
		d := pcap.Datagram{N: int64(len(list)), Time: 1e18 + int64(i)*int64(8*time.Millisecond), Src: of(node), Dst: server, Payload: []byte{byte(node), 0, 0, 0}}
		n := sent[node]
		switch p := r.IntN(100); {
		case p < 10: // again
		case p < 15:
			sent[node] += 4
			n = sent[node]
		case p < 18:
			quiet[node] = i + 100
		case p < 22:
			d.Payload[1] = 7 // refused
		case p < 40:
			held[node] += uint16(1 + r.IntN(2))
			d.Payload[1], n = 2, held[node]
		case p < 60:
			d.Src, d.Dst, d.Payload[1] = server, d.Src, 1
		default:
			sent[node]++
			n = sent[node]
		}
		d.Payload[2], d.Payload[3], d.Size = byte(n>>8), byte(n), 4
		list = append(list, d)
	}
	return list
}

// Nodes behind one socket, which `flow by` tells apart, have the statistics of nodes with an address each: of counters,
// acknowledgements, silences and intervals, of messages as well, in one part or in several. The bits are of one peer.
func TestFlowsOfOnePeer(t *testing.T) {
	const nodes = 3
	apart := nodesTalk(nodes, func(node int) netip.AddrPort { return netip.AddrPortFrom(addr("10.0.0.1:1").Addr(), uint16(100+node)) })
	together := nodesTalk(nodes, func(int) netip.AddrPort { return addr("10.0.0.1:100") })
	all, _ := messagesOf(t, scan.Options{Decoders: scan.Always(newCounter(t, several("")).decoder)}, apart)
	flows, _ := messagesOf(t, scan.Options{Decoders: scan.Always(newCounter(t, several(", node")).decoder)}, together)
	known := func(s *Summary) string {
		quiet, silent, seqs := 0.0, uint64(0), SequenceCounts{}
		for _, p := range s.Peers.Listed {
			quiet, silent = max(quiet, p.QuietAtEnd), silent+p.Silent
			for _, q := range p.Sequences {
				seqs.Merge(q.SequenceCounts)
			}
		}
		silences := []string{}
		if s.Silences != nil {
			for _, one := range s.Silences.Longest {
				silences = append(silences, fmt.Sprint(one.After, one.Before, one.Length))
			}
		}
		return text(t, []any{s.Sequences, s.Acks, silences, s.Cases, s.Total, quiet, silent, seqs})
	}
	for section := range all {
		want, got := all[section].Summary(), flows[section].Summary()
		if q := want.Sequences; len(q) != 1 || q[0].Lost == 0 || section == "" && (q[0].Duplicated == 0 || len(want.Acks) != 1 || want.Silences.N < 3) {
			t.Fatalf("%q: the packets show nothing: %+v", section, want)
		}
		if known(got) != known(want) {
			t.Errorf("%q: %s", section, firstDifference(known(want), known(got)))
		}
		if p := got.Peers; p.N != 1 || len(p.Listed) != 1 || p.Listed[0].Packets() != want.Total.Packets() {
			t.Errorf("%q: want one peer, got %+v", section, p)
		}
	}
	whole, err := NewSegments(saved.Whole(1), flows[""]).AppendPart(nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, cut := range []int{1, 10, 300, 301, len(together) - 1} {
		a, b := newCounter(t, several(", node")), newCounter(t, several(", node"))
		a.datagrams(together[:cut])
		b.datagrams(together[cut:])
		merged := saveAndRead(t, a.stats)
		if err := merged.Merge(saveAndRead(t, b.stats)); err != nil {
			t.Fatal(err)
		}
		if got, err := NewSegments(saved.Whole(1), merged).AppendPart(nil); err != nil || !bytes.Equal(got, whole) {
			t.Errorf("cut at %d: the parts together are saved as other bytes: %v", cut, err)
		}
		c := newCounter(t, several(", node"))
		c.stats.KeepTime()
		c.datagrams(together)
		if lanes := c.stats.Summary().Timeline.Lanes; len(lanes) != 1 {
			t.Errorf("want one lane, got %d", len(lanes))
		}
	}
}

// What a secret says is in no saved part: it tells no flows apart.
func TestSecretTellsNoFlowsApart(t *testing.T) {
	c := newCounter(t, "protocol s\norder msb\nport 9\nflow by address, id\npacket { id uint16 @secret\n n uint16 @seq }")
	for id := range byte(3) {
		c.add(decode.Envelope{N: int64(id), Time: 1e18, Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:9")}, []byte{id, 0, id, 0})
	}
	if n := len(c.stats.peers.table); n != 1 || c.stats.peers.table[peerKey{peer: addr("10.0.0.1:5"), other: addr("10.0.0.2:9")}] == nil {
		t.Errorf("want one flow, got %d", n)
	}
}
