package main

import (
	"maps"
	"strings"
	"testing"
)

func TestBestAdd(t *testing.T) {
	for name, row := range map[string]struct {
		out  string
		want best
		bad  bool
	}{
		"nothing":         {"", best{}, false},
		"no number":       {"BenchmarkPacket/flat97/read/generated-2 100 fast ns/op", best{}, true},
		"another":         {"BenchmarkFlat97/decode-2 100 5.0 ns/op", best{}, false},
		"another unit":    {"BenchmarkPacket/flat97/read/generated-2 100 5.0 s/op", best{}, false},
		"the best counts": {"BenchmarkPacket/a/read/b-2 1 5.5 ns/op\nBenchmarkPacket/a/read/b-2 1 4.5 ns/op 9 MB/s\nBenchmarkPacket/a/read/b-2 1 6 ns/op", best{"a/read/b": 4.5}, false},
		"one core":        {"BenchmarkPacket/a/read/by-hand 1 7 ns/op", best{"a/read/by-hand": 7}, false},
	} {
		got := best{}
		if err := got.add([]byte(row.out)); (err != nil) != row.bad || !maps.Equal(got, row.want) {
			t.Errorf("%s: want %v, got %v %v", name, row.want, got, err)
		}
	}
}

func TestMicroTable(t *testing.T) {
	got := microTable(best{
		"flat97/read/interpreter": 170.4, "flat97/read/generated": 42.6, "flat97/read/hand-written": 1213,
		"snapshot/read/plain-loads": 135.2, "bits/read/serialize": 3210, "bits/write/serialize": 3600, "bits/read/hand-written": 1400,
	})
	for _, want := range []string{
		"|---|---|---|---|---|---|---|\n| flat97: 88 fields in 180 bytes | read | 170 | 42.6 | 1 213 | 0.25 | 0.04 |\n| | write | - | - | - | - | - |\n",
		"its snapshot in 135 ns", "in 3.2 ns and writes one in 3.6, the scratch word in 1.4 and 0.0.",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("want\n%s in\n%s", want, got)
		}
	}
}
