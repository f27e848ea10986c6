package ossfuzz

import (
	"testing"

	"github.com/pktscope/pktscope/fuzz/selffuzz"
	"github.com/pktscope/pktscope/report"
)

// funcs are made once: libFuzzer calls a target anew for each input.
var funcs = func() map[string]selffuzz.Func {
	all := map[string]selffuzz.Func{}
	for h := range selffuzz.Entries() {
		all[h.Name] = h.New()
	}
	above := report.FuzzEntry()
	all[above.Name] = above.New()
	return all
}()

// seeds are the inputs that a target starts from: seeds_test.go sets it. Builders for libFuzzer can take this file
// alone, and have the seeds in an archive.
var seeds = func(name string) [][]byte { return nil }

// addSeeds gives a target what it starts from.
func addSeeds(f *testing.F, name string) {
	for _, seed := range seeds(name) {
		f.Add(seed)
	}
}

// attack gives an input to an entry, and fails where the entry says that something is wrong with it.
func attack(t *testing.T, name string, data []byte) {
	t.Helper()
	if _, err := funcs[name](data); err != nil {
		t.Fatal(err)
	}
}

// The builder rewrites the call of f.Fuzz in the body of a target, so that each target has its own.

func FuzzCapture(f *testing.F) {
	addSeeds(f, "Capture")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Capture", data) })
}

func FuzzCompressed(f *testing.F) {
	addSeeds(f, "Compressed")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Compressed", data) })
}

func FuzzLayers(f *testing.F) {
	addSeeds(f, "Layers")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Layers", data) })
}

func FuzzReassembly(f *testing.F) {
	addSeeds(f, "Reassembly")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Reassembly", data) })
}

func FuzzWire(f *testing.F) {
	addSeeds(f, "Wire")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Wire", data) })
}

func FuzzSchema(f *testing.F) {
	addSeeds(f, "Schema")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Schema", data) })
}

func FuzzRType(f *testing.F) {
	addSeeds(f, "RType")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "RType", data) })
}

func FuzzPackets(f *testing.F) {
	addSeeds(f, "Packets")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Packets", data) })
}

func FuzzGaffer(f *testing.F) {
	addSeeds(f, "Gaffer")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Gaffer", data) })
}

func FuzzCourse(f *testing.F) {
	addSeeds(f, "Course")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Course", data) })
}

func FuzzRoundTrip(f *testing.F) {
	addSeeds(f, "RoundTrip")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "RoundTrip", data) })
}

func FuzzAnySchema(f *testing.F) {
	addSeeds(f, "AnySchema")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "AnySchema", data) })
}

func FuzzFilter(f *testing.F) {
	addSeeds(f, "Filter")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Filter", data) })
}

func FuzzSelector(f *testing.F) {
	addSeeds(f, "Selector")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Selector", data) })
}

func FuzzSeedFile(f *testing.F) {
	addSeeds(f, "SeedFile")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "SeedFile", data) })
}

func FuzzRender(f *testing.F) {
	addSeeds(f, "Render")
	f.Fuzz(func(t *testing.T, data []byte) { attack(t, "Render", data) })
}
