package serialize_test

import (
	"bytes"
	"math"
	"math/rand/v2"
	"testing"
	"unicode/utf8"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/reject"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/decode/serialize"
	"github.com/pktscope/pktscope/decode/wire"
)

// everythingSchema has every primitive that the two have in common, off byte boundaries.
const everythingSchema = `
enum Kind : int(2..6) { A = 2, B = 3, C = 4, D = 5, E = 6 }
flags Keys : bits(5) { Up = 1, Down = 2, Fire = 8 }
struct Player {
    health int(0..100)
    name   string(9)
}
packet {
    crc    crc32(prefix 0x1122334455667788 : uint64)
    one    bool
    kind   Kind
    keys   Keys
    reserved(3)
    seven  bits(7) == 77
    small  int8
    odd    sbits(11)
    word   uint64
    wide   int(-5000000000..9000000000000000000)
    var    varint(64)
    var2   varint(16)
    zig    zigzag(32)
    before uint16
    after  relative(before)
    f      float32
    g      float64
    fin    float32 finite
    part   float64 in -1..2.5
    q      float(-3..5, 0.03)
    v      vec3(float32)
    v2     vec2(float(0..1, 0.01))
    rot    quat(float32)
    s3     quat smallest3(7)
    align(32)
    check  0xcafe1234
    n      int(0..9)
    data   bytes(n)
    fixed  bytes(3)
    text   string(12)
    wide16 wstring(6)
    ch     char(5)
    two    bits(2)
    cs     cstring(6)
    count  int(0..6)
    players [count]Player
    bit    subset(bitmap)   [5]int(0..2)
    idx    subset(index)    [6]bool
    sen    subset(sentinel) [7]bits(3)
    rel    subset(relative) [300]bool
    few    subset(relative) [9]bool
    check  "end of it"
}
`

type player struct {
	Health uint8
	Name   string
}

func (p *player) Serialize(s *serialize.Stream) {
	serialize.Int(s, "health", &p.Health, 0, 100)
	s.String("name", &p.Name, 9)
}

type some[T any] struct {
	Send  bool
	Value T
}

func flags[T any](of []some[T]) func(i int) *bool { return func(i int) *bool { return &of[i].Send } }

type everything struct {
	One           bool
	Kind          int16
	Keys          uint16
	Small         int8
	Odd           int16
	Word          uint64
	Wide          int64
	Var           uint64
	Var2          uint32
	Zig           int32
	Before        uint16
	After         uint32
	F             float32
	G             float64
	Fin           float32
	Part          float64
	Q             float32
	V             [3]float32
	V2            [2]float32
	Rot, S3       [4]float32
	Data          []byte
	Fixed         [3]byte
	Text, Wide16  string
	Ch, Cs        string
	Two           uint8
	Players       []player
	Bit           [5]some[uint8]
	Idx, Few, Rel []some[bool]
	Sen           [7]some[uint8]
}

func newEverything() *everything {
	return &everything{Idx: make([]some[bool], 6), Few: make([]some[bool], 9), Rel: make([]some[bool], 300)}
}

var (
	quantQ  = serialize.NewQuantized(-3, 5, 0.03)
	quantV2 = serialize.NewQuantized(0, 1, 0.01)
)

func (p *everything) Serialize(s *serialize.Stream) {
	s.CRC32("crc", serialize.Prefix64(0x1122334455667788))
	s.Bool("one", &p.One)
	serialize.Enum(s, "kind", &p.Kind, 2, 6)
	serialize.Flags(s, "keys", &p.Keys, 5, 1|2|8)
	s.Reserved(3)
	s.Const("seven", 77, 7)
	serialize.Bits(s, "small", &p.Small, 8)
	serialize.Bits(s, "odd", &p.Odd, 11)
	serialize.Bits(s, "word", &p.Word, 64)
	serialize.Int(s, "wide", &p.Wide, -5000000000, 9000000000000000000)
	serialize.Varint(s, "var", &p.Var)
	serialize.VarintBits(s, "var2", &p.Var2, 16)
	serialize.Varint(s, "zig", &p.Zig)
	serialize.Bits(s, "before", &p.Before, 16)
	serialize.Ladder(s, "after", &p.After, uint32(p.Before))
	s.Float32("f", &p.F)
	s.Float64("g", &p.G)
	s.Float32In("fin", &p.Fin, -math.MaxFloat32, math.MaxFloat32)
	s.Float64In("part", &p.Part, -1, 2.5)
	s.Quantized("q", &p.Q, &quantQ)
	s.Vector("v", p.V[:])
	s.QuantizedVector("v2", p.V2[:], &quantV2)
	s.Vector("rot", p.Rot[:])
	s.SmallestThree("s3", &p.S3, 7)
	s.Align(32)
	s.Check(0xcafe1234)
	n := len(p.Data)
	serialize.Int(s, "n", &n, 0, 9)
	s.BytesN("data", &p.Data, n)
	s.Bytes("fixed", p.Fixed[:])
	s.String("text", &p.Text, 12)
	s.WString("wide16", &p.Wide16, 6)
	s.Char("ch", &p.Ch, 5)
	serialize.Bits(s, "two", &p.Two, 2)
	s.CString("cs", &p.Cs, 6)
	n = len(p.Players)
	serialize.Int(s, "count", &n, 0, 6)
	for _, e := range serialize.Slice(s, "players", &p.Players, n) {
		e.Serialize(s)
	}
	for i := range serialize.Bitmap.Each(s, "bit", len(p.Bit), flags(p.Bit[:])) {
		serialize.Int(s, "", &p.Bit[i].Value, 0, 2)
	}
	for i := range serialize.Index.Each(s, "idx", len(p.Idx), flags(p.Idx)) {
		s.Bool("", &p.Idx[i].Value)
	}
	for i := range serialize.Sentinel.Each(s, "sen", len(p.Sen), flags(p.Sen[:])) {
		serialize.Bits(s, "", &p.Sen[i].Value, 3)
	}
	for i := range serialize.Steps.Each(s, "rel", len(p.Rel), flags(p.Rel)) {
		s.Bool("", &p.Rel[i].Value)
	}
	for i := range serialize.Steps.Each(s, "few", len(p.Few), flags(p.Few)) {
		s.Bool("", &p.Few[i].Value)
	}
	s.CheckLabel("end of it")
}

func randomEverything(r *rand.Rand) serialize.Serializer {
	p := newEverything()
	text := func(most int) string {
		b := make([]byte, 0, most)
		for range r.IntN(most + 1) {
			if c := rune(1 + r.IntN(300)<<r.IntN(9)); utf8.ValidRune(c) && len(b)+utf8.RuneLen(c) <= most {
				b = utf8.AppendRune(b, c)
			}
		}
		return string(b)
	}
	p.One, p.Kind, p.Keys = r.IntN(2) == 1, int16(2+r.IntN(5)), uint16(r.Uint32())&11
	p.Small, p.Odd, p.Word = int8(r.Uint32()), int16(r.IntN(2048)-1024), r.Uint64()
	p.Wide = r.Int64N(5000000000) - 5000000000
	p.Var, p.Var2, p.Zig = r.Uint64()>>r.IntN(64), uint32(r.IntN(1<<16)), int32(r.Uint32())>>r.IntN(32)
	p.Before = uint16(r.Uint32())
	p.After = uint32(p.Before) + 1 + r.Uint32()>>(1+r.IntN(31))
	p.After = min(p.After, math.MaxInt32)
	p.F, p.G = math.Float32frombits(r.Uint32()), math.Float64frombits(r.Uint64())
	p.Fin, p.Part, p.Q = r.Float32()*1e9, r.Float64()*3.5-1, r.Float32()*9-3.5
	for i := range p.V {
		p.V[i] = math.Float32frombits(r.Uint32())
	}
	p.V2 = [2]float32{r.Float32(), r.Float32()}
	p.Rot = [4]float32{r.Float32(), 2, 3, 4}
	p.S3[r.IntN(4)] = float32(1 - 2*r.IntN(2))
	p.Data = make([]byte, r.IntN(10))
	for i := range p.Data {
		p.Data[i] = byte(r.Uint32())
	}
	p.Fixed = [3]byte{1, byte(r.Uint32())}
	p.Text, p.Wide16, p.Ch, p.Cs = text(11), text(5), text(5), text(5)
	p.Two = uint8(r.IntN(4))
	p.Players = make([]player, r.IntN(7))
	for i := range p.Players {
		p.Players[i] = player{uint8(r.IntN(101)), text(8)}
	}
	share := r.Float64()
	share *= share
	for i := range p.Bit {
		p.Bit[i] = some[uint8]{r.Float64() < share, uint8(r.IntN(3))}
	}
	for i := range p.Sen {
		p.Sen[i] = some[uint8]{r.Float64() < share, uint8(r.IntN(8))}
	}
	for k, list := range [][]some[bool]{p.Idx, p.Few, p.Rel} {
		for i := range list {
			list[i] = some[bool]{r.Float64() < share*[]float64{1, 1, 0.1}[k], r.IntN(2) == 1}
		}
	}
	return p
}

func everythingTwin(tb testing.TB, order wire.Order) *twin {
	tb.Helper()
	s, diags := schema.Load("everything", []byte("protocol everything\norder "+order.String()+everythingSchema), nil)
	if s == nil {
		tb.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatal(diags)
	}
	w := &twin{
		name: "everything " + order.String(), order: order, value: newEverything(), random: randomEverything,
		decoder: decode.New(p), encoder: decode.NewEncoder(decode.New(p)),
	}
	w.stream.MaxDatagram = s.MaxDatagram
	return w
}

// Every primitive in every order: the same verdict as decode on valid packets, on every truncation, and on every packet
// with one thing changed; the same bytes from the same values.
func TestEverything(t *testing.T) {
	need.OneGoroutine(t)
	for order := range wire.Bytewise + 1 {
		t.Run(order.String(), func(t *testing.T) {
			w := everythingTwin(t, order)
			refused := map[reject.Kind]int{}
			random := rand.New(rand.NewPCG(4, uint64(order)))
			for range need.Rounds(30, 10) {
				packet := w.packet(t, random)
				if !w.agree(t, packet) {
					t.Fatalf("%x is refused: %v", packet, w.trace.Reject())
				}
				for cut := range packet {
					short := bytes.Clone(packet[:cut])
					if w.repair(short); w.agree(t, short) {
						t.Fatalf("the first %d bytes of %x are accepted", cut, packet)
					}
				}
				for changed := range w.changed(t, packet, random) {
					if !w.agree(t, changed) {
						refused[w.trace.Reject().Kind]++
					}
				}
			}
			for seed := range need.Rounds[uint64](300, 60) {
				w.written(t, w.random(rand.New(rand.NewPCG(seed, 3))))
			}
			for _, kind := range []reject.Kind{
				reject.PastEnd, reject.OutOfRange, reject.UnknownCase, reject.ReservedNonzero, reject.ConstMismatch, reject.CheckMismatch,
				reject.CRCMismatch, reject.NonzeroPadding, reject.BadString, reject.NotFinite, reject.NonUnit, reject.NonCanonical,
				reject.NotIncreasing, reject.TrailingBytes,
			} {
				if refused[kind] == 0 {
					t.Errorf("nothing was refused as %v: %v", kind, refused)
				}
			}
		})
	}
}
