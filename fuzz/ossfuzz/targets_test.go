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

func run(f *testing.F, name string) {
	for _, seed := range seeds(name) {
		f.Add(seed)
	}
	target := funcs[name]
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := target(data); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzCapture(f *testing.F)    { run(f, "Capture") }
func FuzzCompressed(f *testing.F) { run(f, "Compressed") }
func FuzzLayers(f *testing.F)     { run(f, "Layers") }
func FuzzReassembly(f *testing.F) { run(f, "Reassembly") }
func FuzzWire(f *testing.F)       { run(f, "Wire") }
func FuzzSchema(f *testing.F)     { run(f, "Schema") }
func FuzzRType(f *testing.F)      { run(f, "RType") }
func FuzzPackets(f *testing.F)    { run(f, "Packets") }
func FuzzGaffer(f *testing.F)     { run(f, "Gaffer") }
func FuzzCourse(f *testing.F)     { run(f, "Course") }
func FuzzRoundTrip(f *testing.F)  { run(f, "RoundTrip") }
func FuzzAnySchema(f *testing.F)  { run(f, "AnySchema") }
func FuzzFilter(f *testing.F)     { run(f, "Filter") }
func FuzzSelector(f *testing.F)   { run(f, "Selector") }
func FuzzSeedFile(f *testing.F)   { run(f, "SeedFile") }
func FuzzRender(f *testing.F)     { run(f, "Render") }
