package flow

import (
	"strings"
	"testing"
	"time"
)

// add meets a packet of the client at a time in ms and adds its piece.
func add(table *Table, ms int64, p Piece) (string, Odd) {
	table.Meet(client, server, 0, ms*int64(time.Millisecond))
	table.Accept()
	m, odd := table.Add(&p)
	if m == nil {
		return "", odd
	}
	return string(m.Data), odd | m.Odd
}

func counted(id, index, count uint64, data string) Piece {
	return Piece{ID: id, At: index, Of: count, Counted: true, Data: []byte(data)}
}

func offset(id, at uint64, data string, last bool) Piece {
	return Piece{ID: id, Bytes: true, At: at, Last: last, Data: []byte(data)}
}

func TestTable(t *testing.T) {
	type step struct {
		piece Piece
		want  string
		odd   Odd
	}
	for _, c := range []struct {
		name  string
		steps []step
	}{
		{"an index that its own count does not have", []step{{counted(1, 2, 2, "x"), "", ConflictingFragment}}},
		{"a count of none", []step{{counted(1, 0, 0, "x"), "", ConflictingFragment}}},
		{"a count beyond the bound", []step{{counted(1, 1024, 1<<40, "x"), "", ConflictingFragment}}},
		{"an offset that wraps", []step{{Piece{ID: 1, Bytes: true, At: 1<<64 - 1, Data: []byte("xy")}, "", ConflictingFragment}}},
		{"a total that is less", []step{{Piece{ID: 1, Bytes: true, Counted: true, At: 2, Of: 3, Data: []byte("xy")}, "", ConflictingFragment}}},
		{"a forged count blocks nobody", []step{
			{counted(1, 0, 2, "a"), "", 0}, {counted(1, 0, 3, "x"), "", 0}, {counted(1, 1, 2, "b"), "ab", 0}}},
		{"the first wins", []step{
			{counted(1, 0, 2, "a"), "", 0}, {counted(1, 0, 2, "x"), "", ConflictingFragment}, {counted(1, 1, 2, "b"), "ab", 0}}},
		{"once only", []step{{counted(1, 0, 1, "a"), "a", 0}, {counted(1, 0, 1, "a"), "", DuplicateMessage}, {counted(1, 0, 2, "a"), "", 0}}},
		{"backwards", []step{{counted(1, 2, 3, "c"), "", 0}, {counted(1, 1, 3, "b"), "", 0}, {counted(1, 0, 3, "a"), "abc", OutOfOrder}}},
		{"overlaps", []step{
			{offset(1, 0, "abc", false), "", 0}, {offset(1, 2, "cd", false), "", DuplicateFragment},
			{offset(1, 6, "g", true), "", 0}, {offset(1, 3, "Xefg", false), "abcdefg", ConflictingFragment | OutOfOrder}}},
		{"two ends", []step{
			{offset(1, 0, "ab", false), "", 0}, {offset(1, 4, "e", true), "", 0}, {offset(1, 2, "c", true), "", ConflictingFragment},
			{offset(1, 5, "f", false), "", ConflictingFragment}, {offset(1, 2, "cd", false), "abcde", OutOfOrder}}},
		{"an end before what there is", []step{{offset(1, 4, "e", false), "", 0}, {offset(1, 0, "ab", true), "", ConflictingFragment}}},
		{"nothing is all", []step{{Piece{ID: 1, Bytes: true, Counted: true}, "", 0}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			table := newTable()
			for i, s := range c.steps {
				if got, odd := add(table, 0, s.piece); got != s.want || odd != s.odd {
					t.Errorf("step %d: %q, odd %d; want %q, %d", i, got, odd, s.want, s.odd)
				}
				check(t, table)
			}
		})
	}
}

// What is given up says why.
func TestLost(t *testing.T) {
	lost := func(table *Table) string {
		var all []string
		for i := range table.Lost() {
			l := &table.Lost()[i]
			for _, p := range l.Parts {
				if p.At != -1 || p.Record == 0 {
					t.Errorf("part %+v of a message that was given up", p)
				}
			}
			all = append(all, l.String())
		}
		return strings.Join(all, "; ")
	}
	table := newTable()
	record := int64(0)
	send := func(ms int64, p Piece) {
		record++
		p.Record = record
		add(table, ms, p)
		check(t, table)
	}
	send(1, counted(1, 0, 5, "a"))
	send(1, counted(1, 3, 5, "d"))
	send(2, offset(2, 10, "klm", false))
	send(3, offset(3, 10, "klm", true))
	send(10_001, counted(9, 0, 1, "a"))
	if got := lost(table); got != "" {
		t.Errorf("too early: %s", got)
	}
	send(10_002, counted(10, 0, 1, "a"))
	if got, want := lost(table), "missing 3 of 5"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	send(10_005, counted(11, 0, 1, "a"))
	if got, want := lost(table), "missing the last piece; missing 10 of 13 bytes"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for id := range uint64(grownOpen) {
		send(10_006, counted(100+id, 0, 2, "a"))
	}
	if got := lost(table); got != "" {
		t.Errorf("%s while there is room", got)
	}
	send(10_006, counted(200, 0, 2, "a"))
	if got := lost(table); got != "evicted" {
		t.Errorf("%s, want evicted", got)
	}
	table.Flush()
	if got, want := lost(table), strings.Repeat("; end", grownOpen)[2:]; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	check(t, table)
	send(20_000, counted(300, 0, 2, "a"))
	table.Meet(client, server, 0, int64(200*time.Second)) // the flow is forgotten, with what it knew
	if got, want := lost(table), "missing 1 of 2"; got != want || table.flow.accepted != 0 {
		t.Errorf("%s, %d packets; want %s of a flow that is new", got, table.flow.accepted, want)
	}
}

// What a flow is told by beside its ends parts it, in one shard.
func TestFlowBy(t *testing.T) {
	table := newTable()
	for by := range uint64(3) {
		table.Meet(client, server, by, 0)
		if m, odd := table.Add(&Piece{ID: 1, At: by % 2, Of: 2, Counted: true, Data: []byte{byte(by)}}); m != nil || odd != 0 {
			t.Errorf("flow %d: %v, odd %d", by, m, odd)
		}
	}
	table.Meet(client, server, 1, 0)
	if m, _ := table.Add(&Piece{ID: 1, At: 0, Of: 2, Counted: true, Data: []byte{7}}); m == nil || string(m.Data) != "\x07\x01" {
		t.Errorf("the message of flow 1: %v", m)
	}
	if table.Flows() != 3 {
		t.Errorf("%d flows, want 3", table.Flows())
	}
}

// However small the limits are, they hold.
func TestSmallLimits(t *testing.T) {
	table := NewTable(Limits{Flows: 1, Memory: 1}, []Section{{Remember: 64}})
	for n := range 20_000 {
		table.Meet(stranger(n%300), server, 0, int64(n))
		table.Accept()
		table.Add(&Piece{ID: uint64(n), At: uint64(n % 7), Of: 9, Counted: true, Data: make([]byte, n%2000)})
		if n%100 == 0 {
			check(t, table)
		}
	}
	if n := table.Flows(); n > 2*Shards || n < Shards {
		t.Errorf("%d flows", n)
	}
	if table.Held() > 2*youngMemory*Shards {
		t.Errorf("%d bytes", table.Held())
	}
}
