package main

import (
	"math"
	"runtime/debug"
	"testing"
)

// A limit that the user has set stays as it is, whatever a command takes; without one, ours is raised and set back.
func TestMemoryLimit(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	for _, row := range []struct {
		set  string
		want int64
	}{{"64MiB", 64 << 20}, {"off", 64 << 20}, {"", 64<<20 + 1000}} {
		t.Setenv("GOMEMLIMIT", row.set)
		debug.SetMemoryLimit(64 << 20) // as the runtime has read it
		allowMemory(1000)
		if got := debug.SetMemoryLimit(-1); got != row.want {
			t.Errorf("%q: want %d, got %d", row.set, row.want, got)
		}
		was := limitMemory(math.MaxInt64)
		if got := debug.SetMemoryLimit(-1); was != row.want || row.set != "" && got != row.want || row.set == "" && got != math.MaxInt64 {
			t.Errorf("%q: %d before, %d after", row.set, was, got)
		}
		limitMemory(was)
		if got := debug.SetMemoryLimit(-1); got != row.want {
			t.Errorf("%q: want %d again, got %d", row.set, row.want, got)
		}
	}
}
