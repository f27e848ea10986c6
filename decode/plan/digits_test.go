package plan

import (
	"strconv"
	"testing"
)

// The fast way to a number's digits gives strconv's.
func TestAppendUint(t *testing.T) {
	var b []byte
	for v := uint64(0); v < 1<<17; v++ {
		b = AppendUint(b[:0], v)
		if got, want := string(b), strconv.FormatUint(v, 10); got != want {
			t.Fatalf("want %s, got %s", want, got)
		}
	}
	if got := string(AppendUint(nil, ^uint64(0))); got != "18446744073709551615" {
		t.Error(got)
	}
}
