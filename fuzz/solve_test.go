package fuzz_test

import (
	"context"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/anyschema"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// chains are requirements that random values do not meet.
var chains = []anyschema.Form{
	{Name: "three in a row", Source: "protocol c\norder msb\npacket { a uint16, b uint16, c uint16\nrequire a == b + 1\nrequire b == c * 2\nrequire c > 10 }"},
	{Name: "the other way round", Source: "protocol c\norder lsb\npacket { c uint16, b uint16, a uint16\nrequire b + 1 == a && c * 2 == b\nrequire 10 < c }"},
	{Name: "one at a time", Source: "protocol c\norder lsb\npacket { a uint16\nb uint16\nrequire a == b + 1\nc uint16\nrequire b == c * 1000\nrequire c > 10 && c < 60 }"},
	{Name: "sums of counts", Source: "protocol c\norder msb\npacket { total uint16, n uint8 in 0..20, m uint8 in 0..20, x [n]uint8, y [m]uint16\nlet both = n + m\nrequire total == both * 4 + 8 }"},
	{Name: "signed", Source: "protocol c\norder msb\npacket { a int16, b int16, c int32\nrequire a < b\nrequire c == a - b\nrequire b < -100 }"},
	{Name: "not zero", Source: "protocol c\norder msb\npacket { a uint16 != 7, b uint16, c uint16 != 0\nrequire a == b + c\nrequire c > 10 }"},
	{Name: "in the elements of a list", Source: "protocol c\norder msb\npacket { n uint8 in 1..9, l [n]{ first uint16, last uint16, span uint16\nrequire last == first + span\nrequire span > 1000\nrequire span < 1100 } }"},
	{Name: "an exclusive or", Source: "protocol c\norder msb\npacket { a uint16, b uint16\nrequire a ^ b == 0x5a5a }"},
	{Name: "a mask", Source: "protocol c\norder msb\npacket { flags uint16\nrequire flags & 0xfff0 == 0x3a70 }"},
	{Name: "a complement", Source: "protocol c\norder lsb\npacket { x uint32, y uint32\nrequire (x ^ 0xffffffff) == y }"},
	{Name: "a complement of some bits", Source: "protocol c\norder lsb\npacket { x uint8, y uint8\nrequire (x & 15) == 15 - (x >> 4)\nrequire x | y == 0xff }"},
	{Name: "bits of several", Source: "protocol c\norder lsb\npacket { a uint16, b uint16, c uint16\nlet key = a << 4 ^ b\nrequire key % 1000 == 7\nrequire c == key / 1000 + a\nrequire (a & 0x101) == 0x100 || a > 65000 }"},
	{Name: "in the elements, by bits", Source: "protocol c\norder msb\npacket { n uint8 in 1..5, l [n]{ a uint16, b uint16\nrequire (a ^ b) in {0x1234, 0x8000..0x8003}\nrequire a & 1 == 1 } }"},
	{Name: "flags and an enum", Source: "protocol c\norder msb\nenum E : uint8 { A = 3, B = 77, C = 200 }\npacket { e E, f uint16\nrequire f ^ 0x55aa == e * 256 }"},
	{Name: "a tag among them", Source: "protocol c\norder msb\npacket { kind uint16, check_kind uint16\nrequire check_kind == 60000 - kind\nbody switch kind { 7: { a uint8 }, 900: { b uint16 } } }"},
	{Name: "a tag of two fields", Source: "protocol c\norder msb\npacket { hi bits(20), lo bits(12), length uint32\nlet kind = hi << 12 | lo\nwithin(length) { body switch kind { 1: uint32, 2: uint16, default: bytes(rest, max 100) } } }"},
	{Name: "a tag of two fields that needs an arm, in a list", Source: "protocol c\norder msb\npacket { l [..4]{ hi uint16, lo uint16, let kind = hi * 65536 + lo, body switch kind { 0x10002: uint32, 70000..70009: { a uint16, b uint8 in 1..3 }, 0xfffe0001: empty } } }"},
	{Name: "a tag of parts of a field", Source: "protocol c\norder msb\npacket { a uint16, b uint8, let kind = (a >> 4 & 0xf0) | b & 0xf, x switch kind { 0xa5: uint8 == 7, 0x5a: uint16, 0..9: empty } }"},
	{Name: "a tag of an argument", Source: "protocol c\norder msb\npacket { hi uint8, lo uint8, let kind = hi << 8 ^ lo\nx Body(kind) }\nstruct Body(k in 0..65535) { body switch k { 0x1234: uint8, 0x4321: uint16 } }"},
	{Name: "a tag below 0", Source: "protocol c\norder msb\npacket { a uint16, b uint16, let kind = a - b\nx switch kind { -3000: uint8, 17: uint16, 40000..40001: { c uint8 in 1..2 } } }"},
	{Name: "tags in other arms", Source: "protocol c\norder msb\npacket { a uint16, b uint16, let kind = a << 16 | b\nif kind < 0x1000000 { x switch kind { 0x12345: uint8, 0x23456: uint16 } } else { y switch kind { 0x98765432: uint8 } } }"},
}

// Requirements are solved: every packet is found after a few tries, and audits have bases.
func TestChainsOfRequire(t *testing.T) {
	for i := range chains {
		f := &chains[i]
		t.Run(f.Name, func(t *testing.T) {
			d := formDecoder(t, f)
			g := fuzz.NewGenerator(d)
			for n := range need.Rounds[uint64](200, 3) {
				if tries, err := g.Tries(1, n); err != nil || tries > 8 {
					t.Fatalf("packet %d after %d tries: %v", n, tries, err)
				}
			}
			if i%need.Rounds(1, 8) > 0 {
				t.Skip("-short audits each eighth chain")
			}
			for seed := range need.RoundsIn[uint64](t, need.Long, 3, 1, 1) {
				a := &fuzz.Audit{Decoder: d, Seed: seed, Workers: 1, SelfTest: true, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
				r, err := a.Run(t.Context())
				if err != nil || r.Accepted != r.Valid || r.Refused != r.Hostile {
					t.Fatalf("%v, %d of %d, %d of %d", err, r.Accepted, r.Valid, r.Refused, r.Hostile)
				}
				if len(r.Untested) > 0 { // each is broken alone
					t.Errorf("untested: %s", rowsOf(r.Untested))
				}
			}
		})
	}
}

// Every arm of every switch of a list of windows with lists of windows inside gets packets.
func TestEveryArmOfSFlow(t *testing.T) {
	d := formDecoder(t, &anyschema.Form{Source: anyschema.SFlow})
	p, g, o := d.Plan(), fuzz.NewGenerator(d), oracle.NewOracle(d)
	met := make([]bool, len(p.Steps))
	var trace decode.Trace
	for n := range uint64(400) {
		k, err := g.Random(1, n)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := o.Decode(k.Data, k.From); err != nil || answer != (oracle.Answer{}) {
			t.Fatal(answer, err)
		}
		if err := d.Decode(k.Data, k.From, &trace); err != nil {
			t.Fatal(err)
		}
		for i := range trace.Records {
			met[trace.Plan.StepAt(trace.Records[i].Point).At().ID] = true
		}
	}
	arms := 0
	for _, sw := range p.Switches {
		for i, way := range sw.Arms {
			arms++
			if !slices.ContainsFunc(way.Steps, func(s plan.Step) bool { return slices.Contains(met[s.At().ID:s.At().End], true) }) {
				t.Errorf("no packet has arm %d of the switch at line %d", i, sw.Pos.Line)
			}
		}
	}
	if arms < 28 {
		t.Errorf("only %d arms", arms)
	}
	if testing.Short() {
		t.Skip("what is left is an audit of 100,000 packets")
	}
	all := need.Required(t, need.Long) // that is, what is hostile goes to the reference, too
	a := &fuzz.Audit{Decoder: d, Seed: 1, SelfTest: all, NewTarget: func(context.Context) (oracle.Target, error) { return oracle.NewBuiltin(d), nil }}
	r, err := a.Run(t.Context())
	if err != nil || len(r.Untested) > 0 {
		t.Errorf("audit: %v, untested: %s", err, rowsOf(r.Untested))
	}
}

// A window of whole words is filled up, and what only the end of the packet decides goes both ways.
func TestWindowsOfWords(t *testing.T) {
	d := formDecoder(t, &anyschema.Form{Source: "protocol w\norder msb\npacket { words uint8\nwithin(words * 4) { kind uint8, options [rest, max 40]uint8 }\nif rest > 0 { level uint8 } }"})
	g := fuzz.NewGenerator(d)
	options, levels := map[byte]int{}, map[bool]int{}
	for n := range uint64(200) {
		k, err := g.Random(1, n)
		if err != nil {
			t.Fatal(err)
		}
		if tries, _ := g.Tries(1, n); tries > 2 {
			t.Errorf("packet %d after %d tries", n, tries)
		}
		options[k.Data[0]]++
		levels[len(k.Data) > 1+4*int(k.Data[0])]++
	}
	if len(options) < 3 || levels[true] < 20 || levels[false] < 20 {
		t.Errorf("words %v, levels %v", options, levels)
	}
}
