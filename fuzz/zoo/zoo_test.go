package zoo_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/wire"
	"github.com/pktscope/pktscope/fuzz"
	"github.com/pktscope/pktscope/fuzz/zoo"
)

// compile makes the judge of an animal's packets.
func compile(t testing.TB, a *zoo.Animal) *decode.Decoder {
	t.Helper()
	s, diags := schema.Load(a.Name+".pks", []byte(a.Schema), a.Params)
	if s == nil {
		t.Fatalf("%s: %s", a.Name, diags[0].AppendLine(nil, a.Name+".pks"))
	}
	p, diags := plan.Compile(s)
	if p == nil {
		t.Fatalf("%s: %s", a.Name, diags[0].AppendLine(nil, a.Name+".pks"))
	}
	return decode.New(p)
}

// The witness: the flawed reader is wrong about its last packet in the way its oracle sees, and right about those
// before it; the fixed one is right about all.
func TestWitness(t *testing.T) {
	for _, a := range zoo.Animals() {
		t.Run(a.Name, func(t *testing.T) {
			d := compile(t, &a)
			var trace decode.Trace
			flawed, fixed := a.Flawed(), a.Fixed()
			for i, packet := range a.Witness {
				_ = d.Decode(packet, decode.FromUnknown, &trace) // the verdict is in the trace
				if seen := zoo.Check(&trace, fixed.Read(packet)); len(seen) > 0 {
					t.Errorf("packet %d: the fixed reader is wrong: %v", i, seen)
				}
				seen := zoo.Check(&trace, flawed.Read(packet))
				if i < len(a.Witness)-1 {
					if len(seen) > 0 {
						t.Errorf("packet %d: the flawed reader is wrong before the last: %v", i, seen)
					}
					continue
				}
				if a.Oracle == zoo.Sequence {
					if again := zoo.Check(&trace, a.Flawed().Read(packet)); len(seen) == 0 || len(again) > 0 {
						t.Errorf("want an answer that is wrong only here, got %v, and %v of a fresh reader", seen, again)
					}
				} else if !slices.Contains(seen, a.Oracle) {
					t.Errorf("want the oracle %s to see it, got %v", a.Oracle, seen)
				}
				checkRule(t, &a, &trace)
			}
		})
	}
}

// checkRule compares what an animal says it misses with why the packet is refused.
func checkRule(t *testing.T, a *zoo.Animal, trace *decode.Trace) {
	t.Helper()
	r := trace.Reject()
	if a.Rule == reject.None {
		if r != nil && a.Oracle != zoo.Allocation {
			t.Errorf("want a valid packet, got %v", r)
		}
		return
	}
	if r == nil || r.Kind != a.Rule || !a.Names(r.Kind, r.Path()) {
		t.Errorf("want %v at %q, got %v", a.Rule, a.Field, r)
	}
}

// someAnimals are all, under -short each sixth.
func someAnimals() (some []zoo.Animal) {
	for i, a := range zoo.Animals() {
		if i%need.Rounds(1, 14) == 0 {
			some = append(some, a)
		}
	}
	return some
}

// pair runs both twins of an animal beside the decoder.
type pair struct {
	*zoo.Animal
	decoder *decode.Decoder
	trace   decode.Trace
	fixed   zoo.Reader // one for all packets: it keeps nothing
	packets int
	wrong   int // packets that the flawed reader is wrong about
	valid   int // those of them that the schema accepts
}

// try gives one packet to both. A packet's bytes may be reused after it.
func (p *pair) try(t *testing.T, packet []byte, what string) {
	t.Helper()
	p.packets++
	_ = p.decoder.Decode(packet, decode.FromUnknown, &p.trace) // the verdict is in the trace
	fixed := p.fixed.Read(packet)
	if seen := zoo.Check(&p.trace, fixed); len(seen) > 0 {
		t.Fatalf("%s: packet %x: the fixed reader is wrong: %v: decoder: %v, reader: %+v, values: %s",
			what, packet, seen, p.trace.Reject(), fixed, zoo.Different(fixed.Values, zoo.Expected(&p.trace)))
	}
	flawed := p.Flawed().Read(packet)
	if seen := zoo.Check(&p.trace, flawed); len(seen) > 0 {
		p.wrong++
		if !p.trace.Rejected() {
			p.valid++
		}
		p.judge(t, packet, what, seen)
	}
}

// judge asks whether a flawed reader may be wrong about this packet: about one that breaks its rule, or where the
// mistake says so.
func (p *pair) judge(t *testing.T, packet []byte, what string, seen []zoo.Oracle) {
	t.Helper()
	r := p.trace.Reject()
	switch {
	case p.OnValid: // what it misreads steers what follows
	case r == nil:
		t.Fatalf("%s: packet %x is valid, and the flawed reader is wrong: %v", what, packet, seen)
	case p.Oracle == zoo.Allocation:
		if !slices.Equal(seen, []zoo.Oracle{zoo.Allocation}) {
			t.Fatalf("%s: packet %x: want %v only, got %v", what, packet, p.Oracle, seen)
		}
	case r.Kind != p.Rule || !p.Names(r.Kind, r.Path()):
		t.Fatalf("%s: packet %x: the flawed reader is wrong (%v) where %v", what, packet, seen, r)
	}
}

// randomPackets for each animal; with those that are enumerated it makes more than 100,000 in all.
const randomPackets = 3000

// A fixed twin that disagreed with the schema would make every tool that reports it look wrong. A flawed one that was
// wrong elsewhere would have two mistakes.
func TestTwins(t *testing.T) {
	packets := 0
	for _, a := range someAnimals() {
		t.Run(a.Name, func(t *testing.T) {
			p := &pair{Animal: &a, decoder: compile(t, &a), fixed: a.Fixed()}
			for i, seed := range a.Seeds {
				p.try(t, seed, "seed")
				if p.trace.Rejected() {
					t.Errorf("seed %d, %x: %v", i, seed, p.trace.Reject())
				}
			}
			p.enumerate(t)
			p.random(t)
			if alike := p.wrong == 0; alike != (a.Oracle == zoo.Sequence) {
				t.Errorf("%d packets alone told the twins apart", p.wrong)
			}
			if a.OnValid != (p.valid > 0) {
				t.Errorf("want wrong about valid packets %v, got %d", a.OnValid, p.valid)
			}
			packets += p.packets
		})
	}
	if want := need.Rounds(100000, 3000); packets < want {
		t.Errorf("want %d packets, got %d", want, packets)
	}
	t.Logf("%d packets", packets)
}

// enumerate tries every truncation, every flipped bit and every mutation of all that is known, and what the generator
// makes at the boundaries of every field.
func (p *pair) enumerate(t *testing.T) {
	mutator := fuzz.NewMutator(p.decoder)
	for _, packet := range slices.Concat(p.Seeds, p.Witness) {
		p.try(t, packet, "witness")
		step := 1 + len(packet)/largePacket
		for n := 0; n < len(packet); n += step {
			p.both(t, packet[:n:n], "cut")
		}
		for bit := 0; bit < 8*len(packet); bit += step {
			flipped := slices.Clone(packet)
			flipped[bit/8] ^= 1 << (bit % 8)
			p.both(t, flipped, "flipped")
		}
		n := 0
		for m := range mutator.Mutations(packet, decode.FromUnknown) {
			if n++; n%step == 0 {
				p.try(t, m.Data, m.What())
			}
		}
	}
	for made := range fuzz.NewGenerator(p.decoder).Boundaries(1, nil) {
		p.try(t, made.Data, made.Why)
	}
}

// largePacket has so many bytes that only every second thing is tried on it; one of twice the size every third, and so
// on.
const largePacket = 80

// both tries a packet as it is and with its checksum made right.
func (p *pair) both(t *testing.T, packet []byte, what string) {
	t.Helper()
	p.try(t, packet, what)
	packet = slices.Clone(packet)
	if p.decoder.Plan().RepairChecksum(packet) {
		p.try(t, packet, what+", repaired")
	}
}

// random tries packets that the generator makes, and packets with a few things changed.
func (p *pair) random(t *testing.T) {
	known := slices.Concat(p.Seeds, p.Witness)
	generator := fuzz.NewGenerator(p.decoder)
	for n := range uint64(100) {
		made, err := generator.Random(1, n)
		if err != nil {
			t.Fatal(err)
		}
		p.try(t, made.Data, "generated")
		if n < 10 {
			known = append(known, slices.Clone(made.Data))
		}
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range randomPackets {
		packet := spoil(rng, known)
		p.decoder.Plan().RepairChecksum(packet)
		p.try(t, packet, "random")
	}
}

// spoil changes one to four places of a packet.
func spoil(rng *rand.Rand, known [][]byte) []byte {
	packet := slices.Clone(known[rng.IntN(len(known))])
	for range 1 + rng.IntN(4) {
		at := 0
		if len(packet) > 0 {
			at = rng.IntN(len(packet))
		}
		switch rng.IntN(6) {
		case 0:
			packet = packet[:at]
		case 1:
			packet = append(packet, byte(rng.Uint32()))
		case 2:
			packet = slices.Insert(packet, at, byte(rng.Uint32()))
		case 3:
			other := known[rng.IntN(len(known))]
			packet = append(packet[:at], other[min(at, len(other)):]...)
		default:
			if len(packet) == 0 {
				continue
			}
			if packet[at] ^= 1 << rng.IntN(8); rng.IntN(4) == 0 {
				packet[at] = []byte{0, 0x7f, 0x80, 0xff}[rng.IntN(4)]
			}
		}
	}
	return packet
}

// The engine finds what the table does not have.
func FuzzFixed(f *testing.F) {
	animals := zoo.Animals()
	decoders := make([]*decode.Decoder, len(animals))
	for i := range animals {
		decoders[i] = compile(f, &animals[i])
		for _, packet := range slices.Concat(animals[i].Seeds, animals[i].Witness) {
			f.Add(byte(i), packet)
		}
	}
	f.Fuzz(func(t *testing.T, which byte, packet []byte) {
		i := int(which) % len(animals)
		decoders[i].Plan().RepairChecksum(packet)
		var trace decode.Trace
		_ = decoders[i].Decode(packet, decode.FromUnknown, &trace) // the verdict is in the trace
		if seen := zoo.Check(&trace, animals[i].Fixed().Read(packet)); len(seen) > 0 {
			t.Errorf("%s: packet %x: %v: %v", animals[i].Name, packet, seen, trace.Reject())
		}
	})
}

func ExampleCheck() {
	for _, a := range zoo.Animals() {
		if a.Name != "nan-accepted" {
			continue
		}
		s, _ := schema.Load("place.pks", []byte(a.Schema), a.Params)
		p, _ := plan.Compile(s)
		var trace decode.Trace
		fmt.Println(decode.New(p).Decode(a.Witness[0], decode.FromUnknown, &trace))
		fmt.Println(zoo.Check(&trace, a.Flawed().Read(a.Witness[0])), zoo.Check(&trace, a.Fixed().Read(a.Witness[0])))
	}
	// Output:
	// position.y: not-finite at bit 48 (byte 6): want a finite number, got 0x7fc00000
	// [verdict] []
}

// The sum of three squares around one: where float32 decides, the reader and the decoder must round alike.
func TestRadicand(t *testing.T) {
	a := find(t, "radicand-unchecked")
	p := &pair{Animal: &a, decoder: compile(t, &a), fixed: a.Fixed()}
	packet := slices.Clone(a.Witness[0])
	const first = 32 + 2 + 7 + 6 + 3*21 + 2 // bit of the first of the three parts: checksum, type, count, index, position, largest
	edges := []uint64{0, 300, 511, 512, 1022, 1023}
	refused := 0
	for _, x := range edges {
		for _, y := range edges {
			for z := range uint64(1024) {
				wire.LSB.Store(packet, first, 10, x)
				wire.LSB.Store(packet, first+10, 10, y)
				wire.LSB.Store(packet, first+20, 10, z)
				p.decoder.Plan().RepairChecksum(packet)
				p.try(t, packet, "quaternion")
				if p.trace.Rejected() {
					refused++
				}
			}
		}
	}
	if refused != p.wrong || refused == 0 || refused == p.packets {
		t.Errorf("%d of %d packets refused, the flawed reader wrong about %d", refused, p.packets, p.wrong)
	}
}
