package flow

import (
	"runtime"
	"testing"
	"time"

	"github.com/pktscope/pktscope/corpus/need"
)

// floods are what strangers send, one packet at a time: the n-th of the k-th of them.
var floods = []struct {
	name    string
	packets int // of each stranger
	piece   func(k, n int) Piece
}{
	{"one fragment", 1, func(k, _ int) Piece {
		return Piece{ID: uint64(k), At: 0, Of: 256, Counted: true, Data: make([]byte, 1000)}
	}},
	{"a bomb", 1023, func(k, n int) Piece {
		return Piece{ID: 1, At: uint64(1023 - n), Of: 1024, Counted: true, Data: []byte{byte(n)}}
	}},
	{"many bombs", 1024, func(k, n int) Piece {
		return Piece{ID: uint64(n), At: 5, Of: 1024, Counted: true, Data: make([]byte, 1200)}
	}},
	{"overlaps", 40, func(k, n int) Piece {
		return Piece{ID: 1, Bytes: true, At: uint64(7 * (n * 29 % 40)), Of: 1 << 20, Counted: true, Data: make([]byte, 300)}
	}},
	{"duplicates", 40, func(k, n int) Piece {
		return Piece{ID: 1, At: 3, Of: 256, Counted: true, Data: make([]byte, 200)}
	}},
}

// A hundred thousand invented flows stay within the bounds, at a bounded cost each, and an open message of an old flow
// is put together when they have gone by; so are those of eight flows that go on among them.
func TestFloods(t *testing.T) {
	for _, flood := range floods {
		t.Run(flood.name, func(t *testing.T) {
			strangers := min(need.Rounds(100_000, 10_000), need.Rounds(4_000_000, 100_000)/flood.packets)
			var before, after runtime.MemStats
			runtime.GC()
			runtime.ReadMemStats(&before)
			table := newTable()
			send := func(n int, p *Piece) *Whole { // of one of the flows that are no flood
				table.Meet(stranger(1<<20+n), server, 0, 1)
				table.Accept()
				m, _ := table.Add(p)
				return m
			}
			for n := range 9 {
				for i := range 4 {
					if send(n, &Piece{ID: uint64(i), Of: 1, Counted: true}) == nil {
						t.Fatal("a message of one piece is none")
					}
				}
			}
			for i := range 4 {
				send(8, &Piece{ID: 100, At: uint64(i), Of: 5, Counted: true, Data: []byte{byte(i)}})
			}
			most, sent := 0, 0
			var spent time.Duration
			for k := range strangers {
				from := stranger(k)
				began := time.Now()
				for n := range flood.packets {
					p := flood.piece(k, n)
					table.Meet(from, server, 0, 1)
					table.Accept()
					table.Add(&p)
				}
				spent += time.Since(began)
				sent += flood.packets
				most = max(most, table.Held())
				if n, i := k/5%8, k%5; k < strangers/5*5 && strangers >= 5 {
					m := send(n, &Piece{ID: uint64(1000 + k/5), At: uint64(i), Of: 5, Counted: true, Data: make([]byte, 1000)})
					if (m != nil) != (i == 4) {
						t.Fatalf("flow %d, message %d, piece %d: whole %v", n, k/5, i, m != nil)
					}
				}
				if k%10_000 == 0 {
					check(t, table)
				}
			}
			check(t, table)
			runtime.GC()
			runtime.ReadMemStats(&after)
			held := int64(after.HeapAlloc) - int64(before.HeapAlloc)
			if m := send(8, &Piece{ID: 100, At: 4, Of: 5, Counted: true, Data: []byte{4}}); m == nil || string(m.Data) != "\x00\x01\x02\x03\x04" {
				t.Errorf("the old flow's message did not survive: %v", m)
			}
			if most > DefaultMemory || held > DefaultMemory+25e6 {
				t.Errorf("%d bytes were counted, %d are on the heap", most, held)
			}
			t.Logf("%d flows, %d packets: %d ns a packet, %.1f MB counted, %.1f MB on the heap, %d flows kept",
				strangers, sent, int(spent)/sent, float64(most)/1e6, float64(held)/1e6, table.Flows())
			runtime.KeepAlive(table)
		})
	}
}

// A steady state allocates nothing: messages in order, out of order, twice, and those that never become whole.
func TestNoAllocation(t *testing.T) {
	table, data := newTable(), make([]byte, 60)
	id := uint64(0)
	round := func() {
		for range 200 {
			id++
			for i := range 8 {
				at := i
				if id%2 == 0 {
					at = 7 - i
				}
				table.Meet(client, server, 0, int64(id)*1e6)
				table.Accept()
				p := Piece{ID: id, At: uint64(at), Of: 8 + id%5/4, Counted: true, Data: data}
				table.Add(&p)
				table.Add(&p)
			}
		}
	}
	round()
	if n := testing.AllocsPerRun(20, round); n != 0 {
		t.Errorf("%v allocations in %d pieces", n, 200*8)
	}
}

func BenchmarkFlood(b *testing.B) {
	for _, flood := range floods {
		b.Run(flood.name, func(b *testing.B) {
			table := newTable()
			b.ReportAllocs()
			for i := range b.N {
				k, n := i/flood.packets, i%flood.packets
				p := flood.piece(k, n)
				table.Meet(stranger(k%(1<<20)), server, 0, 1)
				table.Accept()
				table.Add(&p)
			}
		})
	}
}
