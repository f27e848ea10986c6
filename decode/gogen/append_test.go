package gogen_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/pktscope/pktscope/decode/gogen/testdata/flat97"
	"github.com/pktscope/pktscope/decode/gogen/testdata/gaffer"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtype"
)

// snapshot is a packet that can be written.
func snapshot() *rtype.Packet {
	var p rtype.Packet
	p.Type = rtype.MessageTypeSnapshot
	p.Body.Snapshot.PlayerCount = 2
	p.Body.Snapshot.Players = []rtype.PlayerState{{ShipSkin: 1}, {ShipSkin: 6, Health: 100}}
	return &p
}

// What a reader would refuse is not written, and what was in the buffer stays as it was.
func TestAppendRefuses(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(p *rtype.Packet)
		kind  rtype.RejectKind
		path  string
		bit   int
	}{
		{"a value above its range", func(p *rtype.Packet) { p.Body.Snapshot.Players[1].Health = 101 }, rtype.RejectOutOfRange, "body.players[1].health", 96 + 8 + 80 + 8 + 16 + 16},
		{"a value below its range", func(p *rtype.Packet) { p.Body.Snapshot.Players[0].ShipSkin = 0 }, rtype.RejectOutOfRange, "body.players[0].ship_skin", 96 + 8 + 8 + 16 + 16 + 8 + 8 + 16},
		{"no case", func(p *rtype.Packet) { p.Type = 0x7777 }, rtype.RejectUnknownCase, "type", 0},
		{"a count that is not the list's", func(p *rtype.Packet) { p.Body.Snapshot.PlayerCount = 1 }, rtype.RejectOutOfRange, "body.players", 96 + 8},
		{"a list that is not the count's", func(p *rtype.Packet) { p.Body.Snapshot.Players = nil }, rtype.RejectOutOfRange, "body.players", 96 + 8},
		{"a count above its range", func(p *rtype.Packet) {
			p.Body.Snapshot.PlayerCount, p.Body.Snapshot.Players = 5, make([]rtype.PlayerState, 5)
		}, rtype.RejectOutOfRange, "body.player_count", 96},
		{"a list above its count's range", func(p *rtype.Packet) {
			p.Body.Snapshot.PlayerCount, p.Body.Snapshot.Players = 0, make([]rtype.PlayerState, 5)
		}, rtype.RejectOutOfRange, "body.player_count", 96},
	} {
		p := snapshot()
		row.spoil(p)
		out, err := p.Append([]byte("here"), rtype.FromServer)
		var no *rtype.PacketReject
		if !errors.As(err, &no) || !errors.Is(err, row.kind) || no.Path() != row.path || no.Bit != row.bit {
			t.Errorf("%s: want %v at %q, bit %d, got %v", row.name, row.kind, row.path, row.bit, err)
		}
		if string(out) != "here" {
			t.Errorf("%s: the buffer is now %q", row.name, out)
		}
	}
	if out, err := snapshot().Append([]byte("here"), rtype.FromServer); err != nil || string(out[:4]) != "here" {
		t.Errorf("the packet that the rows spoil: %v", err)
	}
}

// Indexes of a subset rise, and end before the list's own end.
func TestAppendRefusesIndexes(t *testing.T) {
	for _, row := range []struct {
		indexes []uint8
		kind    gaffer.RejectKind
		path    string
	}{
		{[]uint8{3, 3}, gaffer.RejectNotIncreasing, "body.objects[1].index"},
		{[]uint8{3, 2}, gaffer.RejectNotIncreasing, "body.objects[1].index"},
		{[]uint8{64}, gaffer.RejectOutOfRange, "body.objects[0].index"},
		{[]uint8{0, 255}, gaffer.RejectOutOfRange, "body.objects[1].index"},
		{[]uint8{0, 63}, gaffer.RejectNone, ""},
	} {
		for _, kind := range []gaffer.PacketType{gaffer.PacketTypeBitmap, gaffer.PacketTypeIndex, gaffer.PacketTypeSentinel, gaffer.PacketTypeRelative} {
			p := gaffer.Packet{Type: kind}
			for _, i := range row.indexes {
				p.Body.Bitmap.Objects = append(p.Body.Bitmap.Objects, gaffer.PacketBodyBitmapObjects{Index: i})
				p.Body.Index.Objects = append(p.Body.Index.Objects, gaffer.PacketBodyIndexObjects{Index: i})
				p.Body.Sentinel.Objects = append(p.Body.Sentinel.Objects, gaffer.PacketBodySentinelObjects{Index: i})
				p.Body.Relative.Objects = append(p.Body.Relative.Objects, gaffer.PacketBodyRelativeObjects{Index: i})
			}
			for _, b := range bodies(&p) {
				b.Orientation.A, b.Orientation.B, b.Orientation.C = 512, 512, 512
			}
			_, err := p.Append(nil, gaffer.FromServer)
			if row.kind == gaffer.RejectNone {
				if err != nil {
					t.Errorf("%v of %v: %v", kind, row.indexes, err)
				}
				continue
			}
			var no *gaffer.PacketReject
			if !errors.As(err, &no) || no.Kind != row.kind || no.Path() != row.path {
				t.Errorf("%v of %v: want %v at %q, got %v", kind, row.indexes, row.kind, row.path, err)
			}
		}
	}
}

// bodies are all that a packet could send.
func bodies(p *gaffer.Packet) []*gaffer.RigidBody {
	var all []*gaffer.RigidBody
	for i := range p.Body.Bitmap.Objects {
		all = append(all, &p.Body.Bitmap.Objects[i].Value, &p.Body.Index.Objects[i].Value, &p.Body.Sentinel.Objects[i].Value, &p.Body.Relative.Objects[i].Value)
	}
	return all
}

func TestStrings(t *testing.T) {
	for _, row := range []struct{ got, want string }{
		{rtype.MessageTypeSnapshot.String(), "Snapshot"},
		{rtype.MessageType(0x7777).String(), "30583"},
		{flat97.Status(0).String(), "0x0"},
		{flat97.Status(1 | 4).String(), "Shielded|Overheated"},
		{flat97.Status(1 | 32).String(), "Shielded|0x20"},
		{rtype.RejectPastEnd.String(), "past-end"},
	} {
		if row.got != row.want {
			t.Errorf("want %s, got %s", row.want, row.got)
		}
	}
}

// A buffer with the room that the doc of Append asks for is never replaced, and one that Append gave has it.
func TestAppendRoom(t *testing.T) {
	s, f := snapshot(), flat97.Packet{}
	var g gaffer.Packet
	for i := range 64 {
		o := gaffer.PacketBodyBitmapObjects{Index: uint8(i)}
		o.Value.Orientation.A, o.Value.Orientation.B, o.Value.Orientation.C = 512, 512, 512
		g.Body.Bitmap.Objects = append(g.Body.Bitmap.Objects, o)
	}
	for name, write := range map[string]func(b []byte) ([]byte, error){
		"rtype":  func(b []byte) ([]byte, error) { return s.Append(b, rtype.FromServer) },
		"flat97": func(b []byte) ([]byte, error) { return f.Append(b, flat97.FromServer) },
		"gaffer": func(b []byte) ([]byte, error) { return g.Append(b, gaffer.FromServer) },
	} {
		given, err := write([]byte("before"))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := bytes.Clone(given)
		for what, b := range map[string][]byte{"with room": append(make([]byte, 0, len(want)+300), "before"...), "given back": given[:len("before")]} {
			var got []byte
			if n := testing.AllocsPerRun(10, func() { got, _ = write(b) }); n != 0 {
				t.Errorf("%s: %v allocations into a buffer %s", name, n, what)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: want %x, got %x in a buffer %s", name, want, got, what)
			}
		}
	}
}
