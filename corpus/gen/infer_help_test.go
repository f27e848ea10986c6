package main

import (
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode/infer"
)

// The table of `help infer` is what is measured, on all captures that infer was not made on and on those that were written
// blind and opened since, and no order of bits is wrong in any. Opened ones and sessions are measured in the job long.
func TestInferHelp(t *testing.T) {
	if testing.Short() {
		t.Skip("some minutes")
	}
	const near = 0.05
	type row struct{ infer, bytes, flips float64 }
	said := map[string]row{}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, m := range regexp.MustCompile(`(?m)^([a-z]+)( of these| of 10 sessions| of 14 opened| of 14 blind)?.* (\d\.\d\d) +(\d\.\d\d) +(\d\.\d\d)$`).FindAllStringSubmatch(infer.Figures, -1) {
		said[m[1]+m[2]] = row{number(m[3]), number(m[4]), number(m[5])}
	}
	means, counts := map[string]row{}, map[string]float64{}
	holds := func(name string, got row) {
		want, ok := said[name]
		if !ok || math.Abs(want.infer-got.infer) > near || math.Abs(want.bytes-got.bytes) > near || math.Abs(want.flips-got.flips) > near {
			t.Errorf("%s: the help has %.2f, measured are %.2f", name, want, got)
		}
		delete(said, name)
	}
	judges := slices.DeleteFunc(measured(t), func(m material) bool { return !m.kept && m.from != "opened" || m.from == "ours" })
	for i, f := range measureAll(t, judges) {
		m := judges[i]
		got := row{f.score.F1, f.bytes.F1, f.flips.F1}
		if math.IsNaN(got.flips) {
			got.flips = 0
		}
		if f.order == "no" {
			t.Errorf("%s: the order is wrong", m.name)
		}
		mean := "mean of these"
		switch m.from {
		case "session":
			mean = "mean of 10 sessions"
		case "opened":
			mean = "mean of 14 opened"
		case "blind":
			mean = "mean of 14 blind"
		default:
			holds(m.name, got)
		}
		sum := means[mean]
		means[mean], counts[mean] = row{sum.infer + got.infer, sum.bytes + got.bytes, sum.flips + got.flips}, counts[mean]+1
	}
	for name, sum := range means {
		n := counts[name]
		holds(name, row{sum.infer / n, sum.bytes / n, sum.flips / n})
	}
	want := map[string]float64{"mean of 10 sessions": 10, "mean of 14 opened": 14, "mean of 14 blind": 14}
	if !allJudge(t) {
		for _, name := range []string{"mean of 10 sessions", "mean of 14 opened"} {
			delete(said, name)
			delete(want, name)
		}
	}
	if len(said) > 0 {
		t.Errorf("the help has captures that there are not: %v", said)
	}
	delete(counts, "mean of these")
	if !maps.Equal(counts, want) {
		t.Errorf("there are %v, want %v", counts, want)
	}
	if n := strings.Count(infer.Figures, "\n"); n > 14 {
		t.Errorf("the table has %d lines", n)
	}
}
