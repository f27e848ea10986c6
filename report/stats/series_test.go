package stats

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/report/saved"
)

// However packets are cut into parts, and in whatever order their times come, the series is the same and bounded, and
// no packet is missing.
func TestSeriesParts(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	name := func(tag uint64) string { return fmt.Sprint("case ", tag) }
	for round := range need.Rounds(200, 40) {
		reach := math.Exp(r.Float64() * 43)
		var whole series
		parts := make([]series, 1+r.IntN(6))
		const packets = 300
		tags := []int{1, 14, 200}[r.IntN(3)]
		for range packets {
			one := record{time: int64((r.Float64() - 0.3) * reach), size: 100, overhead: 28}
			switch r.IntN(4) {
			case 0:
				one.verdict, one.kind = decode.Refused, reject.Kind(1+r.IntN(5))
			case 1, 2:
				one.hasTag, one.tag = true, uint64(r.IntN(tags))
				one.listed = one.tag%3 == 0
			}
			whole.add(&one, name)
			parts[r.IntN(len(parts))].add(&one, name)
		}
		var merged series
		for i := range parts {
			merged.merge(&parts[i])
		}
		if text(t, whole.summary()) != text(t, merged.summary()) {
			t.Fatalf("round %d: whole %s\nmerged %s", round, text(t, whole.summary()), text(t, merged.summary()))
		}
		if again := readSeries(t, &merged); text(t, again.summary()) != text(t, whole.summary()) {
			t.Fatalf("round %d: saved and read it differs", round)
		}
		var n, bits uint64
		for _, b := range whole.buckets {
			n += b.packets
			bits += b.payload + b.overhead
		}
		if n != packets || bits != packets*8*128 || len(whole.buckets) > MaxBuckets || len(whole.buckets) < 1 {
			t.Fatalf("round %d: %d packets in %d buckets", round, n, len(whole.buckets))
		}
		if len(whole.buckets) < MaxBuckets/2 && whole.shift > 0 {
			t.Fatalf("round %d: %d buckets of %d s", round, len(whole.buckets), 1<<whole.shift)
		}
	}
}

// readSeries is a series as it is after it was saved and read.
func readSeries(t *testing.T, s *series) *series {
	t.Helper()
	w := coder{writing: true, version: partVersion}
	s.code(&w)
	r, again := coder{version: partVersion, b: w.b}, &series{}
	again.code(&r)
	if r.err != nil || len(r.b) > 0 {
		t.Fatal(r.err, len(r.b))
	}
	return again
}

// Which cases are told apart is not the sender's to choose: those of the schema stay, however many others come.
func TestSeriesKeepsListedCases(t *testing.T) {
	var s series
	name := func(tag uint64) string { return fmt.Sprint(tag) }
	send := func(tag uint64, listed bool) {
		s.add(&record{time: 1e18, hasTag: true, tag: tag, listed: listed}, name)
	}
	send(7000, true)
	for tag := range uint64(5000) {
		send(6000-tag, false)
	}
	send(7000, true)
	send(8000, true)
	got := s.summary()
	if len(got.Cases) != MaxSeriesCases || got.Cases[0].Case != "7000" || got.Cases[0].Packets[0] != 2 || got.Cases[1].Case != "8000" {
		t.Errorf("%d cases, first %+v", len(got.Cases), got.Cases[:2])
	}
	if got.Buckets[0].Packets != 5003 {
		t.Errorf("%d packets", got.Buckets[0].Packets)
	}
}

// What was saved before the series was told apart is read, and merges with what is saved today.
func TestReadsOlderParts(t *testing.T) {
	s := smallPart(t)
	c := coder{writing: true, version: 1}
	s.code(&c)
	old, err := decodeBody(1, c.b)
	if err != nil {
		t.Fatal(err)
	}
	if got := old.Summary(); len(got.Series.Cases) > 0 || len(got.Series.Rejects) > 0 || got.Total.Packets() != s.Summary().Total.Packets() {
		t.Errorf("%+v", got.Series)
	}
	if err := old.Union(NewSegments(saved.Whole(7), smallPart(t))); err != nil {
		t.Fatal(err)
	}
	got := old.Summary().Series
	if len(got.Cases) != 2 || total(got.Cases[0].Packets) != 11 || len(got.Rejects) != 1 {
		t.Errorf("%+v", got)
	}
}

// A stretch that the packets cover in part counts for that part: it is no drop.
func TestRates(t *testing.T) {
	start := time.Unix(100, 0).UTC()
	for _, row := range []struct {
		name          string
		first, last   time.Duration
		counts, rates []float64
	}{
		{"whole", 0, 3 * time.Second, []float64{10, 20, 10}, []float64{10, 20, 10}},
		{"the first and the last are half", 500 * time.Millisecond, 2500 * time.Millisecond, []float64{5, 10, 5}, []float64{10, 10, 10}},
		{"a sliver is seen with its neighbour", 900 * time.Millisecond, 3100 * time.Millisecond, []float64{1, 10, 10, 1}, []float64{10, 10, 10, 10}},
		{"a drop is one", 0, 3 * time.Second, []float64{10, 10, 1}, []float64{10, 10, 1}},
		{"one that is short", 0, 500 * time.Millisecond, []float64{5}, []float64{5}},
		{"one packet", 0, 0, []float64{1}, []float64{1}},
		{"nothing", 0, 0, nil, nil},
	} {
		s := Summary{First: start.Add(row.first), Seconds: (row.last - row.first).Seconds()}
		for i, rate := range s.Rates(start, 1, row.counts) {
			if math.Abs(rate-row.rates[i]) > 1e-9 {
				t.Errorf("%s, %d: want %v, got %v", row.name, i, row.rates[i], rate)
			}
		}
	}
}
