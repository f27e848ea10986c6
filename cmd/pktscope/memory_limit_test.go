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
		set         string
		takes, want int64
	}{{"64MiB", 1000, 64 << 20}, {"off", 1000, 64 << 20}, {"", 1000, 64<<20 + 1000}, {"", math.MaxInt64, mostMemory}} {
		t.Setenv("GOMEMLIMIT", row.set)
		debug.SetMemoryLimit(64 << 20) // as the runtime has read it
		allowMemory(row.takes)
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

// A short schema can have a long plan, around which the collector would work all the time: the limit rises by both.
func TestMemoryOfPlan(t *testing.T) {
	before := debug.SetMemoryLimit(64 << 20)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	t.Setenv("GOMEMLIMIT", "")
	src := &source{name: "p.pks", text: []byte("protocol p\norder msb\nstruct A { a uint8, b uint8 }\nstruct B { a A, b A }\npacket { a B, b B }\n")}
	d, _ := src.compile(nil)
	nodes := len(d.Plan().Nodes)
	if want := int64(64<<20 + schemaMemory*len(src.text) + nodeMemory*nodes); nodes < 14 || debug.SetMemoryLimit(-1) != want {
		t.Errorf("%d nodes: want a limit of %d, got %d", nodes, want, debug.SetMemoryLimit(-1))
	}
}
