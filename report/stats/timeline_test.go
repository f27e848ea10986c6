package stats

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/rand/v2"
	"net/netip"
	"reflect"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/report/saved"
)

// A timeline has what the sums have, of any packets.
func TestTimelineAddsUp(t *testing.T) {
	for _, name := range []string{"rtype", "packets"} {
		c := builtin(t, name)
		c.stats.KeepTime()
		c.datagrams(capture(t, "../../corpus/"+name+".pcap"))
		sum := c.stats.Summary()
		var all Moment
		for _, m := range sum.Timeline.Moments {
			all.Packets += m.Packets
			all.Refused += m.Refused
			all.PayloadBits += m.PayloadBits
			for side := range m.Lost {
				all.Received[side] += m.Received[side]
				all.Lost[side] += m.Lost[side]
			}
			all.Latency.N += m.Latency.N
			all.Jitter.N += m.Jitter.N
		}
		want := Moment{Packets: sum.Total.Packets(), Refused: sum.Total.Rejected.Packets, PayloadBits: sum.Total.PayloadBits()}
		for _, s := range sum.Sequences {
			side := slices.IndexFunc(sides[:], func(d schema.Direction) bool { return d.String() == s.Direction })
			want.Received[sides[side]] += s.Received
			want.Lost[sides[side]] += int64(s.Lost)
		}
		for _, a := range sum.Acks {
			want.Latency.N += a.N
		}
		for _, one := range sum.Cases {
			if one.Every != nil {
				want.Jitter.N += one.Every.Jitter.N
			}
		}
		if all != want {
			t.Errorf("%s: %+v over time, %+v in all", name, all, want)
		}
		lanes := uint64(0)
		for _, l := range sum.Timeline.Lanes {
			lanes += total(l.Packets)
		}
		if len(sum.Peers.Listed) <= MaxLanes && lanes != want.Packets {
			t.Errorf("%s: %d packets in the lanes, want %d", name, lanes, want.Packets)
		}
	}
}

const plannedSchema = `protocol planned
order msb
port 4000
packet {
    server bool8
    n      uint16
    if server { ack uint16 @ack(Input.n) } else { input Input }
}
struct Input { n uint16 @seq }
`

// What was planned for a second is in the moments of that second.
func TestTimelineTellsWhen(t *testing.T) {
	c := newCounter(t, plannedSchema)
	c.stats.KeepTime()
	client, server := netip.MustParseAddrPort("10.0.0.2:5000"), netip.MustParseAddrPort("10.0.0.1:4000")
	const start, tick = int64(1_700_000_000_000_000_000), int64(50_000_000)
	for i := range int64(200) { // 10 s; in second 4 every fourth is lost; in second 7 answers take 120 ms, else 40
		at := start + i*tick
		second, latency := i/20, int64(40_000_000)
		if second == 7 {
			latency = 120_000_000
		}
		if second == 4 && i%4 == 1 {
			continue
		}
		n := binary.BigEndian.AppendUint16(nil, uint16(i))
		c.add(decode.Envelope{N: 2*i + 1, Time: at, Src: client, Dst: server}, append([]byte{0, 0, 0}, n...))
		c.add(decode.Envelope{N: 2*i + 2, Time: at + latency, Src: server, Dst: client}, append([]byte{1, 0, 0}, n...))
	}
	line := c.stats.Summary().Timeline
	if line.Width != 0.25 || len(line.Moments) < 40 || line.Start.UnixNano() != start {
		t.Fatalf("%d moments of %v s from %v", len(line.Moments), line.Width, line.Start)
	}
	for second := range 10 {
		lost, least, most := int64(0), math.Inf(1), 0.0
		for i, m := range line.Moments[4*second : 4*second+4] {
			lost += m.Lost[schema.Client]
			if i > 0 && m.Latency.N > 0 { // the first may have answers to the second before
				least, most = min(least, m.Latency.Min), max(most, m.Latency.Max)
			}
		}
		wantLost, wantLatency := int64(0), 40.0
		switch second {
		case 4:
			wantLost = 5
		case 7:
			wantLatency = 120
		}
		if lost != wantLost || least != wantLatency || most != wantLatency {
			t.Errorf("second %d: %d lost, answers in %v to %v ms; want %d and %v", second, lost, least, most, wantLost, wantLatency)
		}
	}
}

// No time of a stranger makes a timeline grow, nor any number of peers; what is merged with what has none has none.
func TestTimelineIsBounded(t *testing.T) {
	c := newCounter(t, plannedSchema)
	c.stats.KeepTime()
	for i, at := range []int64{math.MinInt64, 1, math.MaxInt64, -1, 1e18, math.MinInt64 + 1} {
		c.add(decode.Envelope{N: int64(i + 1), Time: at, Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(i)}), 9), Dst: netip.MustParseAddrPort("10.0.0.1:4000")}, []byte{1, 0, 0, 0, 0})
	}
	for i := range 20 {
		c.add(decode.Envelope{N: 9, Time: int64(i + 5), Src: netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, 0, byte(i)}), 9), Dst: netip.MustParseAddrPort("10.0.0.1:4000")}, []byte{1, 0, 0, 0, 0})
	}
	line := c.stats.Summary().Timeline
	packets := uint64(0)
	for _, m := range line.Moments {
		packets += m.Packets
	}
	if len(line.Moments) > MaxBuckets || len(line.Lanes) != MaxLanes || packets != 26 {
		t.Errorf("%d moments, %d lanes, %d packets", len(line.Moments), len(line.Lanes), packets)
	}
	other := newCounter(t, plannedSchema)
	if err := other.stats.Merge(c.stats); err != nil || !reflect.DeepEqual(other.stats.Summary().Timeline, line) {
		t.Error(err, "what is empty has a say")
	}
	other = newCounter(t, plannedSchema)
	other.add(decode.Envelope{N: 1, Time: 5, Src: netip.MustParseAddrPort("10.0.0.9:9"), Dst: netip.MustParseAddrPort("10.0.0.1:4000")}, []byte{1, 0, 0, 0, 0})
	if err := c.stats.Merge(other.stats); err != nil || c.stats.Summary().Timeline != nil {
		t.Error(err, "a part of the time passes for all of it")
	}
}

// Two halves, one after the other, are the whole, and the times of both are in neither.
func TestTimelineMerges(t *testing.T) {
	list := capture(t, session+".pcap")
	whole, first, second := builtin(t, "rtype"), builtin(t, "rtype"), builtin(t, "rtype")
	for _, c := range []*counter{whole, first, second} {
		c.stats.KeepTime()
	}
	whole.datagrams(list)
	first.datagrams(list[:len(list)/2])
	second.datagrams(list[len(list)/2:])
	want, late := whole.stats.Summary().Timeline, second.stats.Summary().Timeline
	for range 2 { // o stays as it is
		both := first.stats.empty()
		for _, one := range []*Stats{first.stats, second.stats} {
			if err := both.Merge(one); err != nil {
				t.Fatal(err)
			}
		}
		if got := both.Summary().Timeline; !reflect.DeepEqual(got, want) {
			t.Errorf("want %+v\ngot %+v", want, got)
		}
	}
	if !reflect.DeepEqual(second.stats.Summary().Timeline, late) {
		t.Error("a merge changed what it merged")
	}
}

// More answers over time than are kept apart make their stretches wider, the same ones however they are cut.
func TestAnswersOverTimeAreBounded(t *testing.T) {
	const clients, rounds = 300, 2 * maxCells / 300
	server := addr("10.0.0.1:4000")
	tr := sampled("", newCounter(t, plannedSchema), func(add func(e decode.Envelope, payload []byte)) {
		for i := range int64(rounds) {
			for who := range int64(clients) {
				at := int64(1.7e18) + i*momentUnit + who*1e3
				client := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(who >> 8), byte(who)}), 7)
				n := binary.BigEndian.AppendUint16(nil, uint16(i))
				add(decode.Envelope{N: 1, Time: at, Src: client, Dst: server}, append([]byte{0, 0, 0}, n...))
				add(decode.Envelope{N: 2, Time: at + (1+i)*1e6, Src: server, Dst: client}, append([]byte{1, 0, 0}, n...))
			}
		}
	})
	whole := tr.piece(saved.Whole(7), 0, len(tr.batch.records))
	bound := whole.list[0].peers.timeline.answered
	if bound.n > maxCells || bound.n < maxCells/4 || bound.shift == 0 {
		t.Fatalf("%+v", bound)
	}
	line := whole.Summary().Timeline
	for i, m := range line.Moments[:rounds-4] {
		if m.Latency.N == 0 || m.Latency.Min < float64(i-3) || m.Latency.Max > float64(i+4) {
			t.Fatalf("moment %d: %+v", i, m.Latency)
		}
	}
	for seed := range need.Rounds[uint64](3, 1) {
		got, err := cut(&tr, rand.New(rand.NewPCG(seed, 1))).unite(t, (*Segments).Union)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(encoded(got), encoded(whole)) || !reflect.DeepEqual(got.Summary().Timeline, line) {
			t.Error("pieces are not the whole")
		}
	}
	part, err := whole.AppendPart(nil)
	if err != nil || len(part) > 2<<20 {
		t.Errorf("%d bytes, %v", len(part), err)
	}
}
