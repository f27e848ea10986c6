package zoo_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// What native fuzzing is given: bytes, seeds, and the zoo's own judge. `make zoo` names an animal in ZOO_ANIMAL, whose
// flawed reader is then attacked; without that the fixed twins are, all of them, the first byte says which.
//
// The readers stay in their cage: a panic, a hang or an allocation is a failure at once, which is more than the engines
// would see by themselves.

// caught is what the failure of an animal begins with.
const caught = "caught in the zoo: "

func FuzzRaw(f *testing.F)      { fuzzNative(f, false) }
func FuzzRepaired(f *testing.F) { fuzzNative(f, true) }

func fuzzNative(f *testing.F, repair bool) {
	name := os.Getenv("ZOO_ANIMAL")
	if protocol, ok := strings.CutPrefix(name, "bare:"); ok {
		fuzzBare(f, protocol)
		return
	}
	var twins []*pair
	for _, a := range zoo.Animals() {
		if name != "" && a.Name != name {
			continue
		}
		p := &pair{Animal: &a, decoder: compile(f, &a), fixed: a.Fixed()}
		if name != "" {
			p.fixed = a.Flawed()
		}
		for _, seed := range a.Seeds {
			f.Add(append([]byte{byte(len(twins))}, seed...))
		}
		twins = append(twins, p)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) == 0 {
			return
		}
		p := twins[int(data[0])%len(twins)]
		packet := data[1:]
		if repair {
			p.decoder.Plan().RepairChecksum(packet)
		}
		_ = p.decoder.Decode(packet, decode.FromUnknown, &p.trace) // the verdict is in the trace
		if seen := zoo.Check(&p.trace, p.fixed.Read(packet)); len(seen) > 0 {
			t.Fatalf("%s%s: %v", caught, p.Name, seen)
		}
	})
}

// fuzzBare lets the engine run against this project's decoder and nothing else, and counts what comes past the
// checkpoint. The engine's workers are processes that end without notice, so each leaves its counts in a file of
// ZOO_COUNTS now and then.
func fuzzBare(f *testing.F, protocol string) {
	d, err := protocols.Load(protocol)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range bareSeeds(protocol) {
		f.Add(seed.Data)
	}
	var trace decode.Trace
	checkpoint := fuzz.CheckpointOf(d.Plan())
	execs, valid := 0, 0
	counts := filepath.Join(os.Getenv("ZOO_COUNTS"), fmt.Sprint(os.Getpid()))
	f.Fuzz(func(t *testing.T, data []byte) {
		_ = d.Decode(data, decode.FromUnknown, &trace) // the verdict is in the trace
		execs++
		if checkpoint.Reached(&trace) {
			valid++
		}
		if execs%1024 == 0 {
			if err := os.WriteFile(counts, fmt.Appendf(nil, "%d %d", execs, valid), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// bareSeeds are a protocol's seeds; of R-Type the largest snapshot alone.
func bareSeeds(protocol string) []corpus.Seed {
	seeds := corpus.Seeds(protocol)
	if protocol == "rtype" {
		largest := seeds[0]
		for _, s := range seeds {
			if len(s.Data) > len(largest.Data) {
				largest = s
			}
		}
		seeds = []corpus.Seed{largest}
	}
	return seeds
}
