package fuzz

import (
	"strings"
	"testing"

	"github.com/pktscope/pktscope/decode"
	"github.com/pktscope/pktscope/decode/protocols"
)

// Boundaries come first, then random packets, as many as were asked for; without missed all are random.
func TestPackets(t *testing.T) {
	d, err := protocols.Load("packets")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGenerator(d)
	for _, missed := range []func(Missed){nil, func(Missed) {}} {
		n, boundaries := int64(0), int64(0)
		for packet, err := range g.Packets(1, 500, missed) {
			if err != nil {
				t.Fatal(err)
			}
			if packet.Why != "" {
				if boundaries++; boundaries != n+1 {
					t.Fatalf("packet %d is at a boundary, after a random one", n)
				}
			}
			n++
		}
		if n != 500 || (boundaries > 0) != (missed != nil) || boundaries == n {
			t.Errorf("%d packets, %d at boundaries", n, boundaries)
		}
	}
	for range g.Packets(1, 1, func(Missed) {}) {
		break
	}
}

// A spread goes from short to long, and leaves out what is large.
func TestSpread(t *testing.T) {
	d, err := protocols.Load("rtype")
	if err != nil {
		t.Fatal(err)
	}
	g := NewGenerator(d)
	for _, row := range []struct{ n, size, want int }{{8, 1024, 8}, {1, 1024, 1}, {8, 0, 1}, {1000, 1 << 16, 0}} {
		got := g.Spread(64, row.n, row.size)
		if row.want > 0 && len(got) != row.want || len(got) == 0 {
			t.Errorf("%+v: %d packets", row, len(got))
		}
		for i := range got[1:] {
			if len(got[i].Data) > len(got[i+1].Data) || len(got[i+1].Data) > max(row.size, len(got[0].Data)) {
				t.Errorf("%+v: %d bytes before %d", row, len(got[i].Data), len(got[i+1].Data))
			}
		}
	}
}

// A condition of several fields is met on purpose, in a branch and in a requirement: by chance it is once in four billion
// packets.
func TestSeveralConditions(t *testing.T) {
	for _, row := range []struct {
		packet string
		taken  func(data []byte) bool
		least  int // of 200
	}{
		{"a uint16, b uint16, if a == 0xFFFF && b == 0x8100 { c uint8 } else { d uint16 }", func(data []byte) bool { return len(data) == 5 }, 30},
		{"a uint16, b uint16, let both = a == 0xFFFF && b == 0x8100, if both { c uint8 } else { d uint16 }", func(data []byte) bool { return len(data) == 5 }, 30},
		{"a uint16, b uint16, c uint16, if a == 1 && b == 2 && c == 3 { d uint8 }", func(data []byte) bool { return len(data) == 7 }, 15},
		{"a uint16, b uint16, if !(a != 7 || b != 9) { c uint8 }", func(data []byte) bool { return len(data) == 5 }, 30},
		{"a uint16, b uint16, require a == 0xFFFF && b == 0x8100, c uint8", func(data []byte) bool { return len(data) == 5 }, 200},
		{"a uint16, b uint16, c uint16, require a == 1 && b == 2 && c > 60000", func(data []byte) bool { return len(data) == 6 }, 200},
		{"n uint8 in 1..3, l [n]{ a uint16, b uint16, require a == 1 && b == 2 }", func(data []byte) bool { return len(data) > 4 }, 200},
	} {
		d, err := decode.Load("p.pks", []byte("protocol p\norder msb\npacket { "+row.packet+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		taken := 0
		for packet, err := range NewGenerator(d).Packets(1, 200, func(Missed) {}) {
			if err != nil {
				t.Errorf("%s: %v", row.packet, err)
			} else if row.taken(packet.Data) {
				taken++
			}
		}
		if taken < row.least {
			t.Errorf("%s: %d of 200, want %d", row.packet, taken, row.least)
		}
	}
}

// A random packet that is not found counts, and loses none of the others; many in a row are the last.
func TestNotFound(t *testing.T) {
	for _, row := range []struct {
		packet     string
		most, lost int // packets, and how many are not found at least
	}{
		{"long bool, low bits(7), if long { require low == 1, more uint8, let size = more } else { let size = low }, within(size) { a uint32 }", 100, 1},
		{"a uint16, require a * a == 3", mostFailing, mostFailing},
	} {
		d, err := decode.Load("p.pks", []byte("protocol p\norder msb\npacket { "+row.packet+" }\n"))
		if err != nil {
			t.Fatal(err)
		}
		made, lost := 0, 0
		for _, err := range NewGenerator(d).Packets(1, 100, nil) {
			if made++; err == nil {
				continue
			}
			if lost++; !strings.Contains(err.Error(), "no valid packet in") {
				t.Error(err)
			}
		}
		t.Logf("%s: %d of %d are not found", row.packet, lost, made)
		if made != row.most || lost < row.lost || made == 100 && lost > 90 {
			t.Errorf("%s: %d of %d are not found, want %d of %d", row.packet, lost, made, row.lost, row.most)
		}
	}
}
