package selffuzz

import (
	"iter"
	"sync"
)

// To attack one more surface: 1. write its Func in a file <surface>.go; 2. name it in entries; 3. give it a function in
// gofuzz.go and a target with seeds in fuzz/ossfuzz. A test there says what was forgotten.

// A Func is what a fuzzing engine calls with bytes of its own making. The error is a broken promise; interesting says
// that the input got far (a packet was accepted, a schema compiled), which engines with a score take as a hint. A Func
// may reuse memory, so it is for one goroutine.
type Func func(data []byte) (interesting bool, err error)

// An Entry is one hostile surface and the Func that attacks it.
type Entry struct {
	Name    string // of its targets, after "Fuzz": native, go-fuzz and libFuzzer alike
	Surface string // what a stranger hands in
	make    func() Func
}

// NewEntry makes the Entry of a surface that is above this package. make is called with the first input.
func NewEntry(name, surface string, make func() Func) *Entry {
	return &Entry{name, surface, make}
}

// New makes a Func, one for each goroutine. What the Func needs is made with its first input.
func (e *Entry) New() Func {
	made := sync.OnceValue(e.make)
	return func(data []byte) (bool, error) { return made()(data) }
}

// entries are in the order in which hostile bytes come in.
var entries = []Entry{
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

// Entries goes over all entries of this package. A surface above it, such as the renderers, has its entry beside it.
func Entries() iter.Seq[*Entry] {
	return func(yield func(*Entry) bool) {
		for i := range entries {
			if !yield(&entries[i]) {
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

// take is up to n bytes, without room after them.
func (s *script) take(n int) []byte {
	n = min(n, len(s.data)-s.at)
	s.at += n
	return s.data[s.at-n : s.at : s.at]
}

func (s *script) left() int { return len(s.data) - s.at }
