package syntax

import (
	"math"
	"testing"
)

func TestCount(t *testing.T) {
	for n, want := range map[int64]string{0: "0 steps", 1: "1 step", 2: "2 steps", 1234: "1234 steps", -1: "-1 steps", math.MinInt64: "-9223372036854775808 steps"} {
		if got := Count(n, "step"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	if got, want := Count(uint64(math.MaxUint64), "step"), "18446744073709551615 steps"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
