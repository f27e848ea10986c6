package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

func run(f *testing.F, target fuzz.Func) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if _, err := target(data); err != nil {
			t.Fatal(err)
		}
	})
}

func FuzzBitio(f *testing.F) {
	f.Add([]byte{})
	bits := bytes.Repeat([]byte{0xA5, 0x00, 0x3C}, 14)
	for order := range byte(3) {
		f.Add(append([]byte{order, 6, 1, 64, 3, 63, 57, 128}, bits...))
		f.Add(append([]byte{order, 5, 8, 128, 4, 131, 64}, bits...))
		f.Add(append([]byte{order, 3, 64, 64, 64}, bits[:20]...))
	}
	run(f, fuzz.Bitio)
}

// schemas are the sources that FuzzSchema starts from: the built-ins and whatever decode/schema tests with.
func schemas(t testing.TB) map[string][]byte {
	sources := map[string][]byte{}
	for _, name := range protocols.Names() {
		sources[name], _ = protocols.Source(name)
	}
	tests := os.DirFS("../decode/schema/testdata")
	err := fs.WalkDir(tests, ".", func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".pks") {
			return err
		}
		src, err := fs.ReadFile(tests, path)
		sources[path] = src
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

func FuzzSchema(f *testing.F) {
	for _, src := range schemas(f) {
		if len(src) < 16<<10 {
			f.Add(src)
		}
	}
	for _, src := range small {
		f.Add([]byte(src))
	}
	run(f, fuzz.Schema)
}

// small are schemas in which a byte of change says much.
var small = []string{`protocol a
order msb
packet {
    n uint8 in 0..9
    x [n]uint8
    if n > 3 {
        y bits(3)
        align
    }
}
`, `protocol a
order lsb
packet {
    c crc32
    k bits(2)
    b switch k {
        0: uint8
        1..2: {
            r uint8
            reserved(3)
            pad_check bits(5)
        }
        default: empty
    }
    align
    e uint16 be
}
`, `protocol a
order bousk
enum E : bits(3) {
    A = 1
    B = 5
}
packet {
    e E
    f float32 finite
    s char(5)
    check "x"
}
`, `protocol a
order lsb
flags F : uint16 {
    A = 1
    B = 0x8000
}
packet {
    f F
    i int(-4..9) != 0
    q float(0..1, 0.1)
    d bytes(4) == "abcd"
    g float64 in 0.5..2
}
`, `protocol a
order msb
struct S(n in 0..7) {
    x [n]bits(5)
}
open enum E : uint16 le {
    A = 256
}
packet {
    n int(0..7)
    s S(n)
    let m = n * 2
    require m < 9
    align any
    e E
}
`}

func FuzzCapture(f *testing.F) {
	for _, name := range corpus.Protocols() {
		f.Add(firstRecords(corpus.Capture(name), 12))
	}
	f.Add([]byte{})
	f.Add([]byte{0x0a, 0x0d, 0x0d, 0x0a, 28, 0, 0, 0, 0x4d, 0x3c, 0x2b, 0x1a, 1, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 28, 0, 0, 0})
	run(f, fuzz.Capture)
}

// firstRecords is a little-endian pcap file up to record n.
func firstRecords(file []byte, n int) []byte {
	end := 24
	for ; n > 0 && end+16 <= len(file); n-- {
		end += 16 + int(binary.LittleEndian.Uint32(file[end+8:]))
	}
	return file[:end]
}

func FuzzRType(f *testing.F)   { fuzzDecode(f, "rtype") }
func FuzzPackets(f *testing.F) { fuzzDecode(f, "packets") }
func FuzzGaffer(f *testing.F)  { fuzzDecode(f, "gaffer") }
func FuzzCourse(f *testing.F)  { fuzzDecode(f, "course") }

func fuzzDecode(f *testing.F, protocol string) {
	target, err := fuzz.Decode(protocol)
	if err != nil {
		f.Fatal(err)
	}
	for i, seed := range corpus.Seeds(protocol) {
		f.Add(fuzz.EncodeSeed(seed.Data, directions[seed.From]))
		f.Add(fuzz.EncodeRepaired(seed.Data, directions[seed.From]))
		f.Add(fuzz.EncodeMutation(uint32(i*997), directions[seed.From], uint16(i), uint16(8*len(seed.Data)-1)))
	}
	run(f, target)
}

var directions = map[string]decode.Direction{
	corpus.Client:  decode.Client,
	corpus.Server:  decode.Server,
	corpus.Unknown: decode.Unknown,
}

// What a Func is given when an engine starts: nothing, and too little.
func TestFuncsTakeAnything(t *testing.T) {
	for _, protocol := range corpus.Protocols() {
		target, err := fuzz.Decode(protocol)
		if err != nil {
			t.Fatal(err)
		}
		for _, data := range [][]byte{nil, {0}, {1}, {2}, {3, 1, 2, 3}, fuzz.EncodeMutation(1<<32-1, decode.Server, 1, 2, 3)} {
			if _, err := target(data); err != nil {
				t.Errorf("%s: %v: %v", protocol, data, err)
			}
		}
	}
	for _, target := range []fuzz.Func{fuzz.Bitio, fuzz.Schema, fuzz.Capture} {
		for _, data := range [][]byte{nil, {0}, {0, 255}, {255, 255, 255}} {
			if interesting, err := target(data); err != nil || interesting && len(data) < 2 {
				t.Errorf("%v: %v, %v", data, interesting, err)
			}
		}
	}
	if _, err := fuzz.Decode("nosuch"); err == nil || err.Error() != `"nosuch" is no built-in protocol` {
		t.Errorf("got %v", err)
	}
}

// The corpus is worth starting from: seeds are accepted, captures hold datagrams, schemas compile.
func TestSeedsAreInteresting(t *testing.T) {
	for _, protocol := range corpus.Protocols() {
		target, err := fuzz.Decode(protocol)
		if err != nil {
			t.Fatal(err)
		}
		for _, seed := range corpus.Seeds(protocol) {
			if interesting, err := target(fuzz.EncodeSeed(seed.Data, directions[seed.From])); err != nil || !interesting {
				t.Errorf("%s %s: %v, %v", protocol, seed.Name, interesting, err)
			}
			data := bytes.Clone(seed.Data)
			data[0] ^= 0xFF
			interesting, err := target(fuzz.EncodeRepaired(data, directions[seed.From]))
			if err != nil || interesting != (protocol != "rtype") {
				t.Errorf("%s %s with another first byte, repaired: %v, %v", protocol, seed.Name, interesting, err)
			}
		}
		if interesting, err := fuzz.Capture(corpus.Capture(protocol)); err != nil || !interesting {
			t.Errorf("%s.pcap: %v, %v", protocol, interesting, err)
		}
	}
	for i, src := range small {
		if interesting, err := fuzz.Schema([]byte(src)); err != nil || !interesting {
			_, diags := schema.Load("small.pks", []byte(src), nil)
			t.Errorf("small schema %d: %v, %v, %v", i, interesting, err, diags)
		}
	}
}
