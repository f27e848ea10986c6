package flow

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
)

// The packets of testdata/reliable.bin are what the receiver of the reliable library got: 3 % were lost, 3 % came twice,
// all were reordered within 48. reliable.truth.txt has what the library delivered of them. PKTSCOPE_RELIABLE names a
// longer pair, without its ending.
func reliablePackets(t testing.TB) (packets [][]byte, truth []string) {
	t.Helper()
	name := "testdata/reliable"
	if long := os.Getenv("PKTSCOPE_RELIABLE"); long != "" {
		name = long
	}
	all, err := os.ReadFile(name + ".bin")
	if err != nil {
		t.Fatal(err)
	}
	for len(all) > 0 {
		n := 2 + int(binary.LittleEndian.Uint16(all))
		packets, all = append(packets, all[2:n]), all[n:]
	}
	text, err := os.Open(name + ".truth.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	for lines := bufio.NewScanner(text); lines.Scan(); {
		truth = append(truth, lines.Text())
	}
	return packets, truth
}

// reliableHeader is the sequence of a packet and the size of its header, 0 of a packet that is too short.
func reliableHeader(p []byte) (sequence uint16, size int) {
	if len(p) < 3 {
		return 0, 0
	}
	size = 5
	for _, bit := range []byte{2, 4, 8, 16} {
		if p[0]&bit != 0 {
			size++
		}
	}
	if p[0]&0x20 != 0 {
		size--
	}
	if len(p) < size {
		return 0, 0
	}
	return binary.LittleEndian.Uint16(p[1:]), size
}

// reliableFragment is what a fragment says; false of what the library refuses of it by itself.
func reliableFragment(p []byte) (one Piece, ok bool) {
	if len(p) < 5 || p[4] > 15 || p[3] > p[4] {
		return one, false
	}
	one = Piece{ID: uint64(binary.LittleEndian.Uint16(p[1:])), At: uint64(p[3]), Of: uint64(p[4]) + 1, Counted: true, Data: p[5:]}
	if one.At == 0 {
		sequence, size := reliableHeader(one.Data)
		if size == 0 || uint64(sequence) != one.ID || one.Data[0]&1 != 0 {
			return one, false
		}
	}
	return one, true
}

// reliableText is a message as the truth has it. Its hash is the library's test's, which is FNV but for its first value.
func reliableText(message []byte) string {
	sequence, size := reliableHeader(message)
	h := uint64(1469598103934665603)
	for _, c := range message[size:] {
		h = (h ^ uint64(c)) * 1099511628211
	}
	return fmt.Sprintf("%d %d %016x", sequence, len(message)-size, h)
}

// ours is what a Table makes of packets: the messages in order, each once.
func ours(packets [][]byte) (messages []string) {
	table, seen := newTable(), map[string]bool{}
	take := func(m []byte) {
		if _, size := reliableHeader(m); size == 0 || m[0]&1 != 0 {
			return
		}
		if s := reliableText(m); !seen[s] {
			seen[s] = true
			messages = append(messages, s)
		}
	}
	for n, p := range packets {
		if len(p) == 0 {
			continue
		}
		table.Meet(client, server, 0, int64(n)*1e5)
		table.Accept()
		if p[0]&1 == 0 {
			take(p)
			continue
		}
		if one, ok := reliableFragment(p); ok {
			if m, _ := table.Add(&one); m != nil {
				take(m.Data)
			}
		}
	}
	return messages
}

// library is the receiver's side of the library: what it keeps is in windows, by sequence, that every packet moves.
type library struct {
	received [256]int // sequence, -1 of none
	next     uint16   // after the greatest
	open     [64]*struct {
		sequence uint16
		pieces   [][]byte
		n        int
	}
	nextOpen uint16
	messages []string
}

func less(a, b uint16) bool { return a != b && b-a < 1<<15 }

func (l *library) advance(sequence uint16) {
	if less(l.next, sequence+1) {
		for s := l.next; s != sequence+1; s++ {
			l.received[s%256] = -1
		}
		l.next = sequence + 1
	}
}

func (l *library) whole(m []byte) {
	sequence, size := reliableHeader(m)
	if size == 0 || m[0]&1 != 0 || less(sequence, l.next-256) || l.received[sequence%256] == int(sequence) {
		return
	}
	l.advance(sequence)
	l.received[sequence%256] = int(sequence)
	l.messages = append(l.messages, reliableText(m))
}

func (l *library) take(p []byte) {
	if len(p) == 0 {
		return
	}
	if p[0]&1 == 0 {
		l.whole(p)
		return
	}
	one, ok := reliableFragment(p)
	if !ok {
		return
	}
	sequence := uint16(one.ID)
	at := &l.open[sequence%64]
	if *at == nil || (*at).sequence != sequence {
		if less(sequence, l.nextOpen-64) {
			return
		}
		if less(l.nextOpen, sequence+1) {
			for s := l.nextOpen; s != sequence+1; s++ {
				l.open[s%64] = nil
			}
			l.nextOpen = sequence + 1
		}
		*at = &struct {
			sequence uint16
			pieces   [][]byte
			n        int
		}{sequence: sequence, pieces: make([][]byte, one.Of)}
		l.advance(sequence)
	}
	m := *at
	if len(m.pieces) != int(one.Of) || m.pieces[one.At] != nil {
		return
	}
	m.pieces[one.At] = one.Data
	if m.n++; m.n == len(m.pieces) {
		*at = nil
		l.whole(slices.Concat(m.pieces...))
	}
}

func libraryMessages(packets [][]byte) []string {
	l := &library{}
	for i := range l.received {
		l.received[i] = -1
	}
	for _, p := range packets {
		l.take(p)
	}
	return l.messages
}

// All of the library's messages come out whole and in its order; and what this file says of the library is so.
func TestReliableMessages(t *testing.T) {
	packets, truth := reliablePackets(t)
	if len(packets) < 13800 || len(truth) < 4061 {
		t.Fatalf("%d packets, %d messages", len(packets), len(truth))
	}
	if got := ours(packets); !slices.Equal(got, truth) {
		t.Errorf("%d messages, want the library's %d", len(got), len(truth))
	}
	if got := libraryMessages(packets); !slices.Equal(got, truth) {
		t.Errorf("the library of this file delivers %d messages, the library %d", len(got), len(truth))
	}
}

// With packets added in which one bit of the first six bytes is wrong, one in a hundred, no fewer messages come than the
// library delivers, of those that were sent.
func TestReliableMessagesAmongForged(t *testing.T) {
	packets, truth := reliablePackets(t)
	for seed := range uint64(3) {
		r := rand.New(rand.NewPCG(seed, 6))
		var all [][]byte
		for _, p := range packets {
			if r.IntN(100) == 0 && len(p) >= 6 {
				forged := slices.Clone(p)
				bit := r.IntN(48)
				forged[bit/8] ^= 1 << (bit % 8)
				all = append(all, forged)
			}
			all = append(all, p)
		}
		got, lib := genuine(ours(all), truth), genuine(libraryMessages(all), truth)
		if got < lib || got < len(truth)*99/100 {
			t.Errorf("seed %d: %d of %d messages, the library delivers %d", seed, got, len(truth), lib)
		}
		t.Logf("seed %d: %d of %d messages, the library delivers %d", seed, got, len(truth), lib)
	}
}

// genuine is how many of the messages are in a list.
func genuine(messages, list []string) (n int) {
	known := map[string]bool{}
	for _, s := range list {
		known[s] = true
	}
	for _, s := range messages {
		if known[s] {
			n++
			delete(known, s)
		}
	}
	return n
}

func BenchmarkReliable(b *testing.B) {
	packets, _ := reliablePackets(b)
	var pieces []Piece
	for _, p := range packets {
		if one, ok := reliableFragment(p); ok && p[0]&1 == 1 {
			pieces = append(pieces, one)
		}
	}
	table := newTable()
	b.ReportAllocs()
	b.ResetTimer()
	for i := range b.N {
		p := &pieces[i%len(pieces)]
		if i%len(pieces) == 0 {
			table.Meet(client, server, 0, int64(i)*1e9)
		}
		table.Meet(client, server, 0, int64(i)*1e5)
		table.Accept()
		table.Add(p)
	}
}
