package infer

import (
	"encoding/binary"
	"math/rand/v2"
	"net/netip"
	"slices"
	"testing"

	"github.com/pktscope/pktscope/corpus/need"
	"github.com/pktscope/pktscope/decode/wire"
)

// counters are packets of some flows: a constant, a counter, a walk, few values, a bit, noise, and the bits before.
func counters(r *rand.Rand, n int) *Sample {
	var s Sample
	level, history := 1000, [3]uint16{}
	for i := range n {
		p := make([]byte, 12+r.IntN(6))
		level += r.IntN(9) - 4
		copy(p, []byte{7, byte(i >> 8), byte(i), byte(level >> 8), byte(level), byte(r.IntN(3)), byte(i & 1), 0, byte(r.Uint32())})
		flow := r.IntN(len(history))
		history[flow] = history[flow]<<1 | uint16(r.IntN(2))
		binary.BigEndian.PutUint16(p[9:], history[flow])
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 0, 0, byte(flow)}), 40000)
		s.Add(&Packet{N: int64(i + 1), Src: from, Dst: from, Data: p})
	}
	return &s
}

// A coster that has priced much says of any window what a new one says, for less work.
func TestMemo(t *testing.T) {
	fillTables()
	r := rand.New(rand.NewPCG(3, 14))
	s := counters(r, 200)
	var used coster
	for round := range need.Rounds(300, 40) {
		part := rows(s.rows)[r.IntN(3):]
		switch r.IntN(4) {
		case 0: // the same bits, seen from others
			by := r.IntN(17)
			part = part.moved(func(*row) int { return by })
		case 1: // on bytes that differ from row to row
			part = part.moved(func(x *row) int { return 8 * int(x.id&3) })
		case 2:
			part = slices.Clone(part)
			for i := range part {
				part[i].flow = 0
			}
		}
		w := part.window(20 + 40*r.IntN(2))
		w.all = len(part) * (1 + r.IntN(2))
		fresh := coster{order: wire.Order(r.IntN(3)), budget: 1 << 40, sorting: r.IntN(2) == 0, work: used.work}
		used.order, used.sorting, used.budget = fresh.order, fresh.sorting, fresh.budget
		n := min(1+r.IntN(96), part.least())
		got, want := used.tabulate(w, n, false), fresh.tabulate(w, n, false)
		if !slices.Equal(got.cells, want.cells) {
			t.Fatalf("round %d: %d bits of %d rows in order %v are priced in another way", round, n, len(w.rows), used.order)
		}
		if used.work > fresh.work {
			t.Fatalf("round %d: the work is %d, want %d at most", round, used.work, fresh.work)
		}
	}
	if used.memo.hits == 0 {
		t.Error("nothing was asked twice")
	}
}
