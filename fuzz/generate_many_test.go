package fuzz

import (
	"testing"

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
