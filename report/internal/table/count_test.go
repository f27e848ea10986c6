package table

import "testing"

func TestNumbers(t *testing.T) {
	for n, want := range map[int64]string{0: "0", 1: "1", 999: "999", 1000: "1,000", 999_999: "999,999", 1_234_567: "1,234,567", -1: "?"} {
		if got := Grouped(n); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
	for n, want := range map[uint64]string{0: "0 packets", 1: "1 packet", 2: "2 packets", 12_345: "12,345 packets"} {
		if got := Count(n, "packet"); got != want {
			t.Errorf("%d: got %q, want %q", n, got, want)
		}
	}
}
