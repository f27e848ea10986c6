package fuzz_test

import (
	"bytes"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
)

// `N of N` is a proof only if all are among the N: of a field that may not hold up to 1,024 codes those that are tried
// are, once each, exactly those that the decoder refuses. Of another they are a sample, and are said to be; what is left
// out is counted to the last code.
func TestEnumerationIsWhole(t *testing.T) {
	for _, row := range []struct {
		name, decls, field string
		width              int
		sampled            bool
	}{
		{"a range", "", "int(0..100)", 7, false},
		{"a range with a sign", "", "int(-300..300)", 10, false},
		{"a rule", "", "uint16 in 5..65000", 16, false},
		{"a length", "", "uint16 in 0..300", 16, true},
		{"a rule with a sign", "", "int16 in {-30000..-29999, -5..7, 99}", 16, true},
		{"12 bits", "", "int(-1024..1500)", 12, true},
		{"a set", "", "bits(7) in {1, 2, 9..20, 127}", 7, false},
		{"a constant", "", "uint16 == 0x1234", 16, true},
		{"all but one of 16 bits", "", "int16 != -7", 16, false},
		{"all but one", "", "uint8 != 7", 8, false},
		{"a bool of 8 bits", "", "bool8", 8, false},
		{"an enum", "enum E : uint8 { A = 1, B = 200 }", "E", 8, false},
		{"an enum with a rule", "enum E : uint8 { A = 1, B = 2, C = 3 }", "E in {A, C}", 8, false},
		{"an enum with a sign", "enum E : int8 { A = -128, B = -1, C = 127 }", "E", 8, false},
		{"flags", "flags F : bits(12) { A = 1, B = 0x800 }", "F", 12, true},
		{"an enum of 16 bits", "enum E : uint16 { A = 1, B = 200, C = 0x8000 }", "E", 16, true},
		{"an enum of 18 bits with a rule", "enum E : bits(18) { A = 1, B = 200, C = 0x8000 }", "E in {A, C}", 18, true},
		{"flags of 17 bits", "flags F : bits(17) { A = 1, B = 0x800, C = 0x10000 }", "F", 17, true},
		{"flags of 14 bits with a rule", "flags F : bits(14) { A = 1, B = 0x800, C = 2 }", "F != 0x801", 14, true},
		{"bytes the other way", "", "uint16 be in 256..300", 16, true},
		{"steps", "", "float(0..10, 0.001)", 14, true},
		{"a float", "", "float(0..10, 0.01)", 10, false},
		{"17 bits", "", "bits(17) in 5..9", 17, true},
		{"64 bits", "", "uint64 in 5..9", 64, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := compile(t, "protocol t\norder lsb\n"+row.decls+"\npacket {\nf "+row.field+"\nreserved(7)\n}")
			packet, err := fuzz.NewGenerator(d).Random(1, 0)
			if err != nil {
				t.Fatal(err)
			}
			data := slices.Clone(packet.Data)
			order := wire.LSB
			var tried []uint64
			left := uint64(0)
			for m := range fuzz.NewMutator(d).Enumerate(data, packet.From, fuzz.Dedup{}) {
				if left += m.LeftOut; m.Class == fuzz.ClassCode {
					tried = append(tried, order.Load(m.Data, 0, row.width))
					if m.Sampled != row.sampled || m.Expect.Verdict != oracle.MustReject {
						t.Fatalf("%s: sampled %v, %v", m.What(), m.Sampled, m.Expect)
					}
				}
			}
			var trace decode.Trace
			refuses := func(code uint64) bool {
				order.Store(data, 0, row.width, code)
				return d.Decode(data, packet.From, &trace) != nil
			}
			slices.Sort(tried)
			if row.sampled {
				if len(tried) < 40 || len(slices.Compact(slices.Clone(tried))) < len(tried) || slices.ContainsFunc(tried, func(c uint64) bool { return !refuses(c) }) {
					t.Errorf("a sample of %d codes: %x", len(tried), tried)
				}
			} else if left != 0 {
				t.Errorf("%d are said to be left out", left)
			}
			if row.width > 20 {
				if want := wire.Mask(row.width) - 4 - uint64(len(tried)); left != want {
					t.Errorf("%d are said to be left out, want %d", left, want)
				}
				return
			}
			var want []uint64
			for code := range uint64(1) << row.width {
				if refuses(code) {
					want = append(want, code)
				}
			}
			if len(want) == 0 || !row.sampled && !slices.Equal(tried, want) || uint64(len(want)-len(tried)) != left {
				t.Errorf("%d codes are refused, %d were tried, %d are said to be left out", len(want), len(tried), left)
			}
		})
	}
}

// How many codes of a float are left out is what IEEE 754 says: between 1 and 2 there are 2^23 and the end itself, a
// zero has two codes, and of 2^32 codes those of the largest exponent are not finite.
func TestFloatsLeftOut(t *testing.T) {
	for _, row := range []struct {
		field   string
		refused uint64
	}{
		{"float32 in 1..2", 1<<32 - (1<<23 + 1)},
		{"float32 in {-4..-2, 1..2}", 1<<32 - 2*(1<<23+1)},
		{"float32 in -1..1", 1<<32 - 2*(127<<23+1)},
		{"float32 finite", 1 << 24},
		{"float32 == 0", 1<<32 - 2},
		{"float32 != 3", 1},
		{"float64 in 1..2", 1<<63 - (1<<52 + 1) + 1<<63},
		{"float64 finite", 1 << 53},
	} {
		d := compile(t, "protocol t\norder lsb\npacket {\nf "+row.field+"\n}")
		packet, err := fuzz.NewGenerator(d).Random(1, 0)
		if err != nil {
			t.Fatal(err)
		}
		all := uint64(0)
		for m := range fuzz.NewMutator(d).Enumerate(bytes.Clone(packet.Data), packet.From, fuzz.Dedup{}) {
			if all += m.LeftOut; m.Class == fuzz.ClassCode {
				all++
			}
		}
		if all != row.refused {
			t.Errorf("%s: %d tried and left out, %d are refused", row.field, all, row.refused)
		}
	}
}

// Of a tag of which up to 1,024 codes have no arm each of them is tried, of another both neighbours of every label and
// all powers of two; a tag that is computed too. What is left out is counted.
func TestTagsWithoutAnArm(t *testing.T) {
	for _, row := range []struct {
		name, items string
		width       int
	}{
		{"a byte", "f uint8\nx switch f { 1: uint8, 5..9: uint8, 255: uint8 }", 8},
		{"a sign", "f int8\nx switch f { -128: uint8, -3..4: uint8 }", 8},
		{"a rule", "f uint8 in 2..90\nx switch f { 3: uint8, 7..80: uint8 }", 8},
		{"16 bits", "f uint16\nx switch f { 1: uint8, 0x8000: uint8 }", 16},
		{"a part of it", "f uint8\nx switch f >> 4 { 1: uint8, 9: uint8 }", 8},
		{"by way of a let", "f uint8\nlet k = f & 15\nx switch k { 1: uint8, 9: uint8 }", 8},
		{"farther away", "f uint8\ng uint8\nx switch f { 4: uint8 }", 8},
		{"32 bits", "f uint32\nx switch f { 70000: uint8, 0x80000001..0x80000005: uint8 }", 32},
		{"64 bits", "f uint64\nx switch f { 70000: uint8, 0x8000000000000000: uint8 }", 64},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := compile(t, "protocol t\norder lsb\npacket {\n"+row.items+"\n}")
			packet, err := fuzz.NewGenerator(d).Random(1, 0)
			if err != nil {
				t.Fatal(err)
			}
			data := slices.Clone(packet.Data)
			var trace decode.Trace
			refuses := func(code uint64) bool {
				wire.LSB.Store(data, 0, row.width, code)
				return d.Decode(data, packet.From, &trace) != nil && trace.Reject().Kind == reject.UnknownCase
			}
			tried, often, left := map[uint64]bool{}, map[uint64]int{}, uint64(0)
			for m := range fuzz.NewMutator(d).Enumerate(data, packet.From, fuzz.Dedup{}) {
				if left += m.LeftOut; len(m.Data) == len(data) {
					code := wire.LSB.Load(m.Data, 0, row.width)
					tried[code] = true
					if m.Done == "a tag without an arm" {
						often[code]++
					}
				}
			}
			for code, n := range often {
				if n != 1 || !refuses(code) {
					t.Errorf("%#x, which is refused %v, is tried %d times", code, refuses(code), n)
				}
			}
			var want []uint64
			for code := range uint64(1) << min(row.width, 16) {
				if row.width <= 8 {
					want = append(want, code)
				}
			}
			if row.width == 16 {
				bare := 0
				for code := range uint64(1) << 16 {
					if refuses(code) && !tried[code] {
						bare++
					}
				}
				if uint64(bare) != left {
					t.Errorf("%d are said to be left out, want %d", left, bare)
				}
				want = append(want, 2, 0x7fff, 0x8001)
			}
			for bit := range row.width {
				want = append(want, 1<<bit)
			}
			switch row.width {
			case 32:
				want = append(want, 69999, 70001, 1<<31, 1<<31+6)
			case 64:
				want = append(want, 69999, 70001, 1<<63-1, 1<<63+1)
			}
			n := 0
			for _, code := range want {
				if code&^wire.Mask(row.width) == 0 && refuses(code) {
					if n++; !tried[code] {
						t.Errorf("%#x has no arm, and is not tried", code)
					}
				}
			}
			if n < 9 {
				t.Errorf("%d codes without an arm", n)
			}
		})
	}
}

// Every bit under the checksum of a packet that is not large is flipped, of a large one a part that says so, with every
// bit of a byte among them.
func TestCoveredBits(t *testing.T) {
	d := compile(t, "protocol t\norder lsb\npacket {\nc crc32(over rest)\nx bytes(rest, max 60000)\n}")
	m := fuzz.NewMutator(d)
	for _, size := range []int{5, 1500, 2800, 60004} {
		data := make([]byte, size)
		d.Plan().RepairChecksum(data)
		flipped, phases := 0, map[int]bool{}
		for x := range m.Enumerate(data, decode.FromUnknown, fuzz.Dedup{}) {
			if x.Class == fuzz.ClassChecksum && x.Bit >= 32 {
				flipped++
				phases[x.Bit%8] = true
				if x.Sampled != (size == 60004) {
					t.Fatalf("%d bytes: sampled: %v", size, x.Sampled)
				}
			}
		}
		if whole := 8 * (size - 4); size < 60000 && flipped != whole || size > 60000 && (flipped < 1000 || flipped > whole/100) || len(phases) != 8 {
			t.Errorf("%d bytes: %d bits flipped, %d of the eight of a byte", size, flipped, len(phases))
		}
	}
}
