package main

import (
	"strings"
	"testing"
	"time"
)

func TestNumbers(t *testing.T) {
	for want, got := range map[string]string{
		"0": grouped(0), "999": grouped(999), "1 000": grouped(1000), "1 234 567": grouped(1234567),
		"4.84 M": rate(4_836_000), "1.00 M": rate(999_600), "812 k": rate(811_900), "25.3 k": rate(25_320), "1 700": rate(1700), "80": rate(80),
		"1.0 ×": times(1), "9.9 ×": times(9.94), "10 ×": times(9.96), "2 186 ×": times(2186.2),
		"99.9": nanoseconds(99.94), "-": nanoseconds(0), "0.50": ratio(1, 2),
	} {
		if got != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
	if ratio(0, 2) != "-" || ratio(2, 0) != "-" {
		t.Error("a ratio of nothing")
	}
}

func TestMillionTable(t *testing.T) {
	got := millionTable([]*contender{
		{title: "a", packets: million, fastest: time.Second / 4, works: []time.Duration{time.Second, time.Second / 2}, most: 20 << 20},
		{title: "b", packets: 50_000, fastest: 2 * time.Second, works: []time.Duration{time.Second}},
	})
	want := "| a | 4.00 M | 1.0 × | 2.00 M | 20 MB |\n| b (the first 50 000) | 25.0 k | 160 × | 50.0 k | - |\n"
	if !strings.HasSuffix(got, want) {
		t.Errorf("want %s at the end of\n%s", want, got)
	}
}

func TestRunRefuses(t *testing.T) {
	for want, err := range map[string]error{
		"arguments":     run(t.Context(), options{microRounds: 1, rounds: 1}, []string{"now"}),
		"-only":         run(t.Context(), options{only: "all", microRounds: 1, rounds: 1}, nil),
		"-micro-rounds": run(t.Context(), options{rounds: 1}, nil),
		"-rounds":       run(t.Context(), options{microRounds: 1}, nil),
		"-history":      run(t.Context(), options{microRounds: 1, rounds: 1, history: true, compare: "last"}, nil),
		"root":          run(t.Context(), options{microRounds: 1, rounds: 1}, nil), // a test runs in its package's directory
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error of %s, got %v", want, err)
		}
	}
}
