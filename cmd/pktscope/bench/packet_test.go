package main

import (
	"os"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
	"github.com/pktscope/pktscope/decode/plan"
	"github.com/pktscope/pktscope/decode/protocols"
	"github.com/pktscope/pktscope/decode/schema"
	"github.com/pktscope/pktscope/fuzz"
)

// The interpreter, generated code and the hand-written baseline over the same packets, in one run: only ratios of one
// run mean anything. `make bench` prints them.

// mixedFlat97 is packets of flat97 whose branches vary.
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
	packet, err := v.Append(nil, rtype.FromServer)
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
	packet, err := v.Append(nil, gaffer.FromServer)
	if err != nil {
		tb.Fatal(err)
	}
	return packet
}

// wholeWords is packets with zeros after them up to a multiple of four bytes: the baseline loads nothing less.
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
	return compile(tb, name, src)
}

// flat97 is decode's packets of 88 fields in 180 bytes each, and their decoder.
func flat97(tb testing.TB) (*decode.Decoder, [][]byte) {
	tb.Helper()
	src, err := os.ReadFile("../../../decode/testdata/flat97.pks")
	if err != nil {
		tb.Fatal(err)
	}
	data, err := os.ReadFile("../../../decode/testdata/flat97.bin")
	if err != nil {
		tb.Fatal(err)
	}
	return compile(tb, "flat97", src), slices.Collect(slices.Chunk(data, 180))
}

func compile(tb testing.TB, name string, src []byte) *decode.Decoder {
	tb.Helper()
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

func everyMeasured(tb testing.TB) []measured {
	d, packets := flat97(tb)
	return []measured{
		measureBits(tb),
		measureFlat97(tb, d, "flat97", packets),
		measureFlat97(tb, d, "mixed", mixedFlat97(tb, d)),
		measureSnapshot(tb, builtIn(tb, "rtype")),
		measureScene(tb, builtIn(tb, "gaffer")),
	}
}

// BenchmarkPacket reads and writes packets: the interpreter, which records every field, generated code, and the
// articles' bitpacker by hand.
func BenchmarkPacket(b *testing.B) {
	for _, m := range everyMeasured(b) {
		bytes := 0
		for _, p := range m.packets {
			bytes += len(p)
		}
		for way, each := range map[string]map[string]func(int) error{"read": m.read, "write": m.write} {
			for name, do := range each {
				b.Run(m.name+"/"+way+"/"+name, func(b *testing.B) {
					b.SetBytes(int64(bytes / len(m.packets)))
					b.ReportAllocs()
					random := uint64(97)
					for b.Loop() {
						// In an order that never repeats: a branch predictor remembers a thousand packets in turn.
						random = random*6364136223846793005 + 1442695040888963407
						if err := do(int(random >> 32 * uint64(len(m.packets)) >> 32)); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		}
	}
}
