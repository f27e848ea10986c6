package stats

import (
	"strings"
	"testing"
	"time"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/report/scan"
)

// Intervals begin with the first datagram; what is before it, or in no order, is counted as well; what no memory has
// room for is refused, whatever the clocks of a capture say.
func TestIntervals(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	const begin = 1_700_000_000_000_000_000
	count := func(size time.Duration, at ...time.Duration) (*Intervals, error) {
		v := NewIntervals(scan.Always(d), size)
		var list Arrivals
		for i, one := range at {
			list = append(list, arrival{begin + int64(one), begin, 0, decode.Verdict(i % 4), 10})
		}
		return v, v.Stage().Drain(&list)
	}
	v, err := count(time.Second, 0, 999*time.Millisecond, time.Second, 3*time.Second, 1500*time.Millisecond, -time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	var got []Interval
	v.Each(func(n int, protocol string, i Interval) bool {
		if n != len(got) || protocol != "rtype" {
			t.Errorf("row %d of %s", n, protocol)
		}
		got = append(got, i)
		return true
	})
	want := []Interval{{Accepted: 1, Rejected: 2, Bytes: 30}, {Cut: 1, Accepted: 1, Bytes: 20}, {}, {NeedsContext: 1, Bytes: 10}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("interval %d: %+v, want %+v", i, got[i], want[i])
		}
	}
	if _, err := count(time.Second, 0, (MaxIntervals-1)*time.Second); err != nil {
		t.Error(err)
	}
	for _, far := range []time.Duration{MaxIntervals * time.Second, 200 * 365 * 24 * time.Hour} {
		_, err := count(time.Second, 0, far)
		if err == nil || !strings.HasPrefix(err.Error(), "more than 100000 intervals of 1s: want ") {
			t.Fatal(err)
		}
		longer, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "more than 100000 intervals of 1s: want "), " ")
		size, err := time.ParseDuration(longer)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := count(size, 0, far); err != nil {
			t.Error(err)
		}
	}
}
