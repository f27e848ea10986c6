package stats

import (
	"bytes"
	"math"
	"math/rand/v2"
	"net/netip"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
)

// wide is talk with counters of 16 bits: two values can have one remainder of 256.
const wide = `protocol talk
order msb
port 9
struct Input { n uint16 @seq }
struct State { ack uint16 @ack(Input.n) }
packet {
    kind uint8
    body switch kind {
        0: Input
        1: State
    }
}
`

// exchange is one packet of wide: an input, or the state that acknowledges it.
type exchange struct {
	at    int64 // ns
	state bool
	n     uint16
}

func (c *counter) exchange(list []exchange) {
	client, server := addr("10.0.0.1:5"), addr("10.0.0.2:9")
	for _, one := range list {
		e, payload := decode.Envelope{Time: 1e18 + one.at, Src: client, Dst: server}, []byte{0, byte(one.n >> 8), byte(one.n)}
		if one.state {
			e.Src, e.Dst, payload[0] = server, client, 1
		}
		c.add(e, payload)
	}
}

// Every latency is counted, however many are unlike each other and in whatever order they come: the number, the mean,
// the least and the greatest are exact.
func TestLatenciesOfEveryLength(t *testing.T) {
	const n = 2000
	var list []exchange
	var sum, least, most float64
	now := int64(0)
	for i, at := range rand.New(rand.NewPCG(1, 2)).Perm(n) {
		latency := int64(1e3 * math.Pow(3e7, float64(at)/(n-1))) // 1 µs to 30 s
		list = append(list, exchange{now, false, uint16(i)}, exchange{now + latency, true, uint16(i)})
		now += latency + 1e6
		ms := float64(latency) / 1e6
		if i == 0 || ms < least {
			least = ms
		}
		sum, most = sum+ms, max(most, ms)
	}
	c := newCounter(t, wide)
	c.exchange(list)
	a := c.stats.Summary().Acks[0]
	if a.N != n || a.Max != most || a.Min != least || math.Abs(a.Mean/(sum/n)-1) > 1e-9 {
		t.Errorf("want %d, mean %g, %g..%g ms, got %+v", n, sum/n, least, most, a)
	}
}

// An acknowledgement is searched in what was sent before it and is still remembered, cut or not.
func TestAcksAcrossACut(t *testing.T) {
	for _, row := range []struct {
		name string
		list []exchange
	}{
		{"a later value took the slot", []exchange{{0, false, 5}, {1e6, false, 5 + maxSent}, {2e6, true, 5}}},
		{"the slot is taken after the answer", []exchange{{0, false, 5}, {1e6, true, 5}, {2e6, false, 5 + maxSent}}},
		{"more than a round trip at the cut", func() (list []exchange) {
			for i := range uint16(200) {
				list = append(list, exchange{int64(i) * 1e6, false, i})
			}
			for i := range uint16(200) {
				list = append(list, exchange{int64(300+i) * 1e6, true, i})
			}
			return list
		}()},
	} {
		whole := newCounter(t, wide)
		whole.exchange(row.list)
		want := text(t, whole.stats.Summary())
		for cut := range len(row.list) + 1 {
			a, b := newCounter(t, wide), newCounter(t, wide)
			a.exchange(row.list[:cut])
			b.exchange(row.list[cut:])
			if err := a.stats.Merge(b.stats); err != nil {
				t.Fatal(err)
			}
			if got := text(t, a.stats.Summary()); got != want {
				t.Errorf("%s, cut at %d: %s", row.name, cut, firstDifference(want, got))
				break
			}
		}
	}
}

// 3,000 peers that lose nothing lose nothing in parts either, although a part keeps half of them.
func TestPeersBeyondTheBoundLoseNothing(t *testing.T) {
	const clients, inputs, parts = 3000, 12, 8
	server := addr("10.0.0.1:4124")
	var list []*counter
	for range parts {
		list = append(list, builtin(t, "rtype"))
	}
	r, sent := rand.New(rand.NewPCG(3, 4)), make([]int, clients)
	for n := range clients * inputs {
		who := r.IntN(clients)
		sent[who]++
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(who >> 8), byte(who)}), 7)
		list[n*parts/(clients*inputs)].add(decode.Envelope{N: int64(n), Time: 1e18 + int64(n)*int64(time.Microsecond), Src: from, Dst: server}, heartbeat(sent[who]))
	}
	merged := list[0].stats
	for _, one := range list[1:] {
		if err := merged.Merge(one.stats); err != nil {
			t.Fatal(err)
		}
	}
	q := merged.Summary().Sequences[0].SequenceCounts
	if q.Received != clients*inputs || q.Lost != 0 || q.Strays != 0 || q.Restarts != 0 {
		t.Errorf("%+v", q)
	}
}

// Which cases are told apart beyond the bound does not depend on the order in which they came.
func TestCasesBeyondTheBound(t *testing.T) {
	const src = "protocol p\norder msb\nport 9\npacket {\n tag uint16\n body switch tag {\n 60000: empty\n default: empty @every(1s)\n }\n}\n"
	r := rand.New(rand.NewPCG(7, 8))
	tags := r.Perm(2000)
	tags = append(tags, 60000)
	var want []byte
	for round := range 4 {
		parts := []*counter{newCounter(t, src), newCounter(t, src), newCounter(t, src)}
		for _, tag := range tags {
			n := 0
			if round > 0 {
				n = r.IntN(len(parts))
			}
			parts[n].add(decode.Envelope{Src: addr("10.0.0.1:5"), Dst: addr("10.0.0.2:9")}, []byte{byte(tag >> 8), byte(tag)})
		}
		for _, one := range parts[1:] {
			if err := parts[0].stats.Merge(one.stats); err != nil {
				t.Fatal(err)
			}
		}
		got := []byte(text(t, parts[0].stats.Summary().Cases))
		if round == 0 {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("round %d: %s", round, firstDifference(string(want), string(got)))
		}
		if !bytes.Contains(got, []byte(`"60000"`)) {
			t.Error("the case that the schema lists is among the others")
		}
		r.Shuffle(len(tags), func(i, j int) { tags[i], tags[j] = tags[j], tags[i] })
	}
}
