package fuzz_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/oracle"
	"github.com/pktscope/pktscope/pcap"
)

type datagram struct {
	src, dst uint16
	payload  []byte
}

func datagrams(t testing.TB, file []byte) []datagram {
	t.Helper()
	var out []datagram
	source := pcap.NewDatagrams(pcap.NewReader(bytes.NewReader(file)))
	for {
		dg, err := source.Next()
		if err == io.EOF {
			return out
		}
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, datagram{dg.Src.Port(), dg.Dst.Port(), bytes.Clone(dg.Payload)})
	}
}

func compile(t testing.TB, src string) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load("test.pks", []byte(src), nil)
	if s == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%v\n%s", diags, src)
	}
	return decode.New(p)
}

// lines is every mutation of a packet: what was done, to which bytes, and what it deserves.
func lines(d *decode.Decoder, packet []byte) []string {
	var out []string
	for m := range fuzz.NewMutator(d).Mutations(packet, decode.FromUnknown) {
		out = append(out, fmt.Sprintf("%s: % x: %v", m.What(), m.Data, m.Expect))
	}
	return out
}

// A small packet with everything that the mutator can do to it, by hand.
func TestMutationsByHand(t *testing.T) {
	d := compile(t, `protocol test
order msb
max datagram 3
packet {
    n uint8 in 2..3
    x [n]bits(2)
    reserved(1)
    align
}
`)
	packet := []byte{0x02, 0b10_01_0_000}
	want := []string{
		`n at bit 0 (byte 0): cut: : must-reject: past-end at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): min-1 (1): 01 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): max (3): 03 90: unknown`,
		`n at bit 0 (byte 0): max+1 (4): 04 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): the type's min: 00 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): the type's max (255): ff 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): a power of two (8): 08 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): a power of two (16): 10 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): a power of two (32): 20 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): a power of two (64): 40 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): a power of two (128): 80 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): the most, and all of it there (3): 03 94: must-accept`,
		`n at bit 0 (byte 0): one more than may be, and all of it there (4): 04 95 00: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): the first that announces more than may be (7): 07 90: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`n at bit 0 (byte 0): the first that announces more than may be, and all of it there (7): 07 95 54: must-reject: out-of-range at "n", bit 0, 8 bits`,
		`x[0] at bit 8 (byte 1): cut: 02: must-reject: past-end at "x[0]", bit 8, 2 bits`,
		`x[0] at bit 8 (byte 1): min: 02 10: must-accept`,
		`x[0] at bit 8 (byte 1): max (3): 02 d0: must-accept`,
		`x[1] at bit 10 (byte 1+2): min: 02 80: must-accept`,
		`x[1] at bit 10 (byte 1+2): max (3): 02 b0: must-accept`,
		`packet at bit 12 (byte 1+4): a bit flipped: 02 98: must-reject: reserved-nonzero at "", bit 12, 1 bits`,
		`packet at bit 13 (byte 1+5): padding set: 02 94: must-reject: nonzero-padding at "", bit 13, 1 bits`,
		`packet at bit 14 (byte 1+6): padding set: 02 92: must-reject: nonzero-padding at "", bit 14, 1 bits`,
		`packet at bit 15 (byte 1+7): padding set: 02 91: must-reject: nonzero-padding at "", bit 15, 1 bits`,
		`packet at bit 16 (byte 2): bytes too many (1): 02 90 00: must-reject: trailing-bytes at "", bit 16, 8 bits`,
		`packet at bit 16 (byte 2): bytes too many (2): 02 90 00 00: must-reject: datagram-size at "", bit 0, 32 bits`,
	}
	got := lines(d, packet)
	if len(got) < len(want) || !slices.Equal(want, got[:len(want)]) {
		t.Errorf("want\n%q\ngot\n%q", want, got)
	}
	if len(got) != len(want)+6 {
		t.Errorf("want %d mutations, got %d", len(want)+6, len(got))
	}
}

// The sequence follows from the packet alone, whatever the Mutator did before, and the packet itself is left as it is.
func TestMutationsDeterministic(t *testing.T) {
	d := builtin(t, "rtype")
	for _, seed := range corpus.Seeds("rtype") {
		before := bytes.Clone(seed.Data)
		first, again := lines(d, seed.Data), lines(d, seed.Data)
		if !slices.Equal(first, again) {
			t.Errorf("%s: two runs differ", seed.Name)
		}
		if !bytes.Equal(before, seed.Data) {
			t.Errorf("%s: the packet was changed", seed.Name)
		}
	}
}

// Memory is for one packet and the paths of its fields, not for each mutation.
func TestMutationsAllocate(t *testing.T) {
	d := builtin(t, "packets")
	m := fuzz.NewMutator(d)
	for _, seed := range corpus.Seeds("packets") {
		var trace decode.Trace
		if err := d.Decode(seed.Data, decode.FromUnknown, &trace); err != nil {
			t.Fatal(err)
		}
		most := float64(2*len(trace.Raw) + 80)
		if allocs := testing.AllocsPerRun(10, func() {
			for range m.Mutations(seed.Data, decode.FromUnknown) {
			}
		}); allocs > most {
			t.Errorf("%s: %v allocations, want %v at most", seed.Name, allocs, most)
		}
	}
}

// A packet that is refused has no mutations, and a caller may stop at any one.
func TestMutationsStop(t *testing.T) {
	d := builtin(t, "packets")
	m := fuzz.NewMutator(d)
	for mutation := range m.Mutations([]byte{1, 2, 3, 4, 5}, decode.FromUnknown) {
		t.Fatalf("a refused packet has the mutation %s", mutation.What())
	}
	for _, seed := range corpus.Seeds("packets") {
		all := 0
		for range m.Mutations(seed.Data, decode.FromUnknown) {
			all++
		}
		for stop := 1; stop <= all; stop++ {
			n := 0
			for range m.Mutations(seed.Data, decode.FromUnknown) {
				if n++; n == stop {
					break
				}
			}
			if n != stop {
				t.Fatalf("%s: wanted to stop at %d, got %d", seed.Name, stop, n)
			}
		}
	}
}

// Where the packet's end decides, a mutation of another length claims nothing; what one of the same length claims is
// so.
func TestMutationsBeforeRest(t *testing.T) {
	for name, src := range map[string]string{
		"bytes(rest)": "protocol test\norder msb\npacket {\n    a uint8 in 0..3\n    b bytes(rest, max 9)\n}\n",
		"[rest]":      "protocol test\norder msb\npacket {\n    a uint8 in 0..3\n    b [rest, max 9]uint8\n}\n",
		"rest":        "protocol test\norder msb\npacket {\n    a uint8 in 0..3\n    if rest > 0 { b bits(5) }\n}\n",
	} {
		d := compile(t, src)
		o, packet, longer, claimed := oracle.NewOracle(d), []byte{0}, 0, 0
		for m := range fuzz.NewMutator(d).Mutations(packet, decode.FromUnknown) {
			answer, err := o.Decode(m.Data, decode.FromUnknown)
			if err == nil {
				err = m.Expect.Check(answer)
			}
			if err != nil {
				t.Errorf("%s: %s: %x: %v", name, m.What(), m.Data, err)
			}
			switch {
			case len(m.Data) == len(packet):
				claimed++
			case m.Expect.Verdict != oracle.Unknown:
				t.Errorf("%s: %s: claims %v", name, m.What(), m.Expect)
			default:
				longer++
			}
		}
		if longer < 5 || claimed < 3 {
			t.Errorf("%s: %d mutations of the same length, %d of another", name, claimed, longer)
		}
	}
}

// A checksum whose place depends on a count is found in the packet at hand, and made right after every change.
func TestMutationsRepairBehindCount(t *testing.T) {
	d := compile(t, "protocol test\norder msb\npacket {\n    a uint8 in 0..3\n    x [a]uint8\n    c crc32\n}\n")
	packet := make([]byte, 5)
	var trace decode.Trace
	if d.Decode(packet, decode.FromUnknown, &trace) == nil || trace.Reject().Kind != reject.CRCMismatch {
		t.Fatal(trace.Reject())
	}
	binary.BigEndian.PutUint32(packet[1:], uint32(trace.Reject().Limit))
	if d.Plan().RepairChecksum(bytes.Clone(packet)) {
		t.Error("the plan alone cannot know the place, and yet it was repaired")
	}
	o, refused := oracle.NewOracle(d), 0
	for m := range fuzz.NewMutator(d).Mutations(packet, decode.FromUnknown) {
		answer, err := o.Decode(m.Data, decode.FromUnknown)
		if err == nil {
			err = m.Expect.Check(answer)
		}
		if err != nil {
			t.Errorf("%s: %x: %v", m.What(), m.Data, err)
		}
		if m.Expect.Kind == reject.OutOfRange {
			refused++
		}
	}
	if refused == 0 {
		t.Error("no mutation claims that a is out of range")
	}
}

// RepairChecksum finds checksums of every kind where they stand.
func TestRepairChecksum(t *testing.T) {
	rows := []struct {
		src  string
		size int // of a packet of zeros, then repaired
		ok   bool
	}{
		{"    a uint8", 1, false},
		{"    c crc32", 3, false},
		{"    c crc32", 4, true},
		{"    a uint16\n    c crc32c\n    b uint8", 7, true},
		{"    a uint8\n    c crc16_modbus(over rest)\n    b uint8", 2, false},
		{"    a uint8\n    c crc16_modbus(over rest)\n    b uint8", 4, true},
		{"    a bits(3)\n    align(32)\n    c crc32", 8, true},
		{"    a char(5)\n    reserved(72)\n    c crc32(over rest)\n    b uint8", 5 + 9 + 4 + 1, true},
		{"    c crc32(prefix 0x1122334455667788 : uint64)\n    b uint8", 5, true},
		{"    a uint8\n    c crc32(over before)\n    b uint8\n    d sum8(over before)\n    e uint8", 8, true},
	}
	for _, row := range rows {
		for _, order := range []string{"lsb", "msb", "bousk"} {
			d := compile(t, "protocol test\norder "+order+"\npacket {\n"+row.src+"\n}\n")
			packet := make([]byte, row.size)
			if ok := d.Plan().RepairChecksum(packet); ok != row.ok {
				t.Errorf("%s, %s, %d bytes: repaired: %v", row.src, order, row.size, ok)
			}
			if got := ask(t, oracle.NewOracle(d), packet, decode.FromUnknown); row.ok && got.Kind != reject.None {
				t.Errorf("%s, %s: repaired, but %v", row.src, order, got)
			}
		}
	}
}

func BenchmarkMutations(b *testing.B) {
	d := builtin(b, "rtype")
	m := fuzz.NewMutator(d)
	var packet []byte
	for _, seed := range corpus.Seeds("rtype") {
		if seed.Name == "snapshot_most" {
			packet = seed.Data
		}
	}
	n := 0
	b.ReportAllocs()
	for b.Loop() {
		for range m.Mutations(packet, decode.Server) {
			n++
		}
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "mutations/s")
}

// Of a number below a limit every value is tried, and its bits are cut everywhere.
func TestEveryNumberBelow(t *testing.T) {
	d := compile(t, "protocol b\norder msb\npacket { n uint8 in 1..200, v below(1000), w below(n) }")
	m, g := fuzz.NewMutator(d), fuzz.NewGenerator(d)
	values, seen := map[uint64]bool{}, fuzz.Dedup{}
	var trace decode.Trace
	for base := range g.Boundaries(1, func(m fuzz.Missed) { t.Errorf("missed %s: %v", m.Why, m.Err) }) {
		data := bytes.Clone(base.Data)
		for k := range m.Enumerate(data, base.From, seen) {
			if d.Decode(k.Data, base.From, &trace) != nil {
				continue
			}
			for f := range trace.Fields() {
				if f.Name() == "v" {
					values[f.Value().Uint()] = true
				}
			}
		}
	}
	if len(values) != 1000 {
		t.Errorf("%d of 1000 values", len(values))
	}
}
