package serialize_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// Types of this package's examples are held against the schemas of the same packets: the same verdict in the same words
// on every datagram, the same bytes from the same values.

// Course is the course's test packet.
type Course struct {
	First         uint8
	Second        int8
	Third         uint8
	Fourth, Fifth bool
	Sixth         int16
	Seventh       uint32
}

func (c *Course) Serialize(s *serialize.Stream) {
	serialize.Int(s, "first", &c.First, 0, 255)
	serialize.Int(s, "second", &c.Second, -7, 8)
	serialize.Int(s, "third", &c.Third, 0, 31)
	s.Bool("fourth", &c.Fourth)
	s.Bool("fifth", &c.Fifth)
	serialize.Int(s, "sixth", &c.Sixth, -4000, 4000)
	serialize.Int(s, "seventh", &c.Seventh, 0, 256)
}

// twin is a schema and the Go type of the same packet.
type twin struct {
	name    string
	order   wire.Order
	decoder *decode.Decoder
	encoder *decode.Encoder
	value   serialize.Serializer
	random  func(r *rand.Rand) serialize.Serializer
	trace   decode.Trace
	stream  serialize.Stream
}

func twins(tb testing.TB) []*twin {
	tb.Helper()
	all := []*twin{
		{name: "packets", order: wire.LSB, value: new(Packet), random: randomPacket},
		{name: "gaffer", order: wire.LSB, value: new(Scene), random: randomScene},
		{name: "course", order: wire.Bytewise, value: new(Course), random: randomCourse},
	}
	for _, w := range all {
		src, ok := protocols.Source(w.name)
		if !ok {
			tb.Fatalf("no protocol %s", w.name)
		}
		s, diags := schema.Load(w.name, src, nil)
		if s == nil {
			tb.Fatalf("%s: %v", w.name, diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			tb.Fatalf("%s: %v", w.name, diags)
		}
		w.decoder, w.encoder = decode.New(p), decode.NewEncoder(decode.New(p))
		w.stream.MaxDatagram = s.MaxDatagram
	}
	return all
}

// agree holds the two readers' verdicts on a datagram against each other, and what they write of it; true when they
// accept.
func (w *twin) agree(tb testing.TB, datagram []byte) bool {
	tb.Helper()
	theirs := w.decoder.Decode(datagram, decode.FromUnknown, &w.trace)
	ours := w.stream.Read(w.order, datagram, w.value)
	if theirs != nil || ours != nil {
		// Of a zigzag that is too wide decode tells the range of the codes and the value; here both are values. Only
		// decode knows how many elements were announced.
		words := func(err error) string {
			r := err.(*reject.Reject)
			return strings.TrimSuffix(err.Error(), string(r.By.AppendAround(nil, r)))
		}
		if theirs == nil || ours == nil || words(theirs) != words(ours) && w.trace.Reject().Path() != "zig" {
			tb.Fatalf("%s %x:\ndecode:    %v\nserialize: %v", w.name, datagram, theirs, ours)
		}
		a, b := theirs.(*reject.Reject), ours.(*reject.Reject)
		if a.Kind != b.Kind || a.Bit != b.Bit || a.Width != b.Width || a.Path() != b.Path() || b.Clone().Error() != b.Error() {
			tb.Fatalf("%s %x: want %+v, got %+v", w.name, datagram, a, b)
		}
		return false
	}
	if bits := w.stream.Bit(); bits != w.trace.Bits {
		tb.Fatalf("%s %x: want %d bits read, got %d", w.name, datagram, w.trace.Bits, bits)
	}
	written, err := w.stream.Append(w.order, nil, w.value)
	if err != nil {
		tb.Fatalf("%s %x: written back: %v", w.name, datagram, err)
	}
	bits := w.stream.Bit()
	if bits != w.trace.Bits && len(w.trace.Notes) == 0 {
		tb.Fatalf("%s %x: want %d bits written, got %d", w.name, datagram, w.trace.Bits, bits)
	}
	bound, err := w.stream.Measure(w.order, w.value)
	if err != nil || bound < bits {
		tb.Fatalf("%s %x: measured %d of %d bits, %v", w.name, datagram, bound, bits, err)
	}
	if len(w.trace.Notes) > 0 {
		return true // another encoding of the same values
	}
	encoded, err := w.encoder.Append(nil, decode.Replay(&w.trace), decode.FromUnknown)
	if err != nil || !bytes.Equal(written, encoded) {
		tb.Fatalf("%s: want %x (%v), got %x", w.name, encoded, err, written)
	}
	return true
}

// written holds what a value is written as against the encoder.
func (w *twin) written(tb testing.TB, v serialize.Serializer) {
	tb.Helper()
	datagram, err := w.stream.Append(w.order, nil, v)
	if err != nil {
		tb.Fatalf("%s: %v", w.name, err)
	}
	if !w.agree(tb, datagram) {
		tb.Fatalf("%s: what was written is refused: %v", w.name, w.trace.Reject())
	}
	if len(w.trace.Notes) > 0 {
		return // a quaternion whose two largest components are the same but for rounding
	}
	if again, err := w.stream.Append(w.order, nil, w.value); err != nil || !bytes.Equal(again, datagram) {
		tb.Fatalf("%s: want %x, got %x %v", w.name, datagram, again, err)
	}
}

// repair makes a datagram's checksum right, so that what is after it is looked at.
func (w *twin) repair(datagram []byte) {
	for _, sum := range w.decoder.Plan().Checksums {
		reseal(sum, datagram)
	}
}

// reseal makes the checksum right that a datagram begins with.
func reseal(c *plan.Checksum, datagram []byte) {
	plan.Seals{c.Seal(0, 0, nil)}.Repair(datagram, -1)
}

func randomPacket(r *rand.Rand) serialize.Serializer {
	p := &Packet{Type: PacketType(r.IntN(3)), A: PacketA{int32(r.Uint32()), int32(r.Uint32()), int32(r.Uint32())}}
	p.B.Elements = make([]int32, r.IntN(MaxElements+1))
	for i := range p.B.Elements {
		p.B.Elements[i] = int32(r.Uint32())
	}
	p.C = PacketC{r.IntN(2) == 1, uint16(r.Uint32()), r.Uint32()}
	return p
}

func randomCourse(r *rand.Rand) serialize.Serializer {
	return &Course{
		uint8(r.Uint32()), int8(r.IntN(16) - 7), uint8(r.IntN(32)), r.IntN(2) == 1, r.IntN(2) == 1,
		int16(r.IntN(8001) - 4000), uint32(r.IntN(257)),
	}
}

func randomScene(r *rand.Rand) serialize.Serializer {
	w := &Scene{How: serialize.Subset(r.IntN(4))}
	vector := func(most float64) (v [3]float32) {
		for i := range v {
			v[i] = float32((r.Float64()*2 - 1) * most)
		}
		return v
	}
	share := r.Float64()
	for i := range w.Objects {
		o := &w.Objects[i]
		o.Send = r.Float64() < share
		o.RigidBody = RigidBody{
			Position: vector(1001), AtRest: r.IntN(2) == 1,
			LinearVelocity: vector(10), AngularVelocity: vector(20),
		}
		var q [4]float64
		sum := 0.0
		for k := range q {
			q[k] = r.NormFloat64()
			sum += q[k] * q[k]
		}
		for k := range q {
			o.Orientation[k] = float32(q[k] / math.Sqrt(sum))
		}
	}
	return w
}

// Random packets, each of their truncations, and each with one thing changed and the checksum repaired.
func TestAgreesWithDecode(t *testing.T) {
	need.OneGoroutine(t)
	for _, w := range twins(t) {
		t.Run(w.name, func(t *testing.T) {
			accepted, refused := 0, map[reject.Kind]int{}
			for n := range need.Rounds[uint64](60, 12) {
				random := rand.New(rand.NewPCG(7, n))
				packet := w.packet(t, random)
				if !w.agree(t, packet) {
					t.Fatalf("%x is refused: %v", packet, w.trace.Reject())
				}
				accepted++
				for changed := range w.changed(t, packet, random) {
					if w.agree(t, changed) {
						accepted++
					} else {
						refused[w.trace.Reject().Kind]++
					}
				}
				for cut := range packet {
					if short := bytes.Clone(packet[:cut]); cut < 24 || cut%13 == 0 || cut > len(packet)-8 {
						w.repair(short)
						if w.agree(t, short) {
							t.Fatalf("the first %d bytes of %x are accepted", cut, packet)
						}
						refused[w.trace.Reject().Kind]++
					}
				}
			}
			t.Logf("%d accepted, refused %v", accepted, refused)
			if len(refused) < 3 {
				t.Errorf("only %v were refused", refused)
			}
		})
	}
}

// Random values are written as the encoder writes them.
func TestWritesAsTheEncoder(t *testing.T) {
	for _, w := range twins(t) {
		for seed := range uint64(300) {
			w.written(t, w.random(rand.New(rand.NewPCG(seed, 1))))
		}
	}
}

// step is a packet whose checksum is over what follows it, and a ladder in a narrow type.
type step struct {
	Flag   bool
	First  uint8
	Second uint8
}

func (p *step) Serialize(s *serialize.Stream) {
	s.Bool("flag", &p.Flag)
	s.CRC32Rest("crc", serialize.Prefix32(7)) // on the next byte
	serialize.Bits(s, "first", &p.First, 8)
	serialize.Ladder(s, "second", &p.Second, p.First)
}

func TestChecksumOverRest(t *testing.T) {
	s, _ := schema.Load("step", []byte("protocol step\norder msb\npacket {\nflag bool\nalign\ncrc crc32(prefix 7 : uint32, over rest)\n"+
		"first uint8\nsecond relative(first)\n}\n"), nil)
	p, _ := plan.Compile(s)
	w := &twin{name: "step", order: wire.MSB, decoder: decode.New(p), encoder: decode.NewEncoder(decode.New(p)), value: new(step)}
	for first := range 255 {
		for second := first + 1; second < 256; second += 1 + first/9 {
			w.written(t, &step{First: uint8(first), Second: uint8(second), Flag: second%2 == 0})
		}
	}
	// Nothing that a uint8 cannot hold becomes another value in it.
	written, err := w.encoder.Append(nil, wideStep{}, decode.FromUnknown)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.stream.Read(w.order, written, w.value); err == nil || err.Error() != "second: out-of-range at bit 48 (byte 6): want 0..255 in 13 bits, got 300" {
		t.Errorf("want out-of-range, got %v", err)
	}
}

// summed is a packet with any of the checksums.
type summed struct {
	word  string
	rest  bool
	Flag  bool
	Value uint16
}

func (p *summed) Serialize(s *serialize.Stream) {
	s.Bool("flag", &p.Flag)
	if p.rest {
		s.ChecksumRest("crc", p.word, serialize.Prefix64(7))
	} else {
		s.Checksum("crc", p.word, serialize.Prefix64(7))
	}
	serialize.Bits(s, "value", &p.Value, 16)
}

// parts are elements with a checksum each, of which the first covers all of its element and the second one field.
type parts struct {
	Flag  bool
	Parts []part
}

type part struct {
	Kind  uint8
	Value uint32
}

func (p *parts) Serialize(s *serialize.Stream) {
	s.Bool("flag", &p.Flag)
	n := len(p.Parts)
	serialize.Int(s, "n", &n, 0, 7)
	for _, part := range serialize.Slice(s, "parts", &p.Parts, n) {
		part.Serialize(s)
	}
}

func (p *part) Serialize(s *serialize.Stream) {
	s.Align(8)
	start := s.Bit()
	serialize.Bits(s, "kind", &p.Kind, 8)
	value := s.Bit()
	serialize.Bits(s, "value", &p.Value, 24)
	s.Sum("of_value", "crc16_arc", value)
	s.Sum("of_all", "fletcher32", start)
}

// A Sum covers what the language's `over a..` does, in elements, too.
func TestSum(t *testing.T) {
	for _, order := range []wire.Order{wire.LSB, wire.MSB, wire.Bytewise} {
		src := "protocol parts\norder " + order.String() + "\npacket {\nflag bool\nn int(0..7)\nparts [n]{ align, kind uint8, value bits(24), of_value crc16_arc(over value), of_all fletcher32(over kind..) }\n}\n"
		s, diags := schema.Load("parts", []byte(src), nil)
		if s == nil {
			t.Fatal(diags)
		}
		p, diags := plan.Compile(s)
		if p == nil {
			t.Fatal(diags)
		}
		w := &twin{name: "parts", order: order, decoder: decode.New(p), encoder: decode.NewEncoder(decode.New(p)), value: new(parts)}
		for n := range 8 {
			v := &parts{Flag: n%2 == 1}
			for i := range n {
				v.Parts = append(v.Parts, part{uint8(i * n), uint32(i * 0x10203)})
			}
			w.written(t, v)
		}
	}
}

// Every checksum of the language can be written and read, and another word is the caller's mistake.
func TestChecksums(t *testing.T) {
	for i := range wire.Algorithms {
		a := &wire.Algorithms[i]
		for _, rest := range []bool{false, true} {
			over := map[bool]string{true: ", over rest"}[rest]
			s, _ := schema.Load("summed", []byte("protocol summed\norder msb\npacket {\nflag bool\nalign\ncrc "+a.Name+
				"(prefix 7 : uint64"+over+")\nvalue uint16\n}\n"), nil)
			p, _ := plan.Compile(s)
			w := &twin{name: a.Name + over, order: wire.MSB, decoder: decode.New(p), encoder: decode.NewEncoder(decode.New(p)), value: &summed{word: a.Name, rest: rest}}
			for value := uint16(1); value < 1<<15; value *= 5 {
				w.written(t, &summed{a.Name, rest, value%4 == 1, value})
			}
			wrong := make([]byte, 1+a.Width/8+2)
			want := "crc: crc-mismatch at bit 8 (byte 1): want 0x"
			if err := w.stream.Read(w.order, wrong, w.value); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%s: want %s, got %v", w.name, want, err)
			}
		}
	}
	if got := panics(func() { new(serialize.Stream).Append(wire.LSB, nil, &summed{word: "crc16"}) }); got != `serialize: no checksum is called "crc16"` {
		t.Errorf("an unknown checksum panics with %q", got)
	}
}

// wideStep is a packet of the schema that the Go type has no room for.
type wideStep struct{ decode.Source }

func (wideStep) Code(a *decode.Query) (uint64, error) {
	switch a.Path() {
	case "flag":
		return 0, nil
	case "first":
		return 60, nil
	case "second":
		return 300, nil
	}
	return 0, decode.ErrDerive
}

// FuzzAgreesWithDecode reads any datagram, its checksum repaired, by both, and writes values made from a seed.
func FuzzAgreesWithDecode(f *testing.F) {
	all := twins(f)
	for order := range wire.Bytewise + 1 {
		all = append(all, everythingTwin(f, order))
	}
	for i, w := range all {
		for n := range uint64(8) {
			f.Add(uint8(i), n, w.packet(f, rand.New(rand.NewPCG(3, n))))
		}
	}
	f.Add(uint8(0), uint64(82), bytes.Repeat([]byte("0"), 257)) // one byte more than packets allows
	f.Fuzz(func(t *testing.T, which uint8, seed uint64, datagram []byte) {
		w := all[int(which)%len(all)]
		datagram = bytes.Clone(datagram)
		w.agree(t, datagram)
		w.repair(datagram)
		w.agree(t, datagram)
		w.written(t, w.random(rand.New(rand.NewPCG(seed, 2))))
	})
}
