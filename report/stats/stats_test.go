package stats

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/report/saved"
)

const session = "../../cmd/pktscope/testdata/rtype-session"

// What is counted of a session of R-Type is what was expected of it: the cases, the loss, the duplicates, every silence
// with its length, the stranger, and snapshots at 20 Hz.
func TestSession(t *testing.T) {
	var want struct {
		Accepted, Rejected          uint64
		Cases                       map[string]uint64
		Rejects                     []struct{ Kind string }
		Lost, Duplicated, Reordered uint64
		Silences                    []struct {
			Peer         string
			After, Until int64
			Us           float64
		}
	}
	b, err := os.ReadFile(session + ".expect.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, &want); err != nil {
		t.Fatal(err)
	}
	c := builtin(t, "rtype")
	c.datagrams(capture(t, session+".pcap"))
	s := c.stats.Summary()

	if s.Total.Accepted.Packets != want.Accepted || s.Total.Rejected.Packets != want.Rejected {
		t.Errorf("%+v", s.Total)
	}
	cases := map[string]uint64{}
	for _, row := range s.Cases {
		if n := row.Accepted.Packets; n > 0 {
			cases[row.Case] += n
		}
	}
	if text(t, cases) != text(t, want.Cases) {
		t.Errorf("cases: %v", cases)
	}
	kinds := map[string]uint64{}
	for _, r := range want.Rejects {
		kinds[r.Kind]++
	}
	got := map[string]uint64{}
	for _, r := range s.Rejects {
		got[r.Kind] = r.Packets
	}
	if text(t, got) != text(t, kinds) {
		t.Errorf("rejects: %v", got)
	}

	var sums SequenceCounts
	for _, row := range s.Sequences {
		if row.Field == "sequence_num" {
			sums.Merge(row.SequenceCounts)
		}
	}
	if sums != (SequenceCounts{Received: want.Accepted, Lost: want.Lost, Duplicated: want.Duplicated, Reordered: want.Reordered}) {
		t.Errorf("sequence_num: %+v", sums)
	}

	if s.Silences.N != uint64(len(want.Silences)) {
		t.Errorf("%d silences", s.Silences.N)
	}
	for _, w := range want.Silences {
		if !slices.ContainsFunc(s.Silences.Longest, func(g Silence) bool {
			return g.Sender.String() == w.Peer && g.After == w.After && g.Before == w.Until && math.Abs(g.Length-w.Us/1e3) < 1e-9
		}) {
			t.Errorf("silence %+v is not among %+v", w, s.Silences.Longest)
		}
	}

	for _, row := range s.Cases {
		if row.Case == "Snapshot" && row.Direction == "server" {
			if e := row.Every; math.Abs(e.Rate-20) > 0.1 || e.Nominal != 50 || e.Jitter.P99 > 5 || e.Interval.N != row.Accepted.Packets-3 {
				t.Errorf("snapshots: %+v", e)
			}
		}
	}
	var stranger *PeerRow
	for i, p := range s.Peers.Listed {
		if p.Peer == addr("10.0.0.66:6666") {
			stranger = &s.Peers.Listed[i]
		}
	}
	if p := stranger; p == nil || p.Sent.Packets() != 43 || p.Sent.Rejected.Packets != want.Rejected || p.Silent != 2 || len(p.Rejects) != len(kinds) ||
		len(p.Notes) != 1 || p.Notes[0] != (KindRow{"wrong-direction", 3}) {
		t.Errorf("the stranger: %+v", p)
	}
	if len(s.Peers.Listed) != 5 || s.Peers.N != 5 || s.Peers.More != 0 {
		t.Errorf("%d peers", s.Peers.N)
	}
	// The three players answer to their own inputs: what a list of players acknowledges is told apart.
	for _, p := range s.Peers.Listed[:3] {
		if len(p.Acks) != 1 || p.Acks[0].P50 < 15 || p.Acks[0].P50 > 35 || p.Acks[0].N < 300 || p.Acks[0].Unsent > 2 {
			t.Errorf("%s: %+v", p.Peer, p.Acks)
		}
	}
	var packets uint64
	for _, b := range s.Series.Buckets {
		packets += b.Packets
	}
	if packets != s.Total.Packets() || s.Series.Width != 1 || len(s.Series.Buckets) != 21 {
		t.Errorf("series: %d packets in %d buckets of %g s", packets, len(s.Series.Buckets), s.Series.Width)
	}
}

// saveAndRead is what comes back of a part.
func saveAndRead(t *testing.T, s *Stats) *Stats {
	t.Helper()
	return savedAgain(t, NewSegments(saved.Whole(1), s)).list[0].Stats
}

// savedAgain is what comes back of Segments.
func savedAgain(t *testing.T, s *Segments) *Segments {
	t.Helper()
	b, err := s.AppendJSON(nil)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Read(bytes.NewReader(b))
	if err != nil || len(list) != 1 {
		t.Fatalf("%d parts, %v", len(list), err)
	}
	again, err := list[0].AppendJSON(nil)
	if err != nil || !bytes.Equal(b, again) {
		t.Fatalf("saved again it differs: %v\n%s\n%s", err, b, again)
	}
	return list[0]
}

// Ten slices, saved, read and merged, are the whole: the same summary in every number, percentiles included.
func TestSlicesMerge(t *testing.T) {
	list := capture(t, session+".pcap")
	whole := builtin(t, "rtype")
	whole.datagrams(list)
	want := text(t, whole.stats.Summary())
	for _, slices := range []int{10, 2, 97, 1000}[:need.Rounds(4, 1)] {
		var merged *Stats
		for i := range slices {
			part := builtin(t, "rtype")
			part.datagrams(list[len(list)*i/slices : len(list)*(i+1)/slices])
			read := saveAndRead(t, part.stats)
			if merged == nil {
				merged = read
			} else if err := merged.Merge(read); err != nil {
				t.Fatal(err)
			}
			if slices < 100 {
				merged = saveAndRead(t, merged)
			}
		}
		if got := text(t, merged.Summary()); got != want {
			t.Errorf("%d slices: %s", slices, firstDifference(want, got))
		}
	}
	// Pairs first: merging is associative.
	var parts []*Stats
	for i := range 8 {
		part := builtin(t, "rtype")
		part.datagrams(list[len(list)*i/8 : len(list)*(i+1)/8])
		parts = append(parts, part.stats)
	}
	for _, pair := range [][2]int{{2, 3}, {4, 5}, {6, 7}, {4, 6}, {1, 2}, {0, 1}, {0, 4}} {
		if err := parts[pair[0]].Merge(parts[pair[1]]); err != nil {
			t.Fatal(err)
		}
	}
	if got := text(t, parts[0].Summary()); got != want {
		t.Errorf("pairs: %s", firstDifference(want, got))
	}
}

func firstDifference(want, got string) string {
	a, b := bytes.Split([]byte(want), []byte("\n")), bytes.Split([]byte(got), []byte("\n"))
	for i := range min(len(a), len(b)) {
		if !bytes.Equal(a[i], b[i]) {
			return fmt.Sprintf("line %d: want\n%s\ngot\n%s", i+1, bytes.Join(a[max(i-6, 0):i+1], []byte("\n")), b[i])
		}
	}
	return fmt.Sprintf("%d lines, want %d", len(b), len(a))
}

func TestMergeRefuses(t *testing.T) {
	const src = "protocol p\norder msb\nport 9\npacket {\n n uint8 @seq\n}\n"
	for _, row := range []struct{ name, a, b, want string }{
		{"two protocols", src, "protocol q\norder msb\npacket {\n n uint8\n}\n", `statistics of "p" do not merge with those of "q"`},
		{"another width", src, "protocol p\norder msb\npacket {\n n uint16 @seq\n}\n", `the statistics are of two versions of "p": their counters, @ack, @every or timeout differ`},
		{"another timeout", src, src + "expect timeout 1s\n", `the statistics are of two versions of "p": their counters, @ack, @every or timeout differ`},
	} {
		a, b := newCounter(t, row.a), newCounter(t, row.b)
		if err := a.stats.Merge(b.stats); err == nil || err.Error() != row.want {
			t.Errorf("%s: %v", row.name, err)
		}
	}
}

// heartbeat is an R-Type packet of 12 bytes.
func heartbeat(n int) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0, 1}, uint16(n))
	return binary.BigEndian.AppendUint64(b, uint64(n))
}

// 100,000 invented peers: memory is that of the bound, the sums have every packet, who was there before stays, and so
// does who comes in the middle with some packets.
func TestSpoofedPeers(t *testing.T) {
	c := builtin(t, "rtype")
	server := addr("10.0.0.1:4124")
	now := int64(1e18)
	send := func(from netip.AddrPort, n int) {
		now += int64(time.Millisecond)
		c.add(decode.Envelope{N: int64(n), Time: now, Src: from, Dst: server}, heartbeat(n))
	}
	before, during := addr("192.0.2.1:1000"), addr("192.0.2.2:2000")
	for i := range 5 {
		send(before, i)
	}
	var start, end runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&start)
	const strangers = 100_000
	for i := range strangers {
		ip := netip.AddrFrom4([4]byte{10, byte(1 + i>>16), byte(i >> 8), byte(i)})
		send(netip.AddrPortFrom(ip, uint16(1024+i%60000)), i)
		if i%100 == 50 {
			send(during, i/100)
			send(before, 5+i/100)
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&end)
	if grown := int64(end.HeapAlloc) - int64(start.HeapAlloc); grown > 8<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	if n := len(c.stats.peers.table); n > mostOfPeers {
		t.Errorf("%d peers are kept", n)
	}
	s := c.stats.Summary()
	if s.Total.Accepted.Packets != 5+strangers+2000 {
		t.Errorf("%d packets", s.Total.Accepted.Packets)
	}
	if off := math.Abs(float64(s.Peers.N)/(strangers+2) - 1); !s.Peers.About || off > 3*DistinctError {
		t.Errorf("about %d peers", s.Peers.N)
	}
	listed := s.Peers.Rest.Packets()
	for _, p := range s.Peers.Listed {
		listed += p.Packets()
	}
	if listed != s.Total.Packets() || s.Peers.More != s.Peers.N-uint64(len(s.Peers.Listed)) {
		t.Errorf("%d packets with the rest, %d more peers", listed, s.Peers.More)
	}
	if first, second := s.Peers.Listed[0], s.Peers.Listed[1]; first.Peer != before || first.Packets() != 1005 || second.Peer != during || second.Packets() != 1000 {
		t.Errorf("%+v\n%+v", first, second)
	}
	// The sums survive being merged, however the flood is cut.
	merged := saveAndRead(t, c.stats)
	other := builtin(t, "rtype")
	if err := other.stats.Merge(merged); err != nil {
		t.Fatal(err)
	}
	if again := other.stats.Summary(); text(t, again.Total) != text(t, s.Total) || again.Peers.N != s.Peers.N || text(t, again.Sequences) != text(t, s.Sequences) {
		t.Error("merged into nothing it differs")
	}
}

// A switch that takes any tag has no more rows than the bound.
func TestCasesAreBounded(t *testing.T) {
	c := newCounter(t, "protocol p\norder msb\nport 9\npacket {\n tag uint16\n body switch tag {\n 7: empty\n 0..6, 8..65535: empty @every(1s)\n }\n}\n")
	const packets = 2000
	for i := range packets {
		c.add(decode.Envelope{Time: int64(1 + i), Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:9")}, []byte{byte(i >> 8), byte(i)})
	}
	s := c.stats.Summary()
	last := s.Cases[len(s.Cases)-1]
	if len(s.Cases) != MaxCases+1 || !last.Others || last.Packets() != packets-MaxCases || s.Total.Packets() != packets {
		t.Errorf("%d rows, the last %+v", len(s.Cases), last)
	}
}

// Values of one packet are bounded, whatever it holds.
func TestValuesAreBounded(t *testing.T) {
	c := newCounter(t, "protocol p\norder msb\nport 9\npacket {\n all [rest, max 60000]uint8 @seq\n}\n")
	c.add(decode.Envelope{Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:9")}, make([]byte, 60000))
	if n := len(c.batch.values); n != maxValues {
		t.Errorf("%d values", n)
	}
}

func TestDirectionUnknown(t *testing.T) {
	c := newCounter(t, "protocol p\norder msb\npacket {\n n uint8 @seq\n}\nexpect timeout 1s\n")
	a, b := addr("10.0.0.1:5"), addr("10.0.0.2:6")
	for i, at := range []int64{1, 2, 5} {
		c.add(decode.Envelope{N: int64(i), Time: at * 1e9, Src: b, Dst: a}, []byte{byte(i)})
		c.add(decode.Envelope{N: int64(i), Time: at * 1e9, Src: a, Dst: b}, []byte{byte(i)})
	}
	s := c.stats.Summary()
	if len(s.Peers.Listed) != 1 || s.Peers.Listed[0].Peer != a || s.Silences.N != 2 || s.Peers.Listed[0].Silent != 2 {
		t.Errorf("%s", text(t, s))
	}
	if s.Sequences[0].Direction != "unknown" || s.Sequences[0].Received != 6 {
		t.Errorf("%+v", s.Sequences)
	}
}

func TestWithoutTimes(t *testing.T) {
	c := builtin(t, "rtype")
	c.add(decode.Envelope{Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:4124")}, heartbeat(1))
	c.add(decode.Envelope{Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:4124")}, heartbeat(3))
	s := c.stats.Summary()
	if !s.First.IsZero() || s.Seconds != 0 || len(s.Series.Buckets) != 0 || s.Sequences[0].Lost != 1 || s.Cases[0].PerSecond != 0 {
		t.Errorf("%s", text(t, s))
	}
}

// Times at both ends of what a capture can say, forwards and backwards.
func TestHostileTimes(t *testing.T) {
	c := builtin(t, "rtype")
	for i, at := range []int64{math.MinInt64, math.MaxInt64, -1, 1, math.MaxInt64, math.MinInt64, 0} {
		c.add(decode.Envelope{N: int64(i), Time: at, Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:4124")}, heartbeat(i))
	}
	s := c.stats.Summary()
	if n := len(s.Series.Buckets); n > MaxBuckets || n < MaxBuckets/4 {
		t.Errorf("%d buckets of %g s", n, s.Series.Width)
	}
	var packets uint64
	for _, b := range s.Series.Buckets {
		packets += b.Packets
	}
	if packets != 6 || s.Silences.N != 2 { // and one backwards by more, which is none
		t.Errorf("%d packets, %d silences", packets, s.Silences.N)
	}
	saveAndRead(t, c.stats)
}
