package page

import (
	"math"
	"testing"
)

func TestAbout(t *testing.T) {
	for ms, want := range map[float64]string{0: "0 s", 81.3: "81 ms", 8.98: "9 ms", 0.0947: "95 µs", 134.2: "134 ms", 999.7: "1 s", 1004: "1 s", 3050: "3.1 s", 0.99: "990 µs", 12_345: "12 s"} {
		if got := about(ms); got != want {
			t.Errorf("%v ms: %s, want %s", ms, got, want)
		}
	}
}

// A scale is round, so is its half, and no value is above it or far below.
func TestScalesAreRound(t *testing.T) {
	for _, row := range []struct{ most, top float64 }{
		{0, 1}, {math.NaN(), 1}, {math.Inf(1), 1}, {-3, 1}, {0.3, 0.4}, {1, 1}, {1.01, 2}, {3, 4}, {4.5, 5}, {5.1, 10}, {99, 100}, {101, 200}, {1e300, 1e300},
	} {
		if got := roundUp(row.most); math.Abs(got-row.top) > 1e-9*row.top {
			t.Errorf("%v: a scale to %v, want %v", row.most, got, row.top)
		}
	}
	for v := 1e-7; v < 1e12; v *= 1.07 {
		if top := roundUp(v); top < v*(1-1e-9) || top > 2.01*v {
			t.Errorf("%v: a scale to %v", v, top)
		}
	}
}
