package fuzz

import (
	"math/rand/v2"
	"testing"

	"github.com/pktscope/pktscope/decode"
)

// What reached more first has more energy, what was taken more often or is larger has less, and none has none.
func TestEnergy(t *testing.T) {
	plain := entry{data: make([]byte, 10), fresh: 4, taken: 2}
	for _, row := range []struct {
		name string
		entry
		want int // the sign of its energy less that of plain
	}{
		{"the same", entry{data: make([]byte, 1023), fresh: 4, taken: 2}, 0},
		{"reached more", entry{data: plain.data, fresh: 5, taken: 2}, 1},
		{"reached less", entry{data: plain.data, fresh: 3, taken: 2}, -1},
		{"taken more", entry{data: plain.data, fresh: 4, taken: 3}, -1},
		{"taken less", entry{data: plain.data, fresh: 4, taken: 1}, 1},
		{"larger", entry{data: make([]byte, 1024), fresh: 4, taken: 2}, -1},
	} {
		if got := row.energy() - plain.energy(); max(-1, min(1, got)) != row.want {
			t.Errorf("%s: %d more than plain, want sign %d", row.name, got, row.want)
		}
	}
	if a, b := (&entry{fresh: 31}).energy(), (&entry{fresh: 5000}).energy(); a != b {
		t.Errorf("one packet that reached much: %d, want %d", b, a)
	}
	if n := (&entry{data: make([]byte, 65507), taken: 1 << 20}).energy(); n != 1 {
		t.Errorf("the least energy: %d, want 1", n)
	}
}

// An entry that is taken again and again gives way to the others, in the measure of their energy.
func TestQueueTakes(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var q queue
	if q.take(random) != nil || q.any(random) != nil {
		t.Error("taken from an empty queue")
	}
	q.add([]byte("much"), decode.FromUnknown, 15)
	q.add([]byte("little"), decode.FromUnknown, 0)
	for range 100 {
		q.take(random)
	}
	much, little := q.entries[0].taken, q.entries[1].taken
	if much+little != 100 || little < 10 || much < 60 {
		t.Errorf("taken %d and %d times of 100", much, little)
	}
}

// A full queue loses what has the least energy, be it the newest.
func TestQueueFull(t *testing.T) {
	for _, row := range []struct {
		name string
		size int
		full int // entries
	}{
		{"entries", 4, maxQueue},
		{"bytes", 1 << 16, maxQueueBytes >> 16},
	} {
		var q queue
		for range row.full {
			q.add(make([]byte, row.size), decode.FromUnknown, 2)
		}
		q.entries[7].taken = 1000
		least, newest := q.entries[7], make([]byte, row.size)
		newest[0] = 1
		q.add(newest, decode.FromUnknown, 9)
		if q.entries[len(q.entries)-1].data[0] != 1 {
			t.Errorf("%s: the newest, which reached most, is lost", row.name)
		}
		for _, e := range q.entries {
			if e == least {
				t.Errorf("%s: what has the least energy is kept", row.name)
			}
		}
		newest[0] = 2
		q.add(newest, decode.FromUnknown, 0)
		if q.entries[len(q.entries)-1].data[0] == 2 {
			t.Errorf("%s: the newest, which reached least, is kept", row.name)
		}
		if len(q.entries) != row.full || q.bytes != row.full*row.size {
			t.Errorf("%s: %d entries of %d bytes, want %d of %d", row.name, len(q.entries), q.bytes, row.full, row.full*row.size)
		}
	}
}
