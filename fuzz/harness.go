package fuzz

import (
	"iter"
	"sync"
)

// To attack one more surface: 1. write its Func in a file harness_<surface>.go; 2. name it in harnesses; 3. give it an
// entry in gofuzz.go and a target with seeds in fuzz/ossfuzz. A test there says what was forgotten.

// A Func is what a fuzzing engine calls with bytes of its own making. The error is a broken promise; interesting says
// that the input got far (a packet was accepted, a schema compiled), which engines with a score take as a hint. A Func
// may reuse memory, so it is for one goroutine.
type Func func(data []byte) (interesting bool, err error)

// A Harness is one hostile surface and what attacks it.
type Harness struct {
	Name    string // of its targets, behind "Fuzz": native, go-fuzz and libFuzzer alike
	Surface string // what a stranger hands in there
	make    func() Func
}

// NewHarness is for what stands above this package. make is called with the first input.
func NewHarness(name, surface string, make func() Func) *Harness {
	return &Harness{name, surface, make}
}

// New makes a Func: each goroutine has its own. What it needs is made with the first input.
func (h *Harness) New() Func {
	made := sync.OnceValue(h.make)
	return func(data []byte) (bool, error) { return made()(data) }
}

// harnesses are in the order in which hostile bytes come in.
var harnesses = []Harness{
	{"Capture", "capture files, plain or compressed", same(Capture)},
	{"Compressed", "captures behind gzip and zstd whose checksums and lengths are right", same(Compressed)},
	{"Layers", "packets of every link type, up to UDP", same(Layers)},
	{"Reassembly", "IP fragments in any order, doubled, overlapping, late", same(Reassembly)},
	{"Wire", "bits in every order and the rules of what lies in them", same(Wire)},
	{"Schema", "schemas: scanned, parsed, checked, compiled, formatted", same(Schema)},
	{"RType", "packets of the built-in rtype", of("rtype")},
	{"Packets", "packets of the built-in packets", of("packets")},
	{"Gaffer", "packets of the built-in gaffer", of("gaffer")},
	{"Course", "packets of the built-in course", of("course")},
	{"RoundTrip", "values given to the encoder of a built-in, right and wrong ones", roundTrips},
	{"AnySchema", "a schema that is drawn, and packets and values for it", same(AnySchema)},
	{"Filter", "display filters, and what they make of hostile packets", filters},
	{"Selector", "column paths, and what they find in hostile packets", selectors},
	{"SeedFile", "seed files of a corpus", same(SeedFile)},
}

// Harnesses goes over all harnesses of this package. Surfaces above it (renderers) have theirs next to them.
func Harnesses() iter.Seq[*Harness] {
	return func(yield func(*Harness) bool) {
		for i := range harnesses {
			if !yield(&harnesses[i]) {
				return
			}
		}
	}
}

// same is a Func that keeps nothing.
func same(f Func) func() Func { return func() Func { return f } }

// of attacks the decoder of a built-in protocol.
func of(protocol string) func() Func {
	return func() Func { return must(Decode(protocol)) }
}

// must is for what was built in.
func must[T any](v T, err error) T {
	if err != nil {
		panic("pktscope: internal error: " + err.Error())
	}
	return v
}

// script takes an input apart: where nothing is left it gives zeros.
type script struct {
	data []byte
	at   int
}

func (s *script) byte() byte {
	if s.at >= len(s.data) {
		return 0
	}
	s.at++
	return s.data[s.at-1]
}

// number is a little-endian number of n bytes.
func (s *script) number(n int) uint64 {
	v := uint64(0)
	for i := range n {
		v |= uint64(s.byte()) << (8 * i)
	}
	return v
}

// take is up to n bytes, without room behind them.
func (s *script) take(n int) []byte {
	n = min(n, len(s.data)-s.at)
	s.at += n
	return s.data[s.at-n : s.at : s.at]
}

func (s *script) left() int { return len(s.data) - s.at }
