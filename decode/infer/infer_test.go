package infer_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/infer"
)

func sample(packets [][]byte) *infer.Sample {
	var s infer.Sample
	for i, p := range packets {
		s.Add(&infer.Packet{N: int64(i + 1), Src: port(uint16(40001 + i%3)), Dst: port(40000), Data: p})
	}
	return &s
}

func port(n uint16) netip.AddrPort {
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, 1}), n)
}

// proved infers a schema and checks what is promised of every one: it loads, and refuses the packets that are listed and
// no other.
func proved(t *testing.T, packets [][]byte, o infer.Options) *infer.Result {
	t.Helper()
	res, err := infer.Infer(sample(packets), o)
	if err != nil {
		t.Fatal(err)
	}
	if res.Broken != nil {
		t.Fatal(res.Broken)
	}
	d, err := decode.Load("guess.pks", res.Source)
	if err != nil {
		t.Fatalf("%v\n%s", err, res.Source)
	}
	refused := map[int64]bool{}
	for _, o := range res.Outliers {
		refused[o.N] = true
	}
	var trace decode.Trace
	for i, p := range packets {
		err := d.Decode(p, decode.FromUnknown, &trace)
		if (err != nil) != refused[int64(i+1)] {
			t.Fatalf("packet %d: %v, among the outliers: %t\n% x\n%s", i+1, err, refused[int64(i+1)], p, res.Source)
		}
	}
	if int(res.Refused) != len(refused) || int(res.Packets) != len(packets) {
		t.Fatalf("%d of %d refused; want %d of %d", res.Refused, res.Packets, len(refused), len(packets))
	}
	return res
}

// rough makes captures of all kinds that are no protocol, and some that nearly are.
func rough(r *rand.Rand, kind int) (packets [][]byte) {
	n := 1 + r.IntN(60)
	for i := range n {
		p := make([]byte, r.IntN(48))
		switch kind % 8 {
		case 0:
			for j := range p {
				p[j] = byte(r.Uint32())
			}
		case 1: // zeros
		case 2: // a byte again and again
			for j := range p {
				p[j] = 0xA5
			}
		case 3: // a length that is right, and sometimes is not
			if len(p) > 1 {
				p[0] = byte(len(p) - 1)
				if r.IntN(9) == 0 {
					p[0]++
				}
				p[1] = byte(i)
			}
		case 4: // kinds of fixed sizes, and one that is not
			p = make([]byte, []int{9, 4, 17, 9 + r.IntN(2)}[i%4])
			p[0] = byte(i % 4)
			for j := 1; j < len(p); j++ {
				p[j] = byte(i / j)
			}
		case 5: // text
			copy(p, fmt.Sprintf("player%d } packet { // %d\n", i, i))
		case 6: // bits
			if len(p) > 3 {
				binary.LittleEndian.PutUint32(p, uint32(i)*0x2545F491)
				p[0] = p[0]&^7 | byte(i&1)
			}
		case 7: // nearly always the same
			p = []byte{1, 2, 3, 4, byte(i / 50), 6}
			if r.IntN(20) == 0 {
				p = p[:r.IntN(7)]
			}
		}
		packets = append(packets, p)
	}
	return packets
}

// Any capture gives a schema that checks, and decodes all of it but what it lists.
func TestAnyCapture(t *testing.T) {
	for seed := range need.Rounds(160, 8) {
		r := rand.New(rand.NewPCG(uint64(seed), 25))
		res := proved(t, rough(r, seed), infer.Options{Tight: seed/8%2 == 1})
		if res.Checksum == nil && res.Refused > 0 {
			t.Errorf("seed %d: %d packets refused, and there is no checksum: %v\n%s", seed, res.Refused, res.Outliers[0], res.Source)
		}
	}
	for name, packets := range map[string][][]byte{
		"none": nil, "empty": {{}}, "one": {{1, 2, 3}}, "two": {{}, {0}}, "long": {make([]byte, 65527)}, "zeros": {make([]byte, 1400), make([]byte, 1400)},
	} {
		res := proved(t, packets, infer.Options{})
		if want := name == "long"; (res.Refused > 0) != want {
			t.Errorf("%s: %d refused\n%s", name, res.Refused, res.Source)
		}
	}
}

// FuzzInfer cuts a capture out of its input: packets after lengths of a byte.
func FuzzInfer(f *testing.F) {
	for kind := range 8 {
		var in []byte
		for _, p := range rough(rand.New(rand.NewPCG(uint64(kind), 1)), kind) {
			in = append(append(in, byte(len(p))), p...)
		}
		f.Add(in)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		var packets [][]byte
		for len(in) > 0 && len(packets) < 64 {
			n := min(int(in[0]), len(in)-1)
			packets = append(packets, in[1:1+n])
			in = in[1+n:]
		}
		proved(t, packets, infer.Options{})
	})
}

// Options that a person gives are taken, and what they get wrong costs no packet.
func TestOptions(t *testing.T) {
	packets := rough(rand.New(rand.NewPCG(4, 25)), 4)
	for _, o := range []infer.Options{
		{Order: "bousk"}, {NoSum: true}, {Ports: []uint16{7}}, {Ports: []uint16{7, 8, 9, 4000}}, {Name: "game"}, {Tight: true}, {Tag: infer.Tag{At: 0, Width: 8}}, {Tag: infer.Tag{At: 2000, Width: 16}}, {Tag: infer.Tag{At: 3, Width: 7}},
	} {
		if res := proved(t, packets, o); res.Refused > 0 {
			t.Errorf("%+v: %v", o, res.Outliers[0])
		}
	}
	for _, bad := range []string{"", "3", "3+0", "3+17", "-1+3", "a+b", "2048+1", "3+3+3"} {
		if new(infer.Tag).Set(bad) == nil {
			t.Errorf("tag %q is taken", bad)
		}
	}
}

// Packets of which the sample has none, since it is full, are proved as well.
func TestBeyondSample(t *testing.T) {
	var s infer.Sample
	each := func(take func(*infer.Packet) bool) error {
		for i := range infer.MaxPackets + 400 {
			p := &infer.Packet{N: int64(i + 1), Data: []byte{byte(i & 1), byte(i >> 8), byte(i), 0x77}}
			if i > infer.MaxPackets+100 {
				p.Data = append(p.Data, byte(i), 9, 9)
				p.Data[0] = 2
			}
			if !take(p) {
				break
			}
		}
		return nil
	}
	_ = each(func(p *infer.Packet) bool { s.Add(p); return true })
	if s.Kept() != infer.MaxPackets {
		t.Fatalf("%d packets kept", s.Kept())
	}
	res, err := infer.Infer(&s, infer.Options{Again: each})
	if err != nil || res.Refused != 0 || res.Packets != infer.MaxPackets+400 {
		t.Errorf("%v: %d of %d refused\n%s", err, res.Refused, res.Packets, res.Source)
	}
}
