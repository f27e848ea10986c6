package infer

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/wire"
)

// smbus is crc8_smbus, written down from its definition: x⁸ + x² + x + 1, highest bit first, from zero.
func smbus(data []byte) (sum byte) {
	for _, x := range data {
		sum ^= x
		for range 8 {
			carry := sum >> 7
			sum = sum<<1 ^ 7*carry
		}
	}
	return sum
}

// reports are packets of parts whose sizes vary by bits, with a checksum on the next byte; what is between is zero, or
// noise.
func reports(noise bool) (packets [][]byte) {
	r := rand.New(rand.NewPCG(8, 71))
	level := [2]int{300, 7000}
	for i := range 400 {
		var p []byte
		bits := 0
		put := func(v, width int) {
			for k := width - 1; k >= 0; k-- {
				if bits&7 == 0 {
					p = append(p, 0)
				}
				p[bits/8] |= byte(v>>k&1) << (7 - bits&7)
				bits++
			}
		}
		kind := r.IntN(3) / 2
		put(0x2B, 6)
		put(kind, 2)
		put(i, 16)
		level[kind] += r.IntN(9) - 4
		put(level[kind], 13)
		if kind == 1 {
			put(i/3, 17)
		}
		for noise && bits&7 != 0 {
			put(r.IntN(2), 1)
		}
		packets = append(packets, append(p, smbus(p)))
	}
	return packets
}

func sampled(packets [][]byte) *Sample {
	var s Sample
	for i, p := range packets {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), 40000)
		s.Add(&Packet{N: int64(i + 1), Src: from, Dst: from, Data: p})
	}
	return &s
}

// A checksum at the end of parts of any number of bits stands on a byte: the draft checks, takes all packets, and none
// whose checksum is wrong.
func TestSumBehindBits(t *testing.T) {
	for _, noise := range []bool{false, true}[:need.Rounds(2, 1)] {
		packets := reports(noise)
		res, err := Infer(sampled(packets), Options{})
		if err != nil || res.Broken != nil || res.Refused != 0 || res.Checksum == nil {
			t.Fatalf("noise %t: %v, %v, %d refused, %v", noise, err, res.Broken, res.Refused, res.Checksum)
		}
		holdsSum(t, res.Source, packets)
		if !bytes.Contains(res.Source, []byte(" switch ")) {
			t.Errorf("noise %t: the kinds are not told apart\n%s", noise, res.Source)
		}
	}
}

// holdsSum asks of a schema that it takes packets, and not with another checksum at the end.
func holdsSum(t *testing.T, source []byte, packets [][]byte) {
	t.Helper()
	dec, err := decode.Load("draft.pks", source)
	if err != nil {
		t.Fatalf("%v\n%s", err, source)
	}
	var trace decode.Trace
	for i, p := range packets {
		if err := dec.Decode(p, decode.FromUnknown, &trace); err != nil {
			t.Fatalf("packet %d: %v\n%s", i, err, source)
		}
		forged := bytes.Clone(p)
		forged[len(p)-1] ^= 0x10
		if dec.Decode(forged, decode.FromUnknown, &trace) == nil {
			t.Fatalf("packet %d is taken with a wrong checksum\n%s", i, source)
		}
	}
}

// Whatever of a draft does not check, the checksum stays, and so do the numbers in front where they are not what is wrong.
func TestGiveUpKeepsSum(t *testing.T) {
	packets := reports(false)
	s := sampled(packets)
	sum := findChecksum(rows(s.rows))
	if sum == nil || sum.At >= 0 {
		t.Fatalf("found %v", sum)
	}
	number := func(name string, width int) *item {
		return &item{kind: kindNumber, name: name, field: field{width: width}}
	}
	for name, broken := range map[string]struct {
		items []*item
		stays int // items
	}{
		"a number":          {[]*item{number("if", 8), number("second", 8)}, 2},
		"what is after one": {[]*item{number("first", 8), {kind: kindCheck, text: "check nothing"}, {kind: kindRest}}, 3},
	} {
		d := &draft{name: "broken", order: wire.MSB, longest: s.Longest, tail: 1}
		d.root = &block{items: append(broken.items, &item{kind: kindSum, sum: sum})}
		d.names()
		if _, refused, err := d.prove(rows(s.rows)); err != nil || refused != 0 || d.broken == nil {
			t.Fatalf("%s: %v, %d refused, given up for %v", name, err, refused, d.broken)
		}
		if n := len(d.root.items); n != broken.stays {
			t.Errorf("%s: %d items stay, want %d\n%s", name, n, broken.stays, d.source())
		}
		holdsSum(t, d.source(), packets)
	}
}

// In front, too, where a packet is too short for it: that one is refused, and the checksum stays.
func TestShortBeforeSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 71))
	var packets [][]byte
	for range 200 {
		p := make([]byte, 12+r.IntN(9))
		for j := range p {
			p[j] = byte(r.Uint32())
		}
		p[2] = smbus(p[3:])
		packets = append(packets, p)
	}
	k := findChecksum(rows(sampled(packets).rows))
	if k == nil || k.At != 2 {
		t.Fatalf("found %v", k)
	}
	res, err := Infer(sampled(append(packets[:200:200], []byte{7})), Options{})
	if err != nil || res.Refused != 1 || len(res.Outliers) != 1 || res.Outliers[0].N != 201 {
		t.Fatalf("%v: %d refused, %v\n%s", err, res.Refused, res.Outliers, res.Source)
	}
	dec, err := decode.Load("draft.pks", res.Source)
	if err != nil {
		t.Fatal(err)
	}
	var trace decode.Trace
	packets[0][2] ^= 1
	if dec.Decode(packets[0], decode.FromUnknown, &trace) == nil {
		t.Errorf("a wrong checksum is taken\n%s", res.Source)
	}
}
