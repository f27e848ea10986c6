package generated_test

import (
	"maps"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// The three-way oracle in one process: the fuzzing engine looks for a packet that one of interpreter, reference and
// generated code sees differently.
func FuzzGenerated(f *testing.F) {
	names := slices.Sorted(maps.Keys(goldenReaders))
	type three struct {
		target *inProcess
		oracle *oracle.Oracle
		d      *decode.Decoder
	}
	var all []three
	var trace decode.Trace
	for i, name := range names {
		p := goldenPlan(f, name)
		d := decode.New(p)
		all = append(all, three{newInProcess(name, holderOf(f, name, p)), oracle.NewOracle(d), d})
		for _, s := range corpus.Seeds(name) {
			f.Add(uint8(i), uint8(fuzz.Sender(s.From)), s.Data)
		}
		g := fuzz.NewGenerator(d) // some have no seeds
		for n := range uint64(4) {
			if k, err := g.Random(1, n); err == nil {
				f.Add(uint8(i), uint8(k.From), append([]byte(nil), k.Data...))
			}
		}
	}
	f.Fuzz(func(t *testing.T, which, from uint8, data []byte) {
		a := &all[int(which)%len(all)]
		if err := a.target.hold(a.oracle, a.d, &trace, data, decode.Direction(from%3)); err != nil {
			t.Fatalf("%s: %x from %v: %v", names[int(which)%len(all)], data, decode.Direction(from%3), err)
		}
	})
}

// Refusing allocates as little as accepting.
func TestRejectsDoNotAllocate(t *testing.T) {
	for _, name := range slices.Sorted(maps.Keys(goldenReaders)) {
		p := goldenPlan(t, name)
		k, err := fuzz.NewGenerator(decode.New(p)).Random(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		target, data := newInProcess(name, holderOf(t, name, p)), k.Data[:len(k.Data)-1]
		path := make([]byte, 0, 256)
		got := testing.AllocsPerRun(100, func() {
			if no, _, _ := target.read(data, k.From, path); no.Kind == reject.None {
				t.Errorf("%s: a cut packet is accepted", name)
			}
		})
		if got != 0 {
			t.Errorf("%s: %v allocations for a reject", name, got)
		}
	}
}
