package main

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

func TestTurnsAdd(t *testing.T) {
	for name, row := range map[string]struct {
		out  string
		want turns
		bad  bool
	}{
		"nothing":       {"", turns{}, false},
		"no number":     {"BenchmarkPacket/flat97/read/generated-2 100 fast ns/op", turns{}, true},
		"another":       {"BenchmarkFlat97/decode-2 100 5.0 ns/op", turns{}, false},
		"another unit":  {"BenchmarkPacket/flat97/read/generated-2 100 5.0 s/op", turns{}, false},
		"several turns": {"BenchmarkPacket/a/read/b-2 1 5.5 ns/op\nBenchmarkPacket/a/read/b-2 1 4.5 ns/op 9 MB/s\nBenchmarkPacket/a/read/b-2 1 6 ns/op", turns{"a/read/b": {5.5, 4.5, 6}}, false},
		"one core":      {"BenchmarkPacket/a/read/by-hand 1 7 ns/op", turns{"a/read/by-hand": {7}}, false},
	} {
		got := turns{}
		if err := got.add([]byte(row.out)); (err != nil) != row.bad || !maps.EqualFunc(got, row.want, slices.Equal) {
			t.Errorf("%s: want %v, got %v %v", name, row.want, got, err)
		}
	}
}

func TestMicroTable(t *testing.T) {
	got := microTable(turns{
		"flat97/read/interpreter": {170.4}, "flat97/read/generated": {42.6}, "flat97/read/hand-written": {1213},
		"snapshot/read/plain-loads": {135.2}, "bits/read/serialize": {3210}, "bits/write/serialize": {3600}, "bits/read/hand-written": {1400},
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
