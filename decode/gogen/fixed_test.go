package gogen_test

import (
	"bytes"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/pktscope/pktscope/corpus"
	"github.com/pktscope/pktscope/decode/gogen"
	"github.com/pktscope/pktscope/decode/gogen/testdata/rtypefixed"
)

// A Packet of fixed arrays is as large as the product of the schema's maxima: what would be absurd is refused, however
// large the product is, and the error names what makes it so.
func TestFixedRefuses(t *testing.T) {
	for _, row := range []struct{ name, items, want string }{
		{"texts in a list", "n uint8\nbody switch n {\n0: { x uint8 }\n1..9: { l [..60000]{ a string(1200) } }\ndefault: empty\n}",
			"body.l: room for 47642 of 1208 bytes each would make a Packet of fixed arrays 57551560 bytes large, want at most 4194304"},
		{"more than an int64", "a uint8\nl [..60000]" + strings.Repeat("[..60000]", 6) + "bool",
			"l[][]"},
		{"many of a constant number", "a [32][32]{ b [32]{ c optional string(200) } }", "a: room for 32 of"},
		{"a list in an array", "a [70]{ b [..60000]uint16 }", "a: room for 70 of"},
	} {
		src := "protocol x\norder lsb\npacket {\n" + row.items + "\n}\n"
		_, err := gogen.Generate(compile(t, row.name, []byte(src)), gogen.Options{Fixed: true})
		if err == nil || !strings.HasPrefix(err.Error(), row.want) {
			t.Errorf("%s: want %q, got %v", row.name, row.want, err)
		}
		if _, err := gogen.Generate(compile(t, row.name, []byte(src)), gogen.Options{}); err != nil {
			t.Errorf("%s, with lists that grow: %v", row.name, err)
		}
	}
}

// A Packet that nothing was ever read into costs no allocation, nor does a reject or a packet that is written into
// room.
func TestFixedDoesNotAllocate(t *testing.T) {
	var r rtypefixed.PacketReader
	buf := make([]byte, 0, 2*rtypefixed.MaxDatagram)
	for _, s := range corpus.Seeds("rtype") {
		if err := r.Decode(s.Data, rtypefixed.From(senders[s.From]), new(rtypefixed.Packet)); err != nil {
			t.Fatalf("%s: %v", s.Name, err)
		}
		for size := range len(s.Data) + 1 {
			allocations := testing.AllocsPerRun(10, func() {
				var v rtypefixed.Packet
				err := r.Decode(s.Data[:size], rtypefixed.From(senders[s.From]), &v)
				if err == nil {
					buf, err = v.Append(buf[:0], rtypefixed.From(senders[s.From]))
				}
				if (err == nil) != (size == len(s.Data)) {
					t.Errorf("%s, %d bytes of it: %v", s.Name, size, err)
				}
			})
			if allocations != 0 {
				t.Errorf("%s, %d bytes of it: %v allocations", s.Name, size, allocations)
			}
		}
		if !bytes.Equal(buf, s.Data) {
			t.Errorf("%s is written as %x", s.Name, buf)
		}
	}
}

// The counts of fixed arrays are the caller's, who may have set them to anything.
func TestFixedCounts(t *testing.T) {
	for _, row := range []struct {
		name  string
		spoil func(s *rtypefixed.Snapshot)
		path  string
	}{
		{"more than there is room for", func(s *rtypefixed.Snapshot) { s.Missiles.Len = len(s.Missiles.At) + 1 }, "body.missiles"},
		{"less than none", func(s *rtypefixed.Snapshot) { s.Missiles.Len = -1 }, "body.missiles"},
		{"another than the count's", func(s *rtypefixed.Snapshot) { s.Missiles.Len = 1 }, "body.missiles"},
		{"an element of another list", func(s *rtypefixed.Snapshot) { s.Enemies.Len = math.MaxInt / 2 }, "body.enemies"},
	} {
		v := rtypefixed.Packet{Type: rtypefixed.MessageTypeSnapshot}
		s := &v.Body.Snapshot
		s.MissileCount, s.EnemyCount = 2, 1
		if !s.Missiles.Add(rtypefixed.MissileState{Id: 1}) || !s.Missiles.Add(rtypefixed.MissileState{Id: 2}) || !s.Enemies.Add(rtypefixed.EnemyState{}) {
			t.Fatal("no room")
		}
		if _, err := v.Append(nil, rtypefixed.FromServer); err != nil {
			t.Fatalf("before it is spoilt: %v", err)
		}
		row.spoil(s)
		_, err := v.Append(nil, rtypefixed.FromServer)
		var no *rtypefixed.PacketReject
		if !errors.As(err, &no) || no.Kind != rtypefixed.RejectOutOfRange || no.Path() != row.path {
			t.Errorf("%s: want out-of-range at %s, got %v", row.name, row.path, err)
		}
	}
	var v rtypefixed.Packet
	room := &v.Body.JoinGame.RoomCode
	if room.Set(make([]byte, len(room.At)+1)) || !room.Set([]byte("ABC123")) || room.String() != "ABC123" || string(room.Slice()) != "ABC123" {
		t.Errorf("want ABC123, got %q", room.String())
	}
	room.Len = -3
	if got := len(room.Slice()); got != len(room.At) {
		t.Errorf("%d bytes of a count below none", got)
	}
	missiles := &v.Body.Snapshot.Missiles
	for range missiles.At {
		if !missiles.Add(rtypefixed.MissileState{}) {
			t.Fatal("no room")
		}
	}
	if missiles.Add(rtypefixed.MissileState{}) {
		t.Error("one more than there is room for")
	}
}
