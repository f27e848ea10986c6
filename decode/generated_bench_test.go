package decode_test

import (
	"testing"

	"github.com/pktscope/pktscope/decode"
	flat "github.com/pktscope/pktscope/decode/gogen/testdata/flat97"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

// The interpreter, generated code and the hand-written baseline over the same packets, in one run: only ratios of one run
// mean anything. `make bench` prints them.

// mixedFlat97 is packets of flat97 whose branches vary, too many of them for a branch predictor to know by heart.
func mixedFlat97(tb testing.TB, d *decode.Decoder) [][]byte {
	g := fuzz.NewGenerator(d)
	var packets [][]byte
	for n := range uint64(1024) {
		k, err := g.Random(97, n)
		if err != nil {
			tb.Fatal(err)
		}
		packets = append(packets, append([]byte(nil), k.Data...))
	}
	return packets
}

// largestSnapshot is the largest snapshot of R-Type: 371 leaves.
func largestSnapshot(tb testing.TB) []byte {
	var v rtype.Packet
	v.Type = rtype.MessageTypeSnapshot
	s := &v.Body.Snapshot
	s.PlayerCount, s.Players = 4, make([]rtype.PlayerState, 4)
	for i := range s.Players {
		s.Players[i] = rtype.PlayerState{Id: uint8(i), X: 100, Y: 200, Health: 90, Alive: true, ShipSkin: 2}
	}
	s.MissileCount, s.Missiles = 32, make([]rtype.MissileState, 32)
	s.EnemyCount, s.Enemies = 16, make([]rtype.EnemyState, 16)
	s.EnemyMissileCount, s.EnemyMissiles = 32, make([]rtype.MissileState, 32)
	packet, err := v.Append(nil, rtype.Server)
	if err != nil {
		tb.Fatal(err)
	}
	return packet
}

// scene is 64 rigid bodies that move, as a bitmap.
func scene(tb testing.TB) []byte {
	var v gaffer.Packet
	for i := range 64 {
		v.Body.Bitmap.Objects = append(v.Body.Bitmap.Objects, gaffer.PacketBodyBitmapObjects{Index: uint8(i)})
		body := &v.Body.Bitmap.Objects[i].Value
		body.Position.X, body.Position.Y = float32(i), -3.25
		body.Orientation.Largest, body.Orientation.A, body.Orientation.B, body.Orientation.C = 3, 500, 520, 510
		body.LinearVelocity.Z = 2.5
	}
	packet, err := v.Append(nil, gaffer.Server)
	if err != nil {
		tb.Fatal(err)
	}
	return packet
}

// wholeWords is packets with zeros behind them up to a multiple of four bytes: the baseline loads nothing less.
func wholeWords(packets [][]byte) [][]byte {
	var whole [][]byte
	for _, p := range packets {
		room := make([]byte, (len(p)+3)&^3)
		whole = append(whole, room[:copy(room, p):len(room)])
	}
	return whole
}

func builtIn(tb testing.TB, name string) *decode.Decoder {
	src, _ := protocols.Source(name)
	s, diags := schema.Load(name, src, nil)
	if s == nil {
		tb.Fatal(diags)
	}
	p, diags := plan.Compile(s)
	if p == nil {
		tb.Fatal(diags)
	}
	return decode.New(p)
}

// reading measures one reader over packets in turn.
func reading(b *testing.B, name string, packets [][]byte, read func(packet []byte) error) {
	b.Run(name, func(b *testing.B) {
		bytes := 0
		for _, p := range packets {
			bytes += len(p)
		}
		b.SetBytes(int64(bytes / len(packets)))
		b.ReportAllocs()
		for i := 0; b.Loop(); i++ {
			if err := read(packets[i%len(packets)]); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func interpreted(d *decode.Decoder) func([]byte) error {
	t := new(decode.Trace)
	return func(packet []byte) error { return d.Decode(packet, decode.Server, t) }
}

func BenchmarkGenerated(b *testing.B) {
	d, packets := flat97(b)
	mixed := mixedFlat97(b, d)
	for _, row := range []struct {
		name    string
		packets [][]byte
	}{{"flat97", packets}, {"mixed", mixed}} {
		var r flat.Reader
		var v flat.Packet
		var p flatPacket
		reading(b, row.name+"/interpreter", row.packets, interpreted(d))
		reading(b, row.name+"/generated", row.packets, func(packet []byte) error { return r.Decode(packet, flat.Server, &v) })
		reading(b, row.name+"/scratch-word", wholeWords(row.packets), func(packet []byte) error {
			s := newScratchReader(packet[:cap(packet)])
			s.left = 8 * len(packet)
			if !p.read(&s) {
				b.Fatal("refused")
			}
			return nil
		})
		values := make([]flat.Packet, len(row.packets))
		for i := range values {
			if err := r.Decode(row.packets[i], flat.Server, &values[i]); err != nil {
				b.Fatal(err)
			}
		}
		b.Run(row.name+"/generated-write", func(b *testing.B) {
			out := make([]byte, 0, 512)
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				if _, err := values[i%len(values)].Append(out, flat.Server); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	{
		packets := [][]byte{largestSnapshot(b)}
		var r rtype.Reader
		var v rtype.Packet
		reading(b, "snapshot/interpreter", packets, interpreted(builtIn(b, "rtype")))
		reading(b, "snapshot/generated", packets, func(packet []byte) error { return r.Decode(packet, rtype.Server, &v) })
	}
	{
		packets := [][]byte{scene(b)}
		var r gaffer.Reader
		var v gaffer.Packet
		reading(b, "scene/interpreter", packets, interpreted(builtIn(b, "gaffer")))
		reading(b, "scene/generated", packets, func(packet []byte) error { return r.Decode(packet, gaffer.Server, &v) })
	}
}
